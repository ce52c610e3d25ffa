import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn } from '../../support/folder-ledger.ts';

test('a person assigns a row in doubt, looks it up, and sees how long the money lasts', async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  const rows = ['+254712101000,1,10,KES,e-1', '+254712101002,1,20,KES,e-2'];
  writeFileSync(join(folder, 'p.csv'), ['phone_number,network_id,amount,currency,reference', ...rows, ''].join('\n'));
  const paid = JSON.parse((await airbatch('run', 'p.csv', '--yes', '--json')).stdout);
  const batch: string = paid.summary.batch_id;
  const none = await airbatch('look-up', batch);
  assert.deepEqual([none.code, none.stdout], [0, 'No row of this batch is in doubt.\n']);

  const change = (...statements: string[]) => changeLedgerIn(folder, ...statements);
  await change(
    "UPDATE batches SET status = 'running'",
    "UPDATE rows SET status = 'in_doubt' WHERE row_no = 2",
    "DELETE FROM batch_counts WHERE status = 'in_doubt'",
    "INSERT INTO batch_counts SELECT batch_id, 'in_doubt', 1 FROM batches",
  );
  const unnamed = await airbatch('assign', batch, '2');
  assert.deepEqual([unnamed.code, /--to PERSON, or --nobody/.test(unnamed.stderr)], [2, true]);
  const stranger = await airbatch('assign', batch, '2', '--to', 'nobody-we-know');
  assert.match(stranger.stderr, /may not take care of doubts/);
  const { code, stdout } = await airbatch('assign', batch, '2', '--nobody', '--json');
  assert.deepEqual([code, JSON.parse(stdout)], [0, { batch_id: batch, owner: null, assigned: 0 }]);

  const [listed, ofNjeri] = [await airbatch('doubts', '--nobody'), await airbatch('doubts', '--owner', 'njeri')];
  assert.match(listed.stdout, / 2 +KES 20\.00 +nobody /);
  assert.match(listed.stdout, /In doubt: 1 row for KES 20\.00\./);
  assert.deepEqual([ofNjeri.code, ofNjeri.stdout], [0, 'No row is in doubt.\n']);

  await change("UPDATE rows SET amount = NULL, currency = NULL, product_id = 'p-1' WHERE row_no = 2");
  assert.match((await airbatch('doubts')).stdout, /In doubt: 1 row for 1 product\./);
  await change("UPDATE rows SET amount = '20', currency = 'KES', product_id = NULL WHERE row_no = 2");

  const found = await airbatch('look-up', batch, '2', '--json');
  const [row] = JSON.parse(found.stdout).rows;
  assert.deepEqual([found.code, row.row, row.outcome, row.status], [0, 2, 'adopted', 'completed'], found.stderr);

  const forecast = JSON.parse((await airbatch('forecast', '--json')).stdout);
  const usd = forecast.currencies.find(({ currency }: { currency: string }) => currency === 'USD');
  assert.deepEqual([usd.queued, usd.missing, Number(usd.spent) > 0], ['0', null, true]);
  assert.match((await airbatch('forecast')).stdout, /longer than a year/);
});
