import { assert } from '../../core/basics/assert.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import { isOtherVersion, isSameService } from '../../core/identity/service-name.ts';
import { pauseWhy } from '../../core/state/pause-texts.ts';
import { type Actor, inUnitOf } from '../../ledger/actor.ts';
import { type BatchRecord, findBatch } from '../../ledger/batches/batches.ts';
import type { Parts } from '../runner/context.ts';

/**
 * Pauses an open batch that was made for another service. The account's service does not know the payments of this
 * batch: a lookup would find nothing, and the rows would be sent again. So not even its doubts are looked up there.
 */
export async function pauseMovedService(
  context: Parts<'account' | 'committer' | 'log' | 'service'>,
  { batch_id, service }: BatchRecord,
): Promise<void> {
  const { account, service: other_service } = context;
  const text = `the batch was made for ${service}, and account ${account} is at ${other_service} now`;
  const why = pauseWhy('PAUSE_MOVED', { service, account, other_service }, text);
  context.log.warn('airbatch sends nothing of a batch: its account now points to another service', {
    batch_id,
    why: text,
  });
  await context.committer.commit(async (unit) => {
    const found = await findBatch(unit.tx, batch_id);
    if (!found || isSameService(found.service, context.service)) return;
    // The batch is started first, so that a later resume treats it like any other batch.
    const started = found.status === 'approved';
    const batch = started ? await unit.changeBatch(found, 'start', { started_at: unit.at }, {}) : found;
    if (batch?.status === 'running' || batch?.status === 'paused')
      await unit.pauseBatch(batch, { reason: 'service_changed', why });
  });
}

/** Fails with `SERVICE_CHANGED` if a batch was made for another service than this one. */
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
 * Moves a batch to this service name: a person says that it is the same service under another name, which knows the
 * payments of the batch. Fails with `SERVICE_CHANGED` if this service has another API version, because that one cannot
 * know them.
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
          hint: 'Set the address of the account back, and wait until the rows that were sent have ended. Then run the file again for the rest: nothing is paid twice.',
        },
      );
    await unit.noteBatch(batch, { service: to });
    await unit.append(batchId, 'batch.service_moved', { from: batch.service, to });
  });
}
