import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recentSends } from '../../../src/ledger/accounts/recent-sends.ts';
import { insertPayments } from '../../../src/ledger/rows/payments.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { makeRig } from '../../support/engine.ts';
import { aPayment, aRow } from '../../support/ledger.ts';

const windowMs = 60_000;

test('a request that a crash interrupted still counts for the program after the next one', async () => {
  const rig = await makeRig();
  await rig.add([aRow(1)]);
  const { db, clock } = rig;
  const row = await rig.row(1);
  const { account, run_id: runId } = await rig.batch();
  await inUnit(db, { clock, actor: 'engine' }, async (unit) => {
    await unit.changeRow(row, 'send', { attempts: 1, first_sent_at: unit.at }, {});
    const identity = { account, runId, rowRef: 'ref-1', generation: 1 };
    await insertPayments(unit.tx, [aPayment(identity, { first_intent_at: unit.at, last_intent_at: unit.at })]);
  });
  // The next program marks the row as in doubt, and ends before it could send anything.
  await rig.run(0);
  assert.deepEqual(await rig.states(), ['in_doubt']);
  const known = await recentSends(db, { account, now: clock.now(), windowMs });
  assert.deepEqual(
    known.map(({ count }) => count),
    [1],
  );
});
