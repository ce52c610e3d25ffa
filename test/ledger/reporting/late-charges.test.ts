import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpricedPayments } from '../../../src/ledger/reporting/late-charges.ts';
import { sqliteLedger } from '../../support/ledger.ts';
import { planned } from '../../support/planned.ts';

test('payments without a cost are found by the indexes of such rows, however many rows the ledger has', async () => {
  const db = await sqliteLedger();
  const { view, plans } = planned(db);
  await unpricedPayments(view, { account: 'main', fromMs: 1, toMs: 2 });
  const [twice = '', contradicted = ''] = plans.filter((plan) => plan.startsWith('SCAN rows'));
  assert.match(twice, /USING INDEX rows_paid_twice$/, plans.join('\n'));
  assert.match(contradicted, /USING INDEX rows_contradicted(?:_of)?$/, plans.join('\n'));
  assert.ok(
    plans.includes('SEARCH rows USING INDEX sqlite_autoindex_rows_1 (batch_id=? AND row_no=?)'),
    plans.join('\n'),
  );
  assert.deepEqual(
    plans.filter((plan) => /^SCAN (?:batches|rows$)/.test(plan)),
    [],
  );
  await db.close();
});
