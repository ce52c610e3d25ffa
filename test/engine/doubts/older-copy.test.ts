import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { aRow } from '../../support/ledger.ts';

const dayMs = 24 * 3_600_000;
const versions = [
  { name: 'Version 2', list: true },
  { name: 'Version 1, which has no list', list: false },
] as const;

/** A payment that the service has, and that this ledger has not sent. */
async function pay({ clock, service }: Rig, reference: string): Promise<void> {
  const { phone_number: phoneNumber, amount: value, currency } = aRow(Number(/ref-([0-9]+)/.exec(reference)?.[1] ?? 1));
  const order = { phoneNumber, amount: { value, currency }, productId: null, reference };
  await clock.drive(service.create({ body: JSON.stringify(order), idempotencyKey: `other ${reference}` }));
}

/** Pays rows as the newer copy has, after which the older one is opened, days later. */
async function paidByNewerCopy(rig: Rig, references: readonly string[]): Promise<void> {
  for (const reference of references) await pay(rig, reference);
  await rig.clock.drive(rig.clock.sleep(2 * dayMs));
}

const ofAnotherRun = (count: number) => Array.from({ length: count }, (_, index) => `other-run/${index}`);

for (const { name, list } of versions)
  describe(`a ledger that is an older copy, at ${name},`, () => {
    test('sends nothing before a person confirms it, and pays nothing twice after that', async () => {
      const rig = await makeRig({ list });
      await rig.add(someRows(4));
      await paidByNewerCopy(rig, ['run-1/ref-1', 'run-1/ref-2']);
      await assert.rejects(rig.run(), {
        code: 'LEDGER_RESTORED',
        message: /the service has payment \S+ for row [12] of batch batch-1, and this ledger has not sent it/,
      });
      assert.equal(rig.service.charges.length, 2);
      await rig.clock.drive(rig.runner({ restored: true }).run(2 * dayMs));
      assert.deepEqual(await rig.states(), Array(4).fill('completed'));
      assert.equal(rig.service.charges.length, 4);
    });

    test('is detected if another program has paid hundreds since', async () => {
      const rig = await makeRig({ list });
      await rig.add(someRows(4));
      await paidByNewerCopy(rig, ['run-1/ref-1', 'run-1/ref-2', ...ofAnotherRun(150)]);
      await assert.rejects(rig.run(), { code: 'LEDGER_RESTORED' });
      assert.equal(rig.service.charges.length, 152);
    });

    test('is detected if only the lost part had the file, which is run again while the program works', async () => {
      const rig = await makeRig({ list });
      await paidByNewerCopy(rig, ['run-2/ref-1', ...ofAnotherRun(120)]);
      await rig.add(someRows(2));
      const running = rig.runner().run(Number.POSITIVE_INFINITY);
      const ended = rig.clock.drive(running);
      await Promise.race([ended, rig.clock.sleep(60_000)]);
      assert.deepEqual(await rig.states(), ['completed', 'completed']);
      await rig.add(someRows(2), { batch_id: 'batch-2', run_id: 'run-2' });
      await assert.rejects(ended, { code: 'LEDGER_RESTORED', message: /row 1 of batch batch-2/ });
      assert.equal(rig.service.charges.length, 123);
    });

    test('is detected by a retry that it lacks', async () => {
      const rig = await makeRig({ list });
      await rig.add(someRows(2));
      await rig.db.execute('UPDATE rows SET generation = 2');
      await paidByNewerCopy(rig, ['run-1/ref-1~2']);
      await assert.rejects(rig.run(), { code: 'LEDGER_RESTORED' });
      assert.equal(rig.service.charges.length, 1);
    });

    test('is checked until the service has answered, and nothing is sent before', async () => {
      const rig = await makeRig({ list });
      await rig.add(someRows(2));
      let unanswered = 3;
      const answering = <Ask extends (...asked: never[]) => Promise<unknown>>(ask: Ask) =>
        (async (...asked: Parameters<Ask>) => {
          if (unanswered === 0) return ask(...asked);
          unanswered -= 1;
          assert.equal(rig.service.creates.length, 0);
          return { kind: 'unavailable', evidence: { httpStatus: 502, code: 'http_502', message: '', requestId: null } };
        }) as unknown as Ask;
      const { list: ask, lookup } = rig.service;
      Object.assign(rig.service, { lookup: answering(lookup), list: ask && answering(ask) });
      await rig.run();
      assert.deepEqual([unanswered, await rig.states()], [0, ['completed', 'completed']]);
    });
  });

describe('a ledger that is up to date', () => {
  test('sends its first file to a service without payments', async () => {
    for (const { list } of versions) {
      const rig = await makeRig({ list });
      await rig.add(someRows(3));
      await rig.run();
      assert.deepEqual(await rig.states(), Array(3).fill('completed'));
    }
  });

  test('continues after an interruption', async () => {
    for (const { list } of versions) {
      const rig = await makeRig({ list, paceMs: 1_000 });
      await rig.add(someRows(6));
      const runner = rig.runner();
      const running = rig.clock.drive(runner.run(Number.POSITIVE_INFINITY));
      await Promise.race([running, rig.clock.sleep(3_000)]);
      runner.stop();
      await running;
      assert.ok(rig.service.charges.length > 0 && rig.service.charges.length < 6);
      await rig.clock.drive(rig.clock.sleep(2 * dayMs));
      await rig.run();
      assert.deepEqual(await rig.states(), Array(6).fill('completed'));
      assert.equal(rig.service.charges.length, 6);
    }
  });

  test('shares the service with another ledger, whatever the names of its runs', async () => {
    for (const { list } of versions) {
      const rig = await makeRig({ list });
      for (const reference of ['run-1/another-row', 'run-9/ref-1', 'no reference of ours']) await pay(rig, reference);
      await rig.add(someRows(3));
      await rig.run();
      assert.deepEqual(await rig.states(), Array(3).fill('completed'));
    }
  });

  test('reads one page of the list, and looks up no row if that page is the whole list', async () => {
    const rig = await makeRig();
    await rig.add(someRows(3));
    await rig.add(someRows(3), { batch_id: 'batch-2', run_id: 'run-2' });
    await rig.run();
    assert.deepEqual(
      [rig.service.lists.filter(({ fromMs }) => fromMs === null).length, rig.service.lookUps.length],
      [1, 0],
    );
  });

  test('looks up a few rows of a batch, not each, if the list continues', async () => {
    const rig = await makeRig();
    for (const reference of ofAnotherRun(101)) await pay(rig, reference);
    await rig.add(someRows(40));
    await rig.run();
    assert.deepEqual(rig.service.lookUps, ['run-1/ref-1', 'run-1/ref-2', 'run-1/ref-3']);
  });
});
