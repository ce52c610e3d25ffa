import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentLately } from '../../src/ledger/sent-lately.ts';
import { memoryLedger } from '../support/ledger.ts';
import { planned } from '../support/planned.ts';

const query = { account: 'main', batchId: 'batch-1', since: 1 };
const number = (index: number) => `+2547000${String(index).padStart(5, '0')}`;

for (const count of [1, 2, 50, 128]) {
  test(`what was sent to ${count} number(s) is looked up by them, however many rows and batches the ledger has`, async () => {
    const db = await memoryLedger();
    const { view, plans } = planned(db);
    await sentLately(
      view,
      query,
      Array.from({ length: count }, (_, index) => number(index)),
    );
    const reads = plans.filter((plan) => /^(?:SEARCH|SCAN) /.test(plan));
    assert.equal(reads.length, 2 * Math.ceil(count / 50), plans.join('\n'));
    for (const [index, read] of reads.entries()) {
      if (index % 2 === 0)
        assert.match(read, /^SEARCH rows USING INDEX rows_sent \(phone_number=\? AND first_sent_at>\?\)$/);
      else assert.match(read, /^SEARCH batches USING INDEX \S+ \(batch_id=\?\)$/);
    }
    await db.close();
  });
}
