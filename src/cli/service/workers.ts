import type { z } from 'zod';
import { listWorkers } from '../../operations/service/list-workers.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

type Worker = z.output<typeof listWorkers.result>['workers'][number];

/** A worker with one of its accounts; undefined if it has none. */
interface Line {
  worker: Worker['worker'];
  of: Worker['accounts'][number] | undefined;
}

const columns: readonly Column<Line>[] = [
  { name: 'worker', cell: ({ worker }) => workerName(worker) },
  { name: 'account', cell: ({ of }) => of?.account ?? 'no account' },
  { name: 'since', cell: ({ of }) => (of?.since ? timeText(of.since) : null) },
  { name: 'to send', align: 'right', cell: ({ of }) => String(of?.rows_ready ?? 0) },
  { name: 'in flight', align: 'right', cell: ({ of }) => String(of?.rows_in_flight ?? 0) },
  { name: 'in doubt', align: 'right', cell: ({ of }) => String(of?.rows_in_doubt ?? 0) },
  { name: 'oldest accepted', cell: ({ of }) => (of?.oldest_accepted_at ? timeText(of.oldest_accepted_at) : null) },
];

/** `airbatch workers`: who works for which account, and how far behind. */
export async function execute(context: CommandContext): Promise<number> {
  const found = await call(context, listWorkers, {});
  const lines = found.workers.flatMap(({ worker, accounts }): Line[] =>
    accounts.length === 0 ? [{ worker, of: undefined }] : accounts.map((of) => ({ worker, of })),
  );
  printTable(context, columns, lines, { json: found, none: 'No accounts.' });
  return 0;
}

/** People do not need the start time of a process. */
function workerName(worker: string | null): string {
  const [host, pid] = worker?.split('/') ?? [];
  return host === undefined ? 'nobody' : `${host}/${pid}`;
}
