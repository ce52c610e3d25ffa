import { type AccountConfig, sandboxAccountName } from '../settings/account-config.ts';
import type { Config } from '../settings/config.ts';

/** The accounts by name; null is the embedded sandbox. */
export type Accounts = ReadonlyMap<string, AccountConfig | null>;

/** All configured accounts; if there are none, the embedded sandbox. */
export function servedAccounts(config: Config): Accounts {
  return config.accounts.size > 0 ? config.accounts : new Map([[sandboxAccountName, null]]);
}
