import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { dayMs } from '../../core/time/clock.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { type Forgotten, forgetBatch, forgetEnded, requireForgettable } from '../../engine/batches/forget.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { batchesToForget } from '../../ledger/batches/forget-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { reportFolder } from '../../reports/versions/folders.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { Session } from '../../runtime/session/session.ts';
import { filesLeft } from '../../scheduler/files/unprocessed-files.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { timeOf } from '../base/dates.ts';
import { reasonText } from '../base/reason-text.ts';
import { withLedger } from '../session/session.ts';

/** Batches that are counted before they are forgotten, and named because their people are still needed. */
const batchesMax = 1_000;

/** `airbatch forget`: takes what names persons out of batches that have ended. */
export async function execute(
  context: CommandContext,
  [batchId]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  if (batchId !== undefined && options.before !== undefined)
    throw new AirbatchError('USAGE', '--before cannot be said with a batch', {
      hint: 'Name a batch, or say --before DATE: leave one of the two out. Nothing was forgotten.',
    });
  const why = options.why === undefined ? 'retention' : reasonText('--why', options.why);
  return withLedger(context, async (session) => {
    requireRole(session, 'approve');
    const what = batchId ?? endedBefore(session, options.before);
    if (options.yes !== true && !(await isAgreed(context, session, what))) {
      context.terminal.error('Nothing was forgotten.\n');
      return 5;
    }
    const actor = { ...session, name: session.person };
    let done: Forgotten & { batches: string[] };
    let kept: string[] = [];
    if (typeof what === 'string') done = { batches: [what], ...(await forgetBatch(actor, what, why)) };
    else {
      done = await forgetEnded(actor, what, why);
      kept = await idsToForget(session, what);
    }
    await session.db.compact();
    const folders = done.batches
      .flatMap((id) => [false, true].map((mask) => reportFolder(session.config.out, id, { mask })))
      .filter(existsSync);
    const files = (await Promise.all(done.batches.map((id) => filesLeft(session, id)))).flat();
    const isNone = done.batches.length === 0;
    const none = kept.length === 0 ? 'Nothing to forget: no batch has ended before then.' : 'Nothing was forgotten.';
    const words = [
      isNone ? none : await forgottenText(session, done),
      ...(kept.length === 0 ? [] : [keptText(kept)]),
      ...(done.traceable === 0 ? [] : [traceableText(done.traceable)]),
      ...folders.map((folder) => `Reports made before still name them: ${relative(context.cwd, folder)}/`),
      ...files.map((path) => `What a job brought still names them: ${relative(context.cwd, path)}`),
    ];
    answer(context, { ...done, kept, reports: folders, files }, words.join('\n'));
    return 0;
  });
}

/** The time (epoch ms) before which batches ended that are forgotten, as the command line or the configuration says. */
function endedBefore({ clock, config }: Session, before: unknown): number {
  if (typeof before === 'string') return timeOf('--before', before);
  const days = config.retention.personalDataDays;
  if (days !== undefined) return clock.now() - days * dayMs;
  throw new AirbatchError('USAGE', 'it is not said what is to be forgotten', {
    hint: 'Name a batch, or say --before DATE, or set "retention.personalDataDays" in the configuration.',
  });
}

async function idsToForget({ db }: Session, before: number): Promise<string[]> {
  return (await batchesToForget(db, { endedBefore: before, job: null }, batchesMax)).map(({ batch_id }) => batch_id);
}

/**
 * Asks, where a person can be asked: nothing brings back who is forgotten, of one batch or of all that ended before a
 * time.
 */
async function isAgreed({ terminal, json }: CommandContext, session: Session, what: string | number): Promise<boolean> {
  if (json || !terminal.canAsk) return true;
  // Nobody is asked for what would be refused.
  if (typeof what === 'string')
    await requireForgettable(session.db, await requireBatch(session.db, what), session.clock.now());
  const ids = typeof what === 'string' ? [what] : await idsToForget(session, what);
  const [first, ...more] = ids;
  if (first === undefined) return true;
  const which =
    more.length === 0 ? `batch ${first}` : `up to ${counted(ids.length, 'batch', 'batches')}, from ${first} on`;
  return terminal.confirm(`Forget for good who was paid in ${which}? [y/N] `);
}

/** An answer that is silent of them reads as if nobody were named any more. */
function keptText(kept: readonly string[]): string {
  const [first = '', ...more] = kept;
  const which = more.length === 0 ? `Batch ${first}` : counted(kept.length, 'batch', 'batches');
  const name = more.length === 0 ? 'names' : 'name';
  return `${which} ended before then too, and still ${name} people, whose numbers files are compared with: forget them later.`;
}

/** Row refs and keys stay, since they are what makes a row payable once, and hashes bind them. */
function traceableText(rows: number): string {
  const many =
    rows === 1
      ? '1 row has no reference of its own: its row ref and key are'
      : `${counted(rows, 'row')} have no references of their own: their row refs and keys are`;
  return `${many} made of number and amount, and stay. Who tries all numbers on them finds the right one.`;
}

/** A rejected file was no payment, and has no rows. */
async function forgottenText({ db }: Session, { batches, rows }: { batches: string[]; rows: number }): Promise<string> {
  const found = await Promise.all(batches.map((id) => findBatch(db, id)));
  const rejected = found.filter((batch) => batch?.status === 'rejected').length;
  const paid = batches.length - rejected;
  const parts: string[] = [];
  if (paid > 0) parts.push(`who was paid in ${counted(rows, 'row')} of ${counted(paid, 'batch', 'batches')}`);
  if (rejected > 0) parts.push(`${counted(rejected, 'rejected file')} without rows`);
  return `Forgotten: ${parts.join(', and ')}.`;
}
