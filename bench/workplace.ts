import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigFile } from '../src/runtime/settings/config-shape.ts';
import { accountName } from './ledger.ts';

type AccountFile = NonNullable<ConfigFile['accounts']>[string];

/** A folder in which airbatch works as at a user's: with a configuration of one account, and a ledger. */
export interface Workplace {
  folder: string;
  ledgerPath: string;
  /** The environment that the configuration needs. */
  env: Record<string, string>;
}

const keyVariable = 'AIRBATCH_BENCH_KEY';

/**
 * More than any service answers: no limit at all, as far as the pace goes. What a sandbox with `--rate 1000000000`
 * allows.
 */
const unlimited = 1_000_000_000;

export const noLimits: AccountFile['limits'] = {
  creation: { limit: unlimited },
  write: { limit: unlimited * 2 },
  read: { limit: unlimited * 5 },
  balance: { limit: unlimited * 5 },
  catalog: { limit: unlimited * 2 },
};

/** The default limits of Version 2 (spec section 8.1), with `windowMs` standing in for the minute. */
export function defaultLimits(windowMs: number): AccountFile['limits'] {
  return {
    creation: { limit: 60, windowMs },
    read: { limit: 300, windowMs },
    balance: { limit: 300, windowMs },
    catalog: { limit: 120, windowMs },
  };
}

/** Makes a workplace, gives it to `work`, and removes it whatever comes of that. */
export async function inWorkplace<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'airbatch-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function furnish(folder: string, account: Omit<AccountFile, 'apiKeyEnv'>): Promise<Workplace> {
  return furnishAccounts(folder, new Map([[accountName, account]]));
}

/** A workplace with several accounts, by name. `ledgerUrl`: its ledger is on a server. */
export async function furnishAccounts(
  folder: string,
  accounts: ReadonlyMap<string, Omit<AccountFile, 'apiKeyEnv'>>,
  ledgerUrl: string | null = null,
): Promise<Workplace> {
  const withKeys = [...accounts].map(([name, account]) => [name, { ...account, apiKeyEnv: keyVariable }] as const);
  const ledger = ledgerUrl === null ? 'ledger.db' : { url: ledgerUrl };
  const config: ConfigFile = { ledger, accounts: Object.fromEntries(withKeys) };
  await writeFile(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  return { folder, ledgerPath: join(folder, 'ledger.db'), env: { [keyVariable]: 'sandbox-key' } };
}
