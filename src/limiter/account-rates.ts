import type { Clock } from '../core/clock.ts';
import type { OwnUse } from '../core/rate-outlook.ts';
import { type RateHeaders, type RequestClass, requestClasses } from '../gateway/gateway.ts';
import { type ClassPlan, type LimitSettings, makeClassPlan, writesPerCreation } from './classes.ts';
import type { RateUsage } from './limiter.ts';
import { isShared } from './others.ts';
import { outlookOf } from './outlook.ts';
import { makeRateWindow, type RateWindow } from './rate-window.ts';
import { makeServerClock } from './server-clock.ts';
import { countWithin } from './sliding-count.ts';
import {
  hasRoomAt,
  noteAnswer,
  noteEnd,
  noteEndElsewhere,
  noteGiveBack,
  noteGiveBackElsewhere,
  noteRefusal,
  noteStart,
  noteStartElsewhere,
  ownUseOf,
  startsAt,
  usedOfWindow,
} from './window.ts';

export interface LimiterOptions {
  version: 'v2' | 'v1';
  /** Limits other than the version's own (enterprise plans). A limit of `Infinity` is none. */
  limits?: LimitSettings | undefined;
  /** Whether the service's answers carry rate-limit headers. Default: V2 yes, V1 no. */
  sendsHeaders?: boolean | undefined;
  /** Requests of a class under way at once. Default: what the limit allows in a second, from 16 to 512. */
  concurrencyMax?: number | undefined;
}

export interface LimiterDeps {
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  /** Called for each new limit that the service's headers show; `seen` is followed from then on. */
  onLimitDiffers?: ((requestClass: RequestClass, configured: number, seen: number) => void) | undefined;
}

/** All counters of an account together, and the one time until which the whole account was told to wait. */
export interface AccountRates {
  readonly options: LimiterOptions;
  readonly plan: ClassPlan;
  readonly windows: Record<RequestClass, RateWindow>;
  readonly deps: LimiterDeps;
  /** Monotonic ms. */
  heldUntil: number;
  /** Until when a class alone waits (monotonic ms). */
  readonly restUntil: Map<RequestClass, number>;
  /** Given back by jobs that have not ended yet, by counter: their ends count for less. */
  readonly owed: Map<RequestClass, number>;
}

/** The next window is begun this much after the server's reset: as a part of a window, and at least and at most. */
const resetMarginShare = 1 / 200;
const resetMarginMsMin = 5;
const resetMarginMsMax = 250;
/** Without headers, the even pace is this part slower than the limit. */
const paceMargin = 0.02;
/** While others use the account, this part of the limit (1 at least) is left unused beside their share. */
const sharedMargin = 0.01;

const concurrencyMin = 16;
/** Beyond this, requests only queue in this very process, and what they hold is copied by each collection of garbage meanwhile. */
const concurrencyCap = 512;

export function makeAccountRates(options: LimiterOptions, deps: LimiterDeps): AccountRates {
  const plan = makeClassPlan(options.version, options.limits, options.sendsHeaders);
  const serverClock = makeServerClock();
  const windows = Object.fromEntries(
    requestClasses.map((name) => {
      const { limit, windowMs } = plan.limits[name];
      const concurrencyMax = options.concurrencyMax ?? concurrencyFor(limit, windowMs);
      const window = makeRateWindow(
        {
          limit,
          windowMs,
          sendsHeaders: plan.sendsHeaders,
          isRaised: plan.raised.has(name),
          resetMarginMs: Math.min(Math.max(windowMs * resetMarginShare, resetMarginMsMin), resetMarginMsMax),
          paceMargin,
          sharedMargin,
        },
        concurrencyMax,
        serverClock,
      );
      return [name, window];
    }),
  ) as AccountRates['windows'];
  return { options, plan, windows, deps, heldUntil: -Infinity, restUntil: new Map(), owed: new Map() };
}

function concurrencyFor(limit: number, windowMs: number): number {
  return Math.min(Math.max(Math.ceil((limit * 1_000) / windowMs), concurrencyMin), concurrencyCap);
}

/** The most requests of a class that may ever be under way at once: a limit that the server's headers show may be any. */
export function concurrencyMaxOf({ options, plan, windows }: AccountRates, name: RequestClass): number {
  return options.concurrencyMax ?? (plan.sendsHeaders ? concurrencyCap : windows[plan.counterOf[name]].concurrencyMax);
}

function countersOf({ plan, windows }: AccountRates, name: RequestClass): [RateWindow, RateWindow | null] {
  const other = plan.alsoCounts[name];
  return [windows[plan.counterOf[name]], other ? windows[other] : null];
}

/** How many of the `weight` requests that a job asked for it is given: it asked by the configured limit, which may not be the service's. */
export function admittedOf({ plan, windows }: AccountRates, name: RequestClass, weight: number): number {
  const { limit, options, isUntried } = windows[plan.counterOf[name]];
  if (isUntried) return 1;
  return limit >= options.limit ? weight : Math.max(1, Math.floor((weight * limit) / options.limit));
}

/** When `count` requests of the class may start together (monotonic ms): see `startsAt` of the window. */
export function admissionAt(rates: AccountRates, name: RequestClass, now: number, count: number): number {
  const waitsUntil = waitOf(rates, name);
  if (now < waitsUntil) return waitsUntil;
  const [own, other] = countersOf(rates, name);
  return Math.max(startsAt(own, now, count), other ? hasRoomAt(other, now, count) : now);
}

export function beginRequests(rates: AccountRates, name: RequestClass, now: number, count: number): void {
  const [own, other] = countersOf(rates, name);
  noteStart(own, now, count);
  if (other) noteStartElsewhere(other, now, count);
}

export function endRequests(rates: AccountRates, name: RequestClass, now: number, count: number): void {
  const owed = rates.owed.get(name) ?? 0;
  const given = Math.min(owed, count);
  rates.owed.set(name, owed - given);
  const [own, other] = countersOf(rates, name);
  noteEnd(own, now, count - given);
  if (other) noteEndElsewhere(other, now, count - given);
}

export function giveBackRequests(rates: AccountRates, name: RequestClass, count: number): void {
  rates.owed.set(name, (rates.owed.get(name) ?? 0) + count);
  takeBackRequests(rates, name, count);
}

/** Requests that were admitted never came to run, and will not end either. */
export function takeBackRequests(rates: AccountRates, name: RequestClass, count: number): void {
  const [own, other] = countersOf(rates, name);
  noteGiveBack(own, count);
  if (other) noteGiveBackElsewhere(other, count);
}

export function expectRequests({ plan, windows }: AccountRates, name: RequestClass, count: number): void {
  windows[plan.counterOf[name]].expected = count;
}

export function noteUsedBefore({ plan, windows, deps }: AccountRates, name: RequestClass, use: OwnUse): void {
  const { clock } = deps;
  const window = windows[plan.counterOf[name]];
  const endsInMs = use.endsAt - clock.now();
  // By a clock that was set back since it would end in hours.
  window.before = { ...use, endsAt: clock.monotonic() + Math.min(endsInMs, window.options.windowMs) };
}

export function observeHeaders(rates: AccountRates, name: RequestClass, headers: RateHeaders): void {
  const { clock, onLimitDiffers } = rates.deps;
  const counter = rates.plan.counterOf[name];
  const window = rates.windows[counter];
  const before = window.limit;
  noteAnswer(window, clock.monotonic(), clock.now(), headers);
  if (window.limit === before) return;
  onLimitDiffers?.(counter, rates.plan.limits[counter].limit, window.limit);
  window.concurrencyMax = rates.options.concurrencyMax ?? concurrencyFor(window.limit, window.options.windowMs);
  const { write } = rates.windows;
  // Whoever may create more than writes are allowed has more writes as well, unless a person set them.
  if (counter === 'creation' && rates.plan.alsoCounts.creation === 'write' && !rates.plan.set.has('write')) {
    write.limit = Math.max(write.limit, window.limit * writesPerCreation);
  }
}

/** Told to wait, the whole account waits (invariant I10). */
export function holdAccount(rates: AccountRates, name: RequestClass, ms: number): void {
  const now = rates.deps.clock.monotonic();
  const window = rates.windows[rates.plan.counterOf[name]];
  rates.heldUntil = Math.max(rates.heldUntil, now + ms + window.options.resetMarginMs);
  noteRefusal(window, now);
}

/** Nobody was told to wait: the other classes go on, and it may end sooner than was thought. */
export function restClass(rates: AccountRates, name: RequestClass, ms: number): void {
  rates.restUntil.set(name, rates.deps.clock.monotonic() + ms);
}

export function isHeld(rates: AccountRates, name: RequestClass): boolean {
  return rates.deps.clock.monotonic() < waitOf(rates, name);
}

function waitOf({ heldUntil, restUntil }: AccountRates, name: RequestClass): number {
  return Math.max(heldUntil, restUntil.get(name) ?? -Infinity);
}

export function usageOf(rates: AccountRates, name: RequestClass): RateUsage {
  const { clock } = rates.deps;
  const now = clock.monotonic();
  const window = rates.windows[rates.plan.counterOf[name]];
  const at = admissionAt(rates, name, now, 1);
  const { told, phase } = window;
  const { windowMs } = window.options;
  const nextAt = Number.isFinite(at) ? Math.max(now, at) : now;
  const { endsAt, ...outlook } = outlookOf(window, now, nextAt);
  const ahead = clock.now() - now;
  return {
    limit: window.limit,
    windowMs,
    used: countWithin(window.starts, now),
    remaining: phase === 'open' && told ? Math.max(0, told.remaining) : null,
    usedOfWindow: usedOfWindow(window, now),
    ownUse: ownUseOf(window, now, ahead),
    outlook: { ...outlook, nextAt: nextAt + ahead, until: Math.max(now, endsAt) + ahead },
    heldMs: Math.max(0, waitOf(rates, name) - now),
    shared: isShared(window),
  };
}
