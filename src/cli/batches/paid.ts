import type { z } from 'zod';
import { isoTime, systemClock } from '../../core/time/clock.ts';
import { listPaidFiles } from '../../operations/batches/list-paid-files.ts';
import { requestedText, sumsText, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { periodOf } from '../base/period.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';

type PaidFile = z.output<typeof listPaidFiles.result>['files'][number];

const columns: readonly Column<PaidFile>[] = [
  { name: 'file', breaksInWords: true, cell: ({ file_name }) => file_name },
  { name: 'run', cell: ({ run_id }) => run_id },
  { name: 'batch', cell: ({ batch_id }) => batch_id },
  { name: 'rows', align: 'right', cell: ({ rows }) => String(rows) },
  { name: 'paid', widthMax: 40, cell: ({ paid, products }) => requestedText(paid, products) },
  { name: 'charged', widthMax: 30, cell: ({ charged }) => sumsText(charged) },
  {
    name: 'refunded',
    align: 'right',
    cell: ({ refunded_rows }) => (refunded_rows === 0 ? null : String(refunded_rows)),
  },
  { name: 'last paid', cell: ({ last_paid_at }) => timeText(last_paid_at) },
];

/** `airbatch paid`: the files whose rows were paid in a time; without one, since midnight UTC. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account, ...options }: { account?: string; from?: string; to?: string },
): Promise<number> {
  const { from = `${isoTime(systemClock.now()).slice(0, 10)}T00:00:00.000Z`, to } = periodOf(options);
  const found = await call(context, listPaidFiles, { account, from, to });
  const time = `between ${timeText(found.from)} and ${timeText(found.to)}`;
  printTable(context, columns, found.files, { json: found, none: `Nothing was paid ${time}.` });
  const products = found.files.reduce((sum, file) => sum + file.products, 0);
  if (found.files.length === 0 || context.json) return 0;
  context.terminal.print(
    `${counted(found.rows, 'row')} of ${counted(found.files.length, 'file')} paid ${time}: ${requestedText(found.paid, products)}; charged ${sumsText(found.charged)}.\n`,
  );
  if (found.refunded_rows > 0)
    context.terminal.print(
      `Refunded later: ${counted(found.refunded_rows, 'row')}; the charged sum leaves out what the service says it gave back, and the recipient may not have the airtime.\n`,
    );
  return 0;
}
