import type { SandboxClock } from '../parts/clock.ts';
import type { Settings } from '../parts/options.ts';
import type { SandboxRandom } from '../parts/random.ts';
import type { Store } from '../parts/store.ts';
import type { ChargeLog } from './charges.ts';
import type { TopupEvents } from './topup.ts';
import type { Wallets } from './wallets.ts';

export interface TopupParts {
  store: Store;
  clock: SandboxClock;
  random: SandboxRandom;
  settings: Settings;
  wallets: Wallets;
  charges: ChargeLog;
  events: TopupEvents;
}
