import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { skipRows } from '../../src/engine/decisions/release-or-skip.ts';
import { noteRefund } from '../../src/engine/tracking/webhook-notes.ts';
import { lateCosts } from '../../src/ledger/reporting/late-charges.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { auditBatch } from '../../src/operations/audit/audit-rows.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { verdictOf } from '../../src/reports/sentences/verdict.ts';
import { batchSummary } from '../../src/reports/summary/summary.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { makeRig, type Rig } from '../support/engine.ts';
import { folderOf } from '../support/folder.ts';
import { aRow } from '../support/ledger.ts';
import { sandboxGateway } from '../support/sandbox-gateway.ts';

const minuteMs = 60_000;
/** It fails; 60 s later the sandbox completes and charges it. */
const reversed = '+254712000014';

/** A sandbox that gets a row every 20 s: a batch of five rows takes longer than a reversal. */
const slowRig = (t: TestContext, version: 'v2' | 'v1') =>
  makeRig({ paceMs: 20_000, gateway: (clock) => sandboxGateway(t, clock, version) });

/** Rows with other numbers, and one to `reversed` as row `at`. */
function rows(at: number | null): NewRow[] {
  return [1, 2, 3, 4, 5, 6].map((rowNo) =>
    aRow(rowNo, { phone_number: rowNo === at ? reversed : `+25472244110${rowNo}`, amount: '10' }),
  );
}

/** The first batch has failed. Another one begins some seconds later. */
async function addOther(rig: Rig, at: number | null): Promise<void> {
  await rig.clock.drive(rig.clock.sleep(5_000));
  await rig.add(rows(at), { batch_id: 'batch-2', run_id: 'run-2', created_at: rig.clock.now() });
}

/** Runs on for two days, so that rows that have ended are read again. */
async function rereadAll(rig: Rig): Promise<void> {
  const runner = rig.runner({ rereads: true });
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(48 * 60 * minuteMs));
  runner.stop();
  await rig.clock.drive(running);
}

async function balanceOf(rig: Rig, batchId: string) {
  const { balance } = await batchSummary(rig.db, batchId);
  return balance;
}

describe('a failed payment that the service charges later', () => {
  for (const version of ['v2', 'v1'] as const)
    test(`is a charge of its batch in the proof of another batch that ran meanwhile (${version})`, async (t) => {
      const rig = await slowRig(t, version);
      await rig.add([aRow(1, { phone_number: reversed, amount: '10' })]);
      await rig.run();
      assert.deepEqual(await rig.states(), ['failed']);
      // The last row pays the same person the same: the failed payment is read again before it.
      await addOther(rig, 6);
      await rig.run();
      assert.equal((await rig.row(1)).contradicted, version === 'v2' ? 'completed' : 'SUCCESS');
      await skipRows({ db: rig.db, clock: rig.clock, person: 'mary', through: 'cli' }, 'batch-2', [6], 'it is paid');
      await rig.run();
      const other = await balanceOf(rig, 'batch-2');
      assert.deepEqual(
        other.explanation.filter(({ unexplained }) => unexplained !== '0'),
        [],
      );
      assert.equal(other.explained, true);
      const charged = other.explanation.filter(({ charged_by_other_batches: value }) => value !== '0');
      assert.equal(charged.length, 1);
      assert.equal((await balanceOf(rig, 'batch-1')).explained, true);
    });

  test('counts even if it is seen days later: the service says when it was charged', async (t) => {
    const rig = await slowRig(t, 'v2');
    await rig.add([aRow(1, { phone_number: reversed, amount: '10' })]);
    await rig.run();
    await addOther(rig, null);
    await rig.run();
    assert.equal((await balanceOf(rig, 'batch-2')).explained, false);
    await rereadAll(rig);
    assert.equal((await rig.row(1)).contradicted, 'completed');
    assert.equal((await balanceOf(rig, 'batch-2')).explained, true);
  });

  test('is in the audit chain, so an audit finds where it was edited or deleted', async (t) => {
    const rig = await slowRig(t, 'v2');
    await rig.add(rows(1));
    await rig.run();
    await rereadAll(rig);
    const late = async () => (await auditBatch(rig.db, 'batch-1')).edited.filter((why) => why.includes('late charge'));
    assert.deepEqual(await late(), []);
    await rig.db.execute("UPDATE late_charges SET cost = '9'");
    const said = /^row 1 has USD 9 as the late charge of payment \S+, but the chain says USD 0\.0774 at \S+Z$/;
    assert.match((await late()).join('\n'), said);
    await rig.db.execute('DELETE FROM late_charges');
    assert.match((await late()).join('\n'), /^row 1 has nothing as the late charge of payment \S+, but the chain says/);
  });

  test('has its own part in the proof of its own batch, which the audit chain proves', async (t) => {
    const rig = await slowRig(t, 'v2');
    await rig.add(rows(1));
    await rig.run();
    await rereadAll(rig);
    const summary = await batchSummary(rig.db, 'batch-1');
    const { charged_late, unexplained } = summary.balance.explanation.find(({ currency }) => currency === 'USD') ?? {};
    assert.deepEqual([charged_late, unexplained, summary.balance.explained], ['0.0774', '0', true]);
    assert.match(
      verdictOf(summary).details.join('\n'),
      /Wallet balances match the charges exactly\. They include USD 0\.0774 for the payment of 1 row that failed at first/,
    );
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
    assert.match(
      readFileSync(join(dir, 'report.html'), 'utf8'),
      /USD 0\.0774<\/b><span class="soft small">charged late/,
    );
    const file = join(dir, 'summary.json');
    const changed = readFileSync(file, 'utf8')
      .replace('"charged_late": "0.0774"', '"charged_late": "0"')
      .replace(/("charged_late": "0",\s*"charged_by_other_batches": )"0"/, '$1"0.0774"');
    writeFileSync(file, changed);
    const found = await findings();
    assert.ok(found.includes('has another sum of USD charged late than the audit chain.'), found.join('\n'));
  });

  test('no longer counts after its refund', async (t) => {
    const rig = await slowRig(t, 'v2');
    await rig.add([aRow(1, { phone_number: reversed, amount: '10' })]);
    await rig.run();
    await addOther(rig, 6);
    await rig.run();
    const row = await rig.row(1);
    await inUnit(rig.db, { clock: rig.clock, actor: 'engine' }, async (unit) => {
      const at = rig.clock.now();
      const [money, says] = [{ value: '0.0774', currency: 'USD' }, 'refunded'] as const;
      const { topup_id: topupId } = row;
      const update = {
        says,
        verbatim: 'transaction.refunded',
        topupId,
        key: null,
        runId: null,
        money,
        at,
        payment: null,
      };
      await noteRefund(unit, row, update);
    });
    const costs = await lateCosts(rig.db, { account: 'main', fromMs: 0, toMs: rig.clock.now() });
    assert.deepEqual(costs, []);
  });
});
