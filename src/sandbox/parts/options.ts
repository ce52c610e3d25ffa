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
  /** Where the state is kept: a path of SQLite; without one it is kept in memory. */
  data?: string;
  clock?: SandboxClock;
  /** Makes ids and chance repeatable. */
  seed?: number;
  /** What goes wrong by chance. */
  faults?: FaultMix;
  limits?: Partial<Record<LimitName, number>>;
  /** Creations in a window; every other limit is raised or lowered in the same proportion. `limits` goes before it. */
  rate?: number;
  /** The length of a window, milliseconds. */
  windowMs?: number;
  /**
   * How long an ordinary top-up takes from its creation to its end: between half and the whole of this. 0: ends at
   * once.
   */
  settleMs?: number;
  /** How long an ordinary entry is missing from the list after its creation, milliseconds. */
  listLagMs?: number;
  /** What the wallets hold at the start, by wallet id; the others have their own (see `wallets.ts`). */
  balances?: Readonly<Record<string, string>>;
  /**
   * Webhooks go in plain http also to private names and addresses, as those of containers are; else to this machine
   * alone.
   */
  allowHttpCallbacks?: boolean;
  /** Below this a wallet reports `wallet.low_balance`, by wallet id. */
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
