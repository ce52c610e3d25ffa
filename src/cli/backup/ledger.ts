import { AirbatchError } from '../../core/basics/errors.ts';
import { copyLedger } from '../../operations/backup/copy-ledger.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { call } from '../session/call.ts';

/** `airbatch ledger copy`: moves the ledger to another database or file. */
export async function execute(
  context: CommandContext,
  [action = '']: string[],
  options: { from?: string; to?: string },
): Promise<number> {
  if (action !== 'copy') throw new AirbatchError('USAGE', `"${action}" is not an action`, { hint: 'Say copy.' });
  const place = (text: string | undefined) => (text?.includes('://') ? text : pathOf(context, text));
  const { from, to, tables, files_left } = await call(context, copyLedger, {
    from: place(options.from),
    to: place(options.to),
  });
  const records = tables.reduce((sum, table) => sum + table.records, 0);
  const lines = [
    `Moved ${from} to ${to}: ${counted(records, 'record')} of ${counted(tables.length, 'table')}, read back and compared; the audit chains are whole.`,
    `Nothing can be sent from ${from} any more.`,
    ...files_left.map((path) => `Not moved  ${path}: copy it to the folder of the new ledger`),
    'Next       set "ledger" or AIRBATCH_LEDGER_URL to the new place on every machine, then start airbatch again',
  ];
  answer(context, { from, to, tables, files_left }, lines.join('\n'));
  return 0;
}
