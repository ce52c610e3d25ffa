import type { Clock } from '../../core/time/clock.ts';
import { gateOf, isForeseeable } from '../pacing/account-gate.ts';
import { type Forecast, forecast, type PaceAhead } from './forecast.ts';
import type { Sending } from './sending.ts';

/** Forecasts when each batch of an account ends at the account's pace. */
export type CachedForecast = (
  account: string,
  sending: readonly Sending[],
  pace: PaceAhead,
) => ReadonlyMap<string, Forecast>;

/** A new forecast is made after this many times the duration of the last one. */
const forecastRests = 20;

/**
 * Caches a forecast: forecasting takes at most a twentieth of the time, because the program that shows it may be the
 * one that sends. Between two forecasts it returns the last one.
 */
export function makeCachedForecast(clock: Pick<Clock, 'now' | 'monotonic'>): CachedForecast {
  const last = new Map<string, { foreseen: ReadonlyMap<string, Forecast>; at: number; until: number }>();
  return (account, sending, pace) => {
    const at = clock.monotonic();
    const known = last.get(account);
    // There is no forecast while it is unknown when the account sends again.
    const isStanding = !isForeseeable(gateOf(pace.gate, clock.now()));
    if (known && at < known.until && !isStanding) return sooner(known.foreseen, at - known.at);
    const foreseen = forecast(sending, pace, clock.now());
    const tookMs = clock.monotonic() - at;
    last.set(account, { foreseen, at, until: at + tookMs * forecastRests });
    return foreseen;
  };
}

/** The same forecast, `ms` milliseconds later. */
function sooner(foreseen: ReadonlyMap<string, Forecast>, ms: number): ReadonlyMap<string, Forecast> {
  const left = (untilMs: number) => Math.max(0, untilMs - ms);
  return new Map(
    [...foreseen].map(([batch, { sentMs, doneMs, boostedMs }]) => [
      batch,
      { sentMs: left(sentMs), doneMs: left(doneMs), boostedMs: boostedMs && left(boostedMs) },
    ]),
  );
}
