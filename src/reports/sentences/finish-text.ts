import { isoTime } from '../../core/time/clock.ts';
import { durationText } from './format.ts';

const minuteMs = 60_000;

/** A time (epoch ms) as people write an appointment: "2026-11-25 14:00 UTC". */
export function minuteText(at: number): string {
  return `${isoTime(at).slice(0, 16).replace('T', ' ')} UTC`;
}

const inMinutes = (ms: number) => durationText(Math.round(ms / minuteMs) * minuteMs);

/** How far a time is from the time by which a batch should be finished: "20 min early (due 2026-11-25 14:00 UTC)". */
function latenessText(away: string, doneAt: number, finishBy: number): string {
  return `${away} ${doneAt > finishBy ? 'late' : 'early'} (due ${minuteText(finishBy)})`;
}

/** The forecast for a batch: "about 2026-11-25 13:40 UTC, 20 min early (due 2026-11-25 14:00 UTC)". */
export function forecastText(doneAt: number, finishBy: number): string {
  const away = Math.abs(doneAt - finishBy);
  const about = away < minuteMs ? 'less than a minute' : inMinutes(away);
  return `about ${minuteText(doneAt)}, ${latenessText(about, doneAt, finishBy)}`;
}

/** The same for a batch that has ended: "2026-11-25 13:40 UTC, 20 min early (due 2026-11-25 14:00 UTC)". */
export function endedText(doneAt: number, finishBy: number): string {
  const away = Math.abs(doneAt - finishBy);
  const exactly = away < minuteMs ? durationText(away) : inMinutes(away);
  return `${minuteText(doneAt)}, ${latenessText(exactly, doneAt, finishBy)}`;
}
