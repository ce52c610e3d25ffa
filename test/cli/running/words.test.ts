import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Terminal } from '../../../src/cli/base/terminal.ts';
import { closingLines } from '../../../src/cli/running/closing.ts';
import type { PauseReason } from '../../../src/core/state/batch-state.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import type { BatchSummary } from '../../../src/reports/summary/summary-shape.ts';
import { testLedger, writeSampleBatch } from '../../reports/fixture.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn } from '../../support/folder-ledger.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

const sample = resolve(import.meta.dirname, '../../../samples/payroll.csv');

function place(t: { after(work: () => void): void }) {
  const folder = folderOf(t);
  return { cwd: folder, airbatch: (...args: string[]) => runHere(args, { cwd: folder }) };
}

test('a run ends with why rows failed, what it cost, and the next commands', async (t) => {
  const { airbatch } = place(t);
  const { stderr } = await airbatch('run', sample, '--yes');
  const [batch = ''] = /\d{8}-\d{6}-[0-9a-f]{4}/.exec(stderr) ?? [];
  const ending = stderr.slice(stderr.indexOf('\nFailed '));
  assert.deepEqual(
    ending.split('\n').filter((line) => !/^(Charged|Took|Reports) /.test(line)),
    [
      '',
      'Failed     2 rows: The operator declined the top-up.',
      `Next       copy reports/${batch}/failed.csv to corrected.csv, correct the copy, then (nothing is paid twice) airbatch run corrected.csv --run-id file-a94630ae71c560bf`,
      `Next       or, to send failed rows again unchanged, airbatch retry ${batch}`,
      '',
    ],
  );
  const again = await airbatch('run', sample, '--yes');
  assert.doesNotMatch(again.stderr, /0 of 0 rows/);
});

/** The lines "Next" of a run that ended so. */
function nextOf(summary: BatchSummary, exitCode = 5, isWorkedOn = false): string[] {
  const version = { version: 1, as_of: '', previous: null, difference: null, difference_unknown: null };
  const reports = { dir: '/r', files: [], is_new: true, chain_broken: null, ...version };
  const result = {
    ...{ summary, reports, exit_code: exitCode, read_with: {}, is_worked_on: isWorkedOn },
    ...{ paid_since: [], credentials_from: 'TOPUP_KEY' },
  };
  const paint = (_style: string, text: string) => text;
  const text = closingLines({ paint } as unknown as Terminal, result, '/');
  return [...text.matchAll(/^Next {7}(.*)$/gm)].map(([, step = '']) => step);
}

async function sampleSummary(t: TestContext): Promise<BatchSummary> {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  return batchSummary(db, 'B-1');
}

test('the next step for rows in doubt is another look-up, or a decision', async (t) => {
  const summary = await sampleSummary(t);
  const doubts = (inDoubt: number, left_to_person: number, exitCode = 5) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, in_doubt: inDoubt } };
    return nextOf(
      { ...summary, status: 'running', rows, in_doubt: { ...summary.in_doubt, rows: inDoubt, left_to_person } },
      exitCode,
    );
  };
  const resolve =
    'airbatch status B-1, then, for the rows on which a person must decide, airbatch resolve B-1 ROW --as paid --evidence TEXT, or --as not-paid';
  const resume =
    'airbatch status B-1 says when the rows in doubt can be looked up again; from then on, airbatch resume B-1 looks them up';
  assert.deepEqual([doubts(2, 0), doubts(2, 1), doubts(2, 2)], [[resume], [resolve, resume], [resolve]]);
  // After Ctrl-C too, where nothing is left that goes on by itself.
  assert.deepEqual([doubts(2, 1, 130), doubts(2, 2, 130)], [['airbatch resume B-1'], [resolve]]);
});

test('there is no next step if another program continues the batch, unless a person must end a pause', async (t) => {
  const summary = await sampleSummary(t);
  const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, accepted: 2 } };
  const open = { ...summary, status: 'running' as const, rows };
  assert.match(nextOf(open, 5, true).join(), /^nothing: another airbatch is working .* \(airbatch status B-1\)$/);
  const paused = { ...open, status: 'paused' as const, pause: { reason: 'guard_tripped' as const, detail: null } };
  assert.deepEqual(nextOf(paused, 5, true), ['look at the reason, then airbatch resume B-1']);
});

test('the next step for overdue rows is to ask the service, and a decision', async (t) => {
  const summary = await sampleSummary(t);
  const stuck = (accepted: number, overdue: number, exitCode = 5, isWorkedOn = false) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, accepted } };
    const stands = { ...summary, status: 'running' as const, rows, overdue: { ...summary.overdue, rows: overdue } };
    return nextOf(stands, exitCode, isWorkedOn);
  };
  const resolve =
    'airbatch status B-1, ask the service about its overdue rows, then airbatch resolve B-1 ROW --as paid --evidence TEXT, or --as not-paid; or airbatch resume B-1, which asks the service again';
  assert.deepEqual([stuck(2, 2), stuck(2, 1, 130), stuck(2, 2, 130)], [[resolve], ['airbatch resume B-1'], [resolve]]);
  // The other program asks the service again by itself.
  assert.doesNotMatch(stuck(2, 2, 5, true).join(), /resume/);
});

test('the next step shows both a pause and rows for a person, and what to correct first', async (t) => {
  const summary = await sampleSummary(t);
  const paused = (reason: PauseReason, exitCode = 5) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, ready: 3, held: 1 } };
    return nextOf({ ...summary, status: 'paused', pause: { reason, detail: null }, rows }, exitCode);
  };
  const held = 'airbatch status B-1, then for the held rows airbatch release B-1, or airbatch skip B-1 --why TEXT';
  assert.deepEqual(paused('insufficient_balance'), [held, 'fund the account, then airbatch resume B-1']);
  assert.deepEqual(paused('guard_tripped'), [held, 'look at the reason, then airbatch resume B-1']);
  assert.deepEqual(paused('credentials_rejected'), ['correct TOPUP_KEY, then airbatch resume B-1']);
  // After Ctrl-C too.
  assert.deepEqual(paused('insufficient_balance', 130), ['fund the account, then airbatch resume B-1']);
  assert.deepEqual(paused('credentials_rejected', 130), ['correct TOPUP_KEY, then airbatch resume B-1']);
});

test('the next step if networks could not be looked up is the same file again, without corrections', async (t) => {
  const summary = { ...(await sampleSummary(t)), status: 'completed' as const, file_name: "pay roll's.csv" };
  const unresolved = (invalid: number, of: number) => {
    const rows = { ...summary.rows, by_status: { ...summary.rows.by_status, failed: 0, invalid } };
    return nextOf({ ...summary, rows, failures: {}, problems: { NETWORK_UNRESOLVED: of } }, 4);
  };
  const again =
    "once the service gives its catalog, the same file again (nothing is paid twice): airbatch run 'pay roll'\\''s.csv' --run-id payroll-2026-11";
  assert.deepEqual(unresolved(3, 3), [again]);
  const [first, second, ...more] = unresolved(3, 2);
  assert.deepEqual(
    [first, /^copy r\/failed.csv to corrected.csv, correct the copy/.test(second ?? ''), more],
    [again, true, []],
  );
});

test('a retry of rows that may have arrived is shown with its code, and a code that no row has is reported', async (t) => {
  const { cwd, airbatch } = place(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const old = { version: 'v1', baseUrl: sandbox.url, emailEnv: 'V1_EMAIL', tokenEnv: 'V1_TOKEN' };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts: { old } }));
  writeFileSync(join(cwd, '.env'), 'V1_EMAIL=sandbox@airbatch.test\nV1_TOKEN=sandbox-token\n', { mode: 0o600 });
  const header = 'phone_number,network_id,amount,currency,reference';
  writeFileSync(join(cwd, 'a.csv'), `${header}\n+254712000012,1,150,KES,A\n`);
  const { stderr } = await airbatch('run', 'a.csv', '--run-id', 'a', '--yes');
  const [, batch = ''] = /nothing arrived, airbatch retry (\S+) --code UNDERLIVERED$/m.exec(stderr) ?? [];
  assert.ok(batch, stderr);
  assert.doesNotMatch(stderr, /failed rows as they are/);
  const misspelt = await airbatch('retry', batch, '--code', 'UNDERDELIVERED');
  assert.match(
    misspelt.stderr,
    /^No row of this batch has failed with UNDERDELIVERED: .*\n(.*\n)*Failed {5}1 row UNDERLIVERED/,
  );
  assert.equal(misspelt.code, 4);
});

test('a retry without rows sends no other row of the batch', async (t) => {
  const { cwd, airbatch } = place(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const main = { baseUrl: sandbox.url, apiKeyEnv: 'AIRBATCH_API_KEY' };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  writeFileSync(join(cwd, '.env'), 'AIRBATCH_API_KEY=sandbox-key\n', { mode: 0o600 });
  const row = '+254712405118,1,50,KES';
  writeFileSync(join(cwd, 'a.csv'), ['phone_number,network_id,amount,currency', row, row, ''].join('\n'));
  const { summary } = JSON.parse((await airbatch('run', 'a.csv', '--yes', '--json')).stdout);
  await airbatch('release', summary.batch_id, '--yes');
  const paid = (await sandbox.liveCharges()).size;
  const { code, stderr } = await airbatch('retry', summary.batch_id, '--code', 'NOSUCH');
  assert.match(stderr, /^No row of this batch has failed with NOSUCH/);
  assert.deepEqual([code, (await sandbox.liveCharges()).size], [5, paid]);
});

test('a run says before sending that text messages are not sent, if the service (Version 1) has none', async (t) => {
  const { cwd, airbatch } = place(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const old = { version: 'v1', baseUrl: sandbox.url, emailEnv: 'V1_EMAIL', tokenEnv: 'V1_TOKEN' };
  const policy = { approval: { needed: 'always', bySubmitter: true } };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts: { old }, policy }));
  writeFileSync(join(cwd, '.env'), 'V1_EMAIL=sandbox@airbatch.test\nV1_TOKEN=sandbox-token\n', { mode: 0o600 });
  const lines = [
    'phone_number,network_id,amount,currency,sms_message',
    '+254712400001,1,10,KES,Asante',
    '+254712400002,1,20,KES,',
    '+254712400003,1,30,KES,Asante sana',
    '0712,1,40,KES,Asante',
  ];
  writeFileSync(join(cwd, 'a.csv'), lines.join('\n'));
  const told = '2 rows with a text message that is not sent: Version 1 sends its own SMS instead';
  const { stdout } = await airbatch('validate', 'a.csv');
  assert.ok(stdout.includes(`\nNote       ${told}\n`), stdout);
  const { stderr } = await airbatch('submit', 'a.csv');
  assert.ok(stderr.includes(`\nMessages   ${told}\n`), stderr);
  const [, batch = ''] = /^Batch +(\S+)/m.exec(stderr) ?? [];
  assert.ok((await airbatch('approve', batch)).stderr.includes(`\nMessages   ${told}\n`));
});

test('the next command reads the corrected file like the first one', async (t) => {
  const { cwd, airbatch } = place(t);
  writeFileSync(join(cwd, 'a.csv'), 'Mobile;Network;Net pay;Currency\n0712400001;1;50;KES\n');
  const given = ['--country', 'KE', '--map', 'amount=Net pay', '--map', 'phone_number=Mobile'];
  const { stderr } = await airbatch('run', 'a.csv', '--run-id', 'a', ...given, '--yes');
  const [, command] = /then \(nothing is paid twice\) (.*)$/m.exec(stderr) ?? [];
  assert.equal(
    command,
    `airbatch run corrected.csv --run-id a --country KE --map 'amount=Net pay' --map phone_number=Mobile`,
    stderr,
  );
  const [batch = ''] = /\d{8}-\d{6}-[0-9a-f]{4}/.exec(stderr) ?? [];
  const retried = await airbatch('retry', batch);
  assert.ok(retried.stderr.includes(`${command}\n`), retried.stderr);
});

test('resume does not call a batch finished that waits for a second person, and says who continues it', async (t) => {
  const { cwd, airbatch } = place(t);
  writeFileSync(join(cwd, 'airbatch.config.json'), '{ "policy": { "approval": { "needed": "always" } } }');
  writeFileSync(join(cwd, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,50,KES\n');
  const { batch_id: batch } = JSON.parse((await airbatch('submit', 'a.csv', '--json')).stdout);
  assert.equal(
    (await airbatch('resume')).stderr,
    'Nothing to resume: no batch is approved, interrupted or paused ("airbatch status").\n',
  );
  const { stderr } = await airbatch('resume', batch);
  assert.match(stderr, /is awaiting approval \[BATCH_STATE\]\nAnother person approves it before: airbatch approve \d/);
});

test('before it asks, a run says what is wrong with rows, and why others are not sent', async (t) => {
  const { cwd, airbatch } = place(t);
  const rows = [
    'phone_number,network_id,amount,currency,reference',
    '0712405118,1,50,KES,a',
    '+254712405118,1,50,KES,b',
  ];
  writeFileSync(join(cwd, 'a.csv'), `${rows.join('\n')}\n`);
  await airbatch('run', 'a.csv', '--run-id', 'a', '--yes');
  const { stderr } = await airbatch('run', 'a.csv', '--run-id', 'a', '--yes');
  const from = stderr.indexOf('\nProblems ') + 1;
  assert.deepEqual(stderr.slice(from).split('\n').slice(0, 2), [
    'Problems   1 row: The phone number has no country code, and its country is not known (line 2)',
    '           1 row: An earlier batch of the run has paid this row (line 3)',
  ]);
});

test('what a run does not show, validate does; what only the ledger knows is always shown', async (t) => {
  const { cwd, airbatch } = place(t);
  const header = 'phone_number,network_id,amount,currency,reference';
  const paid = '+254712405118,1,50,KES,paid';
  writeFileSync(join(cwd, 'first.csv'), `${header}\n${paid}\n`);
  await airbatch('run', 'first.csv', '--run-id', 'a', '--yes');
  const wrong = [',1,50,KES,', '+254712405119,1,-1,KES,', '+254712405119,1,5x,KES,', '+254712405119,1,1,XYZ,'];
  writeFileSync(join(cwd, 'a (1).csv'), [header, ...wrong, ...wrong, ',', paid, ''].join('\n'));
  const { stderr } = await airbatch('run', 'a (1).csv', '--run-id', 'a', '--yes');
  assert.match(stderr, /1 row: An earlier batch of the run has paid this row \(line 11\)$/m);
  const [, more] =
    /and (\d+) other kinds? of problems: "airbatch validate 'a \(1\)\.csv'" has them all/.exec(stderr) ?? [];
  assert.ok(Number(more) > 0, stderr);
  const validated = await airbatch('validate', 'a (1).csv');
  const kinds = [...validated.stdout.matchAll(/^[A-Z_]+ in \d+ rows?$/gm)];
  assert.equal(kinds.length, 3 + Number(more), validated.stdout);
  const optioned = await airbatch('run', 'a (1).csv', '--country', 'KE', '--yes');
  assert.match(optioned.stderr, /"airbatch validate 'a \(1\)\.csv'" with the same options has them all/);
});

test('a command that finds nothing to do says so', async (t) => {
  const { cwd, airbatch } = place(t);
  writeFileSync(join(cwd, 'one.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,50,KES\n');
  const { summary } = JSON.parse((await airbatch('run', 'one.csv', '--yes', '--json')).stdout);
  assert.match((await airbatch('retry', summary.batch_id)).stderr, /^No row of this batch has failed in a way/);
  assert.equal((await airbatch('release', summary.batch_id)).stdout, 'No row of this batch is held.\n');
  assert.equal((await airbatch('skip', summary.batch_id, '--why', 'x')).stdout, 'No row of this batch is held.\n');
  assert.match((await airbatch('forget', '--before', '2020-01-01')).stdout, /^Nothing to forget: no batch ended/);
});

test('resume shows each of several batches', async (t) => {
  const { cwd, airbatch } = place(t);
  const rows = ['phone_number,network_id,amount,currency', '+254712405118,1,50,KES', '+254712405118,1,50,KES', ''];
  writeFileSync(join(cwd, 'airbatch.config.json'), '{ "policy": { "repeatWithinDays": 0 } }');
  writeFileSync(join(cwd, 'twice.csv'), rows.join('\n'));
  for (const run of ['a', 'b']) await airbatch('run', 'twice.csv', '--yes', '--run-id', run);
  const { stderr } = await airbatch('resume');
  assert.equal([...stderr.matchAll(/^Batch {6}\d{8}-\d{6}-[0-9a-f]{4}$/gm)].length, 2, stderr);
});

test('an unreadable file of an option is not reported as a fault of the reports', async (t) => {
  const { airbatch } = place(t);
  const { code, stderr } = await airbatch('verify', 'reports', '--anchor', 'nowhere.jsonl');
  assert.equal(code, 3);
  assert.match(stderr, /^Error: \S+nowhere\.jsonl cannot be read/);
});

test('verify begins with what it verified, and doubts reports that are complete but not the expected ones', async (t) => {
  const { cwd, airbatch } = place(t);
  writeFileSync(join(cwd, 'p.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,50,KES\n');
  const { stdout } = await airbatch('--json', 'run', 'p.csv', '--run-id', 'november', '--yes');
  const { batch_id: batch } = (JSON.parse(stdout) as { summary: { batch_id: string } }).summary;
  const whole = await airbatch('verify', `reports/${batch}`);
  assert.equal(whole.code, 0);
  const lines = [`Batch      ${batch}`, 'Run        november', 'File       p.csv, 1 row', 'Status     finished'];
  assert.deepEqual(whole.stdout.split('\n').slice(0, lines.length), lines);
  assert.match(whole.stdout, /\nVersion {4}1, as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n✔ /);
  assert.match(whole.stdout, /^The reports cannot prove who owns this key: .*--key\.$/m);
  writeFileSync(join(cwd, 'key.pem'), (await airbatch('key')).stdout);
  const signed = await airbatch('verify', `reports/${batch}`, '--key', 'key.pem');
  assert.doesNotMatch(signed.stdout, /whose key/);
  const above = await airbatch('verify', 'reports');
  assert.equal(above.code, 4);
  assert.match(
    above.stdout,
    /^✘ manifest.json is not there\.\n✘ manifest.sig is not there\.\n"verify" takes the folder of one/,
  );
  cpSync(join(cwd, 'reports', batch), join(cwd, 'reports', '20261120-093000-4f2a'), { recursive: true });
  const swapped = await airbatch('verify', 'reports/20261120-093000-4f2a');
  assert.equal(swapped.code, 5);
  assert.match(
    swapped.stdout,
    /^! The folder has the name of batch 20261120-093000-4f2a, but these are the reports of/m,
  );
});

test('a wrong value of an option is wrong usage', async (t) => {
  const { cwd, airbatch } = place(t);
  writeFileSync(join(cwd, 'key.pem'), 'no key');
  mkdirSync(join(cwd, 'reports'));
  const { code, stderr } = await airbatch('verify', 'reports', '--key', 'key.pem');
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^Error: the given key is not a key as "airbatch key" prints it \[USAGE\]\nCorrect the options: nothing was verified\.\n/,
  );
});

test('--json answers a wrong command line with a JSON document, too', async (t) => {
  const { airbatch } = place(t);
  for (const args of [['run'], ['no-such-command'], ['jobs', 'dance']]) {
    const { code, stdout } = await airbatch('--json', ...args);
    assert.deepEqual([code, JSON.parse(stdout).error.code], [2, 'USAGE'], args.join(' '));
  }
});

test('an empty reason is wrong usage', async (t) => {
  const { airbatch } = place(t);
  const batch = '20261120-093000-4f2a';
  for (const [option, ...args] of [
    ['--why', 'reject', batch],
    ['--why', 'skip', batch],
    ['--why', 'forget', batch],
    ['--evidence', 'resolve', batch, '17', '--as', 'paid'],
  ] as [string, ...string[]][]) {
    for (const blank of ['', ' \u200b\u00a0']) {
      const { code, stderr } = await airbatch(...args, option, blank);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`^Error: ${option} is empty \\[USAGE\\]`), args.join(' '));
    }
  }
});

test('an impossible number or time is shown as typed, with what to write', async (t) => {
  const { airbatch, cwd } = place(t);
  await makeLedgerIn(cwd);
  for (const [args, said] of [
    [['serve', '--port', 'abc'], /^Error: --port takes a whole number, not "abc" \[USAGE\]/],
    [['sandbox', '--rate', '0'], /^Error: --rate takes a whole number from 1 on, not "0" \[USAGE\]/],
    [['sandbox', '--window-ms', '0'], /^Error: --window-ms takes a whole number from 1 on, not "0" \[USAGE\]/],
    [['serve', '--metrics-port', 'x'], /^Error: --metrics-port takes a whole number, not "x" \[USAGE\]/m],
    [
      ['reconcile', '--from', '2999-01-01'],
      /^Error: --from 2999-01-01 is still to come \[USAGE\]\nName a day that has/,
    ],
    [
      ['reconcile', '--from', '2026-11-20', '--to', '2026-11-19'],
      /is before --from 2026-11-20 \[USAGE\]\nName the earlier/,
    ],
  ] as const) {
    const { code, stderr } = await airbatch(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  }
});
