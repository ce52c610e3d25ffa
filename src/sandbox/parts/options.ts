import type { SandboxClock } from './clock.ts';
import type { FaultMix } from './faults.ts';

/** The limits of spec section 8.1, by the names that the options use. */
const limitNames = [
  'auth',
  'read',
  'write',
  'creation',
  'catalog',
  'v1_topups',
  'v1_balances',
  'v1_transactions',
] as const;
export type LimitName = (typeof limitNames)[number];

/** Requests in a window (spec section 8.1). */
export const defaultLimits: Readonly<Record<LimitName, number>> = {
  auth: 20,
  read: 300,
  write: 120,
  creation: 60,
  catalog: 120,
  v1_topups: 60,
  v1_balances: 120,
  v1_transactions: 120,
};

export interface SandboxOptions {
  /** A SQLite path for the state; without one, the state is in memory. */
  data?: string | undefined;
  clock?: SandboxClock;
  /** Makes ids and random faults repeatable. */
  seed?: number | undefined;
  /** Random faults. */
  faults?: FaultMix | undefined;
  limits?: Partial<Record<LimitName, number>>;
  /** Creations in a window; the other limits change in proportion. `limits` overrides it. */
  rate?: number | undefined;
  /** The length of a window, milliseconds. */
  windowMs?: number | undefined;
  /** The longest time from an ordinary top-up's creation to its end; the shortest is half of it. 0: ends at once. */
  settleMs?: number | undefined;
  /** How long an ordinary entry is missing from the list after its creation (milliseconds). */
  listLagMs?: number;
  /** The balances at the start, by wallet id; other wallets have their defaults (see `wallets.ts`). */
  balances?: Readonly<Record<string, string>>;
  /**
   * Allows webhooks over plain http to private names and addresses, such as those of containers; otherwise only to this
   * machine.
   */
  allowHttpCallbacks?: boolean | undefined;
  /** The threshold of the event `wallet.low_balance`, by wallet id. */
  lowBalance?: Readonly<Record<string, string>>;
}

export interface Settings {
  limits: Readonly<Record<LimitName, number>>;
  windowMs: number;
  settleMs: number;
  listLagMs: number;
  allowHttpCallbacks: boolean;
}

export function settingsOf({
  limits = {},
  rate,
  windowMs = 60_000,
  settleMs = 1_500,
  listLagMs = 0,
  allowHttpCallbacks = false,
}: SandboxOptions): Settings {
  const factor = rate === undefined ? 1 : rate / defaultLimits.creation;
  const scaled = limitNames.map((name): [LimitName, number] => [
    name,
    limits[name] ?? Math.max(1, Math.round(defaultLimits[name] * factor)),
  ]);
  return {
    limits: Object.fromEntries(scaled) as Record<LimitName, number>,
    windowMs,
    settleMs,
    listLagMs,
    allowHttpCallbacks,
  };
}
