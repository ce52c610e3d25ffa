import type { Gateway, ReadProblem } from '../gateway/gateway.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import type { RowRecord } from '../ledger/rows.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { RunnerContext } from './context.ts';
import { referenceOf } from './orders.ts';
import { readTrouble } from './read-trouble.ts';

/** What the service says of the payments of a row's generations, each of which has failed here. */
export type EarlierGenerations =
  | { kind: 'failed' }
  /** The service has one of them otherwise: a further payment could be a second one. */
  | { kind: 'live'; reference: string; serviceStatus: string }
  | { kind: 'unread'; reference: string; problem: ReadProblem };

/** Looks up a row's generations up to this one, by their references, whichever batch sent them (reliability.md, V2 step 7). */
export async function lookUpGenerations(
  { gateway, limiter }: { gateway: Gateway; limiter: Limiter },
  batch: BatchRecord,
  row: RowRecord,
  lastGeneration: number,
): Promise<EarlierGenerations> {
  for (let generation = 1; generation <= lastGeneration; generation++) {
    const reference = referenceOf(batch, row, generation);
    const outcome = await limiter.admit('read', () => gateway.lookUp(reference));
    if (outcome.kind === 'not_found') continue;
    if (outcome.kind !== 'found') return { kind: 'unread', reference, problem: outcome };
    const live = outcome.payments.find(({ state }) => state !== 'failed');
    if (live) return { kind: 'live', reference, serviceStatus: live.serviceStatus };
  }
  return { kind: 'failed' };
}

/**
 * Of rows whose turn has come, those that may be sent. A row that was tried before, perhaps by another batch and long ago, is
 * looked up once more: what the service does not call failed is held for a person.
 */
export async function withoutLiveEarlier(context: RunnerContext, rows: readonly RowRecord[]): Promise<RowRecord[]> {
  const mayBeSent = await Promise.all(rows.map((row) => row.generation === 1 || confirmFailed(context, row)));
  return rows.filter((_, index) => mayBeSent[index]);
}

async function confirmFailed(context: RunnerContext, row: RowRecord): Promise<boolean> {
  // A row in doubt sends what it has sent before.
  if (row.status !== 'ready') return true;
  const open = context.batches.get(row.batch_id);
  if (!open) return false;
  const earlier = await lookUpGenerations(context, open.batch, row, row.generation - 1);
  if (earlier.kind === 'failed') return true;
  if (earlier.kind === 'unread') {
    const wait = await readTrouble(context, 'read', earlier.problem);
    context.picker.putBack(row, context.clock.now() + wait);
    return false;
  }
  const { reference, serviceStatus } = earlier;
  const problem = {
    code: 'MAY_BE_PAID',
    column: null,
    message: `This row has failed before, and the service now says ${serviceStatus} of that payment (${reference}).`,
    suggestion: 'Skip it where the recipient has it; release it to have it looked up again.',
  };
  await context.committer.commit((unit) =>
    unit.changeRow(row, 'hold', { problems: JSON.stringify([problem]) }, { why: problem.code, reference }),
  );
  context.picker.dropped(row);
  return false;
}
