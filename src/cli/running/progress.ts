import type { ProgressEvent } from '../../operations/base/events.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { bar } from '../base/bar.ts';
import type { Terminal } from '../base/terminal.ts';

/** How often the screen is redrawn, and how often progress may be printed as a line if nobody watches. */
const redrawMs = 200;
const lineMs = 30_000;
/**
 * A progress line that has not changed is printed again after this time. So the log of a long wait shows that the
 * command still runs.
 */
const unchangedLineMs = 15 * 60_000;

/** How often a terminal needs a progress event. */
export function progressMsOf({ isInteractive }: Pick<Terminal, 'isInteractive'>): number {
  return isInteractive ? redrawMs : lineMs;
}

export interface ProgressLines {
  show(progress: ProgressEvent): void;
  /** Leaves the shown lines on the screen until the next work begins, because other output follows. */
  leave(): void;
}

/** Shows the progress of the batches. */
export function makeProgressLines(
  terminal: Pick<Terminal, 'isInteractive' | 'error' | 'show' | 'keep'>,
): ProgressLines {
  let isLeft = false;
  let said = { standing: '', at: 0 };
  /** Whether a line is new, or old enough to be repeated. The last line is always written. */
  const isDue = (now: ProgressEvent) => {
    const next = { standing: standingOf(now), at: Date.parse(now.at) };
    if (next.standing === said.standing && next.at - said.at < unchangedLineMs && !now.is_last) return false;
    said = next;
    return true;
  };
  const write = (now: ProgressEvent) => {
    const parts = [`${grouped(settled(now))} of ${counted(now.to_pay, 'row')} settled`, ...details(now)];
    if (!terminal.isInteractive) {
      if (isDue(now)) terminal.error(`${parts.join(' · ')}\n`);
      return;
    }
    // No part is broken where the line is broken.
    const unbroken = parts.map((part) => part.replaceAll(' ', '\u00a0'));
    terminal.show([` ${bar(settled(now), now.to_pay)} ${unbroken.join('\u00a0· ')}`]);
    if (now.is_last) terminal.keep();
  };
  return {
    show(progress) {
      if (!isLeft) write(progress);
      if (progress.is_last) isLeft = false;
    },
    leave() {
      // Where each line goes below the last one, no line has to be cleared.
      if (!terminal.isInteractive) return;
      isLeft = true;
      terminal.keep();
    },
  };
}

function settled({ completed, failed }: ProgressEvent): number {
  return completed + failed;
}

/** Everything in a line except for the durations, because they change all the time. */
function standingOf({
  at: _at,
  lookup_at: _lookup,
  left_ms: _left,
  is_last: _last,
  service_wait,
  ...standing
}: ProgressEvent): string {
  return JSON.stringify([standing, service_wait !== null]);
}

/** What the line says in addition to the number of settled rows; after the end, only what stays true. */
function details(now: ProgressEvent): string[] {
  const { in_doubt: inDoubt, failed, to_send: toSend, under_way: underWay, is_last: ended } = now;
  const parts: string[] = [];
  if (inDoubt > 0) parts.push(`${grouped(inDoubt)} in doubt${ended ? '' : whenLookedUp(now)}`);
  if (failed > 0) parts.push(`${grouped(failed)} failed`);
  if (ended) return parts;
  if (toSend > 0) parts.push(`${grouped(toSend)} to send${whenSent(now)}`);
  if (underWay > 0) parts.push(`${grouped(underWay)} under way`);
  // Balances, and details of payments that the service's list does not show.
  if (settled(now) === now.to_pay) parts.push('reading what the reports need from the service');
  return parts;
}

/** What the batch waits for if only rows in doubt are left. */
function whenLookedUp({ at, to_send, under_way, lookup_at }: ProgressEvent): string {
  if (to_send + under_way > 0 || lookup_at === null) return '';
  const leftMs = Date.parse(lookup_at) - Date.parse(at);
  return leftMs < 1_000 ? '' : `, looked up in ${durationText(leftMs)}`;
}

/** When the last row will be sent. No time is given while nothing is sent. */
function whenSent({ left_ms: leftMs, is_paused, is_sending, service_wait, rows_before }: ProgressEvent): string {
  if (!is_sending) return is_paused ? ', paused' : '';
  const waits = service_wait ?? rows_before;
  const left = leftMs !== null && leftMs >= 1_000 ? `, about ${durationText(leftMs)} left` : '';
  return waits === null ? left : `${left}; waits for ${waits}`;
}
