import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { execute } from '../../../src/cli/audits/forget.ts';
import { askedTerminal, type Person } from '../../support/asked-terminal.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn, ledgerBytesIn, openLedgerIn } from '../../support/folder-ledger.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

const dayMs = 24 * 3_600_000;
const numbers = ['254712101000', '254712101001', '254712101002'];
const canary = 'Thank you, Wanjiku Kamau';

/** Three rows that were paid and one that was invalid, with names and texts, some days ago. */
async function paidDaysAgo(t: TestContext, days: number, config: Record<string, unknown> = {}) {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const main = { baseUrl: sandbox.url, apiKeyEnv: 'PAY_KEY' };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main }, ...config }));
  const lines = numbers.map((number, index) => `+${number},1,${10 + index},KES,e-${index},"${canary}"`);
  const file = ['phone_number,network_id,amount,currency,reference,sms_message', ...lines];
  writeFileSync(join(folder, 'payroll.csv'), [...file, '+254712101003x,1,10,KES,e-9,', ''].join('\n'));
  const run = (...args: string[]) => runHere(args, { cwd: folder, env: { PAY_KEY: 'sandbox-key' } });
  const result = await run('--json', 'run', 'payroll.csv', '--run-id', 'november', '--yes');
  assert.equal(result.code, 4, result.stderr);
  const batch = (JSON.parse(result.stdout) as { summary: { batch_id: string } }).summary.batch_id;
  const change = (sql: string) => changeLedgerIn(folder, sql);
  await change(`UPDATE batches SET completed_at = completed_at - ${days * dayMs}`);
  return { folder, run, batch, change, bytes: () => ledgerBytesIn(folder) };
}

describe('airbatch forget', () => {
  test('leaves no byte of a person in the ledger, and an audit chain that still verifies', async (t) => {
    const { folder, run, batch, change, bytes } = await paidDaysAgo(t, 30);
    // The database keeps samples of its tables for its planner.
    await change('ANALYZE');
    const before = await bytes();
    // On the digest of a request all numbers could be tried, since everything else of it is known.
    const ledger = await openLedgerIn(folder);
    const digests = await ledger.query<{ body_digest: string }>('SELECT body_digest FROM payments');
    await ledger.close();
    assert.equal(digests.length, 3);
    for (const text of [...numbers, canary, '254712101003x']) assert.ok(before.includes(text), `${text} was there`);
    const forgotten = await run('forget', batch, '--why', 'asked by the recipients');
    assert.equal(forgotten.code, 0, forgotten.stderr);
    assert.match(
      forgotten.stdout,
      /Forgotten: who was paid in 4 rows of 1 batch\.\nEarlier reports still name these people/,
    );
    const after = await bytes();
    for (const text of [...numbers, ...numbers.map((number) => number.slice(3)), canary, '254712101003x'])
      assert.equal(after.includes(text), false, text);
    for (const { body_digest } of digests) assert.equal(after.includes(body_digest), false);
    // The chain tells when the batch ended indeed.
    await change(`UPDATE batches SET completed_at = completed_at + ${30 * dayMs}`);
    assert.equal((await run('report', batch)).code, 0);
    const verified = await run('verify', join('reports', batch));
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    const results = readFileSync(join(folder, 'reports', batch, 'results.csv'), 'utf8');
    assert.doesNotMatch(results, /2547121010/);
    assert.equal(results.match(/november\/e-/g)?.length, 3);
    assert.match(
      readFileSync(join(folder, 'reports', batch, 'events.jsonl'), 'utf8'),
      /batch\.forget.*asked by the recipients/,
    );
  });

  test('says for how many rows the number can still be found by trying, and quotes no row of a file without a header', async (t) => {
    const { folder, run, change, bytes } = await paidDaysAgo(t, 30);
    const rows = ['+254712101005,1,10,KES', '+254712101006,1,10,KES'];
    writeFileSync(join(folder, 'plain.csv'), ['phone_number,network_id,amount,currency', ...rows, ''].join('\n'));
    writeFileSync(join(folder, 'headless.csv'), [...rows, ''].join('\n'));
    assert.equal((await run('run', 'plain.csv', '--yes')).code, 0);
    const headless = await run('run', 'headless.csv', '--yes');
    assert.equal(headless.code, 3);
    assert.match(headless.stderr, /its first line has a number as a row does: it is not a header/);
    await change(`UPDATE batches SET completed_at = completed_at - ${30 * dayMs} WHERE file_name = 'plain.csv'`);
    const { stdout } = await run('forget', '--before', new Date(Date.now() + dayMs).toISOString());
    assert.match(stdout, /in 6 rows of 2 batches, and 1 file that could not be read/);
    assert.match(
      stdout,
      /^2 rows have no reference in the file: their row refs and keys are derived from the phone number and the amount, and are kept\./m,
    );
    assert.doesNotMatch(await bytes(), /7121010/);
  });

  test('waits until a missing number could not cause a second payment', async (t) => {
    const { run, batch, bytes } = await paidDaysAgo(t, 6);
    const early = await run('forget', batch);
    assert.equal(early.code, 2);
    assert.match(early.stderr, /ended less than 7 days ago/);
    const today = new Date(Date.now() + dayMs).toISOString();
    const none = await run('forget', '--before', today);
    assert.equal(
      none.stdout,
      `Nothing was forgotten.\nBatch ${batch} ended before then, too, but not long ago. airbatch still compares new files with its phone numbers, so that nobody is paid twice: forget it later.\n`,
    );
    const told = JSON.parse((await run('--json', 'forget', '--before', today)).stdout);
    assert.deepEqual([told.batches, told.kept], [[], [batch]]);
    assert.ok((await bytes()).includes(numbers[0] ?? '?'));
  });

  test('uses the days of the configuration, and says so if there are none', async (t) => {
    const kept = await paidDaysAgo(t, 30, { retention: { personalDataDays: 60 } });
    const none = await kept.run('--json', 'forget');
    assert.deepEqual([none.code, JSON.parse(none.stdout).batches], [0, []]);
    const over = await paidDaysAgo(t, 30, { retention: { personalDataDays: 20 } });
    const some = await over.run('--json', 'forget');
    assert.deepEqual(JSON.parse(some.stdout).batches, [over.batch]);
    const unsaid = await paidDaysAgo(t, 30);
    assert.equal((await unsaid.run('forget')).code, 2);
  });

  test('does not count a rejected file among the batches', async (t) => {
    const { folder, run } = await paidDaysAgo(t, 30);
    writeFileSync(join(folder, 'bad.csv'), 'name,colour\nMary,blue\n');
    assert.equal((await run('run', 'bad.csv', '--yes')).code, 3);
    const inAWeek = new Date(Date.now() + 7 * dayMs).toISOString();
    const { stdout } = await run('forget', '--before', inAWeek);
    assert.match(stdout, /Forgotten: who was paid in 4 rows of 1 batch, and 1 file that could not be read\./);
    assert.equal((await run('run', 'bad.csv', '--yes')).code, 3);
    assert.match((await run('forget', '--before', inAWeek)).stdout, /^Forgotten: 1 file that could not be read\./);
  });

  test('keeps a batch whose people are still needed, and no batch with forgotten people can be retried', async (t) => {
    const { run, batch, change } = await paidDaysAgo(t, 30);
    await change(`UPDATE batches SET status = 'paused'`);
    assert.match((await run('forget', batch)).stderr, /is paused: it still needs the names and numbers of its people/);
    await change(`UPDATE batches SET status = 'completed'`);
    assert.equal((await run('forget', batch)).code, 0);
    assert.match((await run('retry', batch)).stderr, /were forgotten/);
    // The same file again pays nobody again: its rows are known by their references.
    const again = await run('--json', 'run', 'payroll.csv', '--run-id', 'november', '--yes');
    assert.equal(JSON.parse(again.stdout).summary.rows.by_status.completed, 0);
  });

  test('asks if a person can answer, but not for what would be refused', async (t) => {
    const { folder, batch, change, bytes } = await paidDaysAgo(t, 30);
    const env = { PAY_KEY: 'sandbox-key' };
    const forget = async (args: string[], options: Record<string, unknown>, person: Person) => {
      const { context, said, asked } = askedTerminal(folder, { ...person, env });
      return { code: await execute(context, args, options), said: said(), asked };
    };
    const question = `Erase who was paid in batch ${batch}? It cannot be undone. [y/N] `;
    for (const [args, options] of [
      [[batch], {}],
      [[], { before: '2999-01-01' }],
    ] as const) {
      const { code, said, asked } = await forget([...args], options, { answer: false });
      assert.deepEqual([code, said, asked], [5, 'Nothing was forgotten.\n', [question]]);
    }
    const none = await forget([], { before: '2020-01-01' }, { answer: false });
    assert.deepEqual([none.code, none.asked], [0, []]);
    await change(`UPDATE batches SET status = 'paused'`);
    const refused = askedTerminal(folder, { answer: true, env });
    await assert.rejects(execute(refused.context, [batch], {}), { code: 'BATCH_STATE' });
    assert.deepEqual(refused.asked, []);
    await change(`UPDATE batches SET status = 'completed'`);
    assert.ok((await bytes()).includes(numbers[0] ?? '?'));

    const sure = await forget([batch], { yes: true }, { answer: false });
    assert.deepEqual([sure.code, sure.asked], [0, []]);
    for (const person of [{ answer: true }, { canAsk: false }, { json: true }])
      assert.equal((await forget([batch], {}, person)).code, 0);
    assert.equal((await bytes()).includes(numbers[0] ?? '?'), false);
  });
});

test('forget lists the reports that a run wrote to another folder', async (t) => {
  const folder = folderOf(t);
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  writeFileSync(join(folder, 'p.csv'), 'phone_number,network_id,amount,currency\n+254712101000,1,10,KES\n');
  const paid = await run('run', 'p.csv', '--yes', '--json', '--out', 'other-reports');
  const { batch_id } = JSON.parse(paid.stdout).summary;
  await changeLedgerIn(folder, `UPDATE batches SET completed_at = completed_at - ${30 * dayMs}`);
  const forgotten = await run('forget', batch_id, '--json');
  assert.equal(forgotten.code, 0, forgotten.stderr);
  assert.deepEqual(JSON.parse(forgotten.stdout).reports, [join(folder, 'other-reports', batch_id)]);
});
