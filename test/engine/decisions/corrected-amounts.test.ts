import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentRowRef } from '../../../src/core/identity/ids.ts';
import { releaseRows } from '../../../src/engine/decisions/release-or-skip.ts';
import { retryFailed } from '../../../src/engine/decisions/retry-failed.ts';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import type { NewRow } from '../../../src/ledger/rows/rows.ts';
import { makeRig, type Rig } from '../../support/engine.ts';
import { v1Policy, v2Policy } from '../../support/fake-service.ts';
import { aRow } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const mary = ({ db, clock }: Rig) => ({ db, clock, person: 'mary', through: 'cli' as const });

/** A row of a file without references: this number of it is paid this, or this product. */
function unnamed(rowNo: number, person: number, amount: string | null, more: Partial<NewRow> & { at?: number } = {}) {
  const { at = 1, ...fields } = more;
  const phone_number = `+25471200000${person}`;
  const currency = amount === null ? null : 'KES';
  const asked = { phone_number, amount, currency, product_id: fields.product_id ?? null };
  const row_ref = contentRowRef([phone_number, amount, currency, asked.product_id], at);
  return aRow(rowNo, { row_ref, ...asked, ...fields });
}

/** Has a file paid, and then another one under the same run id. */
async function twice(first: NewRow[], then: NewRow[], batch: Partial<BatchRecord> = {}, rig?: Rig): Promise<Rig> {
  const used = rig ?? (await makeRig());
  await used.add(first);
  await used.run();
  await used.add(then, { batch_id: 'batch-2', created_at: used.clock.now(), ...batch });
  await used.run();
  return used;
}

describe('a file without references that is run again with a corrected amount', () => {
  for (const [version, policy] of [
    ['Version 1', v1Policy],
    ['Version 2', v2Policy],
  ] as const) {
    test(`holds the row that may correct a payment of the run (${version}), and shows which one`, async () => {
      const first = [unnamed(1, 1, '100'), unnamed(2, 2, '100')];
      const rig = await twice(first, [unnamed(1, 1, '150'), unnamed(2, 2, '100')], {}, await makeRig({ policy }));
      assert.deepEqual(await rig.states('batch-2'), ['held', 'skipped']);
      assert.match(
        (await rig.row(1, 'batch-2')).problems ?? '',
        /PAID_OTHERWISE.*sent the number KES 100\.00 on .*, in batch batch-1, row 1 \(completed\).*skip it if it corrects/,
      );
      assert.equal(rig.service.charges.length, 2);
    });
  }

  test('sends it once a person has released it', async () => {
    const rig = await twice([unnamed(1, 1, '100')], [unnamed(1, 1, '150')]);
    assert.equal((await releaseRows(mary(rig), 'batch-2', [1])).released, 1);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
    assert.equal(rig.service.charges.length, 2);
  });

  test('also holds a product in the place of an amount, and an amount in the place of a product', async () => {
    const product = unnamed(1, 1, null, { product_id: '102' });
    const rig = await twice(
      [unnamed(1, 1, '100'), unnamed(2, 2, null, { product_id: '102' })],
      [product, unnamed(2, 2, '100')],
    );
    assert.deepEqual(await rig.states('batch-2'), ['held', 'held']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /sent the number product 102 on/);
  });

  test('pays an added row if the sent one is also in the file, before it or after it', async () => {
    const rig = await twice(
      [unnamed(1, 1, '100'), unnamed(2, 2, '100')],
      [unnamed(1, 1, '50'), unnamed(2, 1, '100'), unnamed(3, 2, '100'), unnamed(4, 2, '50')],
    );
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'skipped', 'skipped', 'completed']);
  });

  test('holds it if the sent one is in the file less often than it was sent', async () => {
    const rig = await twice(
      [unnamed(1, 1, '100'), unnamed(2, 1, '100', { at: 2 })],
      [unnamed(1, 1, '100'), unnamed(2, 1, '150')],
    );
    assert.deepEqual(await rig.states('batch-2'), ['skipped', 'held']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /batch-1, row 2/);
  });

  test('pays both rows of one number, and neither again if the file comes unchanged', async () => {
    const both = [unnamed(1, 1, '100'), unnamed(2, 1, '50')];
    const rig = await twice(both, both);
    assert.deepEqual(await rig.states('batch-1'), ['completed', 'completed']);
    assert.deepEqual(await rig.states('batch-2'), ['skipped', 'skipped']);
    assert.equal(rig.service.charges.length, 2);
  });

  test('pays what certainly failed next to what was paid, if only the failed rows come again', async () => {
    const rig = await makeRig();
    const failed = unnamed(2, 1, '50');
    rig.service.ends(`run-1/${failed.row_ref}`, 'failed');
    await rig.add([unnamed(1, 1, '100'), failed]);
    await rig.run();
    assert.deepEqual(await rig.states('batch-1'), ['completed', 'failed']);
    await rig.add([{ ...failed, row_no: 1 }], { batch_id: 'batch-2', created_at: rig.clock.now() });
    await rig.db.execute(`UPDATE rows SET generation = 2 WHERE batch_id = 'batch-2'`);
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
  });

  test('pays it if what it corrects certainly failed, and not if that may have arrived', async () => {
    const rig = await makeRig();
    const [first, second] = [unnamed(1, 1, '100'), unnamed(2, 2, '100')];
    for (const { row_ref } of [first, second]) rig.service.ends(`run-1/${row_ref}`, 'failed');
    await rig.add([first, second]);
    await rig.run();
    await rig.db.execute(`UPDATE rows SET service_status = 'UNDERLIVERED' WHERE row_no = 2`);
    await rig.add([unnamed(1, 1, '150'), unnamed(2, 2, '150')], { batch_id: 'batch-2' });
    await rig.run();
    assert.deepEqual(await rig.states('batch-2'), ['completed', 'held']);
    assert.match((await rig.row(2, 'batch-2')).problems ?? '', /PAID_OTHERWISE.*UNDERLIVERED/);
  });

  test('pays it if both have their own references, under another run id, and if the policy does not compare', async () => {
    const named = (rowNo: number, amount: string) => unnamed(rowNo, 1, amount, { row_ref: `NOV-${amount}` });
    for (const [first, then, batch] of [
      [named(1, '100'), named(1, '150'), {}],
      [unnamed(1, 1, '100'), unnamed(1, 1, '150'), { run_id: 'run-2' }],
      [unnamed(1, 1, '100'), unnamed(1, 1, '150'), { policy: '{"repeatWithinDays":0}' }],
    ] as const) {
      const rig = await twice([first], [then], batch);
      assert.deepEqual(await rig.states('batch-2'), ['completed']);
    }
  });

  test('holds it if only one of the two has a reference', async () => {
    const named = unnamed(1, 1, '150', { row_ref: 'NOV-1' });
    assert.deepEqual(await (await twice([unnamed(1, 1, '100')], [named])).states('batch-2'), ['held']);
    assert.deepEqual(await (await twice([named], [unnamed(1, 1, '100')])).states('batch-2'), ['held']);
  });

  for (const rowsPerAdmission of [1, 16]) {
    test(`holds one of the two if both were approved before either was sent, ${rowsPerAdmission} rows at a time`, async () => {
      const rig = await makeRig({ settings: { rowsPerAdmission } });
      await rig.add([unnamed(1, 1, '100'), unnamed(2, 2, '100')]);
      await rig.add([unnamed(1, 1, '150'), unnamed(2, 2, '100')], { batch_id: 'batch-2' });
      await rig.run();
      assert.equal(rig.service.charges.length, 2);
      const states = [...(await rig.states('batch-1')), ...(await rig.states('batch-2'))].sort();
      assert.deepEqual(states, ['completed', 'completed', 'held', 'skipped']);
    });
  }

  test('holds a failed row that is retried after its correction was paid', async () => {
    const rig = await makeRig();
    const first = unnamed(1, 1, '100');
    rig.service.ends(`run-1/${first.row_ref}`, 'failed');
    await twice([first], [unnamed(1, 1, '150')], {}, rig);
    assert.deepEqual(await rig.states('batch-2'), ['completed']);
    const service = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
    await rig.clock.drive(retryFailed(mary(rig), service, 'batch-1', { codes: [] }));
    await rig.run();
    assert.deepEqual(await rig.states('batch-1'), ['held']);
    assert.equal(rig.service.charges.length, 2);
  });
});
