import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../house/imports.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';

test('a misspelt command line is explained', async (t) => {
  const cwd = folderOf(t);
  // Makes a ledger without batches.
  await makeLedgerIn(cwd);
  const elsewhere =
    /\[BATCH_UNKNOWN\]\nThis ledger has no batches at all \("airbatch status"\): go to the folder that has your ledger, or name it with --ledger\.$/m;
  for (const [args, told] of [
    [
      ['release', 'x', '7-3'],
      /^Error: "7-3" is not a row number \[USAGE\]\nRows are numbered from 1, .*Name them one by one: 17 18 19\.$/m,
    ],
    [['pause', 'x', '--why', 'y'], elsewhere],
    [['release', ' '], /^Error: there is no batch "" in this ledger /m],
    [['jobs', 'new'], /\nName it: "airbatch jobs new NAME"\.$/m],
    [['jobs', 'run'], /\nName it: "airbatch jobs run NAME"\.$/m],
  ] as const) {
    const { code, stderr } = await runHere(args, { cwd });
    assert.equal(code, 2, stderr);
    assert.match(stderr, told);
  }
});

test('the help lists the commands in groups, each with its heading, and none without one', async (t) => {
  const { code, stdout } = await runHere(['--help'], { cwd: folderOf(t) });
  assert.equal(code, 0);
  const headings = [...stdout.matchAll(/^([A-Z].*):$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings.slice(0, 3), ['Options', 'Pay a file', 'Follow and control batches']);
  assert.ok(headings.length > 6 && !headings.includes('Commands'), headings.join());
});

test('a misspelt command, option, account or job gets the probable name', async (t) => {
  const cwd = folderOf(t);
  for (const [args, told] of [
    [['statsu'], /\(Did you mean status\?\)/],
    [['run', 'x.csv', '--yse'], /\(Did you mean --yes\?\)/],
    [['balance', '--account', 'sandbx'], /\[ACCOUNT_UNKNOWN\]\nDid you mean "sandbox"\? Name one/],
  ] as const) {
    const { code, stderr } = await runHere(args, { cwd });
    assert.equal(code, 2, stderr);
    assert.match(stderr, told);
  }
});

test('commands for batches create no ledger, and do not report a missing one as intact', async (t) => {
  const cwd = folderOf(t);
  for (const args of [
    ['audit'],
    ['forget', '--before', '2020-01-01'],
    ['status'],
    ['status', '--watch'],
    ['status', 'x'],
    ['resume'],
    ['resume', 'x'],
    ['resume', 'x', '--restored'],
    ['reconcile', '--from', '2020-01-01'],
    ['reconcile', '--batch', 'x'],
    ['report', 'x'],
    ['pause', 'x', '--why', 'y'],
  ]) {
    const { code, stdout, stderr } = await runHere(args, { cwd });
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(
      stderr,
      /^Error: there is no ledger at .*ledger\.db \[LEDGER_MISSING\]\nGo to the folder of the ledger, or give its path with --ledger/,
    );
  }
  assert.deepEqual(readdirSync(cwd), []);
});

test('airbatch forget accepts no batch together with --before, which would not protect it: nothing is forgotten', async (t) => {
  const cwd = folderOf(t);
  const { code, stdout, stderr } = await runHere(['forget', 'x', '--before', '2020-01-01', '--json'], { cwd });
  assert.equal(code, 2, stderr);
  assert.equal(JSON.parse(stdout).error.message, '--before cannot be used with a batch');
});

test('a value that is none of the choices is named with the choices, not with its place in a list', async (t) => {
  const cwd = folderOf(t);
  await runHere(['run', join(root, 'samples/payroll.csv'), '--yes'], { cwd });
  const [batch = ''] = readdirSync(join(cwd, 'reports'));
  const { code, stderr } = await runHere(['rows', batch, '--state', 'failed', '--state', 'fialed'], { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /^Error: --state takes "invalid", "skipped", .* or "cancelled", not "fialed" \[USAGE\]$/m);
});

test('a configuration that is not there is called missing', async (t) => {
  const { code, stderr } = await runHere(['--config', 'nowhere.json', 'status'], { cwd: folderOf(t) });
  assert.equal(code, 2);
  assert.match(stderr, /^Error: there is no configuration \S+nowhere\.json \[CONFIG_INVALID\]\nCheck the path/);
});

test('a sandbox whose data cannot be kept is no internal error', async (t) => {
  const cwd = folderOf(t);
  mkdirSync(join(cwd, '.airbatch/sandbox.db'), { recursive: true });
  const run = await runHere(['run', join(root, 'samples/payroll.csv'), '--yes'], { cwd });
  assert.equal(run.code, 5);
  assert.match(run.stderr, /Error: the data of the sandbox \S+sandbox\.db: .* \[LEDGER_IO\]/);
  const sandbox = await runHere(['sandbox'], { cwd });
  assert.equal(sandbox.code, 2);
  assert.match(
    sandbox.stderr,
    /Error: the sandbox cannot keep its data in \S+sandbox\.db: .* \[USAGE\]\n.*--ephemeral/,
  );
});

test('the help of a command names the options of all commands', async (t) => {
  const { stdout } = await runHere(['status', '--help'], { cwd: folderOf(t) });
  assert.match(stdout, /Global Options:[\s\S]*--json/);
});
