import { AirbatchError } from '../../core/basics/errors.ts';
import { assignRows } from '../../operations/rows/assign-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { call } from '../session/call.ts';

/** `airbatch assign BATCH ROW... --to PERSON`: who takes care of rows in doubt. */
export async function execute(
  context: CommandContext,
  [batch_id = '', ...given]: string[],
  { to, nobody = false }: { to?: string; nobody?: boolean },
): Promise<number> {
  if ((to !== undefined) === nobody)
    throw new AirbatchError('USAGE', 'name either one person or nobody to take care of the rows', {
      hint: 'Write --to PERSON, or --nobody.',
    });
  const done = await call(context, assignRows, { batch_id, rows: rowNumbers(given), owner: to ?? null });
  const rows = counted(done.assigned, 'row');
  answer(
    context,
    done,
    done.owner === null ? `Nobody takes care of ${rows} any more.` : `${done.owner} takes care of ${rows}.`,
  );
  return 0;
}
