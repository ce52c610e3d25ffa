import { type RowState, rowStates } from '../../core/state/row-state.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { isoTime } from '../../core/time/clock.ts';
import { durationText, localTime, spanText } from '../sentences/format.ts';
import type { Timeline } from '../summary/timeline.ts';
import { counted } from '../text/counted-text.ts';
import { type Html, html } from './html.ts';

/** The order in which states are shown: completed first, then faults, then what is still to come. */
export const shownStates: readonly RowState[] = [
  'completed',
  'accepted',
  'sending',
  'ready',
  'held',
  'in_doubt',
  'failed',
  'invalid',
  'skipped',
  'cancelled',
];

/** A bar divided by the states of the rows. */
export function stateBar(counts: Record<RowState, number>): Html {
  const total = rowStates.reduce((sum, state) => sum + counts[state], 0);
  if (total === 0) return html``;
  let at = 0;
  const parts = shownStates.map((state) => {
    const width = (counts[state] / total) * 100;
    const part = html`<rect class="f-${state}" x="${percent(at)}" y="0" width="${percent(width)}" height="100%"/>`;
    at += width;
    return width === 0 ? html`` : part;
  });
  const labels = shownStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${rowStateTexts[state].label}`);
  return html`<svg class="bar" role="img" aria-label="${labels.join(', ')}">${parts}</svg>`;
}

/** Columns over time: how many rows were delivered and how many failed in each span. `zone`: for local times. */
export function timeChart({ bucketMs, startMs, firstMs, lastMs, buckets }: Timeline, zone: string | null): Html {
  const highest = Math.max(...buckets.map(({ completed, failed }) => completed + failed));
  // Two columns alone would fill the page, so a short run leaves the rest of the chart empty.
  const slots = Math.max(buckets.length, 24);
  const columns = buckets.map(({ completed, failed }, at) => {
    const [done, wrong] = [(completed / highest) * 100, (failed / highest) * 100];
    const x = at * 10 + 1;
    return html`${done > 0 ? html`<rect class="f-completed" x="${x}" y="${number(100 - done)}" width="8" height="${number(done)}"/>` : null}${
      wrong > 0
        ? html`<rect class="f-failed" x="${x}" y="${number(100 - done - wrong)}" width="8" height="${number(wrong)}"/>`
        : null
    }`;
  });
  const most = `${counted(highest, 'row')} in ${lengthText(bucketMs)}`;
  const when = spanText(isoTime(firstMs), isoTime(lastMs), zone);
  const { marks, hasLocal } = ticks(startMs, slots * bucketMs, zone);
  const label = `Rows that ended, ${when}; at most ${most}`;
  return html`<div class="axis top"><span>${most} at most</span><span class="keys"><span><svg class="key" aria-hidden="true"><rect class="f-completed" width="100%" height="100%"/></svg>completed</span><span><svg class="key" aria-hidden="true"><rect class="f-failed" width="100%" height="100%"/></svg>failed</span></span></div>
<svg class="time" role="img" aria-label="${label}" viewBox="0 0 ${slots * 10} 100" preserveAspectRatio="none">${columns}</svg>
<svg class="ticks${hasLocal ? ' two' : ''}" aria-hidden="true">${marks}</svg>
<p class="soft small">Rows ended ${when}. Each column is ${lengthText(bucketMs)}.${hasLocal ? ' The second line of times is local.' : ''}</p>`;
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
/** The possible distances between the times below a chart: those of a clock. Beyond them, days are doubled. */
const stepsMs = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * hour),
];
/** The most steps of an axis: a telephone has room for so many times. */
const stepsMax = 4;
/**
 * Half the width of a time label, as a part of the narrowest axis (some 290 px). Closer to an end, a label would leave
 * the chart.
 */
const halfLetter = 0.0125;

/** The times below a chart, each at its place, with the local ones below them; days have none. */
function ticks(startMs: number, spanMs: number, zone: string | null): { marks: Html[]; hasLocal: boolean } {
  let stepMs = stepsMs.find((step) => spanMs <= step * stepsMax) ?? day;
  while (spanMs > stepMs * stepsMax) stepMs *= 2;
  const marks: Html[] = [];
  let hasLocal = false;
  for (let at = Math.ceil(startMs / stepMs) * stepMs; at < startMs + spanMs; at += stepMs) {
    const place = (at - startMs) / spanMs;
    const text = clockText(isoTime(at), stepMs);
    const edge = text.length * halfLetter;
    if (place < edge || place > 1 - edge) continue;
    const x = percent(place * 100);
    const local = stepMs >= day ? null : localTime(isoTime(at), zone);
    hasLocal ||= local !== null;
    marks.push(
      html`<line x1="${x}" x2="${x}" y1="0" y2="5"/><text x="${x}" y="19">${text}</text>${local === null ? null : html`<text x="${x}" y="35">${clockText(local, stepMs)}</text>`}`,
    );
  }
  return { marks, hasLocal };
}

/** A time on an axis, no finer than the axis. */
function clockText(time: string, stepMs: number): string {
  if (stepMs >= day) return time.slice(0, 10);
  return stepMs >= minute ? time.slice(11, 16) : time.slice(11, 19);
}

/** Like `durationText`, with tenths if it is less than a second. */
function lengthText(ms: number): string {
  return ms < second ? `${ms / second} s` : durationText(ms);
}

/** A bar whose length is `count` relative to `largest`. */
export function shareBar(count: number, largest: number, state: RowState): Html {
  const width = largest === 0 ? 0 : (count / largest) * 100;
  return html`<svg class="share" aria-hidden="true"><rect class="f-${state}" x="0" y="0" width="${percent(width)}" height="100%" rx="3"/></svg>`;
}

export function stateKey(state: RowState): Html {
  return html`<svg class="key" aria-hidden="true"><rect class="f-${state}" width="100%" height="100%"/></svg>`;
}

function percent(value: number): string {
  return `${number(value)}%`;
}

/** A short number that is the same on every machine. */
function number(value: number): string {
  return String(Number(value.toFixed(3)));
}
