import type { Clock } from '../core/clock.ts';
import { type RequestClass, requestClasses } from '../gateway/gateway.ts';
import { classPlans, type LimitSettings, windowMsDefault } from './classes.ts';
import { type Limiter, LimiterStopped } from './limiter.ts';
import { makeWindow, type Window } from './window.ts';

export interface LimiterOptions {
  version: 'v2' | 'v1';
  /** Limits other than the version's own (enterprise plans). */
  limits?: LimitSettings | undefined;
}

export interface LimiterDeps {
  clock: Clock;
  onLimitDiffers?: ((requestClass: RequestClass, configured: number, seen: number) => void) | undefined;
}

/** The gates of an account, one a class of requests: each lets its jobs through, in order, when their windows have room. */
export interface Gates extends Omit<Limiter, 'admit'> {
  /** Resolves when `weight` requests of the class may start; they count from then on, until `leave`. */
  enter(requestClass: RequestClass, weight: number): Promise<void>;
  leave(requestClass: RequestClass, weight: number): void;
  limitOf(requestClass: RequestClass): { limit: number; windowMs: number };
}

export function makeGates(options: LimiterOptions, { clock, onLimitDiffers }: LimiterDeps): Gates {
  const plan = classPlans[options.version];
  const limitOf = (name: RequestClass) => ({
    limit: options.limits?.[name]?.limit ?? widened(name),
    windowMs: options.limits?.[name]?.windowMs ?? options.limits?.creation?.windowMs ?? windowMsDefault,
  });
  // Who may create more than the writes' own limit allows has a plan with more writes as well.
  const widened = (name: RequestClass) =>
    name === 'write' ? Math.max(plan.limits.write, options.limits?.creation?.limit ?? 0) : plan.limits[name];
  const windows = new Map<RequestClass, Window>(
    requestClasses.map((name) => [
      name,
      makeWindow(
        {
          ...limitOf(name),
          mode: plan.modes[name] ?? 'paced',
          onLimitDiffers: (seen) => onLimitDiffers?.(name, limitOf(name).limit, seen),
        },
        clock,
      ),
    ]),
  );
  const windowsOf = (name: RequestClass): Window[] =>
    plan.counters[name].map((counter) => windows.get(counter) as Window);
  const stop = new AbortController();
  const tails = new Map<RequestClass, Promise<void>>();
  let changed = new AbortController();
  const ring = () => {
    changed.abort();
    changed = new AbortController();
  };

  const pass = async (name: RequestClass, weight: number): Promise<void> => {
    const own = windowsOf(name);
    while (!stop.signal.aborted) {
      if (own.every((window) => window.free() >= weight)) {
        for (const window of own) window.begin(weight);
        return;
      }
      const at = Math.max(...own.map((window) => (window.free() >= weight ? 0 : window.nextAt())));
      await clock.sleep(Math.max(1, at - clock.now()), AbortSignal.any([changed.signal, stop.signal]));
    }
    throw new LimiterStopped();
  };

  return {
    limitOf,
    enter(name, weight) {
      // Jobs of a class enter in the order in which they came.
      const mine = (tails.get(name) ?? Promise.resolve()).then(() => pass(name, weight));
      tails.set(
        name,
        mine.catch(() => undefined),
      );
      return mine;
    },
    leave(name, weight) {
      for (const window of windowsOf(name)) window.end(weight);
      ring();
    },
    giveBack(name, count) {
      for (const window of windowsOf(name)) window.unsend(count);
      ring();
    },
    observe(name, headers) {
      windowsOf(name)[0]?.observe(headers);
      ring();
    },
    hold(_name, ms) {
      // Told to wait, the whole account waits (invariant I10).
      for (const window of windows.values()) window.hold(ms);
    },
    usage: (name) => (windowsOf(name)[0] as Window).usage(),
    async stop() {
      stop.abort();
    },
  };
}
