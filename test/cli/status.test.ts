import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { runCommand, workFolder } from '../support/command.ts';

test('airbatch status says what each batch waits for, and what can be done about each held row', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const rows = ['phone_number,network_id,amount,currency', '+254712405118,1,50,KES', '+254712405118,1,50,KES', ''];
  writeFileSync(join(folder.path, 'twice.csv'), rows.join('\n'));
  const airbatch = (...args: string[]) => runCommand(args, { cwd: folder.path });
  const ran = await airbatch('run', 'twice.csv', '--yes', '--json');
  assert.equal(ran.code, 5, ran.stderr);
  const batch = JSON.parse(ran.stdout).summary.batch_id as string;

  const held = await airbatch('status', batch);
  assert.match(held.stdout, /^Rows {7}1 completed, 1 held$/m);
  assert.match(held.stdout, /^Waits for {2}a person to decide on 1 held row \("airbatch release", "airbatch skip"\)$/m);
  assert.match(held.stdout, /^Row 2 is held: .* let it go with "airbatch release" if both are meant\.$/m);

  const pause = (reason: string) => {
    const db = new DatabaseSync(join(folder.path, '.airbatch/ledger.db'), { timeout: 5_000 });
    db.prepare("UPDATE batches SET status = 'paused', pause_reason = ?, pause_detail = 'USD 3.00 are left'").run(
      reason,
    );
    db.close();
  };
  pause('insufficient_balance');
  const paused = await airbatch('status', batch);
  assert.match(paused.stdout, /^Status {5}paused: balance too low \(USD 3\.00 are left\)$/m);
  assert.match(paused.stdout, /^Waits for {2}a person: balance too low \(USD 3\.00 are left\); "airbatch resume /m);
  assert.match((await airbatch('status')).stdout, /paused: balance too low/);
});

test('neither a name of a file nor one of a column begins a line of its own on a screen', async (t) => {
  const folder = workFolder();
  t.after(() => folder.dispose());
  const name = 'pay\nBalance    KES 9,999,999.00.csv';
  const forged = '"note\n\u001b[1ATo pay     KES 1.00\u0007"';
  const rows = [`phone_number,network_id,amount,currency,${forged}`, '+254712405118,1,50,KES,', ''];
  writeFileSync(join(folder.path, name), rows.join('\n'));
  const airbatch = (...args: string[]) => runCommand(args, { cwd: folder.path });
  const ran = await airbatch('run', name, '--yes');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /kept and not read: "note\\n\\u001b\[1ATo pay {5}KES 1\.00\\u0007"$/m);
  const batch = /^Batch {6}(\S+)/m.exec(ran.stderr)?.[1] ?? '';
  const validated = await airbatch('validate', name);
  const shown = await Promise.all([airbatch('status'), airbatch('status', batch), airbatch('run', `no\n${name}`)]);
  for (const { stdout, stderr } of [ran, validated, ...shown]) {
    assert.doesNotMatch(stdout + stderr, /^Balance {4}KES 9,999|^To pay {5}KES 1\.00/m);
    assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]/u);
  }
  assert.match(shown[1].stdout, /^File {7}pay\\nBalance {4}KES 9,999,999\.00\.csv, 1 row$/m);
});
