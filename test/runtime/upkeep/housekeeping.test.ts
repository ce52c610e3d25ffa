import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { answerApiRequest, beginApiRequest } from '../../../src/ledger/access/api-requests.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { insertJobFile } from '../../../src/ledger/jobs/job-files.ts';
import { claimSlot, droppedUntil, endSlot, insertSlot, listSlots } from '../../../src/ledger/jobs/slots.ts';
import {
  addToOutbox,
  claimNotification,
  isKept,
  noteAttempt,
  saveNotifiedIn,
} from '../../../src/ledger/outbox/outbox.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { keepHouse } from '../../../src/runtime/upkeep/housekeeping.ts';
import { aDraft } from '../../support/drafts.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { folderOf } from '../../support/folder.ts';

const dayMs = 24 * 3_600_000;
const ledgerPath = join(folderOf({ after }), 'ledger.db');

test('old records are deleted once a day: people of old batches, and handled webhooks', async () => {
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
  const config = { retention: { personalDataDays: 90 }, webhooks: { keepDays: 30 } };
  // The log of the database has what was forgotten, until it is emptied.
  let emptied = 0;
  let isRead = true;
  const emptyLog = async () => {
    const wasRead = isRead;
    isRead = false;
    if (wasRead) throw new Error('somebody reads it');
    emptied += 1;
  };
  const session = { db: { ...db, emptyLog }, clock, log, config, ledgerPath } as unknown as Session;
  const house = keepHouse(session, [{ job: 'promo', personalDataDays: 10 }]);
  const known = async () => {
    const rows = await db.query<{ batch_id: string }>(
      'SELECT batch_id FROM rows WHERE phone_number IS NOT NULL ORDER BY batch_id',
    );
    return rows.map(({ batch_id }) => batch_id);
  };
  const webhooks = async () => (await db.query('SELECT message_id FROM inbox')).length;
  await clock.drive(clock.sleep(9 * dayMs));
  assert.deepEqual([await known(), await webhooks(), emptied], [['old', 'promo'], 1, 0]);
  await clock.drive(clock.sleep(4 * dayMs));
  assert.deepEqual([await known(), emptied], [['old'], 1]);
  await clock.drive(clock.sleep(59 * dayMs));
  assert.deepEqual([await known(), await webhooks(), emptied], [['old'], 0, 1]);
  await clock.drive(clock.sleep(30 * dayMs));
  assert.deepEqual([await known(), emptied], [[], 2]);
  await clock.drive(house.stop());
  assert.equal(warnings.length, 1, 'somebody read the log on the first day, and it was emptied on the next');
});

/** A ledger, and what keeps house in it on a virtual clock. */
async function house() {
  const rig = await makeRig();
  const { db, clock } = rig;
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const config = { retention: {}, webhooks: { keepDays: 30 } };
  const session = { db, clock, log, config, ledgerPath } as unknown as Session;
  const start = clock.now();
  /** Keeps house once, so many days after the start. */
  const keepAt = async (day: number) => {
    await clock.drive(clock.sleep(start + day * dayMs - clock.now()));
    const kept = keepHouse(session, []);
    await clock.drive(clock.sleep(60_000));
    await clock.drive(kept.stop());
    assert.deepEqual(warnings, []);
  };
  return { ...rig, start, keepAt };
}

describe('webhooks that were handled long ago', () => {
  /** Keeps house where there are so many; `between` runs after each transaction that has deleted some. */
  async function prune(count: number, between: (stop: () => void) => void = () => undefined) {
    const { db, clock } = await makeRig();
    await db.execute(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO inbox (account, scheme, message_id, body_digest, received_at, looks, handled_at)
       SELECT 'main', 'callback', CAST(n AS TEXT), '', 1, 0, 1 + n / 100 FROM numbers`,
      [count],
    );
    const left = async () => Number((await db.values<[number]>('SELECT COUNT(*) FROM inbox'))[0]?.[0]);
    const lefts = [count];
    const transact: typeof db.transact = async (work, how) => {
      const result = await db.transact(work, how);
      const now = await left();
      if (now < (lefts.at(-1) ?? 0)) {
        lefts.push(now);
        between(() => void stopped.push(kept.stop()));
      }
      return result;
    };
    const log = { info: () => undefined, warn: (message: string) => assert.fail(message) };
    const config = { retention: {}, webhooks: { keepDays: 30 } };
    const stopped: Promise<void>[] = [];
    const kept = keepHouse({ db: { ...db, transact }, clock, log, config, ledgerPath } as unknown as Session, []);
    await clock.drive(clock.sleep(60_000));
    await clock.drive(Promise.all([kept.stop(), ...stopped]));
    return lefts;
  }

  test('are deleted some at a time, so that other writers get their turn between', async () => {
    assert.deepEqual(await prune(1_200), [1_200, 700, 200, 0]);
    assert.deepEqual(await prune(1_000), [1_000, 500, 0]);
  });

  test('are left if the program ends meanwhile', async () => {
    assert.deepEqual(await prune(1_200, (stop) => stop()), [1_200, 700]);
  });
});

test('an answer that came after the people of its draft or batch were erased is deleted the next day', async () => {
  const { db, add, clock, keepAt } = await house();
  await add(someRows(1));
  await add(someRows(1), { batch_id: 'forgotten', run_id: 'forgotten', forgotten_at: clock.now() });
  await db.transact((tx) => insertDraft(tx, aDraft({ draft_id: 'open', changed_at: clock.now() })));
  await db.transact((tx) => insertDraft(tx, aDraft({ draft_id: 'erased', status: 'submitted', salt: '' })));
  for (const about of ['open', 'erased', 'discarded', 'batch-1', 'forgotten', null]) {
    const request = { caller: 'amina', key: String(about), digest: 'd' };
    await beginApiRequest(db, request, clock.now());
    await answerApiRequest(db, request, { status: 200, body: '{}', about });
  }
  const left = async () =>
    (await db.query<{ about: string | null }>('SELECT about FROM api_requests')).map(({ about }) => about).toSorted();
  await keepAt(0);
  assert.equal((await left()).length, 6, 'a repeated request still gets its answer');
  await keepAt(2);
  assert.deepEqual(await left(), ['batch-1', null, 'open']);
});

test('slots are deleted 400 days after their end, but not the last, open ones, and ones with files to archive', async () => {
  const { db, start, keepAt } = await house();
  const at = (day: number) => start + day * dayMs;
  const slot = async (job: string, day: number, end: 'done' | 'failed' | 'due' | 'skipped', endDay = day) => {
    await insertSlot(db, { job, due_at: at(day), state: end === 'skipped' ? 'skipped' : 'due', detail: null });
    if (end === 'skipped') return;
    const claim = { job, dueAt: at(day), holder: 'h', now: at(endDay) };
    await claimSlot(db, { ...claim, expiresAt: at(endDay), deadHolder: null });
    await endSlot(db, { ...claim, state: end, detail: null });
  };
  const days = async (job: string) =>
    (await listSlots(db, job, 1_000)).map((one) => (one.due_at - start) / dayMs).reverse();
  for (let day = -700; day < 0; day++) await slot('many', day, day % 2 === 0 ? 'done' : 'skipped');
  await slot('rare', -900, 'done');
  await slot('rare', -800, 'failed');
  await slot('late', -20, 'done', 5);
  await slot('late', -19, 'due');
  await slot('late', -18, 'failed');
  await slot('late', 300, 'done');
  await slot('early', 0.5, 'done', -5);
  await slot('early', 300, 'done');
  await slot('filed', -3, 'done');
  await slot('filed', -2, 'done');
  await slot('filed', 300, 'done');
  await insertJobFile(db, { batch_id: 'b', job: 'filed', due_at: at(-2), name: 'x.csv', working_path: '/x' });
  await keepAt(0.5);
  assert.deepEqual([(await days('many')).length, await days('rare')], [399, [-800]]);
  assert.equal(await droppedUntil(db, 'many'), at(-400));
  await keepAt(401);
  assert.deepEqual(await days('many'), [-1]);
  assert.deepEqual(await days('late'), [-20, -19, 300]);
  assert.deepEqual(await days('early'), [0.5, 300]);
  assert.deepEqual(await days('filed'), [-2, 300]);
});

test('notifications are deleted 400 days after they were stored, but not due ones, nor those of an open batch', async () => {
  const { db, clock, add, keepAt } = await house();
  await add(someRows(1), { batch_id: 'open' });
  await db.execute("UPDATE batches SET status = 'running' WHERE batch_id = 'open'");
  assert.equal((await findBatch(db, 'open'))?.status, 'running');
  const tell = async (event_id: string, isSent = true) => {
    const entry = { event_id, recipient: 'ann', created_at: clock.now() };
    await addToOutbox(db, { ...entry, body: '{}' });
    await claimNotification(db, { ...entry, due_at: clock.now() }, clock.now() + 1);
    if (isSent) await noteAttempt(db, { ...entry, due_at: null, attempts: 1, sent_at: clock.now(), last_error: null });
  };
  const kept = async () => {
    const events = [
      'in_doubt:open:1:1',
      'in_doubt:ended:1:1',
      'held:open:7',
      'finished:ended:1',
      'due',
      'told',
      'young',
    ];
    const known = await Promise.all(events.map((event) => isKept(db, event, 'ann')));
    return events.filter((_event, index) => known[index]);
  };
  for (const event of ['in_doubt:open:1:1', 'in_doubt:ended:1:1', 'held:open:7', 'finished:ended:1']) await tell(event);
  await tell('due', false);
  await saveNotifiedIn(db, { event_id: 'told', recipient: 'ann', created_at: clock.now() }, 'finished:ended:1');
  for (let count = 0; count < 1_200; count++) await tell(`a:${count}`);
  await keepAt(399);
  await tell('young');
  assert.equal((await kept()).length, 7);
  await keepAt(401);
  assert.deepEqual(await kept(), ['in_doubt:open:1:1', 'held:open:7', 'due', 'young']);
  assert.equal((await db.query('SELECT 1 FROM outbox')).length, 4);
});
