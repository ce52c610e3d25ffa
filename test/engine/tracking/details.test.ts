import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';

const second = 1_000;

/** Notes when a single payment is read, and the provider's references that are known when the batch has ended. */
async function payOut(rig: Rig, rows: number): Promise<{ readAt: number[]; sentAt: number; references: number }> {
  const { read } = rig.service;
  const readAt: number[] = [];
  rig.service.read = async (payment) => {
    readAt.push(rig.clock.now());
    return read(payment);
  };
  await rig.add(someRows(rows));
  await rig.run();
  const found = await Promise.all(someRows(rows).map(({ row_no }) => rig.row(row_no)));
  const references = found.filter(({ provider_reference }) => provider_reference !== null).length;
  return { readAt, sentAt: rig.service.charges.at(-1)?.at ?? 0, references };
}

describe('details that the list does not show', () => {
  test('are read once a row, after the last row was sent', async () => {
    const rig = await makeRig({ paceMs: second, settings: { idlePollMs: second } });
    const { readAt, sentAt, references } = await payOut(rig, 40);
    assert.equal(readAt.length, 40);
    assert.deepEqual(
      readAt.filter((at) => at < sentAt),
      [],
    );
    assert.equal(references, 40);
    assert.equal((await rig.batch()).status, 'completed');
  });

  test('are not read in a large batch', async () => {
    const rig = await makeRig({ settings: { detailRowsMax: 39, idlePollMs: second } });
    const { readAt, references } = await payOut(rig, 40);
    assert.deepEqual([readAt.length, references], [0, 0]);
  });

  test('are left out after a read without an answer, and the batch ends all the same', async () => {
    const rig = await makeRig({ settings: { idlePollMs: second } });
    rig.service.read = async () => ({
      kind: 'unavailable',
      evidence: { httpStatus: 503, code: 'down', message: 'down', requestId: null },
    });
    await rig.add(someRows(10));
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    assert.equal((await rig.batch()).status, 'completed');
  });
});
