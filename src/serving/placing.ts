import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import type { Worker } from '../fleet/worker.ts';
import { connectionUrl } from '../ledger/drivers/postgres/ledger-url.ts';
import { accountLoads } from '../runtime/accounts/account-loads.ts';
import type { SupervisedAccount } from '../runtime/accounts/account-supervisor.ts';
import type { Accounts } from '../runtime/accounts/served-accounts.ts';
import { makeLastingTrouble } from '../runtime/logging/log.ts';
import { processHolder } from '../runtime/session/process-holder.ts';
import type { Session } from '../runtime/session/session.ts';
import type { Notifier } from '../runtime/upkeep/notifier.ts';

/** Which accounts this process works for: all of them, or those that are placed on it. */
export interface Placing {
  /** Rejects with the first error that ends an account's work for good. */
  readonly failed: Promise<never>;
  /** Stops or hands over all accounts. Resolves when every request in flight has its outcome. */
  stop(): Promise<void>;
}

export interface PlacingDeps {
  accounts: Accounts;
  /** The accounts that this process works for now. */
  kept: Map<string, SupervisedAccount>;
  keepOne: (name: string) => SupervisedAccount;
  notifier: Pick<Notifier, 'notifyStandstill'>;
}

/** A database is often away for seconds. People are notified if it is away for longer. */
const awayMs = 60_000;

/**
 * Begins to work for the accounts: on a ledger in a file for all of them, on a ledger that machines share for those
 * that are placed on this one.
 */
export async function startPlacing(session: Session, deps: PlacingDeps): Promise<Placing> {
  const { accounts, kept, keepOne } = deps;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const begin = (name: string): SupervisedAccount => {
    const account = keepOne(name);
    kept.set(name, account);
    account.ended.catch(reject);
    return account;
  };
  if (session.ledgerUrl !== null) {
    const worker = await startPlaced(session, session.ledgerUrl, deps, begin);
    return { failed, stop: () => worker.stop() };
  }
  for (const name of accounts.keys()) begin(name);
  return { failed, stop: async () => void (await Promise.all([...kept.values()].map((account) => account.stop()))) };
}

async function startPlaced(
  session: Session,
  url: string,
  { accounts, kept, notifier }: PlacingDeps,
  begin: (name: string) => SupervisedAccount,
): Promise<Worker> {
  // A program whose ledger is a file does not load pg-boss.
  const [{ openPlacement }, { startWorker }, { watchReach }] = await Promise.all([
    import('../fleet/placement.ts'),
    import('../fleet/worker.ts'),
    import('../fleet/reach.ts'),
  ]);
  const { clock, log } = session;
  const name = processHolder(clock);
  const reach = watchReach(
    {
      clock,
      silentSince: (account) => kept.get(account)?.silentSince() ?? null,
      onChange(service, isLost) {
        if (isLost) log.warn('this machine cannot reach a service; other workers take over its accounts', { service });
        else log.info('this machine can reach the service again', { service });
      },
    },
    // The embedded sandbox is in this process.
    new Map([...accounts].flatMap(([account, own]) => (own ? [[account, new URL(own.baseUrl).origin] as const] : []))),
  );
  const trouble = makeLastingTrouble(log, clock);
  const report = (error: unknown) =>
    trouble.report(
      'airbatch cannot decide now which machine works for which account; accounts that run here continue, and it tries again',
      {
        error: errorMessage(error),
      },
    );
  let since: number | null = null;
  const worker = startWorker({
    name,
    clock,
    open: (isCounted) => openPlacement(connectionUrl(url), isCounted ? name : null, report),
    isCutOff: reach.isCutOff,
    loads: () => accountLoads(session, accounts),
    start(account) {
      const supervised = begin(account);
      return {
        async stop() {
          await supervised.stop();
          kept.delete(account);
        },
        breakOff: () => supervised.breakOff(),
      };
    },
    onRound(error) {
      if (error === null) {
        since = null;
        return trouble.over();
      }
      since ??= clock.monotonic();
      report(error);
      if (clock.monotonic() - since < awayMs) return undefined;
      const away = new AirbatchError('LEDGER_IO', errorMessage(error));
      return notifier.notifyStandstill({ account: null, error: away, isTriedAgain: true });
    },
  });
  return {
    async stop() {
      await worker.stop();
      reach.stop();
    },
  };
}
