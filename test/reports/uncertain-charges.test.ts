import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { addAmounts, type Money } from '../../src/core/money/money.ts';
import { skipRows } from '../../src/engine/decisions/release-or-skip.ts';
import type { Gateway, ServicePayment } from '../../src/gateway/contract/gateway.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import { reconcile } from '../../src/reports/reconcile/reconcile.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { balanceSentences } from '../../src/reports/sentences/balance-sentences.ts';
import { batchSummary } from '../../src/reports/summary/summary.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { makeRig, type Rig } from '../support/engine.ts';
import { folderOf } from '../support/folder.ts';
import { aRow } from '../support/ledger.ts';
import { sandboxGateway } from '../support/sandbox-gateway.ts';

const minuteMs = 60_000;
/** They fail; 60 s later the sandbox completes and charges them. */
const reversed = ['+254712000014', '+254722000014'] as const;
/** What the sandbox charges for 10 KES. */
const charge = { v2: '0.0774', v1: '10' };

/** A sandbox that gets a row every 20 s: a batch of six rows takes longer than a reversal. */
const slowRig = (t: TestContext, version: 'v2' | 'v1', change: (gateway: Gateway) => Gateway = (gateway) => gateway) =>
  makeRig({ paceMs: 20_000, gateway: async (clock) => change(await sandboxGateway(t, clock, version)) });

/** Six rows; the last one pays `number`, if that is given. */
function sixRows(number?: string): NewRow[] {
  return [1, 2, 3, 4, 5, 6].map((rowNo) =>
    aRow(rowNo, { phone_number: number && rowNo === 6 ? number : `+25472244110${rowNo}`, amount: '10' }),
  );
}

const oneRow = (phone_number: string) => [aRow(1, { phone_number, amount: '10' })];

/** Runs a further batch to its end, which begins `waitMs` after the last one. */
async function runNext(rig: Rig, number: number, rows: readonly NewRow[], waitMs = 5_000): Promise<void> {
  await rig.clock.drive(rig.clock.sleep(waitMs));
  const batch = { batch_id: `batch-${number}`, run_id: `run-${number}`, created_at: rig.clock.now() };
  await rig.add(rows, batch);
  await rig.run();
}

/** Runs on for two days, so that rows that have ended are read again. */
async function rereadAll(rig: Rig): Promise<void> {
  const runner = rig.runner({ rereads: true });
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(48 * 60 * minuteMs));
  runner.stop();
  await rig.clock.drive(running);
}

async function proofOf(rig: Rig, batchId: string) {
  const summary = await batchSummary(rig.db, batchId);
  const { explained, explanation, uncertain } = summary.balance;
  const unexplained = explanation.map((one) => one.unexplained).filter((rest) => rest !== '0');
  const named = uncertain.first.map(({ batch_id, row, amount, counted }) => [batch_id, row, amount, counted]);
  return { explained, unexplained, named, said: balanceSentences(summary).join('\n') };
}

describe('a charge of which Version 1 does not say when it was', () => {
  test('explains another batch that it fits exactly, with the condition said', async (t) => {
    const rig = await slowRig(t, 'v1');
    await rig.add(oneRow(reversed[0]));
    await rig.run();
    await runNext(rig, 2, sixRows());
    assert.deepEqual((await proofOf(rig, 'batch-2')).unexplained, [charge.v1]);
    await rereadAll(rig);
    assert.equal((await rig.row(1)).contradicted, 'SUCCESS');
    const { explained, named, said } = await proofOf(rig, 'batch-2');
    assert.deepEqual([explained, named], [true, [['batch-1', 1, charge.v1, true]]]);
    assert.match(
      said,
      /exactly\.\nThat holds if the charge of KES 10\.00 for row 1 of batch batch-1 \(top-up .+\) was between the two readings: the service does not say when it was\.$/,
    );
    assert.deepEqual((await proofOf(rig, 'batch-1')).named, []);
  });

  test('is no part of a batch whose wallets it does not fit, although it was seen while that ran', async (t) => {
    const rig = await slowRig(t, 'v1');
    await rig.add(oneRow(reversed[0]));
    await rig.run();
    // The last row pays the same person: the failed payment is read again before it, and holds it.
    await runNext(rig, 2, sixRows(reversed[0]), 2 * minuteMs);
    assert.equal((await rig.row(1)).contradicted, 'SUCCESS');
    const mary = { db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' as const };
    await skipRows(mary, 'batch-2', [6], 'it is paid');
    await rig.run();
    const { explained, named } = await proofOf(rig, 'batch-2');
    assert.deepEqual([explained, named], [true, []]);
  });

  test('is named as a possible cause, with another one, where not all of them fit', async (t) => {
    const rig = await slowRig(t, 'v1');
    await rig.add(oneRow(reversed[0]));
    await rig.run();
    await runNext(rig, 2, oneRow(reversed[1]), 2 * minuteMs);
    await runNext(rig, 3, sixRows());
    await rereadAll(rig);
    const { explained, unexplained, named, said } = await proofOf(rig, 'batch-3');
    assert.deepEqual([explained, unexplained], [false, [charge.v1]]);
    assert.deepEqual(named, [
      ['batch-1', 1, charge.v1, false],
      ['batch-2', 1, charge.v1, false],
    ]);
    assert.match(
      said,
      /^10 more left the wallets than the known charges\.\nThe charge of KES 10\.00 for row 1 of batch batch-1 /,
    );
    assert.doesNotMatch(said, /no row of this ledger/);
  });

  test('is in the proof of its own batch, and the audit chain proves it', async (t) => {
    const rig = await slowRig(t, 'v1');
    await rig.add([...sixRows().slice(1), aRow(1, { phone_number: reversed[0], amount: '10' })]);
    await rig.run();
    await rereadAll(rig);
    const { explained, named } = await proofOf(rig, 'batch-1');
    assert.deepEqual([explained, named], [true, [['batch-1', 1, charge.v1, true]]]);
    const folder = folderOf(t);
    const key = await openSigningKey(join(folder, 'key.pem'));
    const signing = { key, clock: rig.clock, person: 'amina', through: 'cli' as const };
    const { dir } = await writeReports(rig.db, 'batch-1', folder, { signing });
    // The chain of a batch that a test makes up does not say when it was submitted.
    const findings = async () =>
      (await verifyReports(dir)).findings.flatMap(({ message }) =>
        /when it was submitted/.test(message) ? [] : message,
      );
    assert.deepEqual(await findings(), []);
    const file = join(dir, 'summary.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"amount": "10"', '"amount": "9"'));
    assert.ok((await findings()).includes('names a charge of 9 KES for row 1 that the audit chain does not have.'));
  });
});

/** A sandbox that changes the cost of completed payments by `delta` from a time on, and takes that from the wallet. */
function costChanger(delta: string) {
  const state = { isChanged: false };
  const changedCost = (cost: Money | null) => cost && { ...cost, value: addAmounts(cost.value, delta) };
  const changed = (payment: ServicePayment) =>
    state.isChanged && payment.state === 'completed' && payment.phoneNumber === reversedFree
      ? { ...payment, cost: changedCost(payment.cost) }
      : payment;
  const change = (gateway: Gateway): Gateway => {
    const { list, balance, read, lookup } = gateway;
    const inFound = <Outcome extends Awaited<ReturnType<Gateway['read']>>>(outcome: Outcome) =>
      outcome.kind === 'found' ? { ...outcome, payments: outcome.payments.map(changed) } : outcome;
    return {
      ...gateway,
      read: async (payment) => inFound(await read(payment)),
      lookup: async (reference) => inFound(await lookup(reference)),
      list:
        list &&
        (async (query) => {
          const page = await list(query);
          return page.kind === 'page' ? { ...page, payments: page.payments.map(changed) } : page;
        }),
      balance: async () => {
        const outcome = await balance();
        if (outcome.kind !== 'balance' || !state.isChanged) return outcome;
        const less = delta.startsWith('-') ? delta.slice(1) : `-${delta}`;
        const wallets = outcome.balance.wallets.map((wallet) =>
          wallet.currency === 'USD' ? { ...wallet, balance: addAmounts(wallet.balance, less) } : wallet,
        );
        return { ...outcome, balance: { ...outcome.balance, wallets } };
      },
    };
  };
  return { change, state };
}

/** The one payment whose cost the service changes. */
const reversedFree = '+254722441199';

describe('a cost that the service changes after the row was paid', () => {
  for (const [how, delta] of [
    ['raises', '0.01'],
    ['lowers', '-0.01'],
  ] as const)
    test(`explains another batch that was under way, and leaves the proof of its own batch as it is (${how})`, async (t) => {
      const { change, state } = costChanger(delta);
      const rig = await slowRig(t, 'v2', change);
      await rig.add(oneRow(reversedFree));
      await rig.run();
      const changing = rig.clock.sleep(30_000).then(() => {
        state.isChanged = true;
      });
      await runNext(rig, 2, sixRows());
      await changing;
      assert.deepEqual((await proofOf(rig, 'batch-2')).unexplained, [delta]);
      await rereadAll(rig);
      const { explained, named, said } = await proofOf(rig, 'batch-2');
      assert.deepEqual([explained, named], [true, [['batch-1', 1, delta, true]]]);
      assert.match(
        said,
        how === 'raises' ? /the charge of USD 0\.01 for row 1/ : /the reduction of USD 0\.01 for row 1/,
      );
      const own = await proofOf(rig, 'batch-1');
      assert.deepEqual([own.explained, own.named], [true, []]);
      assert.equal((await rig.row(1)).cost, charge.v2);
    });
});

describe('a contradiction of which an earlier version did not store the cost', () => {
  for (const version of ['v2', 'v1'] as const)
    test(`is named with the command that asks for the cost, and explains the wallets after that (${version})`, async (t) => {
      let gateway: Gateway | undefined;
      const rig = await slowRig(t, version, (made) => {
        gateway = made;
        return made;
      });
      await rig.add(oneRow(reversed[0]));
      await rig.run();
      await runNext(rig, 2, sixRows());
      await rereadAll(rig);
      await rig.db.execute('DELETE FROM late_charges');
      const { explained, named, said } = await proofOf(rig, 'batch-2');
      assert.deepEqual([explained, named], [false, [['batch-1', 1, null, false]]]);
      const command =
        /A charge for row 1 of batch batch-1 \(top-up .+\) may explain it: .+ airbatch reconcile --account main --from (\S+) --to (\S+)$/;
      const [, from = '', to = ''] = command.exec(said) ?? assert.fail(said);
      assert.ok(gateway);
      const folder = folderOf(t);
      const deps = {
        gateway,
        clock: rig.clock,
        random: { fraction: () => 0.5, hex: () => 'ab' },
        admit: <Answer>(ask: () => Promise<Answer>) => ask(),
        noteThrottled: () => assert.fail('nothing throttles'),
        refused: ({ message }: { message: string }) => new Error(message),
        unanswered: ({ message }: { message: string }) => assert.fail(message),
        key: await openSigningKey(join(folder, 'key.pem')),
      };
      const times = { fromMs: Date.parse(from), toMs: Date.parse(to) + 24 * 60 * minuteMs };
      await reconcile(rig.db, deps, { account: 'main', ...times }, folder);
      assert.equal((await proofOf(rig, 'batch-2')).explained, true);
    });
});
