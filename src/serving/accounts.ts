import { AirbatchError } from '../core/basics/errors.ts';
import { serviceName } from '../core/identity/service-name.ts';
import { embeddedSandboxService, unfinishedBatches } from '../ledger/batches/batches.ts';
import type { WithAccount } from '../operations/base/operation.ts';
import { openAccount, sandboxWebhookKeys } from '../runtime/accounts/account.ts';
import { type SupervisedAccount, superviseAccount } from '../runtime/accounts/account-supervisor.ts';
import { runnerOf } from '../runtime/accounts/runner-of.ts';
import type { Accounts } from '../runtime/accounts/served-accounts.ts';
import { withAccount } from '../runtime/accounts/with-account.ts';
import type { Session } from '../runtime/session/session.ts';
import { type AccountConfig, sandboxAccountName } from '../runtime/settings/account-config.ts';
import { chosenAccountName } from '../runtime/settings/config.ts';
import type { Notifier } from '../runtime/upkeep/notifier.ts';
import type { Metrics } from '../server/metrics/metrics.ts';

export function keep(
  session: Session,
  name: string,
  /** As it is when the account is opened: its credentials may be replaced while the program works. */
  account: () => AccountConfig | null,
  {
    url,
    restored,
    onCompleted,
    notifier,
    metrics,
  }: {
    url: string;
    restored: boolean;
    onCompleted: (batchId: string) => void;
    notifier: Pick<Notifier, 'notifyStandstill'>;
    metrics: Pick<Metrics, 'onAnswered'>;
  },
): SupervisedAccount {
  return superviseAccount(name, {
    clock: session.clock,
    log: session.log,
    isShared: session.ledgerUrl !== null,
    open: () =>
      openAccount(account(), {
        ...session,
        accounts: session.config.accounts.size,
        sandboxCallbackUrl: `${url}/webhooks/${sandboxAccountName}/topups`,
        onAnswered: metrics.onAnswered(name),
      }),
    makeRunner: (opened) => runnerOf(session, opened, { restored, onCompleted, rereads: true }),
    onStandstill: (error, isTriedAgain) =>
      notifier.notifyStandstill({ account: concernsAll(session, error) ? null : name, error, isTriedAgain }),
  });
}

/**
 * Whether an error concerns all accounts, so that people are notified once: the shared ledger is full or fails over,
 * and no account can be worked on.
 */
function concernsAll({ ledgerUrl }: Pick<Session, 'ledgerUrl'>, error: unknown): boolean {
  return ledgerUrl !== null && error instanceof AirbatchError && error.code.startsWith('LEDGER_');
}

/** Works with an account that this program keeps open, or opens one that another machine works for. */
export function withKept(session: Session, kept: ReadonlyMap<string, SupervisedAccount>): WithAccount {
  return (given, work) => {
    const account = kept.get(chosenAccountName(session.config, given));
    return account ? account.use(work) : withAccount(session, given, work);
  };
}

/** The keys that sign webhooks, by account. They grow when a key is replaced. */
export function webhookKeysOf(accounts: Accounts) {
  return new Map([...accounts].map(([name, account]) => [name, account?.webhookKeys ?? sandboxWebhookKeys] as const));
}

/** Logs where each account's webhooks are expected, and what in the configuration keeps them from arriving. */
export async function logAccounts({ log, db }: Session, accounts: Accounts): Promise<void> {
  for (const [name, account] of accounts) {
    const path = account?.version === 'v1' ? 'none: Version 1 sends no webhooks' : `/webhooks/${name}/topups`;
    log.info('an account is served', {
      account: name,
      service: account ? serviceName(account.baseUrl, account.version) : embeddedSandboxService,
      webhooks: path,
    });
    if (account?.callbackUrl && new URL(account.callbackUrl).pathname !== path) {
      log.warn('the callbackUrl of the account does not have the path at which airbatch receives its webhooks', {
        account: name,
        path,
      });
    }
  }
  const strangers = new Set(
    (await unfinishedBatches(db)).map(({ account }) => account).filter((name) => !accounts.has(name)),
  );
  for (const name of strangers)
    log.warn('unfinished batches wait, because their account is not configured', { account: name });
}

export function healthOf(kept: readonly SupervisedAccount[], stopping: boolean) {
  const working = kept.filter((account) => account.isWorking()).length;
  return { stopping, accounts: { working, waiting: kept.length - working } };
}
