import { z } from 'zod';
import { exactInteger, jsonObject } from './http/shapes.ts';
import type { TopupEvents } from './money/topup.ts';
import type { Wallet, Wallets } from './money/wallets.ts';
import { ExactNumber } from './parts/exact.ts';
import type { MovableClock } from './parts/movable-clock.ts';
import { advancedMs, noteAdvanced } from './parts/store.ts';
import type { ServiceParts } from './service.ts';
import { walletView } from './v2/v2-views.ts';

/** A balance: a number, or a decimal in quotes, which is easier to write in a shell. */
const balance = z
  .custom<ExactNumber | string>((value) => decimalOf(value) !== null, 'must be a number of at least 0')
  .transform((value) => decimalOf(value) ?? '0')
  .meta({ type: 'number', minimum: 0 });

function decimalOf(value: unknown): string | null {
  if (!(value instanceof ExactNumber) && typeof value !== 'string') return null;
  const decimal = new ExactNumber(value instanceof ExactNumber ? value.source : value).decimal();
  return decimal === null || decimal.startsWith('-') ? null : decimal;
}

export const setWalletShape = jsonObject({
  balance: balance.optional(),
  status: z.enum(['active', 'inactive']).optional(),
  low_balance: balance.optional(),
}).refine((body) => Object.values(body).some((value) => value !== undefined), {
  message: 'at least one of balance, status and low_balance must be given',
});
type SetWallet = z.output<typeof setWalletShape>;

/** A year is longer than every period of the specification. */
const advanceMsMax = 366 * 24 * 60 * 60_000;

export const setClockShape = jsonObject({
  advance_ms: exactInteger.refine((value) => (value.integer() ?? -1) >= 0 && (value.integer() ?? 0) <= advanceMsMax, {
    message: `must be 0 to ${advanceMsMax}`,
  }),
});

export interface ControlParts {
  service: ServiceParts;
  clock: MovableClock;
  wallets: Wallets;
  events: TopupEvents;
  wake(): void;
}

/** What a test can do to the sandbox, and a client of the real service cannot. */
export interface Controls {
  /** Null if there is no such wallet. */
  setWallet(id: string, change: SetWallet): ReturnType<typeof shownWallet> | null;
  clock(): { now: string; advanced_ms: number };
  /** Advances the clock. Events that fall due on the way are booked with their own times. */
  advance(ms: number): { now: string; advanced_ms: number };
  /** Restores the state of a first start with these options. */
  reset(): void;
}

const shownWallet = (wallet: Wallet) => ({ ...walletView(wallet), company: wallet.company, version: wallet.version });

export function makeControls({ service, clock, wallets, events, wake }: ControlParts): Controls {
  const { store, topups, limits } = service;
  const shownClock = () => ({ now: new Date(clock.now()).toISOString(), advanced_ms: clock.advancedMs() });
  return {
    setWallet(id, { balance, status, low_balance }) {
      topups.settleDue();
      if (!wallets.find(id)) return null;
      store.atomically(() => {
        if (low_balance !== undefined) wallets.setLowBalance(id, low_balance);
        if (status !== undefined) wallets.setStatus(id, status);
        const low = balance === undefined ? null : wallets.setBalance(id, balance, clock.now());
        if (low) events.walletLow(low, clock.now());
      });
      wake();
      const wallet = wallets.find(id);
      return wallet && shownWallet(wallet);
    },
    clock: shownClock,
    advance(ms) {
      noteAdvanced(store, advancedMs(store) + ms);
      clock.advance(ms);
      topups.settleDue();
      wake();
      return shownClock();
    },
    reset() {
      store.atomically(() => {
        store.empty();
        clock.reset();
        wallets.open(clock.now());
      });
      limits.reset();
      wake();
    },
  };
}
