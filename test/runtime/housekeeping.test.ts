import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepHouse } from '../../src/runtime/housekeeping.ts';
import type { Session } from '../../src/runtime/session.ts';
import { makeRig, someRows } from '../support/engine.ts';

const dayMs = 24 * 3_600_000;

test('what is no longer needed is dropped once a day: people of old batches, and webhooks that were handled', async () => {
  const rig = await makeRig();
  const { db, clock } = rig;
  const add = async (batch_id: string, job: string | null) => {
    await rig.add(someRows(1), {
      batch_id,
      run_id: batch_id,
      policy: '{"repeatWithinDays":0}',
      created_at: clock.now(),
    });
    if (job) await db.execute('UPDATE batches SET job = ? WHERE batch_id = ?', [job, batch_id]);
    await rig.run();
  };
  await add('old', null);
  await add('promo', 'promo');
  await db.execute(
    `INSERT INTO inbox (account, scheme, message_id, body_digest, received_at, looks, handled_at) VALUES ('main', 'callback', 'm', '', ?, 0, ?)`,
    [clock.now(), clock.now()],
  );
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const config = { retention: { personalDataDays: 90 } };
  const session = { db, clock, log, config } as unknown as Session;
  const house = keepHouse(session, [{ job: 'promo', personalDataDays: 10 }]);
  const known = async () => {
    const rows = await db.query<{ batch_id: string }>(
      'SELECT batch_id FROM rows WHERE phone_number IS NOT NULL ORDER BY batch_id',
    );
    return rows.map(({ batch_id }) => batch_id);
  };
  const webhooks = async () => (await db.query('SELECT message_id FROM inbox')).length;
  await clock.drive(clock.sleep(9 * dayMs));
  assert.deepEqual([await known(), await webhooks()], [['old', 'promo'], 1]);
  await clock.drive(clock.sleep(3 * dayMs));
  assert.deepEqual(await known(), ['old']);
  await clock.drive(clock.sleep(60 * dayMs));
  assert.deepEqual([await known(), await webhooks()], [['old'], 0]);
  await clock.drive(clock.sleep(30 * dayMs));
  assert.deepEqual(await known(), []);
  await clock.drive(house.stop());
  assert.deepEqual(warnings, []);
});
