import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendsText } from '../../src/cli/after-decision.ts';
import { takeLease } from '../../src/ledger/leases.ts';
import { makeRig, someRows } from '../support/engine.ts';

test('a batch that is approved while a program works on its account is not said to wait for one', async () => {
  const { db, clock, add, batch } = await makeRig();
  await add(someRows(1));
  assert.match(await sendsText({ db, clock }, await batch()), /^Nothing was sent. Next: airbatch resume batch-1,/);
  const request = { account: 'main', now: clock.now(), expiresAt: clock.now() + 60_000, deadHolder: null };
  await takeLease(db, { ...request, holder: 'elsewhere/1/1' });
  assert.match(
    await sendsText({ db, clock }, await batch()),
    /^A program works on its account now, and sends it as well/,
  );
});
