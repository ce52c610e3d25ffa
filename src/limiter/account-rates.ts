import type { Clock } from '../core/time/clock.ts';
import type { OwnUse } from '../core/time/rate-outlook.ts';
import { type RateHeaders, type RequestClass, requestClasses } from '../gateway/contract/gateway.ts';
import { type ClassPlan, type LimitSettings, makeClassPlan, writesPerCreation } from './classes.ts';
import type { RateUsage } from './limiter.ts';
import { isShared } from './others.ts';
import { outlookOf } from './outlook.ts';
import { makeRateWindow, type RateWindow } from './rate-window.ts';
import { makeServerClock } from './server-clock.ts';
import { countWithin } from './sliding-count.ts';
import { hasRoomAt, ownUseOf, startsAt, usedOfWindow } from './window.ts';
import { noteAnswer, noteRefusal } from './window-answers.ts';
import {
  noteEnd,
  noteEndElsewhere,
  noteGiveBack,
  noteGiveBackElsewhere,
  noteStart,
  noteStartElsewhere,
} from './window-counts.ts';

export interface LimiterOptions {
  version: 'v2' | 'v1';
  /** Limits that differ from the version's defaults (enterprise plans). `Infinity` means no limit. */
  limits?: LimitSettings | undefined;
  /** Whether the service's answers carry rate-limit headers. Default: V2 yes, V1 no. */
  sendsHeaders?: boolean | undefined;
  /**
   * The most requests of a class that run at the same time. Default: what the limit allows in a second, from 16 to 512.
   */
  concurrencyMax?: number | undefined;
}

export interface LimiterDeps {
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  /** Called when the service's headers show another limit than before. The limiter uses `seen` from then on. */
  onLimitDiffers?: ((requestClass: RequestClass, configured: number, seen: number) => void) | undefined;
}

/** All counters of an account, and the time until which the whole account waits after a 429. */
export interface AccountRates {
  readonly options: LimiterOptions;
  readonly plan: ClassPlan;
  readonly windows: Record<RequestClass, RateWindow>;
  readonly deps: LimiterDeps;
  /** Monotonic ms. */
  heldUntil: number;
  /** Until when single classes wait (monotonic ms). */
  readonly restUntil: Map<RequestClass, number>;
  /** Admissions that running jobs have returned, by class: they do not count again when the job ends. */
  readonly owed: Map<RequestClass, number>;
}

/** How long after the server's reset the next window is used: a part of the window, with bounds. */
const resetMarginShare = 1 / 200;
const resetMarginMsMin = 5;
const resetMarginMsMax = 250;
/** The part by which the even pace is slower than the limit. */
const paceMargin = 0.02;
/** The part of the limit (at least 1) that stays unused while others share the account, in addition to their share. */
const sharedMargin = 0.01;

const concurrencyMin = 16;
/**
 * More requests than this would only queue within this process, and each garbage collection would copy what they hold.
 */
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

/** The most requests of a class that can ever run at the same time: the server's headers may show any limit. */
export function concurrencyMaxOf({ options, plan, windows }: AccountRates, name: RequestClass): number {
  return options.concurrencyMax ?? (plan.sendsHeaders ? concurrencyCap : windows[plan.counterOf[name]].concurrencyMax);
}

function countersOf({ plan, windows }: AccountRates, name: RequestClass): [RateWindow, RateWindow | null] {
  const other = plan.alsoCounts[name];
  return [windows[plan.counterOf[name]], other ? windows[other] : null];
}

/**
 * How many of its `weight` requests a job may send. The weight follows the configured limit; the service's may be
 * lower.
 */
export function admittedOf({ plan, windows }: AccountRates, name: RequestClass, weight: number): number {
  const { limit, options, isUntried } = windows[plan.counterOf[name]];
  if (isUntried) return 1;
  return limit >= options.limit ? weight : Math.max(1, Math.floor((weight * limit) / options.limit));
}

/** When `count` requests of the class may start together (monotonic ms): see `startsAt`. */
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

/** Uncounts admitted requests that will never run. */
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
  // If the clock was set back since, the window would seem to end in hours.
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
  // A higher limit for creations implies a higher limit for writes, unless a person configured that.
  if (counter === 'creation' && rates.plan.alsoCounts.creation === 'write' && !rates.plan.set.has('write')) {
    write.limit = Math.max(write.limit, window.limit * writesPerCreation);
  }
}

/** Stops the whole account after a 429 (invariant I10). */
export function holdAccount(rates: AccountRates, name: RequestClass, ms: number): void {
  const now = rates.deps.clock.monotonic();
  const window = rates.windows[rates.plan.counterOf[name]];
  rates.heldUntil = Math.max(rates.heldUntil, now + ms + window.options.resetMarginMs);
  noteRefusal(window, now);
}

/** Stops one class by our own decision; it may end early. */
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
  const { seen, phase } = window;
  const { windowMs } = window.options;
  const nextAt = Number.isFinite(at) ? Math.max(now, at) : now;
  const { endsAt, ...outlook } = outlookOf(window, now, nextAt);
  const ahead = clock.now() - now;
  return {
    limit: window.limit,
    windowMs,
    used: countWithin(window.starts, now),
    remaining: phase === 'open' && seen ? Math.max(0, seen.remaining) : null,
    usedOfWindow: usedOfWindow(window, now),
    ownUse: ownUseOf(window, now, ahead),
    outlook: { ...outlook, nextAt: nextAt + ahead, until: Math.max(now, endsAt) + ahead },
    heldMs: Math.max(0, waitOf(rates, name) - now),
    shared: isShared(window),
  };
}
