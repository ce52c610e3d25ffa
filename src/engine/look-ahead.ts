import type { Clock } from '../core/clock.ts';
import { type Foreseen, foresee, type PaceAhead } from './foresee.ts';
import type { Sending } from './sending.ts';

/** Forecasts when each batch of an account ends, at the account's pace. */
export type LookAhead = (
  account: string,
  sending: readonly Sending[],
  pace: PaceAhead,
) => ReadonlyMap<string, Foreseen>;

/** A new forecast is made after this many times the duration of the last one. */
const lookAheadRests = 20;

/**
 * Caches a forecast: forecasting takes at most a twentieth of the time, because the program that shows it may be the one that
 * sends. Between two forecasts it returns the last one.
 */
export function makeLookAhead(clock: Pick<Clock, 'now' | 'monotonic'>): LookAhead {
  const last = new Map<string, { foreseen: ReadonlyMap<string, Foreseen>; at: number; until: number }>();
  return (account, sending, pace) => {
    const at = clock.monotonic();
    const known = last.get(account);
    // There is no forecast while the service is unreachable.
    if (known && at < known.until && pace.unreachableSince === null) return sooner(known.foreseen, at - known.at);
    const foreseen = foresee(sending, pace, clock.now());
    const tookMs = clock.monotonic() - at;
    last.set(account, { foreseen, at, until: at + tookMs * lookAheadRests });
    return foreseen;
  };
}

/** The same forecast, `ms` milliseconds later. */
function sooner(foreseen: ReadonlyMap<string, Foreseen>, ms: number): ReadonlyMap<string, Foreseen> {
  const left = (untilMs: number) => Math.max(0, untilMs - ms);
  return new Map(
    [...foreseen].map(([batch, { sentMs, doneMs, pressedMs }]) => [
      batch,
      { sentMs: left(sentMs), doneMs: left(doneMs), pressedMs: pressedMs && left(pressedMs) },
    ]),
  );
}
