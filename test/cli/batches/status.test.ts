import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemClock } from '../../../src/core/time/clock.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn, makeLedgerIn, openLedgerIn } from '../../support/folder-ledger.ts';
import { aBatch, isOnPostgres } from '../../support/ledger.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

test('airbatch status shows what each batch waits for, and what to do about each held row', async (t) => {
  const folder = folderOf(t);
  const row = '+254712405118,1,50,KES,Amina Otieno';
  const rows = ['phone_number,network_id,amount,currency,employee', row, row, ''];
  writeFileSync(join(folder, 'twice.csv'), rows.join('\n'));
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const ran = await airbatch('run', 'twice.csv', '--yes', '--json');
  assert.equal(ran.code, 5, ran.stderr);
  const batch = JSON.parse(ran.stdout).summary.batch_id as string;

  const held = await airbatch('status', batch);
  assert.match(held.stdout, /^Rows {7}1 completed, 1 held$/m);
  const [, waits] = /^Waits for {2}(.*)$/m.exec(held.stdout) ?? [];
  assert.equal(
    waits,
    `a person to decide on 1 held row ("airbatch release ${batch}", "airbatch skip ${batch} --why TEXT"; with a row's number only that one)`,
  );
  assert.match(
    held.stdout,
    /^Row 2 \(line 3, Amina Otieno\) is held: .* Release it if you want to pay both \("airbatch release"\); skip it if not \("airbatch skip"\)\.$/m,
  );

  await changeLedgerIn(
    folder,
    "UPDATE batches SET status = 'paused'",
    `INSERT INTO pauses (account, batch_id, reason, detail, paused_by, since)
     SELECT account, batch_id, 'insufficient_balance', 'USD 3.00 are left', 'engine', 0 FROM batches`,
  );
  const paused = await airbatch('status', batch);
  assert.match(paused.stdout, /^Status {5}paused \(balance too low: USD 3\.00 are left\)$/m);
  assert.match(
    paused.stdout,
    /^Waits for {2}a person: it is paused \(balance too low: USD 3\.00 are left\); fund the account, then resume it \("airbatch resume /m,
  );
  assert.match((await airbatch('status')).stdout, /paused: balance too low/);
});

test('airbatch status gives the same advice for several held rows once, and each row its own in JSON', async (t) => {
  const folder = folderOf(t);
  const [one, two] = ['+254712405118,1,50,KES', '+254712405119,1,50,KES'];
  writeFileSync(
    join(folder, 'a.csv'),
    ['phone_number,network_id,amount,currency', one, one, two, two, one, ''].join('\n'),
  );
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const { summary } = JSON.parse((await airbatch('run', 'a.csv', '--yes', '--json')).stdout);
  const { stdout } = await airbatch('status', summary.batch_id);
  assert.match(
    stdout,
    /^Row 2 \(line 3\) is held: .* the same amount as line 2\.\nRow 4 .*\.\nRow 5 .*\.\nRows 2, 4, 5: /m,
  );
  const advice = /Release it if you want to pay both \("airbatch release"\); skip it if not/g;
  assert.equal(stdout.match(advice)?.length, 1);
  const { attention } = JSON.parse((await airbatch('status', summary.batch_id, '--json')).stdout);
  assert.equal(
    JSON.stringify(attention.map(({ why }: { why: string }) => why))
      .replaceAll('\\"', '"')
      .match(advice)?.length,
    3,
  );
  assert.match(stdout, /^Charged {4}USD [\d.]+$/m);
  await changeLedgerIn(folder, `UPDATE rows SET status = 'failed', contradicted = 'completed' WHERE row_no = 1`);
  assert.match((await airbatch('status', summary.batch_id)).stdout, /^Charged .* \(later charges .* not included\)$/m);
});

test('the numbers of a batch in the list add up to its rows, in every state', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const [header, ...rows] = [
    'phone_number,network_id,amount,currency,reference',
    '+254712101001,1,10,KES,e-1',
    '+254712110001,1,20,KES,e-2',
    '0712,1,30,KES,e-3',
    '+254712101004,1,40,KES,e-4',
    '+254712101004,1,40,KES,e-5',
  ];
  writeFileSync(join(folder, 'one.csv'), [header, ...rows.slice(0, 1), ''].join('\n'));
  writeFileSync(join(folder, 'all.csv'), [header, ...rows, ''].join('\n'));
  for (const file of ['one.csv', 'all.csv']) await airbatch('run', file, '--run-id', 'november', '--yes');
  const { stdout } = await airbatch('status');
  const [head = [], all = []] = stdout
    .split('\n')
    .filter((line) => /^batch|all\.csv/.test(line))
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(head.slice(4), ['rows', 'paid', 'failed', 'open', 'wrong', 'skipped']);
  assert.deepEqual(all.slice(4), ['5', '1', '1', '1', '1', '1'], stdout);
});

test('a name of a file or of a column cannot begin a new line on a screen', async (t) => {
  const folder = folderOf(t);
  const name = 'pay\nBalance    KES 9,999,999.00.csv';
  const forged = '"note\n\u001b[1ATo pay     KES 1.00\u0007"';
  const rows = [`phone_number,network_id,amount,currency,${forged}`, '+254712405118,1,50,KES,', ''];
  writeFileSync(join(folder, name), rows.join('\n'));
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const ran = await airbatch('run', name, '--yes');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /kept but not read: "note\\n\\u001b\[1ATo pay {5}KES 1\.00\\u0007"$/m);
  const batch = /^Batch {6}(\S+)/m.exec(ran.stderr)?.[1] ?? '';
  const validated = await airbatch('validate', name);
  const shown = await Promise.all([airbatch('status'), airbatch('status', batch), airbatch('run', `no\n${name}`)]);
  for (const { stdout, stderr } of [ran, validated, ...shown]) {
    assert.doesNotMatch(stdout + stderr, /^Balance {4}KES 9,999|^To pay {5}KES 1\.00/m);
    assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]/u);
  }
  assert.match(shown[1].stdout, /^File {7}pay\\nBalance {4}KES 9,999,999\.00\.csv, 1 row$/m);
});

test('airbatch status shows a batch as interrupted if its program ended or was killed, and says how to continue', async (t) => {
  const folder = folderOf(t);
  const sandbox = await sandboxHere(t, { rate: 2, windowMs: 600_000 });
  const lines = [1, 2, 3, 4].map((row) => `+25471240511${row},1,${50 + row},KES`);
  writeFileSync(join(folder, 'p.csv'), ['phone_number,network_id,amount,currency', ...lines, ''].join('\n'));
  const options = { cwd: folder, env: sandbox.env };
  const listed = async () => {
    // At the first look, the run may not have made the ledger yet.
    const first = JSON.parse((await runHere(['status', '--json'], options)).stdout).batches?.[0];
    return { batch: first?.batch_id, status: first?.status, isWorkedOn: (first?.worker ?? null) !== null };
  };
  let start = ['run', 'p.csv', '--yes'];
  await makeLedgerIn(folder);
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const run = startCommand(start, options);
    let seen = await listed();
    for (let looks = 1; looks < 150 && (seen.status !== 'running' || !seen.isWorkedOn); looks++) {
      await sleep(200);
      seen = await listed();
    }
    const { batch } = seen;
    assert.match((await runHere(['status'], options)).stdout, /^\S+ +p\.csv +default +running /m);
    run.child.kill(signal);
    await run.ended;
    assert.deepEqual(await listed(), { batch, status: 'running', isWorkedOn: false }, signal);
    const { stdout } = await runHere(['status'], options);
    assert.match(stdout, /^\S+ +p\.csv +default +interrupted /m);
    assert.match(
      stdout,
      /^Some batches are approved or interrupted, and no program is working on them: start "airbatch resume" or "airbatch serve"\.$/m,
    );
    const one = (await runHere(['status', batch], options)).stdout;
    assert.match(one, /^Status {5}interrupted$/m);
    assert.match(
      one,
      new RegExp(`^Waits for  a program to work on it: none is running \\("airbatch resume ${batch}" `, 'm'),
    );
    start = ['resume'];
  }
});

test('airbatch status shows the service’s last answer for a row in doubt', async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, 'one.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,50,KES\n');
  const ran = await runHere(['run', 'one.csv', '--yes', '--json'], { cwd });
  const batch = JSON.parse(ran.stdout).summary.batch_id as string;
  const evidence = { kind: 'unclear', code: 'SERVICE_UNAVAILABLE', message: 'Try again later.' };
  await changeLedgerIn(
    cwd,
    "UPDATE batches SET status = 'running'",
    "UPDATE rows SET status = 'in_doubt', completed_at = NULL",
    `UPDATE payments SET last_evidence = '${JSON.stringify(evidence)}'`,
  );
  const { stdout } = await runHere(['status', batch], { cwd });
  assert.match(stdout, /^Row 1 \(line 2\) is in doubt: .* Last answer to it: SERVICE_UNAVAILABLE, Try again later\./m);
});

test('airbatch status says why a file could not be read', async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, 'empty.csv'), 'phone_number,network_id,amount,currency\n');
  await runHere(['run', 'empty.csv', '--yes'], { cwd });
  const { batches } = JSON.parse((await runHere(['status', '--json'], { cwd })).stdout);
  const { stdout } = await runHere(['status', batches[0].batch_id], { cwd });
  assert.match(stdout, /^Status {5}could not be read \(the file has a header \(4 columns\), but no rows below it\)$/m);
  assert.doesNotMatch(stdout, /^Rows/m);
});

test('airbatch status shows an unfinished batch, however many have ended since', async (t) => {
  const folder = folderOf(t);
  await makeLedgerIn(folder);
  const db = await openLedgerIn(folder);
  await inUnit(db, { clock: systemClock, actor: 'test' }, async (unit) => {
    const account = 'sandbox';
    await unit.addBatch(aBatch({ batch_id: 'waits', account, status: 'awaiting_approval', created_at: 1 }), {});
    for (let at = 2; at < 302; at++)
      await unit.addBatch(aBatch({ batch_id: `ended-${at}`, account, status: 'completed', created_at: at }), {});
  });
  await db.close();
  const options = { cwd: folder };
  const { stdout } = await startCommand(['status', '--json'], options).ended;
  const shown = (JSON.parse(stdout) as { batches: { batch_id: string }[] }).batches.map(({ batch_id }) => batch_id);
  assert.deepEqual([shown.length, shown.at(0), shown.at(-1)], [51, 'ended-301', 'waits']);
  const watch = startCommand(['status', '--watch', '--json'], options);
  await watch.seen(/"batch_id":"waits"/);
  watch.child.kill('SIGTERM');
  await watch.ended;
});

test('airbatch status reports a full disk even if there is no room to read the ledger', async (t) => {
  if (isOnPostgres) return t.skip('no file of the ledger is on this disk');
  const folder = folderOf(t);
  const launcher = resolve(import.meta.dirname, '../../../src/cli/airbatch.js');
  await makeLedgerIn(folder);
  // No file may be larger than this: so it is with a full disk, which a test cannot have.
  const looking = promisify(execFile)('sh', ['-c', `ulimit -f 8; exec '${process.execPath}' '${launcher}' status`], {
    cwd: folder,
  });
  await assert.rejects(looking, (error: { code: number; stderr: string }) => {
    assert.equal(error.code, 5);
    assert.match(error.stderr, /\[LEDGER_FULL\]\nThe disk is full: make room, then repeat the command/);
    return true;
  });
});
