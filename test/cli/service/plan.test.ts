import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

test('airbatch plan shows what a payout would take: time, money, approvals, and the guards that would reject it', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const planned = async (...args: string[]) => {
    const { code, stdout, stderr } = await airbatch('plan', ...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const tiers = [{ sums: { KES: '300000' }, approvers: 2 }];
  const config = {
    intake: { guards: { rowsMax: 50_000, batchMax: { KES: '350000' } } },
    policy: { approval: { needed: 'above', rows: 100_000, tiers } },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  const unknown = await airbatch('plan', '40000', '--sum', 'KES=1');
  assert.equal(unknown.code, 2, 'it makes no ledger');
  const rows = ['+254712101000,1,10,KES,e-1', '+254712101002,1,20,KES,e-2'];
  writeFileSync(join(folder, 'p.csv'), ['phone_number,network_id,amount,currency,reference', ...rows, ''].join('\n'));
  assert.equal((await airbatch('run', 'p.csv', '--yes')).code, 0);

  const usual = await planned('40000');
  assert.deepEqual([usual.sums, usual.usual_of_rows], [{ KES: '600000.00' }, 2]);
  // 60 rows a minute: the last of 40,000 goes in the 667th minute.
  assert.deepEqual(
    [usual.limit, usual.alone_ms, usual.rows_waiting],
    [{ rows: 60, window_ms: 60_000 }, 666 * 60_000, 0],
  );
  const { wallets } = await planned('40000', '--sum', 'KES=4000000');
  const { cost, balance, missing } = wallets.find(({ currency }: { currency: string }) => currency === 'USD');
  assert.equal(Number(missing).toFixed(2), (Number(cost) - Number(balance)).toFixed(2));
  assert.deepEqual(usual.approval.approvers, 2);
  assert.deepEqual(usual.exceeded, [{ guard: 'batch_max', currency: 'KES', most: '350000', asked: '600000.00' }]);

  const small = await planned('60', '--sum', 'KES=100');
  assert.deepEqual([small.alone_ms, small.approval, small.exceeded, small.usual_of_rows], [0, null, [], null]);
  assert.deepEqual((await planned('60', '--sum', 'XOF=1000')).cost_unknown, ['XOF']);

  const { stdout } = await airbatch('plan', '60000', '--sum', 'KES=400000');
  assert.match(stdout, /^Time +16 h 39 min at 60 rows in 1 min$/m);
  assert.match(stdout, /^Rejected +a file may have 50,000 rows \(rows_max\)$/m);
  assert.match(stdout, /^Rejected +a file may ask for KES 350,000\.00, not KES 400,000\.00 \(batch_max\)$/m);
  assert.match(stdout, /^Approval +2 people other than the submitter: /m);
  const wrong = await airbatch('plan', '10', '--sum', 'KES');
  assert.deepEqual([wrong.code, /--sum KES=4000000/.test(wrong.stderr)], [2, true]);
});
