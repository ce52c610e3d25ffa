import { AirbatchError } from '../../core/basics/errors.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { makeLog } from '../../runtime/logging/log.ts';
import { type AccountConfig, accountDefaults } from '../../runtime/settings/account-config.ts';
import { type Config, chooseAccount } from '../../runtime/settings/config.ts';
import type { Door } from '../base/operation.ts';

/** Both accounts of a migration, opened for reading. */
export interface MigrationAccounts {
  /** The Version 2 account whose catalog is read. */
  to: OpenAccount;
  /** The Version 1 account that knows its products; null if none is configured. */
  from: OpenAccount | null;
  /** Whether both are a sandbox, because nothing is configured. */
  isRehearsal: boolean;
  close(): Promise<void>;
}

/**
 * Opens the named accounts, or the only accounts of their versions. If none is configured, it opens a sandbox that
 * speaks both versions.
 */
export async function openMigrationAccounts(
  config: Config,
  names: { to: string | undefined; from: string | undefined },
  nameOf: Door['nameOf'],
): Promise<MigrationAccounts> {
  const isRehearsal = config.accounts.size === 0 && names.to === undefined && names.from === undefined;
  const place = isRehearsal
    ? await rehearsalAccounts()
    : {
        to: theAccount(config, 'v2', names.to, nameOf) ?? noAccount('v2', nameOf),
        from: theAccount(config, 'v1', names.from, nameOf),
        close: async () => undefined,
      };
  const log = makeLog({ level: 'silent', secrets: config.secrets, screen: null });
  const deps = { clock: systemClock, log, ledgerPath: config.ledger };
  const { openAccount } = await import('../../runtime/accounts/account.ts');
  const to = await openAccount(place.to, deps);
  const from = place.from && (await openAccount(place.from, deps));
  return {
    to,
    from,
    isRehearsal,
    async close() {
      await from?.close();
      await to.close();
      await place.close();
    },
  };
}

function theAccount(
  config: Config,
  version: 'v2' | 'v1',
  name: string | undefined,
  nameOf: Door['nameOf'],
): AccountConfig | null {
  const fitting = [...config.accounts.values()].filter((account) => account.version === version);
  if (name === undefined) {
    const [only = null] = fitting;
    if (fitting.length < 2) return only;
    const names = fitting.map((account) => account.name).join(', ');
    throw new AirbatchError('ACCOUNT_UNKNOWN', `several ${version} accounts are configured: ${names}`, {
      hint: `Name one with ${nameOf(version === 'v2' ? 'account' : 'old_account')}.`,
    });
  }
  const chosen = chooseAccount(config, name);
  if (chosen?.version === version) return chosen;
  throw new AirbatchError('ACCOUNT_UNKNOWN', `the account "${name}" is not an account of version ${version}`);
}

function noAccount(version: string, nameOf: Door['nameOf']): never {
  throw new AirbatchError('ACCOUNT_UNKNOWN', `no account of version ${version} is configured`, {
    hint: `Networks and products are looked up there: configure the account that will pay, or name it with ${nameOf('account')}.`,
  });
}

/** Requests a minute that a rehearsal's sandbox allows: waiting for it would teach nobody anything. */
const rehearsalLimit = 60_000;

async function rehearsalAccounts(): Promise<{ to: AccountConfig; from: AccountConfig; close(): Promise<void> }> {
  const { makeSandbox } = await import('../../sandbox/index.ts');
  const sandbox = await makeSandbox({ rate: rehearsalLimit });
  const common = {
    ...accountDefaults,
    credentialsFrom: 'the embedded sandbox',
    baseUrl: await sandbox.listen({ port: 0 }),
    webhookKeys: { callback: [], registered: [] },
    limits: { catalog: { limit: rehearsalLimit } },
  };
  const credentials = { email: 'sandbox@airbatch.test', token: 'sandbox-token' };
  return {
    to: { ...common, name: 'sandbox', version: 'v2', credentials: { apiKey: 'sandbox-key' } },
    from: { ...common, name: 'sandbox-v1', version: 'v1', credentials },
    close: () => sandbox.close(),
  };
}
