import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { readOne, readValue } from '../../src/ledger/drivers/read.ts';
import { runCommand, runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn, openLedgerIn } from '../support/folder-ledger.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

const me = userInfo().username;

const header = 'phone_number,network_id,amount,currency,reference';
const line = (index: number, amount: number) => `+25471210${String(1_000 + index)},1,${amount},KES,e-${index}`;

/** A folder with a payroll of four rows, an account of a sandbox, and the policy and people that are given. */
async function setUp(t: TestContext, config: Record<string, unknown>) {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const main = { baseUrl: sandbox.url, apiKeyEnv: 'AIRBATCH_API_KEY' };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main }, ...config }));
  writeFileSync(join(folder, 'payroll.csv'), [header, ...[10, 20, 30, 40].map((a, i) => line(i, a)), ''].join('\n'));
  await makeLedgerIn(folder);
  const ledger = await openLedgerIn(folder);
  t.after(() => ledger.close());
  const options = { cwd: folder, env: { AIRBATCH_API_KEY: 'sandbox-key' } };
  const run = (...args: string[]) => runHere(args, options);
  /** The same in a process of its own. */
  const runApart = (...args: string[]) => runCommand(args, options);
  /** The same command by another person: what they submitted before is somebody else's from their point of view. */
  const asAnother = (batchId: string) =>
    ledger.execute('UPDATE batches SET created_by = ? WHERE batch_id = ?', ['somebody else', batchId]);
  return { folder, sandbox, run, runApart, asAnother, ledger };
}

async function submitted(place: Awaited<ReturnType<typeof setUp>>): Promise<string> {
  const result = await place.run('--json', 'submit', 'payroll.csv', '--run-id', 'november');
  assert.equal(result.code, 0, result.stderr);
  const answer = JSON.parse(result.stdout);
  assert.equal(answer.status, 'awaiting_approval');
  return answer.batch_id;
}

describe('a batch that needs a second person', () => {
  test('cannot be approved by its submitter under another name, if the operating system has no user names', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root may run a command as somebody else');
    const folder = folderOf(t);
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ policy: { approval: { needed: 'always' } } }));
    writeFileSync(join(folder, 'payroll.csv'), [header, line(0, 10), ''].join('\n'));
    const runAs = (user: string, ...args: string[]) =>
      runCommand(args, { cwd: folder, env: { USER: user }, uid: 54_321 });
    if ((await runAs('ann', '--version')).code !== 0) return t.skip('this clone is readable by its owner alone');
    const submitted = await runAs('ann', '--json', 'submit', 'payroll.csv');
    assert.equal(submitted.code, 0, submitted.stderr);
    const approved = await runAs('brian', 'approve', JSON.parse(submitted.stdout).batch_id, '--yes');
    assert.match(approved.stderr, /uid 54321 submitted batch .* cannot approve it \[SECOND_PERSON_NEEDED\]/);
  });

  const policy = { approval: { needed: 'always' } };

  test('says in words why rows are held, before another person approves it', async (t) => {
    const place = await setUp(t, { policy });
    const rows = [`${line(0, 10)}`, '+254712101000,1,10,KES,again'];
    writeFileSync(join(place.folder, 'payroll.csv'), [header, ...rows, ''].join('\n'));
    const batch = await submitted(place);
    await place.asAnother(batch);
    const { stderr } = await place.run('approve', batch);
    assert.match(stderr, /^Held {7}1 row: The same number gets the same payment twice \(not sent unless released\)$/m);
  });

  test('is not sent before another person approves it, and the reports name both', async (t) => {
    const place = await setUp(t, { policy });
    const rows = [10, 20, 30, 40].map((amount, index) => `${line(index, amount)},Person ${index}`);
    writeFileSync(join(place.folder, 'payroll.csv'), [`${header},employee`, ...rows, ''].join('\n'));
    const batch = await submitted(place);
    assert.equal((await place.run('resume')).code, 0);
    assert.equal((await place.sandbox.liveCharges()).size, 0);
    const own = await place.run('approve', batch, '--yes');
    assert.equal(own.code, 2);
    assert.match(own.stderr, /submitted batch .* cannot approve it \[SECOND_PERSON_NEEDED\]/);
    assert.match(own.stderr, new RegExp(`see "airbatch status ${batch}"`));
    const ownJson = JSON.parse((await place.run('approve', batch, '--yes', '--json')).stdout);
    assert.match(ownJson.error.hint, new RegExp(`see "airbatch status ${batch}"`));
    await place.asAnother(batch);
    const seen = await place.run('approve', batch);
    assert.equal(seen.code, 2, 'there is no terminal to ask on');
    assert.match(seen.stderr, /To pay +KES 100\.00\n/);
    assert.match(seen.stderr, /Largest +row 4: Person 3, \+254712101003, KES 40\.00\n/);
    const approved = await place.run('approve', batch, '--yes');
    assert.equal(approved.code, 0, approved.stderr);
    assert.equal((await place.sandbox.liveCharges()).size, 0);
    const result = await place.run('--json', 'resume', batch);
    assert.equal(result.code, 0, result.stderr);
    assert.equal((await place.sandbox.liveCharges()).size, 4);
    const { summary } = JSON.parse(result.stdout).batches[0];
    assert.deepEqual([summary.created_by, summary.approved_by], ['somebody else', me]);
  });

  test('also waits if it comes by "run", which then says what to do and sends nothing', async (t) => {
    const place = await setUp(t, { policy });
    const result = await place.run('run', 'payroll.csv', '--yes');
    assert.equal(result.code, 5);
    assert.match(result.stderr, /Waits for a second person: every batch needs a second person/);
    assert.equal((await place.sandbox.liveCharges()).size, 0);
  });

  test('can be approved by the submitter only if the configuration allows it', async (t) => {
    const place = await setUp(t, { policy: { approval: { needed: 'always', bySubmitter: true } } });
    const batch = await submitted(place);
    assert.equal((await place.run('approve', batch, '--yes')).code, 0);
  });

  test('needs as many different people as its tier says, and shows how many have approved it', async (t) => {
    const tiers = [{ sums: { KES: '99' }, approvers: 2 }];
    const people = { approve: ['ann', me, 'zoe'] };
    const place = await setUp(t, { policy: { approval: { needed: 'always', tiers } }, people });
    const batch = await submitted(place);
    await place.asAnother(batch);
    const first = await place.run('approve', batch, '--yes');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /^Approvals {2}0 of 2 approvals; needs 2 of: /m);
    assert.match(
      first.stderr,
      new RegExp(`Nothing is sent yet: 1 of 2 approvals \\(${me}\\); needs one more of: ann, zoe`),
    );
    assert.match((await place.run('status', batch)).stdout, /1 of 2 approvals .* needs one more of: ann, zoe/);
    const again = await place.run('approve', batch, '--yes');
    assert.match(again.stderr, /has approved batch .* already \[SECOND_PERSON_NEEDED\]/);
    assert.equal((await place.run('resume', batch)).code, 2);
    await place.ledger.execute(`UPDATE approvals SET person = 'ann'`);
    assert.equal((await place.run('approve', batch, '--yes')).code, 0);
    await place.run('resume', batch);
    assert.equal((await place.sandbox.liveCharges()).size, 4);
  });

  test('is bound to its rows: an edit after it was submitted is found, and nothing is approved', async (t) => {
    const place = await setUp(t, { policy });
    const batch = await submitted(place);
    await place.asAnother(batch);
    await place.ledger.execute(`UPDATE rows SET amount = '4000' WHERE row_no = 4`);
    const result = await place.run('approve', batch, '--yes');
    assert.equal(result.code, 5);
    assert.match(result.stderr, /have changed since they were shown for approval \[CONTENT_CHANGED\]/);
    assert.equal(await readValue(place.ledger, 'SELECT status FROM batches'), 'awaiting_approval');
  });

  test('shows how many of its rows another batch of the run may also pay, who submitted that, and what it costs', async (t) => {
    const place = await setUp(t, { policy });
    const first = await submitted(place);
    await place.asAnother(first);
    assert.equal((await place.run('approve', first, '--yes')).code, 0);
    const unknown = await place.run('status', first);
    assert.match(unknown.stdout, /^Submitted {2}by somebody else on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    assert.match(unknown.stdout, new RegExp(`^Approved {3}by ${me} on \\d{4}`, 'm'));
    assert.match(unknown.stdout, /^Cost {7}unknown until sent/m);
    // Two rows of the first file, and two others.
    writeFileSync(
      join(place.folder, 'more.csv'),
      [header, ...[0, 1, 7, 8].map((i) => line(i, 10 * (i + 1))), ''].join('\n'),
    );
    const taken = await place.run('--json', 'submit', 'more.csv', '--run-id', 'november');
    const { batch_id: second } = JSON.parse(taken.stdout);
    await place.asAnother(second);
    const seen = await place.run('approve', second);
    assert.match(seen.stderr, /^File +4 rows: 4 to pay$/m);
    assert.match(seen.stderr, /^Submitted {2}by somebody else on /m);
    assert.match(
      seen.stderr,
      new RegExp(
        `^Note +2 of the rows to pay are also in batch ${first} of this run \\(approved\\): each is paid once`,
        'm',
      ),
    );
    await place.run('resume', first);
    const { stdout } = await place.run('--json', 'approve', second, '--yes');
    const { review, expected_cost } = JSON.parse(stdout);
    assert.deepEqual(review.same_rows, [{ batch_id: first, status: 'completed', rows: 2, paid: 2 }]);
    assert.deepEqual([Object.keys(expected_cost.cost), expected_cost.unknown], [['USD'], []]);
    assert.match(
      (await place.run('status', second)).stdout,
      /^Cost {7}about USD \d\.\d\d, at the rates of recent payments$/m,
    );
    assert.match((await place.run('status', first)).stdout, /^Charged {4}USD /m);
  });

  test('can be withdrawn by its submitter with the reason, and its file corrected and submitted again', async (t) => {
    const place = await setUp(t, { policy });
    const batch = await submitted(place);
    assert.equal((await place.run('withdraw', batch)).code, 2, 'a reason is needed');
    await place.asAnother(batch);
    const foreign = await place.run('withdraw', batch, '--why', 'not mine');
    assert.deepEqual([foreign.code, foreign.stderr.includes('did not submit batch')], [2, true], foreign.stderr);
    await place.ledger.execute('UPDATE batches SET created_by = ? WHERE batch_id = ?', [me, batch]);
    const withdrawn = await place.run('withdraw', batch, '--why', 'last month’s file');
    assert.deepEqual([withdrawn.code, withdrawn.stdout.includes('Withdrawn: nothing of batch')], [0, true]);
    const label = new RegExp(`^Status {5}withdrawn by ${me} \\(last month’s file\\)$`, 'm');
    assert.match((await place.run('status', batch)).stdout, label);
    await place.run('report', batch);
    const reports = join(place.folder, 'reports', batch);
    const page = await readFile(join(reports, 'report.html'), 'utf8');
    assert.match(page, new RegExp(`· withdrawn by ${me} ·.*${me} withdrew the batch, and nothing of it was sent`, 's'));
    const verified = await place.run('verify', reports);
    assert.equal(verified.code, 0, verified.stdout);
    assert.match(verified.stdout, new RegExp(`^Status {5}withdrawn by ${me}$`, 'm'));
    assert.match((await place.run('audit', '--batch', batch)).stdout, /withdrew it: last month’s file/);
    assert.equal((await place.run('approve', batch, '--yes')).code, 2);
    const again = await submitted(place);
    await place.asAnother(again);
    assert.equal((await place.run('approve', again, '--yes')).code, 0);
  });

  test('can be rejected with the reason, and its file corrected and submitted again', async (t) => {
    const place = await setUp(t, { policy });
    const batch = await submitted(place);
    assert.equal((await place.run('reject', batch)).code, 2, 'a reason is needed');
    const rejected = await place.run('reject', batch, '--why', 'last month’s file');
    assert.equal(rejected.code, 0, rejected.stderr);
    const { stdout } = await place.run('status', '--json');
    const [listed] = JSON.parse(stdout).batches as { batch_id: string; counts: Record<string, number> }[];
    assert.deepEqual([listed?.batch_id, Object.keys(listed?.counts ?? {})], [batch, ['cancelled']]);
    const [one, list] = [await place.run('status', batch), await place.run('status')];
    const name = me;
    const timeZone = await readValue(place.ledger, 'SELECT time_zone FROM batches WHERE batch_id = ?', [batch]);
    assert.equal(timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone);
    assert.match(one.stdout, new RegExp(`^Status {5}rejected by ${name} \\(last month’s file\\)$`, 'm'));
    assert.match(list.stdout, new RegExp(`rejected by ${name}`));
    const watched = await place.run('status', '--watch', batch);
    assert.match(watched.stdout, new RegExp(`rejected by ${name}`));
    const reports = join(place.folder, 'reports', batch);
    await place.run('report', batch);
    const page = await readFile(join(reports, 'report.html'), 'utf8');
    assert.match(
      page,
      new RegExp(`· rejected by ${name} ·.*${name} rejected the batch, and nothing of it was sent`, 's'),
    );
    assert.match((await place.run('verify', reports)).stdout, new RegExp(`^Status {5}rejected by ${name}$`, 'm'));
    const late = await place.run('approve', batch, '--yes');
    assert.deepEqual(
      [late.code, late.stderr.includes(`is rejected by ${name}: it does not wait`)],
      [2, true],
      late.stderr,
    );
    const again = await submitted(place);
    await place.asAnother(again);
    assert.equal((await place.run('approve', again, '--yes')).code, 0);
    const events = `SELECT actor, body FROM events WHERE kind = 'batch.cancel'`;
    const event = await readOne<{ actor: string; body: string }>(place.ledger, events);
    assert.equal(event?.actor, me);
    assert.match(event?.body ?? '', /last month’s file/);
  });

  test('is approved once, however many try at the same time', async (t) => {
    const place = await setUp(t, { policy });
    const batch = await submitted(place);
    await place.asAnother(batch);
    const results = await Promise.all(Array.from({ length: 4 }, () => place.runApart('approve', batch, '--yes')));
    assert.deepEqual(results.map(({ code }) => code).sort(), [0, 2, 2, 2]);
    assert.equal(await readValue(place.ledger, `SELECT COUNT(*) FROM events WHERE kind = 'batch.approve'`), 1);
  });

  test('has its held rows released only by another person, while it waits and after the approval', async (t) => {
    const place = await setUp(t, { policy });
    writeFileSync(
      join(place.folder, 'payroll.csv'),
      [header, line(0, 10), line(1, 20), `${line(1, 20)}-again`, `${line(1, 20)}-thrice`, ''].join('\n'),
    );
    const batch = await submitted(place);
    const skipped = await place.run('skip', batch, '4', '--why', 'typed twice');
    const waits = `The batch still waits for a second person: "airbatch approve ${batch}".`;
    assert.equal(skipped.stdout, `Skipped 1 row. ${waits}\n`);
    const early = await place.run('release', batch);
    assert.equal(early.code, 2);
    assert.match(early.stderr, /cannot release rows of it \[SECOND_PERSON_NEEDED\]/);
    await place.asAnother(batch);
    const approved = await place.run('approve', batch, '--yes');
    assert.equal(approved.code, 0);
    assert.match(approved.stderr, /, 1 held for a person, 1 skipped\n/);
    await place.ledger.execute('UPDATE batches SET created_by = ?', [me]);
    const own = await place.run('release', batch);
    assert.equal(own.code, 2);
    assert.match(own.stderr, /cannot release rows of it/);
    await place.asAnother(batch);
    assert.equal((await place.run('release', batch)).code, 0);
  });
});

describe('the approval policy', () => {
  test('asks for a second person above a number of rows or a sum, and not below', async (t) => {
    const at = (approval: Record<string, unknown>) =>
      setUp(t, { policy: { approval: { needed: 'above', ...approval } } });
    const status = async (place: Awaited<ReturnType<typeof setUp>>) =>
      JSON.parse((await place.run('--json', 'submit', 'payroll.csv')).stdout);
    assert.equal((await status(await at({ rows: 4 }))).status, 'approved');
    const rows = await status(await at({ rows: 3 }));
    assert.deepEqual(
      [rows.status, rows.approval_needed],
      ['awaiting_approval', '4 rows are more than the 3 that go without a second person'],
    );
    assert.equal((await status(await at({ sums: { KES: '100.00' } }))).status, 'approved');
    const sums = await status(await at({ sums: { KES: '99.99' } }));
    assert.match(sums.approval_needed, /KES 100\.00 is more than the KES 99\.99/);
    const values = { approvers: '1', rows: '4', most_rows: '3' };
    assert.deepEqual(rows.approval_reason, { code: 'APPROVAL_ROWS', values });
    assert.equal(sums.approval_reason.code, 'APPROVAL_SUM');
  });

  test('without a setting needs nobody: submit approves at once, and says so, as its help does', async (t) => {
    const place = await setUp(t, {});
    const { code, stderr } = await place.run('submit', 'payroll.csv');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Approved: the policy needs no second person\. Nothing was sent\. Next: airbatch resume /);
    assert.equal(JSON.parse((await place.run('status', '--json')).stdout).batches[0].status, 'approved');
    const help = (await place.run('submit', '--help')).stdout.replaceAll(/\s+/g, ' ');
    assert.match(
      help,
      /check a file and submit it for approval by another person; if the policy asks for none, it is approved at once/,
    );
  });
});

test('needs no approval for a batch that pays nobody, and says what finishes it, or that held rows need a decision', async (t) => {
  const place = await setUp(t, {
    policy: { approval: { needed: 'always' }, recipientMaximum: { days: 30, sums: { KES: '5' } } },
  });
  const submit = (...rows: string[]) => {
    writeFileSync(join(place.folder, 'payroll.csv'), [header, ...rows, ''].join('\n'));
    return place.run('submit', 'payroll.csv');
  };
  const wrong = await submit('12,1,10,KES,e-1');
  assert.equal(wrong.code, 0, wrong.stderr);
  const [said, batch = ''] =
    /\nIt has nothing to pay\. To finish it and write its reports: airbatch resume (\S+), or "airbatch serve"\.\n$/.exec(
      wrong.stderr,
    ) ?? [];
  assert.ok(said, wrong.stderr);
  assert.doesNotMatch(wrong.stderr, /Approved|second person/);
  assert.equal((await place.run('resume', batch)).code, 4);
  assert.match((await place.run('status', batch)).stdout, /^Status {5}finished/m);

  const held = await submit(line(0, 10));
  assert.match(
    held.stderr,
    /\nNothing is sent while 1 row is held\. Next: airbatch status \S+, then airbatch release or airbatch skip\.\n$/,
  );
});

describe('people', () => {
  test('do only what their role allows', async (t) => {
    const place = await setUp(t, { people: { submit: ['mary'], approve: ['joe'], run: ['ann'] } });
    for (const command of [
      ['submit', 'payroll.csv'],
      ['run', 'payroll.csv', '--yes'],
      ['approve', 'x'],
      ['reject', 'x', '--why', 'y'],
      ['withdraw', 'x', '--why', 'y'],
      ['resume'],
      ['release', 'x'],
      ['skip', 'x', '--why', 'y'],
    ]) {
      const result = await place.run(...command);
      assert.equal(result.code, 2, command.join(' '));
      assert.match(result.stderr, /may not .* \[ROLE_MISSING\]/, command.join(' '));
    }
    const allowed = await setUp(t, { people: { submit: [me], run: ['ann'] } });
    assert.equal((await allowed.run('submit', 'payroll.csv')).code, 0);
  });
});

test('rows with a product are shown before an approval, with their catalog price: no sum contains them', async (t) => {
  const folder = folderOf(t);
  const rows = [
    '+254712101000,1,10,KES,',
    '+254712101001,1,,,102',
    '+254712101002,1,,,102',
    '+2348035127744,12,,,1202',
  ];
  const file = ['phone_number,network_id,amount,currency,product_id', ...rows, ''].join('\n');
  writeFileSync(join(folder, 'p.csv'), file);
  writeFileSync(
    join(folder, 'airbatch.config.json'),
    '{ "policy": { "approval": { "needed": "always", "bySubmitter": true } } }',
  );
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  const items = JSON.parse((await run('products', '--json')).stdout).products as {
    product_id: string;
    amount: { value: string; currency: string };
  }[];
  const price = (id: string) => Number(items.find(({ product_id }) => product_id === id)?.amount.value);
  const submitted = await run('submit', 'p.csv', '--json');
  const batch = JSON.parse(submitted.stdout).batch_id as string;
  const approved = await run('approve', batch, '--yes', '--json');
  const { plan } = JSON.parse(approved.stdout);
  assert.deepEqual([plan.sums, plan.products, plan.products_unpriced], [{ KES: '10' }, 3, 0]);
  assert.deepEqual(plan.product_sums, { KES: String(2 * price('102')), NGN: String(price('1202')) });
  const shown = await run('submit', 'p.csv', '--run-id', 'again');
  assert.match(
    shown.stderr,
    /^To pay {5}KES 10\.00, and 3 products\nProducts {3}3 rows buy a product, whose price is not in the sums above: KES [\d.]+, NGN [\d,.]+ by the catalog$/m,
  );
});
