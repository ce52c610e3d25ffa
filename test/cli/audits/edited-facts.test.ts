import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { approve, rejectBatch } from '../../../src/engine/batches/batch-commands.ts';
import type { Actor } from '../../../src/ledger/actor.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { auditBatch } from '../../../src/operations/audit/audit-rows.ts';
import { newBatch, newRow, paidAgain, testLedger, writeBatch } from '../../reports/fixture.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { openLedgerIn } from '../../support/folder-ledger.ts';

const header = 'phone_number,network_id,amount,currency,reference,employee';

/** A ledger with a batch in which one row is paid, one failed, and one is invalid. */
async function paidLedger(t: TestContext) {
  const folder = folderOf(t);
  // Numbers that end in 0001 are declined.
  const rows = ['+254712101000,1,10,KES,e-1,Ann', '+254712110001,1,20,KES,e-2,Bob', '0712,1,five,KES,e-3,Cid'];
  writeFileSync(join(folder, 'p.csv'), [header, ...rows, ''].join('\n'));
  const { stdout } = await runHere(['--json', 'run', 'p.csv', '--yes'], { cwd: folder });
  const batch = (JSON.parse(stdout) as { summary: { batch_id: string } }).summary.batch_id;
  const ledger = await openLedgerIn(folder);
  t.after(() => ledger.close());
  return { folder, batch, ledger };
}

/** What an audit finds after an edit; the edit is undone. */
async function foundWith(ledger: Database, batch: string, edit: string): Promise<string> {
  const undone = Symbol('undone');
  let found: string[] = [];
  await ledger
    .transact(async (tx) => {
      await tx.execute(edit);
      const within = { ...ledger, snapshot: (work: (view: typeof tx) => Promise<unknown>) => work(tx) };
      found = (await auditBatch(within as unknown as Database, batch)).edited;
      throw undone;
    })
    .catch((error: unknown) => assert.equal(error, undone));
  return found.join('\n');
}

const notAsRead =
  /^its file name, job, policy, columns, or the line, cells or problems of a row are not those that were stored when the file was read \(compare them with the file, whose SHA-256 is [0-9a-f]{64}\)$/m;
const edits: [edit: string, expected: RegExp][] = [
  [
    "UPDATE batch_costs SET cost = '9'",
    /^it keeps USD 9 as the sum of its costs, but its rows and the chain add up to USD 0\.0774$/,
  ],
  ["UPDATE batch_costs SET cost = 'x'", /^it keeps USD x as the sum of its costs, but/],
  [
    'DELETE FROM batch_costs',
    /^it keeps USD 0 as the sum of its costs, but its rows and the chain add up to USD 0\.0774$/,
  ],
  [
    "INSERT INTO batch_costs SELECT batch_id, 'KES', '5' FROM batches",
    /^it keeps KES 5 as the sum of its costs, but its rows and the chain add up to KES 0$/,
  ],
  ["UPDATE batches SET file_name = 'october.csv'", notAsRead],
  ["UPDATE batches SET columns = replace(columns, 'employee', 'staff')", notAsRead],
  ["UPDATE batches SET columns = 'x'", notAsRead],
  ["UPDATE batches SET policy = replace(policy, '7', '9')", notAsRead],
  ["UPDATE batches SET job = 'payroll'", notAsRead],
  ["UPDATE rows SET input = replace(input, 'Ann', 'Eve') WHERE row_no = 1", notAsRead],
  ["UPDATE rows SET input = replace(input, '254712101000', '254712101999') WHERE row_no = 1", notAsRead],
  [
    `UPDATE rows SET input = replace(input, '"10"', '"90"') WHERE row_no = 1`,
    /^row 1 has 10 as its amount, and 90 as input_amount: it was read as another amount, or one of the two was changed$/m,
  ],
  [
    `UPDATE rows SET input = replace(input, '"10"', '"254712101999"') WHERE row_no = 1`,
    /^row 1 has 10 as its amount, and \[number\] as input_amount:/m,
  ],
  ['UPDATE rows SET line = 9 WHERE row_no = 3', notAsRead],
  ["UPDATE rows SET problems = replace(problems, 'AMOUNT_NOT_A_NUMBER', 'AMOUNT_ZERO') WHERE row_no = 3", notAsRead],
  ['UPDATE rows SET problems = NULL WHERE row_no = 3', notAsRead],
  [
    `INSERT INTO late_charges (batch_id, row_no, topup_id, cost, cost_currency, charged_at)
       SELECT batch_id, 2, 'T', '5', 'USD', 1 FROM batches`,
    /^row 2 has USD 5 as the late charge of payment T, which the chain does not have$/,
  ],
  [
    'UPDATE batches SET created_at = created_at - 86400000',
    /^it has \S+Z as when it was submitted, but the chain says \S+Z$/,
  ],
  ['UPDATE batches SET approvals_needed = 2', /^it needs 2 approvals, but the chain says 0$/],
];

describe('an audit finds what was edited', () => {
  test('of the costs, the file, the cells, the problems and the approvals of a paid batch', async (t) => {
    const { ledger, batch } = await paidLedger(t);
    assert.equal(await foundWith(ledger, batch, 'UPDATE batches SET priority = priority'), '');
    for (const [edit, expected] of edits) assert.match(await foundWith(ledger, batch, edit), expected, edit);
  });

  test('of a sum with the charge of a failed payment, which no row has since the retry', async (t) => {
    const db = await testLedger(t);
    await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: paidAgain(1) }]);
    assert.equal(await foundWith(db, 'B-1', 'UPDATE batch_costs SET cost = cost'), '');
    assert.match(
      await foundWith(db, 'B-1', 'UPDATE batch_costs SET cost = (SELECT cost FROM rows)'),
      /^it keeps USD 0\.80 as the sum of its costs, but its rows and the chain add up to USD 1\.6$/,
    );
  });

  test('of the decisions of people about batches that they were asked to approve', async (t) => {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ policy: { approval: { needed: 'always' } } }));
    const submit = async (runId: string) => {
      writeFileSync(join(folder, 'p.csv'), `${header}\n+254712101000,1,10,KES,${runId},Ann\n`);
      const { stdout } = await runHere(['--json', 'submit', 'p.csv', '--account', 'sandbox', '--run-id', runId], {
        cwd: folder,
      });
      return (JSON.parse(stdout) as { batch_id: string }).batch_id;
    };
    const [paid, left] = [await submit('november'), await submit('december')];
    const ledger = await openLedgerIn(folder);
    t.after(() => ledger.close());
    const brian: Actor = { db: ledger, clock: systemClock, person: 'brian', through: 'cli' };
    await approve(brian, paid, { balance: null, plan: { toSend: 1, products: 0, sums: { KES: '10' } } });
    await rejectBatch(brian, left, 'the wrong month');
    for (const batch of [paid, left]) assert.equal(await foundWith(ledger, batch, 'UPDATE rows SET line = line'), '');
    const forged = /^it has an approval by mallory of \S+Z, which the chain does not have$/;
    const ofPaid: [edit: string, expected: RegExp][] = [
      ["UPDATE approvals SET person = 'mallory'", forged],
      ["UPDATE approvals SET content_sha256 = 'f00'", /^it has an approval by brian of \S+Z, which the chain does/],
      ['DELETE FROM approvals', /^it has 0 approvals, but the chain has 1$/],
      ['UPDATE batches SET approvals_needed = 0', /^it needs 0 approvals, but the chain says 1$/],
      [
        `UPDATE batches SET approved_plan = replace(approved_plan, '"10"', '"90"')`,
        /^its approved plan has \{"KES":"90"\} as sums, but the chain says \{"KES":"10"\}$/,
      ],
      ["UPDATE batches SET approved_plan = 'x'", /^it has an approved plan that cannot be read$/],
    ];
    for (const [edit, expected] of ofPaid) assert.match(await foundWith(ledger, paid, edit), expected, edit);
    const ofLeft: [edit: string, expected: RegExp][] = [
      ["rejected_by = 'mallory'", /^it has mallory as who rejected it, but the chain says brian$/],
      ["withdrawn_by = 'mallory'", /^it has mallory as who withdrew it, but the chain says nobody$/],
      ["rejection = 'x'", /^it has "x" as why it was cancelled, but the chain says "the wrong month"$/],
      ['rejection = NULL', /^it has "" as why it was cancelled, but the chain says "the wrong month"$/],
    ];
    for (const [edit, expected] of ofLeft)
      assert.match(await foundWith(ledger, left, `UPDATE batches SET ${edit}`), expected, edit);
  });
});
