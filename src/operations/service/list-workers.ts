import { z } from 'zod';
import type { RowState } from '../../core/state/row-state.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { batchesOpen, oldestAccepted, rowsOfOpenBatches } from '../../ledger/accounts/gauges.ts';
import { livingWorkers } from '../../ledger/accounts/living-workers.ts';
import { heldLeases } from '../../ledger/schema/lease-table.ts';
import { servedAccounts } from '../../runtime/accounts/served-accounts.ts';
import { isDeadProcess } from '../../runtime/session/process-holder.ts';
import { accountName, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { isVisible } from '../base/visible.ts';

const count = z.int();

const account = z.strictObject({
  account: accountName,
  /** When the worker took it; null if nobody works for it, or an earlier version of the program does. */
  since: time.nullable(),
  /** Rows that are still to be sent. */
  rows_ready: count,
  /** Rows that are being sent, or that were sent and have not ended. */
  rows_in_flight: count,
  rows_in_doubt: count,
  /** When the oldest row was accepted that has not ended. */
  oldest_accepted_at: time.nullable(),
});

/** Lists the processes that work for accounts or could take some, on all machines of the ledger. */
export const listWorkers = defineOperation({
  name: 'list-workers',
  role: 'audit',
  ledger: 'read',
  showsOnlyVisible: true,
  input: z.strictObject({}),
  result: z.strictObject({
    workers: z.array(
      z.strictObject({
        /** The process (`host/pid/start`); null: the accounts for which nobody works. */
        worker: z.string().nullable(),
        /** Empty: it works for none now. */
        accounts: z.array(account),
      }),
    ),
  }),
  async run({ session }) {
    const { db, clock, config, ledgerUrl } = session;
    const leases = await heldLeases(db, clock.now());
    const accountOf = new Map((await batchesOpen(db)).map((batch) => [batch.batch_id, batch.account]));
    const rows = Map.groupBy(await rowsOfOpenBatches(db), ({ batch_id }) => accountOf.get(batch_id));
    const oldest = new Map((await oldestAccepted(db)).map(({ account: name, at }) => [name, at]));
    const names = [...servedAccounts(config).keys()].filter((name) => isVisible(session, name)).toSorted();
    const accounts = names.map((name) => {
      const lease = leases.get(name);
      const isHeld = lease !== undefined && !isDeadProcess(lease.holder);
      const inState = (...states: RowState[]) =>
        (rows.get(name) ?? []).reduce((sum, row) => sum + (states.includes(row.status) ? row.count : 0), 0);
      return {
        worker: isHeld ? lease.holder : null,
        account: name,
        since: isoOrNull(isHeld ? lease.taken_at : null),
        rows_ready: inState('ready'),
        rows_in_flight: inState('sending', 'accepted'),
        rows_in_doubt: inState('in_doubt'),
        oldest_accepted_at: isoOrNull(oldest.get(name) ?? null),
      };
    });
    const byWorker = Map.groupBy(accounts, ({ worker }) => worker);
    const holders = new Set([...leases.values()].map(({ holder }) => holder));
    // With a ledger in a file, one worker has all accounts.
    const living = ledgerUrl === null ? [] : await livingWorkers(db);
    for (const worker of living) if (!holders.has(worker)) byWorker.set(worker, []);
    return {
      workers: [...byWorker]
        .toSorted(([one], [other]) => (one ?? '\uffff').localeCompare(other ?? '\uffff'))
        .map(([worker, own]) => ({ worker, accounts: own.map(({ worker: _, ...rest }) => rest) })),
    };
  },
});
