import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn } from '../../support/folder-ledger.ts';

test('airbatch rows lists the rows of a batch, all or some, and says how to see more; find, paid and journal look in all batches', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  // Numbers that end in 0001 are declined.
  const rows = [
    '+254712101000,1,10,KES,e-1,Amina Otieno',
    '+254712110001,1,20,KES,e-2,Brian Mwangi',
    '0712,1,30,KES,e-3,Zawadi',
  ];
  const header = 'phone_number,network_id,amount,currency,reference,employee';
  writeFileSync(join(folder, 'p.csv'), [header, ...rows, ''].join('\n'));
  const ran = await airbatch('run', 'p.csv', '--yes', '--json');
  const batch = JSON.parse(ran.stdout).summary.batch_id as string;

  const all = await airbatch('rows', batch);
  assert.equal(all.code, 0, all.stderr);
  assert.match(all.stdout, /^ *1 +e-1 +Amina Otieno +2\*{8}000 +KES 10\.00 +completed/m);
  assert.match(all.stdout, /^ *2 +e-2 +Brian Mwangi +2\*{8}001 +KES 20\.00 +failed/m);
  assert.match(all.stdout, /e-3 +Zawadi +.*invalid/);
  const numbers = async (...args: string[]) => {
    const { code, stdout, stderr } = await airbatch('rows', batch, ...args, '--json');
    assert.equal(code, 0, stderr);
    const { rows: found, next } = JSON.parse(stdout) as { rows: { row_no: number }[]; next: number | null };
    return [found.map(({ row_no }) => row_no), next];
  };
  assert.deepEqual(await numbers('--state', 'failed', '--state', 'invalid'), [[2, 3], null]);
  assert.deepEqual(await numbers('--find', 'zawadi'), [[3], null]);
  assert.deepEqual(await numbers('--code', 'PHONE_NEEDS_COUNTRY'), [[3], null]);
  assert.deepEqual(await numbers('--limit', '2'), [[1, 2], 2]);
  assert.deepEqual(await numbers('--limit', '2', '--after', '2'), [[3], null]);
  assert.match((await airbatch('rows', batch, '--limit', '2')).stdout, /More rows may follow: --after 2\n$/);
  const wrong = await airbatch('rows', batch, '--state', 'lost');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /--state/);
  assert.equal((await airbatch('rows', batch, '--find', 'nobody')).stdout, 'No rows.\n');

  const found = await airbatch('find', '0712 101 000', '--country', 'KE', '--from', '2020-01-01');
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, new RegExp(`${batch} +1 +Amina Otieno +KES 10\\.00 +completed`));
  assert.match(found.stdout, /^2\*{8}000 was paid KES 10\.00 in 1 row since 2020-01-01 00:00:00 UTC\.$/m);
  const none = await airbatch('find', '+254712101009');
  assert.match(none.stdout, /^Nothing was sent to 2\*{8}009\.\n$/);
  const journal = await airbatch('journal', '--from', '2020-01-01', '--wallet', 'USD=1200', '--wallet', 'KES=1300');
  assert.match(journal.stdout, new RegExp(`,\\d+-1,Airtime,[0-9.]+,,(USD|KES),"Airtime sent: .*",sent,${batch},`));
  assert.match(journal.stderr, /^1 entry of sandbox, .* left the wallets\.\nThe balances show .*: they agree\.$/m);
  const file = join(folder, 'november.csv');
  const written = await airbatch('journal', '--from', '2020-01-01', '--format', 'xero', '--out', file, '--json');
  assert.equal(JSON.parse(written.stdout).csv, readFileSync(file, 'utf8'));
  const paid = await airbatch('paid', '--from', '2020-01-01');
  assert.match(paid.stdout, new RegExp(`^p\\.csv +\\S+ +${batch} +1 +KES 10\\.00`, 'm'));
  assert.doesNotMatch(paid.stdout, /refunded/i);
  await changeLedgerIn(
    folder,
    'UPDATE rows SET refunded_at = completed_at, refund_amount = cost, refund_currency = cost_currency WHERE row_no = 1',
  );
  const refunded = await airbatch('paid', '--from', '2020-01-01');
  assert.match(refunded.stdout, /^file .* charged +refunded +last paid$/m);
  assert.match(
    refunded.stdout,
    /; charged USD 0\.00\.\nRefunded later: 1 row; the charged sum leaves out what the service says it gave back, and the recipient may not have the airtime\.\n$/,
  );
  assert.match(
    (await airbatch('paid', '--to', '2020-01-01', '--from', '2020-01-01')).stdout,
    /^Nothing was paid between/,
  );
});
