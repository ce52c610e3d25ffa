import { listWorkers } from '../../operations/service/list-workers.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

const columns = [
  { name: 'worker' },
  { name: 'account' },
  { name: 'since' },
  { name: 'to send', align: 'right' },
  { name: 'in flight', align: 'right' },
  { name: 'in doubt', align: 'right' },
  { name: 'oldest accepted' },
] as const;

/** `airbatch workers`: who works for which account, and how far behind. */
export async function execute(context: CommandContext): Promise<number> {
  const found = await call(context, listWorkers, {});
  const lines = found.workers.flatMap(({ worker, accounts }) => [
    ...(accounts.length === 0 ? [[workerName(worker), 'no account', '', '0', '0', '0', '']] : []),
    ...accounts.map((one) => [
      workerName(worker),
      one.account,
      one.since === null ? '' : timeText(one.since),
      String(one.rows_ready),
      String(one.rows_in_flight),
      String(one.rows_in_doubt),
      one.oldest_accepted_at === null ? '' : timeText(one.oldest_accepted_at),
    ]),
  ]);
  printTable(context, columns, lines, { json: found, none: 'No accounts.' });
  return 0;
}

/** People do not need the start time of a process. */
function workerName(worker: string | null): string {
  const [host, pid] = worker?.split('/') ?? [];
  return host === undefined ? 'nobody' : `${host}/${pid}`;
}
