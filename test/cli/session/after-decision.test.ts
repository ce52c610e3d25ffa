import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidedText, sendsText } from '../../../src/cli/session/after-decision.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { workerOf } from '../../../src/operations/base/account-now.ts';
import { makeRig, someRows } from '../../support/engine.ts';

test('a batch that is approved while a program works for its account is not reported as waiting for one', async () => {
  const { db, clock, add, batch } = await makeRig();
  await add(someRows(1));
  const now = async () => ({ ...(await batch()), is_worked_on: (await workerOf({ db, clock }, 'main')) !== null });
  assert.match(sendsText(await now()), /^Nothing was sent. Next: airbatch resume batch-1,/);
  const request = { account: 'main', now: clock.now(), ttlMs: 60_000, deadHolder: null };
  const decided = async () => decidedText(await now(), 'sends it');
  assert.equal(await decided(), '"airbatch resume batch-1" sends it.');
  await takeLease(db, { ...request, holder: 'elsewhere/1/1' });
  assert.equal(await decided(), 'Another airbatch is working for this account and continues the batch.');
  // A pause is lifted by a person alone, whoever works for the account.
  await db.execute("UPDATE batches SET status = 'paused'");
  assert.equal(await decided(), '"airbatch resume batch-1" sends it.');
  await db.execute("UPDATE batches SET status = 'approved'");
  assert.match(
    sendsText(await now()),
    /^Another airbatch is working for this account and sends it\. If that stops first: airbatch resume batch-1$/,
  );
});
