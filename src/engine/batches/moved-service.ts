import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import { isOtherVersion, isSameService } from '../../core/identity/service-name.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import type { Parts } from '../runner/context.ts';

/**
 * Pauses an open batch of which the account's service knows nothing: what was sent of it would not be found there, and
 * would be sent again. Even its doubts are not looked up there.
 */
export async function pauseMovedService(
  context: Parts<'account' | 'committer' | 'log' | 'service'>,
  { batch_id, service }: BatchRecord,
): Promise<void> {
  const detail = `the batch was made for ${service}, and account ${context.account} is at ${context.service} now`;
  context.log.warn('a batch is not worked on', { batch_id, why: detail });
  await context.committer.commit(async (unit) => {
    const found = await findBatch(unit.tx, batch_id);
    if (!found || isSameService(found.service, context.service)) return;
    // Begun as it would have been, so that a later resume finds it as any other.
    const started = found.status === 'approved';
    const batch = started ? await unit.changeBatch(found, 'start', { started_at: unit.at }, {}) : found;
    if (batch?.status === 'running' || batch?.status === 'paused')
      await unit.pauseBatch(batch, { reason: 'service_changed', detail });
  });
}

/** Fails with `SERVICE_CHANGED` where a batch was made for another service than this one. */
export function requireService(
  { batch_id, service }: Pick<BatchRecord, 'batch_id' | 'service'>,
  here: string,
  hint?: string,
): void {
  if (isSameService(service, here)) return;
  const message = `batch ${batch_id} was made for ${service}, and its account is at ${here} now`;
  throw new AirbatchError('SERVICE_CHANGED', message, hint === undefined ? {} : { hint });
}

/**
 * A person says that a batch's service is this one: the same that knows what was sent of it, under another name. Fails
 * with `SERVICE_CHANGED` where it is another version, which knows nothing of that.
 */
export function moveService(actor: Actor, batchId: string, to: string): Promise<void> {
  return inUnitOf(actor, async (unit) => {
    const batch = await findBatch(unit.tx, batchId);
    assert(batch, 'a command has found the batch');
    if (isSameService(batch.service, to)) return;
    if (isOtherVersion(batch.service, to))
      throw new AirbatchError(
        'SERVICE_CHANGED',
        `batch ${batchId} was made for ${batch.service}, and ${to} does not know its payments`,
        {
          hint: 'Point the account back, and let end what was sent. The file can be run again for the rest: nothing is paid twice.',
        },
      );
    await unit.noteBatch(batch, { service: to });
    await unit.append(batchId, 'batch.service_moved', { from: batch.service, to });
  });
}
