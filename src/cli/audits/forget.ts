import { relative } from 'node:path';
import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { isoTime } from '../../core/time/clock.ts';
import { forgetBatches, listForgettable } from '../../operations/proof/forget-batches.ts';
import { isBucketPlace } from '../../reports/store/object-store.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { timeOf } from '../base/dates.ts';
import { shownFolder } from '../base/path-of.ts';
import { call } from '../session/call.ts';

type Forgotten = z.output<typeof forgetBatches.result>;
type Which = z.input<typeof listForgettable.input>;

/** `airbatch forget`: erases names and phone numbers from batches that have ended. */
export async function execute(
  context: CommandContext,
  [batch_id]: string[],
  { before, why, yes = false }: { before?: string; why?: string; yes?: boolean },
): Promise<number> {
  if (batch_id !== undefined && before !== undefined)
    throw new AirbatchError('USAGE', '--before cannot be used with a batch', {
      hint: 'Name a batch or give --before DATE, not both. Nothing was forgotten.',
    });
  const which = { batch_id, before: before === undefined ? undefined : isoTime(timeOf('--before', before)) };
  if (!yes && !(await isAgreed(context, which))) {
    context.terminal.error('Nothing was forgotten.\n');
    return 5;
  }
  const done = await call(context, forgetBatches, { ...which, why });
  answer(context, done, linesOf(done, context.cwd).join('\n'));
  return 0;
}

/** Asks for confirmation where a person can answer: the erased data cannot be restored. */
async function isAgreed(context: CommandContext, which: Which): Promise<boolean> {
  const { terminal, json } = context;
  if (json || !terminal.canAsk) return true;
  const { batches } = await call(context, listForgettable, which);
  const [first, ...more] = batches;
  if (first === undefined) return true;
  const said =
    more.length === 0 ? `batch ${first}` : `up to ${counted(batches.length, 'batch', 'batches')}, from ${first} on`;
  return terminal.confirm(`Erase who was paid in ${said}? It cannot be undone. [y/N] `);
}

function linesOf(done: Forgotten, cwd: string): string[] {
  const { batches, kept, traceable, reports, files } = done;
  const none = kept.length === 0 ? 'Nothing to forget: no batch ended before that day.' : 'Nothing was forgotten.';
  return [
    batches.length === 0 ? none : forgottenText(done),
    ...(kept.length === 0 ? [] : [keptText(kept)]),
    ...(traceable === 0 ? [] : [traceableText(traceable)]),
    ...reports.map((folder) => `Earlier reports still name these people: ${shownFolder(cwd, folder)}/`),
    ...files.map((path) =>
      isBucketPlace(path)
        ? `The bucket cannot be reached: an upload in it names these people until "airbatch serve" erases it: ${path}`
        : `Files of jobs still name these people: ${relative(cwd, path)}`,
    ),
  ];
}

/** Lists batches that keep their names. Without this list a reader would think that no batch names anybody any more. */
function keptText(kept: readonly string[]): string {
  const [first = '', ...more] = kept;
  const which = more.length === 0 ? `Batch ${first}` : counted(kept.length, 'batch', 'batches');
  const [its, them] = more.length === 0 ? ['its', 'it'] : ['their', 'them'];
  return `${which} ended before then, too, but not long ago. airbatch still compares new files with ${its} phone numbers, so that nobody is paid twice: forget ${them} later.`;
}

/**
 * Row refs and keys stay: they make sure that a row is paid only once, and the hashes of the audit chain cover them.
 */
function traceableText(rows: number): string {
  const many =
    rows === 1
      ? '1 row has no reference in the file: its row ref and key are'
      : `${counted(rows, 'row')} have no reference in the file: their row refs and keys are`;
  return `${many} derived from the phone number and the amount, and are kept. A person who tries all possible numbers can find the right one.`;
}

/** A file that could not be read has no rows and paid nobody. */
function forgottenText({ batches, rejected, rows }: Forgotten): string {
  const paid = batches.length - rejected;
  const parts: string[] = [];
  if (paid > 0) parts.push(`who was paid in ${counted(rows, 'row')} of ${counted(paid, 'batch', 'batches')}`);
  if (rejected > 0) parts.push(`${counted(rejected, 'file')} that could not be read`);
  return `Forgotten: ${parts.join(', and ')}.`;
}
