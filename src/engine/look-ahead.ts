import type { Clock } from '../core/clock.ts';
import { type Foreseen, foresee, type PaceAhead } from './foresee.ts';
import type { Sending } from './sending.ts';

/** Goes through what an account has to send at its pace. */
export type LookAhead = (
  account: string,
  sending: readonly Sending[],
  pace: PaceAhead,
) => ReadonlyMap<string, Foreseen>;

/** Who shows one picture after another looks ahead anew once so many times what that took has gone by. */
const lookAheadRests = 20;

/**
 * Looks ahead for a while: as often as it is asked where that takes next to nothing, and so that it takes a twentieth of the time at most, since
 * whoever shows how far it is may be the very program that sends. In between it tells what it has seen last.
 */
export function makeLookAhead(clock: Pick<Clock, 'now' | 'monotonic'>): LookAhead {
  const last = new Map<string, { foreseen: ReadonlyMap<string, Foreseen>; at: number; until: number }>();
  return (account, sending, pace) => {
    const at = clock.monotonic();
    const known = last.get(account);
    // Of a service that is not reached nothing is foreseen, at once.
    if (known && at < known.until && pace.unreachableSince === null) return sooner(known.foreseen, at - known.at);
    const foreseen = foresee(sending, pace, clock.now());
    const tookMs = clock.monotonic() - at;
    last.set(account, { foreseen, at, until: at + tookMs * lookAheadRests });
    return foreseen;
  };
}

/** The same, so much later (ms). */
function sooner(foreseen: ReadonlyMap<string, Foreseen>, ms: number): ReadonlyMap<string, Foreseen> {
  const left = (untilMs: number) => Math.max(0, untilMs - ms);
  return new Map(
    [...foreseen].map(([batch, { sentMs, doneMs, pressedMs }]) => [
      batch,
      { sentMs: left(sentMs), doneMs: left(doneMs), pressedMs: pressedMs && left(pressedMs) },
    ]),
  );
}
