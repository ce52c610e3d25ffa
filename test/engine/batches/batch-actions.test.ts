import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { type BatchAction, possibleActions } from '../../../src/core/state/batch-actions.ts';
import { type BatchState, batchStates } from '../../../src/core/state/batch-state.ts';
import { pauseBatch, resumeBatch, withdrawBatch } from '../../../src/engine/batches/batch-commands.ts';
import { reorderBatch } from '../../../src/engine/batches/reorder.ts';
import { skipRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import type { Actor } from '../../../src/ledger/actor.ts';
import { openPauses } from '../../../src/ledger/batches/pauses.ts';
import { requireBatch } from '../../../src/ledger/batches/require-batch.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const id = 'batch-1';
const commands: Record<BatchAction, (actor: Actor) => Promise<unknown>> = {
  pause: (actor) => pauseBatch(actor, id, 'the wrong month'),
  resume: (actor) => resumeBatch(actor, id),
  reorder: (actor) => reorderBatch(actor, id, { priority: 'urgent' }),
  // No row failed with this code: nothing is asked.
  retry: (actor) => retryFailed(actor, { gateway: unasked, limiter: unasked }, id, { codes: ['none'] }),
  cancel: (actor) => skipRows(actor, id, [], 'the wrong month', { state: 'ready' }),
  withdraw: (actor) => withdrawBatch(actor, id, 'the wrong month'),
};
const unasked = new Proxy({} as never, { get: () => assert.fail('the service is not asked') });

async function batchIn(status: BatchState, isPausedByPerson: boolean): Promise<Actor> {
  const [db, clock] = [await memoryLedger(), makeVirtualClock()];
  const actor = { db, clock, person: 'mary', through: 'cli' } as const;
  const begins = isPausedByPerson && status === 'paused' ? 'running' : status;
  await addBatch(db, clock, aBatch({ status: begins, created_by: 'mary' }), [
    aRow(1, { status: 'ready' }),
    aRow(2, { status: 'failed' }),
  ]);
  if (begins !== status) await pauseBatch(actor, id, 'month-end');
  return actor;
}

for (const status of batchStates) {
  for (const byPerson of status === 'paused' ? [false, true] : [false]) {
    test(`a batch that is ${status}${byPerson ? ' by a person' : ''} offers exactly what its commands accept`, async () => {
      const accepted: string[] = [];
      for (const [action, command] of Object.entries(commands)) {
        const actor = await batchIn(status, byPerson);
        const isRefused = await command(actor).then(
          () => false,
          (error) => {
            assert.ok(error instanceof AirbatchError && error.code === 'BATCH_STATE', `${action}: ${error}`);
            return true;
          },
        );
        if (!isRefused) accepted.push(action);
      }
      const { db } = await batchIn(status, byPerson);
      const batch = await requireBatch(db, id);
      const own = { ...batch, isSubmitter: true };
      assert.deepEqual(possibleActions(own, { ready: 1, failed: 1 }, await openPauses(db, batch)), accepted);
    });
  }
}
