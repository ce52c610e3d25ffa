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
