import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { systemRandom } from '../../src/core/basics/random.ts';
import { makeContentDigest } from '../../src/core/identity/content-digest.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { longThrottleMs } from '../../src/core/time/throttle-wait.ts';
import type { Problem } from '../../src/intake/cells/problems.ts';
import { endAbandoned } from '../../src/intake/check/end-reading.ts';
import { readingTtlMs } from '../../src/intake/check/store-rows.ts';
import { type IntakeOptions, intakeFile } from '../../src/intake/intake.ts';
import type { Catalog } from '../../src/intake/rows/network-catalog.ts';
import { validateFile } from '../../src/intake/validate.ts';
import { pageEvents } from '../../src/ledger/audit/events.ts';
import { type BatchRecord, findBatch, listBatches } from '../../src/ledger/batches/batches.ts';
import { listReadings } from '../../src/ledger/batches/readings.ts';
import { countRows } from '../../src/ledger/batches/row-counts.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { insertLost } from '../../src/ledger/rows/lost-payments.ts';
import { insertPayments } from '../../src/ledger/rows/payments.ts';
import { pageRows } from '../../src/ledger/rows/rows.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { auditBatch } from '../../src/operations/audit/audit-rows.ts';
import { folderOf } from '../support/folder.ts';
import { aPayment, memoryLedger } from '../support/ledger.ts';
import { check, csv, goodRow, rowOfMany, testCatalog } from './support.ts';

async function rig(t: TestContext) {
  const folder = folderOf(t);
  const db = await memoryLedger();
  t.after(() => db.close());
  const take = (content: string, options: Partial<IntakeOptions> = {}, ledger = db) => {
    const file = join(folder, 'payroll.csv');
    writeFileSync(file, content);
    return intakeFile(
      { db: ledger, clock: systemClock, random: systemRandom },
      {
        account: 'main',
        service: 'a test',
        runId: null,
        file,
        createdBy: 'mary',
        through: 'cli',
        program: 'airbatch test',
        holder: 'test/1/1',
        priority: 'normal',
        settings: {},
        ...options,
      },
    );
  };
  return { db, folder, take };
}

const mixed = csv([
  goodRow({ reference: 'A', employee: 'Wanjiru' }),
  goodRow({ reference: 'B', amount: 'x', employee: '=cmd()' }),
  goodRow({ reference: 'C', employee: 'Otieno' }),
  goodRow({ reference: 'D', amount: '', currency: '', product_id: '102' }),
]);

describe('intake of a file', () => {
  test('stores a validated batch with every row, its verdict, and its cells as in the file', async (t) => {
    const { db, take } = await rig(t);
    const { batch } = await take(mixed);
    assert.deepEqual(
      [batch.status, batch.account, batch.created_by, batch.file_name, batch.approved_by],
      ['validated', 'main', 'mary', 'payroll.csv', null],
    );
    assert.match(batch.batch_id, /^\d{8}-\d{6}-[0-9a-f]{4}$/);
    const header = ['phone_number', 'network_id', 'amount', 'currency', 'reference', 'employee', 'product_id'];
    assert.deepEqual(JSON.parse(batch.columns), header);
    const rows = await pageRows(db, batch.batch_id, 0, 10);
    assert.deepEqual(
      rows.map(({ status, row_ref, line }) => [status, row_ref, line]),
      [
        ['ready', 'A', 2],
        ['invalid', 'B', 3],
        ['held', 'C', 4],
        ['ready', 'D', 5],
      ],
    );
    assert.deepEqual(JSON.parse(rows[1]?.input ?? ''), ['+254712345678', '1', 'x', 'KES', 'B', '=cmd()', '']);
    assert.deepEqual([rows[0]?.problems, rows[3]?.product_id, rows[3]?.amount], [null, '102', null]);
  });

  test('has the same counts and sums in the result, in the ledger and in a validation', async (t) => {
    const { db, folder, take } = await rig(t);
    const { batch, ...findings } = await take(mixed);
    assert.deepEqual(findings.counts, { rows: 4, valid: 2, invalid: 1, held: 1, skipped: 0 });
    assert.deepEqual([findings.sums, findings.product_rows], [{ KES: '100' }, 1]);
    assert.deepEqual(findings.countries, { KE: { rows: 2, sums: { KES: '100' } } });
    assert.deepEqual(Object.fromEntries(await countRows(db, batch.batch_id)), { ready: 2, invalid: 1, held: 1 });
    assert.deepEqual(await validateFile({ file: join(folder, 'payroll.csv'), settings: {} }), findings);
  });

  test('derives the run id from the bytes of the file, unless a run id is given', async (t) => {
    const { take } = await rig(t);
    const first = await take(mixed);
    const again = await take(mixed);
    const other = await take(mixed.replace('100', '101'));
    assert.equal(first.batch.run_id, `file-${first.batch.file_sha256?.slice(0, 16)}`);
    assert.equal(again.batch.run_id, first.batch.run_id);
    assert.notEqual(again.batch.batch_id, first.batch.batch_id);
    assert.notEqual(other.batch.run_id, first.batch.run_id);
    assert.equal((await take(mixed, { runId: 'november' })).batch.run_id, 'november');
    await assert.rejects(take(mixed, { runId: 'a/b' }), { code: 'RUN_ID_INVALID' });
  });

  test('binds the rows as understood in a digest that does not depend on the form of the file', async (t) => {
    const { take } = await rig(t);
    const first = await take(mixed);
    const resaved = await take(`\uFEFF${mixed.replaceAll(',', ';').replaceAll('\n', '\r\n')}`);
    const changed = await take(mixed.replace('102', '103'));
    assert.equal(resaved.batch.content_sha256, first.batch.content_sha256);
    assert.notEqual(changed.batch.content_sha256, first.batch.content_sha256);
  });

  test('counts every row of a file of several thousand, without an event for each', async (t) => {
    const { db, take } = await rig(t);
    const content = csv(Array.from({ length: 2_345 }, (_, index) => rowOfMany(index)));
    const { batch, counts } = await take(content);
    assert.equal(counts.valid, 2_345);
    assert.deepEqual(Object.fromEntries(await countRows(db, batch.batch_id)), { ready: 2_345 });
    const events = await pageEvents(db, batch.batch_id, 0, 10);
    assert.deepEqual(
      events.map(({ kind, actor }) => [kind, actor]),
      [
        ['batch.received', 'intake'],
        ['batch.validate', 'intake'],
      ],
    );
    assert.match(events[1]?.body ?? '', /"rows":2345/);
  });

  test('reads standard input', async (t) => {
    const { take } = await rig(t);
    const stdin = (async function* () {
      yield Buffer.from(mixed.slice(0, 50));
      yield Buffer.from(mixed.slice(50));
    })();
    const { batch, counts } = await take(mixed, { file: '-', stdin });
    assert.deepEqual([batch.file_name, counts.rows], ['standard input', 4]);
    assert.equal(batch.file_sha256, (await take(mixed)).batch.file_sha256);
  });
});

describe('a file with rows of an earlier batch', () => {
  const files = ['A', 'B', 'C', 'D'].map((reference, index) => goodRow({ reference, amount: String(10 + index) }));

  /**
   * Lets the engine's part be played: the first rows of the batch that can be sent were, and B failed, with this last
   * word.
   */
  async function pay(db: Database, batch: BatchRecord, word: string | null = null): Promise<void> {
    await inUnit(db, { clock: systemClock, actor: 'engine' }, async (unit) => {
      await unit.noteBatch(batch, { started_at: unit.at });
      const rows = await pageRows(unit.tx, batch.batch_id, 0, 10);
      for (const row of rows.filter(({ status }) => status === 'ready').slice(0, 3)) {
        const { account, run_id: runId } = batch;
        const identity = { account, runId, rowRef: row.row_ref ?? '', generation: row.generation };
        const owner = { batch_id: row.batch_id, row_no: row.row_no, first_intent_at: unit.at, last_intent_at: unit.at };
        assert.equal(await insertPayments(unit.tx, [aPayment(identity, owner)]), 1);
        const sent = await unit.changeRow(row, 'send', { first_sent_at: unit.at }, {});
        assert.ok(sent);
        if (row.row_ref === 'B') await unit.changeRow(sent, 'fail', { service_status: word }, {});
        else await unit.changeRow(sent, 'complete', {}, {});
      }
    });
  }

  test('skips or holds those rows before approval, and names batch and row', async (t) => {
    const { db, take } = await rig(t);
    const first = await take(csv(files), { runId: 'november' });
    await pay(db, first.batch);
    const changed = files.map((row, index) => (index === 2 ? { ...row, amount: '99' } : row));
    const { batch, counts, sums } = await take(csv([...changed, goodRow({ reference: 'E' })]), { runId: 'november' });
    const rows = await pageRows(db, batch.batch_id, 0, 10);
    const found = rows.map(({ status, problems }) => [status, /"code":"(\w+)"/.exec(problems ?? '')?.[1] ?? null]);
    assert.deepEqual(found, [
      ['skipped', 'ALREADY_PAID'],
      ['ready', null],
      ['held', 'REFERENCE_REUSED'],
      ['ready', null],
      ['ready', null],
    ]);
    assert.match(rows[0]?.problems ?? '', new RegExp(`batch ${first.batch.batch_id}, row 1: it is not paid again`));
    assert.deepEqual(counts, { rows: 5, valid: 3, invalid: 0, held: 1, skipped: 1 });
    assert.deepEqual(sums, { KES: '124' });
    assert.deepEqual(Object.fromEntries(await countRows(db, batch.batch_id)), { ready: 3, held: 1, skipped: 1 });
  });

  /** What becomes of row B when it is fed in again, with these cells changed. */
  async function again(take: Awaited<ReturnType<typeof rig>>['take'], db: Database, changed = {}, job?: string) {
    const given = { runId: 'november', ...(job === undefined ? {} : { job }) };
    const { batch } = await take(csv([{ ...files[1], ...changed }]), given);
    const [row] = await pageRows(db, batch.batch_id, 0, 1);
    const code = /"code":"(\w+)"/.exec(row?.problems ?? '')?.[1] ?? null;
    return { batch, problems: row?.problems ?? '', found: [row?.status, row?.generation, code] };
  }

  for (const [how, changed] of [
    ['as it is', {}],
    ['corrected', { phone_number: '+254712345679', amount: '99' }],
  ] as const) {
    test(`tries a failed row again ${how}, under the next generation, as often as allowed`, async (t) => {
      const { db, take } = await rig(t);
      await pay(db, (await take(csv(files), { runId: 'november' })).batch);
      const second = await again(take, db, changed);
      assert.deepEqual(second.found, ['ready', 2, null]);
      await pay(db, second.batch);
      const third = await again(take, db, changed);
      assert.deepEqual(third.found, ['ready', 3, null]);
      await pay(db, third.batch);
      const fourth = await again(take, db, changed);
      assert.deepEqual(fourth.found, ['held', 1, 'FAILED_BEFORE']);
      assert.match(fourth.problems, new RegExp(`batch ${third.batch.batch_id}, row 1`));
    });

    for (const word of ['TIMEOUT', 'UNDERLIVERED', 'CANCELED']) {
      test(`holds a row ${how} if the service reports ${word}: it may have arrived`, async (t) => {
        const { db, take } = await rig(t);
        const { batch } = await take(csv(files), { runId: 'november' });
        await pay(db, batch, word);
        const { found, problems } = await again(take, db, changed);
        assert.deepEqual(found, ['held', 1, 'FAILED_BEFORE']);
        assert.match(problems, new RegExp(`reports ${word}: .*airbatch retry ${batch.batch_id} --code ${word}`));
      });
    }

    for (const job of [undefined, 'monthly'])
      test(`continues a row ${how} that was refused and then skipped or cancelled, even if ${job ?? 'a person'} brings it: nothing was paid`, async (t) => {
        const { db, take } = await rig(t);
        const { batch } = await take(csv(files), { runId: 'november' });
        await pay(db, batch);
        const { row_no } = (await pageRows(db, batch.batch_id, 0, 10))[1] ?? assert.fail('no row B');
        const wasTried = `UPDATE rows SET status = 'skipped' WHERE batch_id = ? AND row_no = ?`;
        await db.execute(wasTried, [batch.batch_id, row_no]);
        const { found } = await again(take, db, changed, job);
        assert.deepEqual(found, ['ready', 2, null]);
      });

    test(`holds a failed row ${how} if a job brings it: nobody has decided to retry it`, async (t) => {
      const { db, take } = await rig(t);
      await pay(db, (await take(csv(files), { runId: 'november' })).batch);
      const { found } = await again(take, db, changed, 'monthly');
      assert.deepEqual(found.slice(0, 2), ['held', 1]);
    });
  }

  describe('with repeated rows, without references', () => {
    const settings = { duplicates: 'allow' };

    /** What becomes of so many rows that ask for the same, of as many as `states`, which the first file came to. */
    async function fedAgain(
      t: TestContext,
      states: readonly string[],
      count: number,
      more: Partial<IntakeOptions> = {},
    ) {
      const { db, take } = await rig(t);
      const rowsOf = (times: number) => csv(Array.from({ length: times }, () => goodRow()));
      const { batch } = await take(rowsOf(states.length), { runId: 'november', settings });
      // Three at a time.
      for (let paid = 0; paid < states.length; paid += 3) await pay(db, batch);
      for (const [index, status] of states.entries())
        await db.execute('UPDATE rows SET status = ? WHERE row_no = ?', [status, index + 1]);
      const again = await take(rowsOf(count), { runId: 'november', settings, ...more });
      const rows = await pageRows(db, again.batch.batch_id, 0, 10);
      return rows.map(({ row_ref, status, generation, problems }) => {
        const code = /"code":"(\w+)"/.exec(problems ?? '')?.[1] ?? '';
        return `${row_ref?.split('-')[1]}~${generation} ${status} ${code}`.trimEnd();
      });
    }

    test('pays the failed one again if only that one is in the new file, though another was paid: a person sees both', async (t) => {
      assert.deepEqual(await fedAgain(t, ['completed', 'failed'], 1), ['2~2 held SENT_LATELY']);
    });

    test('pays it again if no runs are compared, and holds it if a job brings it', async (t) => {
      const states = ['completed', 'failed'];
      assert.deepEqual(await fedAgain(t, states, 1, { policy: { repeatWithinDays: 0 } }), ['2~2 ready']);
      const byJob = { job: 'monthly', policy: { repeatWithinDays: 0 } };
      assert.deepEqual(await fedAgain(t, states, 1, byJob), ['2~1 held FAILED_BEFORE']);
    });

    test('pays each of those that failed once, and none that the file contains itself', async (t) => {
      const policy = { repeatWithinDays: 0 };
      const bothFailed = await fedAgain(t, ['completed', 'failed', 'failed'], 2, { policy });
      assert.deepEqual(bothFailed, ['3~2 ready', '2~2 ready']);
      const others = await fedAgain(t, ['completed', 'completed', 'failed'], 2, { policy });
      assert.deepEqual(others, ['1~1 skipped ALREADY_PAID', '3~2 ready']);
      const whole = await fedAgain(t, ['completed', 'completed', 'failed'], 3, { policy });
      assert.deepEqual(whole, ['1~1 skipped ALREADY_PAID', '2~1 skipped ALREADY_PAID', '3~2 ready']);
      const twoOfThree = await fedAgain(t, ['completed', 'completed', 'completed', 'failed', 'failed'], 2, { policy });
      assert.deepEqual(twoOfThree, ['5~2 ready', '4~2 ready']);
      assert.deepEqual(await fedAgain(t, ['completed', 'completed'], 1, { policy }), ['1~1 skipped ALREADY_PAID']);
    });
  });

  test('is held under another run id if it was sent lately, and names the batch with the same rows', async (t) => {
    const { db, take } = await rig(t);
    const first = await take(csv(files));
    await pay(db, first.batch);
    await db.execute("UPDATE batches SET status = 'running' WHERE batch_id = ?", [first.batch.batch_id]);
    const { batch, counts, warnings, problems } = await take(csv(files).replaceAll(',', ';'));
    // A and C were sent; B failed for sure, and D was never sent.
    assert.deepEqual([counts.valid, counts.held], [2, 2]);
    assert.deepEqual(
      (await pageRows(db, batch.batch_id, 0, 10)).map(({ status }) => status),
      ['held', 'ready', 'held', 'ready'],
    );
    assert.equal(problems[0]?.code, 'SENT_LATELY');
    assert.match(problems[0]?.examples[0]?.message ?? '', new RegExp(`batch ${first.batch.batch_id}, row 1 `));
    assert.match(
      warnings[0] ?? '',
      new RegExp(
        `same rows are in batch ${first.batch.batch_id} .*, not finished, which has paid .*in the last 7 days are held; older ones are paid again`,
      ),
    );
    assert.deepEqual((await take(csv(files.slice(1)))).warnings, []);
  });

  test('names the batch that paid the same rows before later batches that paid none', async (t) => {
    const { db, take } = await rig(t);
    const first = await take(csv(files));
    await pay(db, first.batch);
    for (const runId of ['two', 'three', 'four', 'five']) await take(csv(files), { runId });
    const { warnings } = await take(csv(files), { runId: 'six' });
    assert.equal(warnings.length, 3);
    assert.match(warnings[0] ?? '', new RegExp(`in batch ${first.batch.batch_id} .*, which has paid some of them\\)`));
    assert.match(warnings[1] ?? '', /run five, /);
  });

  test('reports that another batch of its run has the same rows and may still send them, but not if that batch has ended', async (t) => {
    const { db, take } = await rig(t);
    const first = await take(csv(files), { runId: 'november' });
    const told = async (status: string) => {
      await db.execute('UPDATE batches SET status = ? WHERE batch_id = ?', [status, first.batch.batch_id]);
      const { batch, warnings } = await take(csv(files), { runId: 'november' });
      await db.execute(`UPDATE batches SET status = 'cancelled' WHERE batch_id = ?`, [batch.batch_id]);
      return warnings;
    };
    const [warning = '', ...more] = await told('awaiting_approval');
    assert.match(warning, /of this run \(awaiting approval\), which may still send them: each is paid once/);
    assert.deepEqual(more, []);
    for (const status of ['cancelled', 'completed']) assert.deepEqual(await told(status), []);
  });

  test('reports that the same file was read with other settings, which leave out what was paid', async (t) => {
    const { db, take } = await rig(t);
    const text = csv(files.map((row) => ({ ...row, bonus: row.reference === 'A' ? (row.amount ?? '') : '7' })));
    const first = await take(text);
    await pay(db, first.batch);
    assert.deepEqual(
      (await take(text)).warnings.filter((warning) => /otherwise/.test(warning)),
      [],
    );
    const settings = { columns: { amount: 'bonus' } };
    const { batch, counts, warnings } = await take(text, { settings });
    assert.deepEqual([batch.run_id, counts.skipped], [first.batch.run_id, 1]);
    assert.match(
      warnings[0] ?? '',
      new RegExp(`Batch ${first.batch.batch_id} .*read the same file with other settings.*--run-id`),
    );
    const own = await take(text, { settings, runId: 'bonus' });
    assert.deepEqual(
      own.warnings.filter((warning) => /otherwise/.test(warning)),
      [],
    );
  });

  test('reports that another account sent the same rows, which holds nothing, but not a rehearsal or a batch that never began', async (t) => {
    const { db, take } = await rig(t);
    const text = csv(files);
    const first = await take(text, { account: 'legacy', runId: 'november' });
    await take(text, { account: 'idle', runId: 'november' });
    const rehearsed = await take(text, { account: 'sandbox', service: 'embedded sandbox', runId: 'november' });
    for (const { batch } of [first, rehearsed]) await pay(db, batch);
    const { counts, warnings } = await take(text, { runId: 'november' });
    assert.equal(counts.held, 0);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      new RegExp(`batch ${first.batch.batch_id} .*account legacy, run november.*it is paid again`),
    );
    const team = await take(text, { runId: 'team', seenAccounts: ['main'] });
    const [ofOthers = '', ...rest] = team.warnings;
    assert.match(ofOthers, /^Another account, which you may not see, .*it is paid again/);
    assert.doesNotMatch([ofOthers, ...rest].join(), new RegExp(`legacy|${first.batch.batch_id}`));
  });

  test('holds a row if its number exceeds the maximum over all batches, and for what was sent lately', async (t) => {
    const { db, take } = await rig(t);
    await pay(db, (await take(csv([goodRow({ amount: '300' })]), { runId: 'november' })).batch);
    const policy = { recipientMaximum: { sums: { KES: '500' } } };
    const rows = ['200', '201', '300', '501'].map((amount) => goodRow({ amount }));
    const others = goodRow({ amount: '501', phone_number: '+254712345999' });
    const { batch } = await take(csv([...rows, others]), { runId: 'december', policy });
    const codes = (await pageRows(db, batch.batch_id, 0, 10)).map(({ problems }) =>
      (JSON.parse(problems ?? '[]') as Problem[]).map(({ code }) => code),
    );
    const both = ['SENT_LATELY', 'RECIPIENT_MAXIMUM'];
    assert.deepEqual(codes, [[], ['RECIPIENT_MAXIMUM'], both, ['RECIPIENT_MAXIMUM'], ['RECIPIENT_MAXIMUM']]);
  });

  test('can be released once by a person who saw what was sent, also before the days of the maximum', async (t) => {
    const { db, take } = await rig(t);
    await pay(db, (await take(csv([goodRow({ amount: '600' })]), { runId: 'november' })).batch);
    const twoDaysAgo = Date.now() - 2 * 86_400_000;
    await db.execute('UPDATE rows SET first_sent_at = ?', [twoDaysAgo]);
    const policy = { recipientMaximum: { days: 1, sums: { KES: '500' } } };
    const { batch } = await take(csv([goodRow({ amount: '600' })]), { runId: 'december', policy });
    const [row] = await pageRows(db, batch.batch_id, 0, 1);
    assert.deepEqual([row?.status, row?.known_until], ['held', twoDaysAgo]);
  });

  test('holds a row if its number exceeds the maximum together with payments that a restored ledger has lost', async (t) => {
    const { db, take } = await rig(t);
    const lost = { account: 'main', topup_id: 't-1', run_id: 'november', row_ref: 'r-1', generation: 1 };
    const sent = { phone_number: '+254712345678', amount: '300', currency: 'KES', first_sent_at: Date.now() - 60_000 };
    await insertLost(db, [{ ...lost, ...sent }]);
    const policy = { repeatWithinDays: 0, recipientMaximum: { sums: { KES: '500' } } };
    const { counts } = await take(csv([goodRow({ amount: '201' })]), { runId: 'december', policy });
    assert.deepEqual([counts.valid, counts.held], [0, 1]);
  });

  test('is held under the same run id with new references, since the rows were paid under another key', async (t) => {
    const { db, take } = await rig(t);
    await pay(db, (await take(csv(files), { runId: 'november' })).batch);
    const text = csv(files)
      .replace(/^(.*)$/gm, (line) => line.replace(/,([^,]*)$/, ',X-$1'))
      .replace('X-reference', 'reference');
    const { counts, problems } = await take(text, { runId: 'november' });
    assert.deepEqual([counts.valid, counts.held], [2, 2]);
    assert.equal(problems[0]?.code, 'SENT_LATELY');
  });

  test('is held under the same run id, however long ago it was paid, if a spreadsheet changed its references', async (t) => {
    const { db, take } = await rig(t);
    const named = (...rows: [reference: string, amount: string][]) =>
      csv(
        rows.map(([reference, amount], index) => goodRow({ reference, amount, phone_number: `+25471234567${index}` })),
      );
    const first = named(['0001', '100'], ['0002', '100'], ['2507123456789', '100']);
    await pay(db, (await take(first, { runId: 'november' })).batch);
    await db.execute('UPDATE rows SET first_sent_at = ?', [Date.now() - 30 * 86_400_000]);
    await db.execute('UPDATE batches SET created_at = ?', [Date.now() - 31 * 86_400_000]);
    const saved = named(['1', '100'], ['2', '150'], ['2.50712E+12', '100']);
    const { batch, counts } = await take(saved, { runId: 'november' });
    assert.deepEqual([counts.valid, counts.held], [0, 3]);
    const codes = (await pageRows(db, batch.batch_id, 0, 10)).map(
      ({ problems }) => /"code":"(\w+)"/.exec(problems ?? '')?.[1],
    );
    assert.deepEqual(codes, ['SENT_LATELY', 'PAID_OTHERWISE', 'SENT_LATELY']);
    const others = named(['X-1', '100'], ['X-2', '150'], ['X-3', '100']);
    assert.equal((await take(others, { runId: 'november' })).counts.valid, 3);
  });

  test('shows what was sent lately for a row that is held for another reason, so that a person who releases it knows both', async (t) => {
    const { db, take } = await rig(t);
    await pay(db, (await take(csv([goodRow()]), { runId: 'november' })).batch);
    const { batch } = await take(csv([goodRow(), goodRow()]), { runId: 'december' });
    const rows = await pageRows(db, batch.batch_id, 0, 10);
    const codes = rows.map(({ problems }) => (JSON.parse(problems ?? '[]') as Problem[]).map(({ code }) => code));
    assert.deepEqual(codes, [['SENT_LATELY'], ['DUPLICATE', 'SENT_LATELY']]);
  });

  const unnamed = files.map(({ reference: _, ...row }, index) => ({ ...row, phone_number: `+25471234567${index}` }));

  /**
   * Which rows of a file are held when it comes under the run id of `first`, of which the first three rows were paid a
   * month ago.
   */
  async function heldOf(
    t: TestContext,
    rows: readonly Record<string, string>[],
    { first: paid = unnamed, ...options }: Partial<IntakeOptions> & { first?: readonly Record<string, string>[] } = {},
  ) {
    const { db, take } = await rig(t);
    const first = await take(csv(paid), { runId: 'november' });
    await pay(db, first.batch);
    await db.execute('UPDATE rows SET first_sent_at = first_sent_at - ?', [30 * 24 * 3_600_000]);
    await db.execute('UPDATE batches SET created_at = created_at - ?', [30 * 24 * 3_600_000]);
    const { batch, counts, problems } = await take(csv(rows), { runId: 'november', ...options });
    const held = (await pageRows(db, batch.batch_id, 0, 10_000)).filter(({ status }) => status === 'held');
    return { first: first.batch, counts, problems, held: held.map(({ row_no }) => row_no) };
  }

  test('is held if it has no references and another amount than the run has sent, however long ago', async (t) => {
    const corrected = [{ ...unnamed[0], amount: '150' }, ...unnamed.slice(1)];
    const { first, counts, problems, held } = await heldOf(t, corrected);
    assert.deepEqual([counts.skipped, counts.valid, held], [2, 1, [1]]);
    assert.match(
      problems.find(({ code }) => code === 'PAID_OTHERWISE')?.examples[0]?.message ?? '',
      new RegExp(`has sent the number KES 10\\.00 on .*, in batch ${first.batch_id}, row 1 \\(completed\\)`),
    );
  });

  test('is ready if the payment that the run sent is also in the file, thousands of rows away', async (t) => {
    const filler = Array.from({ length: 2_500 }, (_, index) => {
      const { reference: _reference, ...row } = rowOfMany(index);
      return row;
    });
    const extra = { ...unnamed[0], amount: '150' };
    const added = await heldOf(t, [extra, ...filler, ...unnamed]);
    assert.deepEqual([added.counts.skipped, added.held], [3, []]);
    const replaced = await heldOf(t, [extra, ...filler, ...unnamed.slice(1)]);
    assert.deepEqual([replaced.counts.skipped, replaced.held], [2, [1]]);
  });

  test('is ready a month later if each row has its own reference, also under the one run id of all months', async (t) => {
    const named = (month: string) => unnamed.map((row, at) => ({ ...row, reference: `${month}-${at}` }));
    const { counts, held } = await heldOf(t, named('dec'), { first: named('nov') });
    assert.deepEqual([counts.skipped, held], [0, []]);
  });

  test('is held a month later if one of the two rows has no reference: no key distinguishes them', async (t) => {
    const named = unnamed.map((row, at) => ({ ...row, reference: `NOV-${at}` }));
    assert.deepEqual((await heldOf(t, named)).held, [1, 2, 3]);
  });

  test('is ready with another amount if the policy allows it', async (t) => {
    const corrected = [{ ...unnamed[0], amount: '150' }, ...unnamed.slice(1)];
    const { held } = await heldOf(t, corrected, { policy: { repeatWithinDays: 0 } });
    assert.deepEqual(held, []);
  });

  test('is ready under another run id if the policy allows it', async (t) => {
    const { db, take } = await rig(t);
    await pay(db, (await take(csv(files))).batch);
    const { counts } = await take(csv(files).replaceAll(',', ';'), { policy: { repeatWithinDays: 0 } });
    assert.equal(counts.valid, 4);
  });
});

describe('a file that cannot be read', () => {
  test('leaves a rejected batch without rows that has the reason', async (t) => {
    const { db, take } = await rig(t);
    await assert.rejects(take('name,amount\nMary,5\n'), (error: unknown) => {
      assert.ok(error instanceof AirbatchError);
      return error.code === 'FILE_REJECTED' && error.exitCode === 3;
    });
    const [batch] = await listBatches(db, 10);
    assert.equal(batch?.status, 'rejected');
    assert.match(batch?.rejection ?? '', /no column for phone_number/);
    assert.equal(JSON.parse(batch?.rejection_reason ?? '{}').code, 'COLUMN_MISSING');
    assert.equal((await countRows(db, batch?.batch_id ?? '')).size, 0);
  });

  test('leaves none of its rows in the ledger if the fault is in its last line', async (t) => {
    const { db, take } = await rig(t);
    const settings = { guards: { trailer: 'TOTAL' } };
    await assert.rejects(take(mixed, { settings }), { code: 'FILE_REJECTED' });
    const [batch] = await listBatches(db, 10);
    assert.equal(batch?.status, 'rejected');
    assert.deepEqual(await pageRows(db, batch?.batch_id ?? '', 0, 10), []);
  });

  test('leaves no batch if the file does not exist', async (t) => {
    const { db, folder, take } = await rig(t);
    await assert.rejects(take(mixed, { file: join(folder, 'no.csv') }), { code: 'FILE_UNREADABLE' });
    await assert.rejects(take(mixed, { file: folder }), { code: 'FILE_UNREADABLE' });
    assert.deepEqual(await listBatches(db, 10), []);
  });

  test('leaves a cancelled batch if reading was interrupted', async (t) => {
    const { db, take } = await rig(t);
    const stop = new AbortController();
    const content = csv(Array.from({ length: 5_000 }, (_, index) => rowOfMany(index)));
    const taking = take(content, { signal: stop.signal, onProgress: () => stop.abort() });
    await assert.rejects(taking, { name: 'AbortError' });
    assert.equal((await listBatches(db, 10))[0]?.status, 'cancelled');
  });
});

describe('a file of a job', () => {
  const silent: Catalog = { networks: async () => null, products: async () => null };
  const named = csv([goodRow({ network_id: 'Safaricom' })]);

  test('with network names leaves no batch while the networks are unknown, however often it is brought', async (t) => {
    const { db, take } = await rig(t);
    for (let times = 0; times < 3; times++)
      await assert.rejects(take(named, { job: 'payroll', catalog: silent }), { code: 'SERVICE_UNREACHABLE' });
    assert.deepEqual([await listBatches(db, 10), await listReadings(db)], [[], []]);
    assert.equal((await take(named, { job: 'payroll', catalog: testCatalog })).counts.valid, 1);
  });

  test('that is rejected leaves a batch that has the reason', async (t) => {
    const { db, take } = await rig(t);
    const settings = { guards: { expectedRows: 2 } };
    for (const content of [named, 'phone_number,amount\n'])
      await assert.rejects(take(content, { job: 'payroll', catalog: testCatalog, settings }), {
        code: 'FILE_REJECTED',
      });
    const batches = await listBatches(db, 10);
    assert.deepEqual(
      batches.map(({ status, job }) => [status, job]),
      [
        ['rejected', 'payroll'],
        ['rejected', 'payroll'],
      ],
    );
    assert.deepEqual(await listReadings(db), []);
  });

  test('without network names is imported like one of a person', async (t) => {
    const { take } = await rig(t);
    const { counts, warnings } = await take(csv([goodRow()]), { job: 'payroll', catalog: silent });
    assert.equal(counts.valid, 1);
    assert.match(warnings[0] ?? '', /did not give its list of networks/);
    const byPerson = await take(named, { catalog: silent });
    assert.equal(byPerson.problems[0]?.code, 'NETWORK_UNRESOLVED');
  });

  test('that waits for an answer of the service can be interrupted', async (t) => {
    const { db, take } = await rig(t);
    const stop = new AbortController();
    const networks = () => {
      setImmediate(() => stop.abort());
      return new Promise<never>(() => undefined);
    };
    await assert.rejects(take(named, { signal: stop.signal, catalog: { ...silent, networks } }), {
      name: 'AbortError',
    });
    assert.deepEqual(
      (await listBatches(db, 10)).map(({ status }) => status),
      ['cancelled'],
    );
  });
});

describe('a file whose reader ends in the middle', () => {
  const many = csv(Array.from({ length: 5_000 }, (_, index) => rowOfMany(index)));

  /** Leaves a ledger as a crash does: some rows are stored, and nobody has said that this came to nothing. */
  async function crash({ db, take }: Awaited<ReturnType<typeof rig>>): Promise<string> {
    let left = 3;
    const dying: Database = {
      ...db,
      transact: (work) => (left-- > 0 ? db.transact(work) : Promise.reject(new Error('the power is gone'))),
    };
    await assert.rejects(take(many, { runId: 'november' }, dying), { message: 'the power is gone' });
    const [batch] = await listBatches(db, 10);
    assert.equal(batch?.status, 'received');
    assert.notEqual((await pageRows(db, batch.batch_id, 0, 10)).length, 0);
    return batch.batch_id;
  }

  test('is left alone as long as the reader may still work on it', async (t) => {
    const { db, ...rest } = await rig(t);
    const batchId = await crash({ db, ...rest });
    await endAbandoned({ db, clock: systemClock }, 'test/2/2', (holder) => holder !== 'test/1/1');
    assert.equal((await findBatch(db, batchId))?.status, 'received');
  });

  test('is not given up while the reader waits for a catalog look-up', async (t) => {
    const { db, take } = await rig(t);
    const clock = { ...systemClock, now: () => systemClock.now() + longThrottleMs };
    const networks = async () => {
      await endAbandoned({ db, clock }, 'test/2/2', () => false);
      return null;
    };
    const { batch } = await take(csv([goodRow()]), { catalog: { networks, products: async () => null } });
    assert.equal(batch.status, 'validated');
  });

  for (const [how, later, isDead] of [
    ['its process is gone', 0, true],
    ['it was silent for too long', readingTtlMs, false],
  ] as const) {
    test(`is rejected without rows, and can be run again, if ${how}`, async (t) => {
      const { db, take, ...rest } = await rig(t);
      const batchId = await crash({ db, take, ...rest });
      const clock = { ...systemClock, now: () => systemClock.now() + later };
      await endAbandoned({ db, clock }, 'test/2/2', (holder) => isDead && holder === 'test/1/1');
      const batch = await findBatch(db, batchId);
      assert.equal(batch?.status, 'rejected');
      assert.match(batch.rejection ?? '', /ended while it was reading the file/);
      assert.equal(JSON.parse(batch.rejection_reason ?? '{}').code, 'READING_ABANDONED');
      assert.deepEqual([await pageRows(db, batchId, 0, 10), (await countRows(db, batchId)).size], [[], 0]);
      assert.deepEqual(await listReadings(db), []);
      assert.equal((await take(many, { runId: 'november' })).counts.valid, 5_000);
    });
  }

  test('is rejected at once if its program, or the next one, ended before it removed the rows', async (t) => {
    const { db, ...rest } = await rig(t);
    const batchId = await crash({ db, ...rest });
    const full = (name: string): Database => ({
      ...db,
      transact: (work) =>
        db.transact((tx) =>
          work({
            ...tx,
            execute: (...statement) =>
              tx.execute(...statement).then((changed) => {
                if (statement[0].startsWith('DELETE')) throw new Error(`${name} has no room`);
                return changed;
              }),
          }),
        ),
    });
    const dead =
      (...holders: string[]) =>
      (holder: string) =>
        holders.some((one) => holder.startsWith(one));
    const end = (ledger: Database, ender: string, ...holders: string[]) =>
      endAbandoned({ db: ledger, clock: systemClock }, ender, dead(...holders));
    await assert.rejects(end(full('the second'), 'test/2/2', 'test/1/1'), /the second has no room/);
    await end(db, 'test/3/3', 'test/1/1');
    assert.equal((await findBatch(db, batchId))?.status, 'received', 'while the second lives it is left to it');
    await assert.rejects(end(full('the third'), 'test/3/3', 'test/2/2'), /the third has no room/);
    await end(db, 'test/4/4', 'test/3/3');
    assert.equal((await findBatch(db, batchId))?.status, 'rejected');
    assert.deepEqual([await pageRows(db, batchId, 0, 10), await listReadings(db)], [[], []]);
  });

  test('gets no more rows after it was given up, and its reader reports that', async (t) => {
    const { db, take } = await rig(t);
    const catalog: Catalog = {
      async networks() {
        await endAbandoned({ db, clock: systemClock }, 'test/2/2', () => true);
        return [{ networkId: 1, name: 'Safaricom Kenya', countryCode: 'KE', currency: 'KES' }];
      },
      products: async () => [],
    };
    await assert.rejects(take(many, { catalog }), { code: 'FENCED' });
    const [batch] = await listBatches(db, 10);
    assert.equal(batch?.status, 'rejected');
    assert.deepEqual(await pageRows(db, batch.batch_id, 0, 10), []);
  });

  test('leaves no row of the interrupted reading', async (t) => {
    const { db, take } = await rig(t);
    const stop = new AbortController();
    const onProgress = ({ rows }: { rows: number }) => (rows > 2_500 ? stop.abort() : undefined);
    await assert.rejects(take(many, { signal: stop.signal, onProgress }), { name: 'AbortError' });
    const [batch] = await listBatches(db, 10);
    assert.equal(batch?.status, 'cancelled');
    assert.deepEqual([await pageRows(db, batch.batch_id, 0, 10), await listReadings(db)], [[], []]);
  });
});

test('the ledger has the same as a validation, whatever rows have in common', async (t) => {
  const { db, folder, take } = await rig(t);
  const cell = (...texts: string[]) => fc.constantFrom(...texts);
  const row = fc.record({
    phone_number: cell('+254712345678', '+254712345679', '0712345678', '+254712345670'),
    network_id: cell('1', '1', '1', 'x'),
    amount: cell('10', '20', '1,5'),
    currency: cell('KES'),
    reference: cell('', '', '', 'A', 'B'),
  });
  const settings = fc.record({
    country: fc.constant('KE'),
    duplicates: fc.constantFrom('allow', 'hold', 'reject'),
    guards: fc.constantFrom({}, { numberMax: { KES: '45' } }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), settings, async (rows, given) => {
      const { batch, ...findings } = await take(csv(rows), { settings: given });
      const { rows: checked } = await check(csv(rows), { settings: given });
      const stored = await pageRows(db, batch.batch_id, 0, 100);
      const plain = ({ row_no, status, row_ref, problems, input }: (typeof stored)[number]) =>
        JSON.stringify([row_no, status, row_ref, problems, input]);
      const digest = makeContentDigest();
      for (const row of stored) digest.add(row);
      assert.equal(batch.content_sha256, digest.hex());
      assert.deepEqual((await auditBatch(db, batch.batch_id)).edited, []);
      assert.deepEqual(
        stored.map(plain),
        checked.map(({ row_no, status, row_ref, problems, input }) =>
          JSON.stringify([row_no, status, row_ref, problems.length === 0 ? null : JSON.stringify(problems), input]),
        ),
      );
      const { ready: valid = 0, ...others } = Object.fromEntries(await countRows(db, batch.batch_id));
      const { rows: total, ...counts } = findings.counts;
      assert.equal(total, rows.length);
      assert.deepEqual({ invalid: 0, held: 0, skipped: 0, valid, ...others }, counts);
      const validation = await validateFile({ file: join(folder, 'payroll.csv'), settings: given });
      assert.deepEqual({ ...validation, warnings: [] }, { ...findings, warnings: [] });
    }),
    { numRuns: 150 },
  );
});
