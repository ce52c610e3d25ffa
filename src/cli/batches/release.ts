import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { releaseRows } from '../../operations/rows/release-rows.ts';
import { reviewRelease } from '../../operations/rows/review-release.ts';
import { requestedText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { decidedText } from '../session/after-decision.ts';
import { call } from '../session/call.ts';
import { heldLines } from '../text/held-lines.ts';

/**
 * `airbatch release BATCH [ROW...]`: makes held rows ready, except for rows whose reference belongs to another batch.
 */
export async function execute(
  context: CommandContext,
  [batch_id = '', ...given]: string[],
  { yes = false, ...group }: { yes?: boolean | undefined; code?: string; earlierBatch?: string },
): Promise<number> {
  const which = { batch_id, rows: rowNumbers(given), code: group.code, earlier_batch: group.earlierBatch };
  const seen = context.json ? undefined : await show(context, which, yes);
  if (seen === null) {
    context.terminal.error('Not released: the rows stay held.\n');
    return 5;
  }
  const done = await call(context, releaseRows, { ...which, seen });
  const { released, kept } = done;
  const sends = released === 0 ? '' : ` ${decidedText(done, released === 1 ? 'sends it' : 'sends them')}`;
  const none = released + kept.length === 0;
  const lines = [none ? 'No row of this batch is held.' : `Released ${counted(released, 'row')}.${sends}`];
  for (const { row, code, why, suggestion } of kept)
    lines.push(`  Row ${row} stays held (${code}): ${why} ${suggestion}`);
  answer(context, done, lines.join('\n'));
  return 0;
}

/**
 * Shows why the rows are held and what they would pay. Asks for confirmation where a person can answer, because a
 * release may pay twice. Returns what the person saw, or null if they decline.
 */
async function show(
  context: CommandContext,
  which: z.input<typeof reviewRelease.input>,
  isSure: boolean,
): Promise<number | null> {
  const { terminal } = context;
  const review = await call(context, reviewRelease, which);
  const { held, sums, products, refusal, seen } = review;
  if (held === 0) return seen;
  terminal.error(heldLines(review));
  if (isSure || !terminal.canAsk) return seen;
  // Refuses before it asks, so that nobody confirms a release that would be refused.
  if (refusal !== null) throw new AirbatchError('SECOND_PERSON_NEEDED', refusal);
  const isAgreed = await terminal.confirm(`Release ${counted(held, 'row')}: ${requestedText(sums, products)}? [y/N] `);
  return isAgreed ? seen : null;
}
