import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { makeContentDigest } from '../../src/core/identity/content-digest.ts';
import { rowStates } from '../../src/core/state/row-state.ts';
import { isoTime, systemClock } from '../../src/core/time/clock.ts';
import {
  approve,
  pauseBatch,
  requestApproval,
  resumeBatch,
  withdrawBatch,
} from '../../src/engine/batches/batch-commands.ts';
import { releaseRows, skipRows } from '../../src/engine/decisions/release-or-skip.ts';
import { type StoredPace, savePace } from '../../src/ledger/accounts/pace.ts';
import { type EventData, isLateSql } from '../../src/ledger/audit/events.ts';
import type { Database, SqlValue } from '../../src/ledger/drivers/database.ts';
import { insertJobFile } from '../../src/ledger/jobs/job-files.ts';
import { claimSlot, endSlot, failSlot, insertSlot, reopenSlot } from '../../src/ledger/jobs/slots.ts';
import { saveUnprocessedFiles } from '../../src/ledger/jobs/unprocessed-files.ts';
import { addToOutbox, type OutboxEntry } from '../../src/ledger/outbox/outbox.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import { takeLease } from '../../src/ledger/schema/lease-table.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { type DeliverDeps, makeDelivery } from '../../src/notify/deliver.ts';
import type { Message } from '../../src/notify/message.ts';
import { newsKinds, type Recipient } from '../../src/notify/recipients.ts';
import { makeSender, type Sender } from '../../src/notify/senders.ts';
import { type WatchOptions, watchNews } from '../../src/notify/watch.ts';
import { timeText } from '../../src/reports/sentences/format.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { reportForMail } from '../../src/runtime/upkeep/report-store.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { folderOf } from '../support/folder.ts';
import { httpServer } from '../support/http-server.ts';
import { aBatch, addBatch, approvalBy, aRow, idlePace, setPause, sqliteLedger, unplanned } from '../support/ledger.ts';

const everything: Recipient = { id: 'chat all', kind: 'chat', url: { value: 'http://x' }, on: newsKinds };

const onError = (error: unknown) => assert.fail(String(error));

/** Sends all that is due. */
async function deliver(deps: Omit<DeliverDeps, 'onError'>): Promise<void> {
  const { begin, ended } = makeDelivery({ ...deps, onError });
  await begin();
  await ended();
}

/** What still waits for a recipient, the longest due first. */
function waitingFor(db: Database, { id }: Pick<Recipient, 'id'>): Promise<OutboxEntry[]> {
  return db.query('SELECT * FROM outbox WHERE recipient = ? AND due_at IS NOT NULL ORDER BY due_at, event_id', [id]);
}

/** What is told to `recipients`, and a service that may be out of order. */
async function teller(recipients: readonly Recipient[] = [everything], options: WatchOptions = {}) {
  const rig = await makeRig();
  const { db, clock } = rig;
  const told: { to: string; word: Message; id: string }[] = [];
  const troubles: string[] = [];
  let broken = false;
  const send: Sender = async (recipient, word, { eventId }) => {
    if (broken) throw new Error('out of order');
    told.push({ to: recipient.id, word, id: eventId });
  };
  const pass = async () => {
    await watchNews(db, clock, recipients, options);
    const onTrouble = (recipient: string, message: string, isGivenUp: boolean) =>
      void troubles.push(`${recipient}: ${message}${isGivenUp ? ', given up' : ''}`);
    await deliver({ db, clock, recipients, isCompleteList: true, send, onTrouble });
  };
  await pass();
  const actor = { db, clock, person: 'mary', through: 'cli' as const };
  return { rig, db, clock, told, troubles, pass, actor, breakIt: (is: boolean) => (broken = is) };
}

describe('a notification', () => {
  test('says that a batch waits for approval, has paused or has finished, each once, in a text for clerks', async () => {
    const { rig, db, clock, told, pass, actor } = await teller();
    const batch = aBatch({ created_by: 'ann', created_at: clock.now() });
    await addBatch(db, clock, batch, someRows(3));
    await requestApproval(actor, 'batch-1', approvalBy(1));
    await pass();
    await pass();
    await db.execute(`UPDATE batches SET content_sha256 = NULL`);
    await db.execute(`UPDATE batches SET status = 'validated'`);
    await approve(actor, 'batch-1', unplanned);
    await pauseBatch(actor, 'batch-1', 'month-end');
    await pass();
    await resumeBatch(actor, 'batch-1');
    await pauseBatch(actor, 'batch-1', 'once more?');
    await pass();
    await setPause(db, 'insufficient_balance');
    await pauseBatch(actor, 'batch-1', 'besides');
    await pass();
    await resumeBatch(actor, 'batch-1');
    await rig.run();
    await pass();
    await pass();
    assert.deepEqual(
      told.map(({ word }) => word.kind),
      ['needs_approval', 'paused', 'paused', 'finished'],
    );
    const [asked, paused, again, finished] = told.map(({ word }) => word);
    assert.match(asked?.subject ?? '', /run-1 waits for your approval: 3 rows, KES 306\.00/);
    assert.match(asked?.lines.join('\n') ?? '', /ann has submitted[\s\S]*airbatch approve batch-1/);
    assert.equal(paused?.subject, 'Payout run-1 is paused: by a person');
    assert.match(paused?.lines.join('\n') ?? '', /^A person paused it: month-end\.\n[\s\S]*airbatch resume batch-1/);
    assert.match(again?.lines.join('\n') ?? '', /A person paused it: once more\?\n/);
    assert.match(finished?.subject ?? '', /All 3 rows were paid: KES 306\.00/);
    assert.deepEqual([finished?.report, finished?.facts.completed], ['batch-1', 3]);
    const counts = rowStates.map((state) => Number(finished?.facts[state]));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      finished?.facts.rows,
      'every state has its number',
    );
    assert.doesNotMatch(JSON.stringify(told), /2547120/);
  });

  test('tells approvers what another batch of the same run has paid of the same rows, but not of other runs', async () => {
    const { db, clock, told, pass, actor } = await teller();
    for (const [batch_id, run_id] of [
      ['paid', 'run-1'],
      ['again', 'run-1'],
      ['other', 'run-2'],
    ] as const) {
      const rows = someRows(3).map((row) => ({ ...row, batch_id }));
      await addBatch(db, clock, aBatch({ batch_id, run_id, created_at: clock.now(), content_sha256: 'same' }), rows);
    }
    await db.execute(`UPDATE batches SET status = 'completed' WHERE batch_id = 'paid'`);
    await db.execute(`UPDATE batch_counts SET status = 'completed' WHERE batch_id = 'paid'`);
    await db.execute(`UPDATE rows SET status = 'completed' WHERE batch_id = 'paid'`);
    for (const batch_id of ['again', 'other']) await requestApproval(actor, batch_id, approvalBy(1));
    await pass();
    const asked = new Map(told.map(({ word }) => [word.facts.batch_id, word]));
    assert.match(asked.get('again')?.subject ?? '', /3 rows, KES 306\.00, 3 of them also in batch paid$/);
    assert.match(
      asked.get('again')?.lines.join('\n') ?? '',
      /3 of the rows to pay are also in batch paid of this run \(finished, 3 of them paid\)/,
    );
    assert.match(asked.get('other')?.subject ?? '', /3 rows, KES 306\.00$/);
  });

  test('says once that a batch will be late, when that has been forecast for a while, and once that it is late', async () => {
    const { db, clock, told, pass, rig } = await teller();
    await pass();
    const finishBy = clock.now() + 30 * 60_000;
    await rig.add(someRows(3), { finish_by: finishBy });
    await db.execute(`UPDATE batches SET status = 'running'`);
    const lease = { account: 'main', now: clock.now(), ttlMs: 7_200_000, deadHolder: null };
    const held = await takeLease(db, { ...lease, holder: 'elsewhere/1/1' });
    const note = (late: StoredPace['late']) =>
      db.transact((tx) => savePace(tx, 'main', { ...idlePace, fence: held?.fence ?? 0, late }));
    const late = { 'batch-1': { finishBy, since: clock.now(), doneAt: finishBy + 45 * 60_000 } };
    const after = (minutes: number) => clock.drive(clock.sleep(minutes * 60_000));
    await note(late);
    await after(4);
    await pass();
    assert.equal(told.length, 0, 'not of what may be made up for');
    await after(2);
    await pass();
    await pass();
    await note({});
    await pass();
    await after(25);
    await note(late);
    await pass();
    await pass();
    assert.deepEqual(
      told.map(({ word }) => word.kind),
      ['will_be_late', 'late'],
    );
    const [foreseen, past] = told.map(({ word }) => word);
    assert.equal(foreseen?.subject, 'Payout run-1 will be late: it should be finished by 2026-11-20 09:30 UTC');
    assert.match(foreseen?.lines[0] ?? '', /3 rows are still .* about 2026-11-20 10:15 UTC, 45 min late/);
    assert.equal(past?.subject, 'Payout run-1 is late: 3 rows have not ended');
    assert.match(
      past?.lines[0] ?? '',
      /by 2026-11-20 09:30 UTC, and 3 rows of 3 have not ended yet\. Its remaining rows are sent/,
    );
    assert.equal(past?.facts.finish_by, '2026-11-20T09:30:00.000Z');
  });

  test('does not say that a late batch is being sent where only a person moves it on', async () => {
    const { db, clock, told, pass, rig } = await teller();
    await pass();
    await rig.add([aRow(1, { status: 'held' })], { finish_by: clock.now() + 60_000 });
    await db.execute(`UPDATE batches SET status = 'running'`);
    await clock.drive(clock.sleep(120_000));
    await pass();
    const late = told.find(({ word }) => word.kind === 'late')?.word;
    assert.match(late?.lines[0] ?? '', /1 row of 1 has not ended yet\. It waits for a person's decision\.$/);
  });

  test('never says that an ended batch is late, but says it of one that still waits for approval', async () => {
    const { db, clock, told, pass } = await teller();
    await pass();
    const finish_by = clock.now() + 60_000;
    for (const [batch_id, status] of [
      ['done', 'completed'],
      ['dropped', 'cancelled'],
      ['waiting', 'awaiting_approval'],
    ] as const) {
      const own = someRows(1).map((row) => ({ ...row, batch_id }));
      await addBatch(db, clock, aBatch({ batch_id, run_id: batch_id, status, finish_by }), own);
    }
    await clock.drive(clock.sleep(120_000));
    await pass();
    assert.deepEqual(
      told.map(({ word }) => [word.kind, word.facts.batch_id]),
      [['late', 'waiting']],
    );
    assert.match(told[0]?.word.lines[0] ?? '', /It waits for approval, and nothing was sent/);
  });

  test('tells approvers the products, which no sum contains', async () => {
    const { db, clock, told, pass, actor } = await teller();
    const product = { amount: null, currency: null, product_id: '102' };
    const texts: Record<string, readonly NewRow[]> = {
      'with-amounts': [aRow(1), aRow(2, product), aRow(3, product)],
      'products-alone': [aRow(1, product)],
    };
    for (const [batch_id, rows] of Object.entries(texts)) {
      const made = aBatch({ batch_id, run_id: batch_id, created_by: 'ann', created_at: clock.now() });
      await addBatch(
        db,
        clock,
        made,
        rows.map((row) => ({ ...row, batch_id })),
      );
      await requestApproval(actor, batch_id, approvalBy(1));
    }
    await pass();
    const asked = Object.fromEntries(told.map(({ word }) => [word.facts.batch_id, [word.subject, word.lines[0]]]));
    const what = { 'with-amounts': '3 rows, KES 101.00, and 2 products', 'products-alone': '1 row, 1 product' };
    for (const [batch, text] of Object.entries(what)) {
      const [subject, first] = asked[batch] ?? [];
      assert.equal(subject, `Payout ${batch} waits for your approval: ${text}`);
      assert.ok(first?.startsWith(`ann has submitted ${text}.`), first);
    }
  });

  test('has a link to the approval in the console, and says how many approvals are needed and there are', async () => {
    const { db, clock, told, pass, actor } = await teller([everything], { consoleUrl: 'https://pay.example.com' });
    const policy = JSON.stringify({ approval: { needed: 'always', tiers: [{ rows: 1, approvers: 2 }] } });
    const rows = someRows(3);
    const digest = makeContentDigest();
    for (const row of rows) digest.add(row);
    const batch = aBatch({ created_by: 'ann', created_at: clock.now(), policy, content_sha256: digest.hex() });
    await addBatch(db, clock, batch, rows);
    await requestApproval(actor, 'batch-1', approvalBy(2));
    await pass();
    const lines = () => told.at(-1)?.word.lines.join('\n') ?? '';
    assert.match(lines(), /Nothing is sent before 2 other people approve it\./);
    assert.equal(told.at(-1)?.word.open, 'https://pay.example.com/batches/batch-1/approval');
    await approve(actor, 'batch-1', unplanned);
    await pass();
    assert.equal(told.length, 2, 'the others are notified again');
    assert.match(lines(), /It has 1 of 2 approvals \(mary\)\./);
  });

  test('tells approvers which rows of the file will not be sent', async () => {
    const { db, clock, told, pass, actor } = await teller();
    await addBatch(db, clock, aBatch({ created_by: 'ann', created_at: clock.now() }), [
      ...[aRow(1), aRow(2, { status: 'held' }), aRow(3, { status: 'held' })],
      ...[aRow(4, { status: 'invalid' }), aRow(5, { status: 'skipped' })],
    ]);
    await requestApproval(actor, 'batch-1', approvalBy(1));
    await pass();
    assert.match(
      told[0]?.word.lines.join('\n') ?? '',
      /submitted 1 row, KES 101\.00\.[^\n]*\nNote: {4}2 rows are also held, [^\n]*\nNote: {4}1 row is wrong, [^\n]*\nNote: {4}1 row is skipped, /,
    );
  });

  test('is about rows in doubt that only a person can resolve, missed slots, and a low balance', async () => {
    const { rig, db, clock, told, pass } = await teller();
    await rig.add([aRow(1)], { created_at: clock.now() });
    await db.execute(`UPDATE rows SET status = 'in_doubt', next_action_at = NULL`);
    await db.execute(`UPDATE batch_counts SET status = 'in_doubt'`);
    await db.execute(`UPDATE batches SET status = 'running'`);
    await insertSlot(db, { job: 'payroll', due_at: clock.now(), state: 'skipped', detail: 'missed while nothing ran' });
    await db.execute(
      `INSERT INTO inbox (account, scheme, message_id, body_digest, received_at, looks, outcome) VALUES ('main', 'registered', 'e1', '', ?, 0, 'low_balance')`,
      [clock.now()],
    );
    await pass();
    await pass();
    assert.deepEqual(told.map(({ word }) => word.kind).sort(), ['in_doubt', 'low_balance', 'slot_missed']);
    const text = told.map(({ word }) => `${word.subject}\n${word.lines.join('\n')}`).join('\n');
    assert.match(text, /1 row in doubt \(KES 101\.00\)/);
    assert.match(text, /Job payroll: the run of .* was missed/);
    assert.match(text, /balance of account main is low/);
  });

  test('reports late changes of ended rows once they have stopped, and none that costs nothing', async () => {
    const { rig, db, clock, told, pass } = await teller([{ ...everything, on: ['changed_late'] } as Recipient]);
    await rig.add(someRows(9), { created_at: clock.now() });
    await rig.run();
    const say = (kind: string, rowNo: number, data: EventData) =>
      inUnit(db, { clock, actor: 'engine' }, (unit) => unit.append('batch-1', kind, data, rowNo));
    const after = async (seconds: number) => {
      await clock.drive(clock.sleep(seconds * 1_000));
      await pass();
      return told.splice(0).map(({ word }) => word);
    };
    await say('row.refund', 1, { topup_id: 't1', amount: '10', currency: 'KES', status: 'completed' });
    await say('row.refund', 9, { topup_id: 't9', amount: '10', currency: 'KES', status: 'failed' });
    await db.execute('UPDATE rows SET refunded_at = ? WHERE row_no = 1', [clock.now()]);
    assert.deepEqual(await after(40), [], 'there may be more');
    await say('row.contradicted', 2, { why: 'the service says completed of another payment of the row (t2)' });
    assert.deepEqual(await after(40), []);
    const [word, ...others] = await after(21);
    assert.deepEqual(others, []);
    assert.equal(word?.subject, 'Payout run-1: 2 later changes by the service to rows that had ended');
    const text = word?.lines.join('\n') ?? '';
    assert.match(
      text,
      /row 1: the service refunded money: KES 10\.00\n {2}row 2: the service contradicts the ledger: /,
    );
    assert.match(text, /airbatch audit --batch batch-1/);
    assert.doesNotMatch(text, /row 9/);
    assert.deepEqual(await after(86_400), [], 'once');
    await say('row.changed_late', 1, { why: 'the row cost 10 KES, and the service now says 0 KES' });
    assert.deepEqual(await after(61), [], 'of row 1 it was told that its money came back');
    for (const row of [3, 4, 5, 6, 7, 8]) await say('row.changed_late', row, { why: 'the service now says failed' });
    const [more] = await after(61);
    assert.match(more?.subject ?? '', /: 6 later changes/);
    assert.match(more?.lines.join('\n') ?? '', /row 7: [^\n]*\n {2}and 1 more change\n/);
  });

  test('finds late changes among millions of events by their index', async () => {
    const plan = await (await sqliteLedger()).query<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT batch_id FROM events WHERE at >= 0 AND (${isLateSql})`,
    );
    assert.match(plan.map(({ detail }) => detail).join(), /events_late/);
  });

  test('covers all slots of a job that were missed together; a later one, and each failed one, gets its own', async () => {
    const { db, clock, told, pass } = await teller();
    const from = clock.now() + 60_000;
    const slot = (index: number, state: 'skipped' | 'failed') =>
      insertSlot(db, { job: 'minutely', due_at: from + index * 60_000, state, detail: 'nothing ran' });
    for (let index = 0; index < 1_440; index++) await slot(index, 'skipped');
    await pass();
    await pass();
    assert.equal(told.length, 1);
    const [all] = told;
    assert.match(all?.word.subject ?? '', /^Job minutely: 1,440 runs from .* to .* UTC were missed$/);
    assert.deepEqual([all?.word.facts.slots, all?.word.facts.due_at], [1_440, isoTime(from + 1_439 * 60_000)]);
    await slot(1_440, 'skipped');
    for (const index of [1_441, 1_442]) await slot(index, 'failed');
    await pass();
    const later = told.slice(1).map(({ word }) => word.subject.replace(/of .* UTC/, 'of then'));
    const failed = 'Job minutely: the run of then failed';
    assert.deepEqual(later.sort(), [failed, failed, 'Job minutely: the run of then was missed']);
  });

  test('about a slot that failed because of one file says which other files are paid', async () => {
    const { rig, db, clock, told, pass } = await teller();
    const dueAt = clock.now() + 60_000;
    await rig.add(someRows(1), { job: 'payroll', file_name: 'good.csv' });
    await db.execute(`UPDATE batches SET status = 'running'`);
    const detail = 'good.csv is batch batch-1 (1 row to pay); bad.csv was rejected: it has no header';
    await insertSlot(db, { job: 'payroll', due_at: dueAt, state: 'failed', detail });
    await db.transact((tx) =>
      insertJobFile(tx, { batch_id: 'batch-1', job: 'payroll', due_at: dueAt, name: 'good.csv', working_path: '/x' }),
    );
    await pass();
    const { subject, lines } = told[0]?.word ?? assert.fail();
    assert.match(subject, /^Job payroll: the run of .* UTC failed in part: 1 file imported$/);
    assert.match(lines[0] ?? '', /failed in part: 1 file imported\. good\.csv is batch .*bad\.csv was rejected/);
    assert.equal(lines[1], 'File:    good.csv is batch batch-1, running');
  });

  test('is sent each time that a slot fails: it was done when run again, and then its file proved incomplete', async () => {
    const { db, clock, told, pass } = await teller();
    const slot = { job: 'payroll', dueAt: clock.now() + 1, holder: 'h' };
    const run = async (state: 'failed' | 'done', detail: string) => {
      await reopenSlot(db, slot.job, slot.dueAt);
      await claimSlot(db, { ...slot, now: clock.now(), expiresAt: clock.now() + 60_000, deadHolder: null });
      await endSlot(db, { ...slot, now: clock.now(), state, detail });
    };
    const whatIsTold = async () => {
      await pass();
      await pass();
      return told.splice(0).map(({ word }) => word.facts.detail);
    };
    await insertSlot(db, { job: slot.job, due_at: slot.dueAt, state: 'due', detail: null });
    await run('failed', 'there is no file');
    assert.deepEqual(await whatIsTold(), ['there is no file']);
    await clock.drive(clock.sleep(60_000));
    await run('done', 'a.csv is batch 1');
    assert.deepEqual(await whatIsTold(), []);
    await failSlot(db, { ...slot, detail: 'a.csv was still being written', now: clock.now() });
    assert.deepEqual(await whatIsTold(), ['a.csv was still being written']);
  });

  test('depends on when a slot was decided, however long ago it was due: a machine may be off for weeks', async () => {
    const { db, clock, told, pass } = await teller();
    const days = (count: number) => count * 24 * 3_600_000;
    const dueAt = clock.now() + days(1);
    await clock.drive(clock.sleep(days(20)));
    await pass();
    const slot = { job: 'missed', due_at: dueAt, state: 'skipped', detail: 'nothing ran' } as const;
    await insertSlot(db, { ...slot, ended_at: clock.now() });
    await insertSlot(db, { ...slot, job: 'late', state: 'due' });
    const holder = { job: 'late', dueAt, holder: 'one', now: clock.now() };
    await claimSlot(db, { ...holder, expiresAt: clock.now(), deadHolder: null });
    await endSlot(db, { ...holder, state: 'failed', detail: 'no' });
    await insertSlot(db, { ...slot, job: 'changed', state: 'done', ended_at: dueAt });
    await failSlot(db, { job: 'changed', dueAt, detail: 'its file has changed', now: clock.now() });
    await pass();
    assert.deepEqual(told.map(({ word }) => `${word.facts.job} ${word.facts.state}`).sort(), [
      'changed failed',
      'late failed',
      'missed skipped',
    ]);
    await clock.drive(clock.sleep(days(8)));
    await db.execute('DELETE FROM outbox');
    await pass();
    assert.equal(told.length, 3, 'it was long ago');
  });

  test('names files that an earlier slot left, once for each new one', async () => {
    const { db, clock, told, pass } = await teller();
    await insertSlot(db, { job: 'payroll', due_at: 0, state: 'failed', detail: null });
    const a = { file: 'a.csv', due_at: 0 };
    for (const files of [[a], [a], [a, { file: 'b.csv', due_at: null }], [a], []]) {
      await saveUnprocessedFiles(db, 'payroll', files, clock.now());
      await pass();
      await clock.drive(clock.sleep(60_000));
    }
    assert.deepEqual(
      told.map(({ word }) => word.subject),
      ['Job payroll: 1 file of an earlier run is not paid', 'Job payroll: 2 files of an earlier run are not paid'],
    );
    const [first, second] = told.map(({ word }) => word.lines.join('\n'));
    assert.match(
      first ?? '',
      /^a\.csv lies in "working" and is not paid: "airbatch jobs run payroll --slot 1970-01-01T00:00:00.000Z" imports it\.$/,
    );
    assert.match(second ?? '', /\nb\.csv lies in "working" and is not paid: .*: put it into the inbox\.$/);
  });

  test('is sent at once, and once each time, if the service throttles an account for more than a quarter of an hour', async () => {
    const { rig, db, clock, told, pass } = await teller();
    await rig.add([aRow(1)], { created_at: clock.now() });
    await db.execute(`UPDATE batches SET status = 'running'`);
    const since = clock.now();
    const holder = { holder: 'elsewhere/1/1', deadHolder: null };
    const held = await takeLease(db, { account: 'main', now: since, ttlMs: 60_000, ...holder });
    assert.ok(held);
    const messagesOf = async (wait: { since: number; until: number; saidMs?: number } | null) => {
      const throttle = wait && { at: wait.since, saidMs: wait.until - wait.since, ...wait };
      await db.transact((tx) =>
        savePace(tx, 'main', { ...idlePace, fence: held.fence, gate: { throttle, unreachableSince: null } }),
      );
      await pass();
      await pass();
      return told.splice(0).map(({ word }) => word);
    };
    const minute = 60_000;
    assert.deepEqual(await messagesOf({ since, until: since + minute }), [], 'as its limits have it');
    const until = since + 24 * 60 * minute;
    const [word] = await messagesOf({ since, until });
    assert.deepEqual(word?.facts, {
      account: 'main',
      since: isoTime(since),
      until: isoTime(until),
      retry_after_ms: until - since,
    });
    assert.equal(word?.subject, `The service makes account main wait until ${timeText(isoTime(until))}`);
    assert.deepEqual(await messagesOf({ since, until: until + 1 }), [], 'told once');
    const [longer] = await messagesOf({ since: since + 1, until, saidMs: 30 * 24 * 60 * minute });
    assert.equal(longer?.subject, 'The service makes account main wait for 30 days', 'another time');
    assert.match(longer?.lines[0] ?? '', /airbatch tries again at /);
    assert.deepEqual(await messagesOf({ since: since - 30 * minute, until: since }), [], 'it is over');
    assert.deepEqual(await messagesOf(null), []);
  });

  test('is sent once for each outage of a quarter of an hour, and only while something is to be sent', async () => {
    const { rig, db, clock, told, pass } = await teller();
    await rig.add([aRow(1)], { created_at: clock.now() });
    const began = clock.now();
    const after = async (minutes: number, unreachableSince: number | null) => {
      await clock.drive(clock.sleep(minutes * 60_000));
      const now = clock.now();
      const request = { account: 'main', holder: 'elsewhere/1/1', now, ttlMs: 60_000, deadHolder: null };
      const held = await takeLease(db, request);
      assert.ok(held);
      await db.transact((tx) =>
        savePace(tx, 'main', { ...idlePace, fence: held.fence, gate: { throttle: null, unreachableSince } }),
      );
      await pass();
      await pass();
      return told.splice(0).map(({ word }) => word);
    };
    assert.deepEqual(await after(20, began), [], 'nothing is to be sent');
    await db.execute(`UPDATE batches SET status = 'running'`);
    const since = clock.now();
    assert.deepEqual(await after(14, since), []);
    const [word] = await after(2, since);
    assert.deepEqual([word?.kind, word?.facts], ['unreachable', { account: 'main', since: isoTime(since) }]);
    assert.equal(word?.subject, 'The service of account main cannot be reached, or does not answer properly');
    assert.match(
      word?.lines[0] ?? '',
      /airbatch cannot reach the service of account main, or gets no proper answer to a payment\. /,
    );
    assert.deepEqual(await after(60, since), [], 'told once');
    assert.deepEqual(await after(60, null), [], 'it is back');
    const again = clock.now();
    assert.equal((await after(16, again)).length, 1, 'another time');
    const set = async (status: string, nextActionAt: number | null) => {
      await db.execute('UPDATE rows SET status = ?, next_action_at = ?', [status, nextActionAt]);
      await db.execute('UPDATE batch_counts SET status = ?', [status]);
      return (await after(16, clock.now() - 1)).filter(({ kind }) => kind === 'unreachable').length;
    };
    assert.equal(
      await set('accepted', 1),
      0,
      'what was found at the service is followed, and nothing asks whether it takes payments again',
    );
    assert.equal(await set('in_doubt', null), 0, 'a person is waited for');
    assert.equal(await set('in_doubt', 1), 1, 'it may have to be sent again');
    await clock.drive(clock.sleep(120_000));
    await db.execute('DELETE FROM outbox');
    await pass();
    assert.deepEqual(told, [], 'nobody works for it any more');
  });

  test('reports each new doubt once, however many there were before, and doubts that come together in one', async () => {
    const { rig, db, clock, told, pass } = await teller();
    await rig.add(someRows(5), { created_at: clock.now() });
    await db.execute(`UPDATE batches SET status = 'running'`);
    const set = async (rows: string, fields: string) => {
      await db.execute(`UPDATE rows SET ${fields} WHERE row_no IN (${rows})`);
      await pass();
      await pass();
      return told.splice(0).map(({ id }) => id);
    };
    const review = `status = 'in_doubt', next_action_at = NULL`;
    assert.deepEqual(await set('1', review), ['in_doubt:batch-1:1:1']);
    await set('1', `status = 'completed'`);
    assert.deepEqual(await set('2', review), ['in_doubt:batch-1:2:1'], 'as many as before, and another one');
    assert.deepEqual(await set('3, 4', review), ['in_doubt:batch-1:3:1'], 'two at once');
    assert.deepEqual(await set('4', `status = 'failed'`), [], 'fewer than before');
    await set('2', 'next_action_at = 1');
    assert.deepEqual(await set('2', review), [], 'looked up once more, in vain');
    assert.deepEqual(await set('4', `${review}, generation = 2`), ['in_doubt:batch-1:4:2'], 'of the next generation');
    await db.execute(`UPDATE rows SET amount = NULL, currency = NULL, product_id = 'p-1', ${review} WHERE row_no = 5`);
    await db.execute(`UPDATE rows SET status = 'completed' WHERE row_no <> 5`);
    await db.execute(`DELETE FROM batch_counts`);
    await db.execute(`INSERT INTO batch_counts VALUES ('batch-1', 'in_doubt', 1), ('batch-1', 'completed', 4)`);
    await pass();
    const [product] = told.splice(0);
    assert.equal(product?.word.subject, 'Payout run-1: 1 row in doubt', 'a product has no sum');
    assert.match(product?.word.lines[0] ?? '', /^It is not known whether 1 row was paid, /);
    const ids = async (recipient: Recipient) => [
      await watchNews(db, clock, [everything, recipient]),
      await watchNews(db, clock, [everything, recipient]),
    ];
    assert.deepEqual(await ids({ ...everything, id: 'chat of a job' }), [1, 0], 'whom nobody has told yet');
  });

  test('is sent once for each row that is overdue', async () => {
    const { rig, db, clock, told, pass } = await teller();
    for (const row of [1, 2]) rig.service.ends(`run-1/ref-${row}`, 'open');
    await rig.add(someRows(3), { created_at: clock.now() });
    await rig.run();
    await pass();
    await pass();
    const [{ word, id } = { word: null, id: '' }, ...more] = told.splice(0);
    assert.deepEqual([id, word?.kind, more], ['overdue:batch-1:1:1', 'overdue', []], 'two at once');
    assert.equal(word?.subject, 'Payout run-1: the service is late with 2 rows (KES 203.00)');
    assert.match(word?.lines.join('\n') ?? '', /airbatch resolve batch-1 ROW --as paid\|not-paid/);
    await db.execute(`UPDATE rows SET failure_code = NULL`);
    await rig.clock.drive(rig.clock.sleep(3_600_000));
    await rig.run();
    await pass();
    assert.deepEqual(told, [], 'asked once more, in vain');
  });

  test('says once that a batch waits only for held rows, and again only after something was sent', async () => {
    const { rig, db, clock, told, pass, actor } = await teller();
    const held = [3, 4, 5].map((rowNo) => aRow(rowNo, { status: 'held' }));
    await rig.add([...someRows(2), ...held], { created_at: clock.now() });
    await pass();
    assert.equal(told.length, 0, 'it has not begun');
    const rest = async () => {
      await rig.run();
      await pass();
      await pass();
      return told.splice(0).map(({ word }) => word);
    };
    const [word, ...more] = await rest();
    assert.deepEqual([word?.kind, word?.facts.held, more], ['held', 3, []]);
    assert.match(word?.subject ?? '', /run-1 waits for your decision on 3 held rows \(KES 312\.00\)/);
    assert.match(word?.lines.join('\n') ?? '', /airbatch release batch-1[\s\S]*airbatch skip batch-1/);
    await skipRows(actor, 'batch-1', [3], 'paid in cash');
    assert.deepEqual(await rest(), [], 'a person is at it');
    await releaseRows(actor, 'batch-1', [4]);
    await pass();
    assert.equal(told.length, 0, 'it moves again');
    const again = await rest();
    assert.deepEqual([again.map(({ kind }) => kind), again[0]?.facts.held], [['held'], 1]);
    await db.execute(`UPDATE rows SET status = 'in_doubt', next_action_at = 1 WHERE row_no = 1`);
    await db.execute('DELETE FROM outbox');
    assert.equal(await watchNews(db, clock, [everything]), 0, 'a doubt is still looked up');
  });

  test('is composed once: a later look at the ledger does not read the batch again', async () => {
    const { rig, db, clock, pass } = await teller();
    await rig.add(someRows(1), { created_at: clock.now() });
    await rig.run();
    await pass();
    const statements: string[] = [];
    const query = (sql: string, params?: readonly SqlValue[]) => {
      statements.push(sql);
      return db.query(sql, params);
    };
    assert.equal(await watchNews({ ...db, query } as Database, clock, [everything]), 0);
    assert.deepEqual(
      statements.filter((sql) => / (batches|rows) /.test(sql) && sql.includes('batch_id = ?')),
      [],
    );
  });

  test('is not sent for what happened before notifications were configured', async () => {
    const rig = await makeRig();
    await rig.add(someRows(1), { created_at: rig.clock.now() });
    await rig.run();
    await rig.clock.drive(rig.clock.sleep(1_000));
    assert.equal(await watchNews(rig.db, rig.clock, [everything]), 0);
  });

  test('goes only to recipients that want this kind of news, this account and this job', async () => {
    const ask = (id: string, fields: Partial<Recipient>): Recipient => ({ ...everything, id, ...fields }) as Recipient;
    const { rig, clock, told, pass } = await teller([
      ask('all', {}),
      ask('pauses', { on: ['paused'] }),
      ask('of another account', { accounts: ['other'] }),
      ask('of the account', { accounts: ['main'] }),
      ask('of a job', { jobs: ['payroll'] }),
    ]);
    await rig.add(someRows(1), { created_at: clock.now() });
    await rig.run();
    await pass();
    assert.deepEqual(told.map(({ to }) => to).sort(), ['all', 'of the account']);
  });

  test('about a job goes to recipients of the account that it pays from', async () => {
    const asked = (account: string) => ({ ...everything, id: account, accounts: [account] }) as Recipient;
    const accountOf = (job: string) => (job === 'payroll' ? 'main' : null);
    const { db, clock, told, pass } = await teller([asked('main'), asked('other')], { accountOf });
    for (const [job, state] of [
      ['payroll', 'failed'],
      ['gone', 'skipped'],
    ] as const)
      await insertSlot(db, { job, due_at: clock.now() + 1, state, detail: 'there is no file' });
    await saveUnprocessedFiles(db, 'payroll', [{ file: 'a.csv', due_at: null }], clock.now());
    await pass();
    assert.deepEqual(
      told.map(({ to, word }) => `${to}: ${word.subject.replace(/of \d.* UTC/, 'of then')}`),
      ['main: Job payroll: 1 file of an earlier run is not paid', 'main: Job payroll: the run of then failed'],
    );
  });

  test('that cannot be sent is tried again with growing delays, and given up after some days', async () => {
    const { rig, db, clock, told, troubles, pass, breakIt } = await teller();
    breakIt(true);
    await rig.add(someRows(1), { created_at: clock.now() });
    await rig.run();
    await pass();
    assert.deepEqual([told.length, troubles.length], [0, 1]);
    await pass();
    assert.equal(troubles.length, 1, 'not at once again');
    await clock.drive(clock.sleep(11_000));
    await pass();
    assert.equal(troubles.length, 2);
    breakIt(false);
    await clock.drive(clock.sleep(61_000));
    await pass();
    await pass();
    assert.equal(told.length, 1);

    breakIt(true);
    await addToOutbox(db, { event_id: 'other', recipient: everything.id, body: '{}', created_at: clock.now() });
    for (let day = 0; day < 6 * 24; day++) {
      await pass();
      await clock.drive(clock.sleep(3_600_000));
    }
    assert.match(troubles.at(-1) ?? '', /given up/);
    assert.deepEqual(await waitingFor(db, everything), []);
  });

  test('asks nobody to approve a batch that was withdrawn, even if the question could not be sent before', async () => {
    const { db, clock, told, pass, actor, breakIt } = await teller();
    const add = async (batch_id: string) => {
      const rows = someRows(1).map((row) => ({ ...row, batch_id }));
      await addBatch(db, clock, aBatch({ batch_id, created_by: 'mary', created_at: clock.now() }), rows);
      await requestApproval(actor, batch_id, approvalBy(1));
    };
    await add('early');
    await withdrawBatch(actor, 'early', 'the wrong file');
    breakIt(true);
    await add('late');
    await add('waiting');
    await pass();
    await withdrawBatch(actor, 'late', 'the wrong file');
    breakIt(false);
    await clock.drive(clock.sleep(11_000));
    await pass();
    await pass();
    assert.deepEqual(
      told.map(({ id, word }) => [word.kind, id]),
      [['needs_approval', 'needs_approval:waiting']],
    );
    assert.deepEqual(await waitingFor(db, everything), []);
  });

  test('that was postponed is sent as soon as its recipient can be reached, but one that the recipient refuses keeps its delay', async () => {
    const { db, clock } = await teller();
    const add = (event_id: string) =>
      addToOutbox(db, { event_id, recipient: everything.id, body: '{}', created_at: clock.now() });
    const [tried, arrived] = [new Map<string, number>(), new Set<string>()];
    let isDown = true;
    const send: Sender = async (_recipient, _word, { eventId }) => {
      tried.set(eventId, (tried.get(eventId) ?? 0) + 1);
      if (isDown || eventId === 'refused') throw new Error('out of order');
      arrived.add(eventId);
    };
    const deps = { db, clock, recipients: [everything], isCompleteList: true, send, onTrouble: () => undefined };
    const { begin, ended } = makeDelivery({ ...deps, onError });
    const pass = async () => {
      await begin();
      await ended();
    };
    for (const event of ['approve', 'refused']) await add(event);
    for (let minute = 0; minute < 5 * 60; minute++) {
      await pass();
      await clock.drive(clock.sleep(60_000));
    }
    isDown = false;
    await pass();
    assert.deepEqual([...arrived], [], 'each waits for hours');
    await add('news');
    await pass();
    assert.deepEqual([...arrived], ['news', 'approve']);
    const before = tried.get('refused') ?? 0;
    for (const event of ['more', 'and more']) {
      await add(event);
      await pass();
    }
    assert.equal(tried.get('refused'), before);
  });

  test('is sent once, even if two processes send at the same time', async () => {
    const { db, clock, told } = await teller();
    await addToOutbox(db, { event_id: 'e', recipient: everything.id, body: '{}', created_at: clock.now() });
    const answer = Promise.withResolvers<void>();
    const send: Sender = async (recipient, word, { eventId: id }) => {
      told.push({ to: recipient.id, word, id });
      await answer.promise;
    };
    const one = () =>
      deliver({ db, clock, recipients: [everything], isCompleteList: true, send, onTrouble: assert.fail });
    const both = [one(), one()];
    await Promise.race(both);
    answer.resolve();
    await Promise.all(both);
    assert.equal(told.length, 1);
  });

  test('for a recipient of another process is left to that; a recipient removed from the configuration gets nothing more', async () => {
    const { db, clock, told, pass } = await teller();
    await addToOutbox(db, { event_id: 'e', recipient: 'chat of a job', body: '{}', created_at: clock.now() });
    const waiting = () => waitingFor(db, { id: 'chat of a job' });
    const recipients = [everything];
    await deliver({ db, clock, recipients, isCompleteList: false, send: () => assert.fail(), onTrouble: assert.fail });
    assert.equal((await waiting()).length, 1);
    await pass();
    assert.deepEqual([await waiting(), told], [[], []]);
  });

  test('reaches the other recipients while one does not answer, whose later notifications wait', async () => {
    const { db, clock } = await teller();
    const silent: Recipient = { ...everything, id: 'chat silent' };
    const add = async (event_id: string) => {
      for (const { id: recipient } of [silent, everything])
        await addToOutbox(db, { event_id, recipient, body: '{}', created_at: clock.now() });
    };
    const begun: string[] = [];
    const answer = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const send: Sender = async (recipient, _word, { eventId }) => {
      begun.push(`${recipient.id} ${eventId}`);
      if (eventId === 'later' && recipient === everything) told.resolve();
      if (recipient === silent) await answer.promise;
    };
    const how = { isCompleteList: true, send, onTrouble: assert.fail, onError };
    const delivery = makeDelivery({ db, clock, recipients: [silent, everything], ...how });
    await add('first');
    await delivery.begin();
    await clock.drive(clock.sleep(1));
    await add('later');
    await delivery.begin();
    await told.promise;
    assert.deepEqual(begun.sort(), ['chat all first', 'chat all later', 'chat silent first']);
    answer.resolve();
    await delivery.ended();
    assert.equal(begun.at(-1), 'chat silent later');
    assert.deepEqual([await waitingFor(db, silent), await waitingFor(db, everything)], [[], []]);
  });

  test('to a recipient that does not answer delays no other, and is due as before if the program ends meanwhile', async () => {
    const { db, clock, told } = await teller();
    const silent: Recipient = { ...everything, id: 'chat silent' };
    for (const recipient of [silent.id, everything.id])
      for (const event_id of ['a', 'b'])
        await addToOutbox(db, { event_id, recipient, body: '{}', created_at: clock.now() });
    const ending = new AbortController();
    const send: Sender = async (recipient, word, { eventId: id }, signal) => {
      told.push({ to: recipient.id, word, id });
      if (recipient === silent) await new Promise((_, reject) => signal?.addEventListener('abort', reject));
      else if (id === 'b') setImmediate(() => ending.abort());
    };
    const recipients = [silent, everything];
    const how = { isCompleteList: true, send, onTrouble: assert.fail, ending: ending.signal };
    await deliver({ db, clock, recipients, ...how });
    assert.deepEqual(told.map(({ to, id }) => `${to} ${id}`).sort(), ['chat all a', 'chat all b', 'chat silent a']);
    const left = await waitingFor(db, silent);
    assert.deepEqual(
      left.map(({ event_id, attempts }) => [event_id, attempts]),
      [
        ['a', 0],
        ['b', 0],
      ],
    );
  });
});

const noReport = async () => ({ place: '/none', bytes: null, open: async () => assert.fail('it is missing') });

const word: Message = {
  kind: 'finished',
  subject: 'Payout run-1: All 3 rows were paid',
  lines: ['All 3 rows were paid', 'Run: run-1'],
  facts: { batch_id: 'batch-1', completed: 3 },
  report: 'batch-1',
};
const sent = { eventId: 'finished:batch-1:5', at: Date.now() };

async function listener(t: TestContext, status = 200) {
  const requests: { headers: Record<string, string>; body: string }[] = [];
  const { url } = await httpServer(t, (request, body, response) => {
    requests.push({ headers: request.headers as Record<string, string>, body: body.toString() });
    response.writeHead(status).end();
  });
  return { url, requests };
}

/** The one link of a message that stays one, and its digits. */
const opened = 'https://pay.example.org/batches/20261127-203907-4101/approval';

describe('a webhook', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

  test('is signed as Standard Webhooks specifies: its own library accepts it, and no changed body', async (t) => {
    const { url, requests } = await listener(t);
    const send = makeSender({ mail: null, report: noReport, secrets: [] });
    const about = { ...word, open: opened };
    await send({ id: 'w', kind: 'webhook', url, secret: { value: secret }, on: newsKinds }, about, sent);
    const [request = assert.fail()] = requests;
    const verified = new Webhook(secret).verify(request.body, request.headers) as { type: string; data: object };
    assert.equal(verified.type, 'finished');
    assert.deepEqual(
      { ...verified.data },
      { text: word.subject, batch_id: 'batch-1', completed: 3, console_url: opened },
    );
    assert.throws(() => new Webhook(secret).verify(`${request.body} `, request.headers));
    assert.equal(request.headers['webhook-id'], sent.eventId);
  });

  test('that is answered with an error counts as not delivered', async (t) => {
    const { url } = await listener(t, 500);
    const send = makeSender({ mail: null, report: noReport, secrets: [] });
    await assert.rejects(
      send({ id: 'w', kind: 'webhook', url, secret: { value: secret }, on: newsKinds }, word, sent),
      /HTTP 500/,
    );
  });
});

test('a chat or mail server that does not answer is abandoned at once when the program ends', async (t) => {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const mail = { host: '127.0.0.1', port, secure: false, from: 'airbatch@example.com' };
  const send = makeSender({ mail, report: noReport, secrets: [] });
  const chat: Recipient = { id: 'c', kind: 'chat', url: { value: `http://127.0.0.1:${port}` }, on: newsKinds };
  const email: Recipient = { id: 'm', kind: 'email', to: 'ann@example.com', attachReport: true, on: newsKinds };
  for (const recipient of [chat, email]) {
    const ending = new AbortController();
    const sending = send(recipient, word, sent, ending.signal);
    setTimeout(() => ending.abort(), 50);
    await assert.rejects(sending, /abort/i);
  }
});

test('mails about two files have different subjects, and a link that a click follows', async (t) => {
  const sentMails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => {
        sentMails.push(text);
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.after(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  const { port } = server.server.address() as AddressInfo;
  const mail = { host: '127.0.0.1', port, secure: false, from: 'airbatch@example.com' };
  const send = makeSender({ mail, report: noReport, secrets: [] });
  const email: Recipient = { id: 'm', kind: 'email', to: 'ann@example.com', attachReport: false, on: newsKinds };
  for (const [file_name, batch_id] of [
    ['a.csv', 'batch-1'],
    ['b.csv', 'batch-2'],
  ] as const)
    await send(email, { ...word, facts: { file_name, job: 'payroll', batch_id }, open: opened }, sent);
  for (const text of sentMails) assert.ok(text.replace(/=\r\n/g, '').includes(`\r\nOpen:    ${opened}\r\n`), text);
  const subjects = sentMails.map((text) => /^Subject: (.*(?:\r\n .*)*)/m.exec(text)?.[1]?.replace(/\r\n/g, ''));
  assert.deepEqual(subjects, [
    'Payout run-1: All 3 rows were paid (a.csv, job payroll, batch batch-1)',
    'Payout run-1: All 3 rows were paid (b.csv, job payroll, batch batch-2)',
  ]);
});

test('a chat gets one text', async (t) => {
  const { url, requests } = await listener(t);
  const send = makeSender({ mail: null, report: noReport, secrets: [] });
  await send({ id: 'c', kind: 'chat', url: { value: url }, on: newsKinds }, { ...word, open: opened }, sent);
  assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), {
    text: `${word.subject}\n\n${word.lines.join('\n')}\nOpen:    ${opened}\n`,
  });
});

test('an e-mail has the subject, the text and the report, under an id that stays the same', async (t) => {
  const folder = folderOf(t);
  mkdirSync(join(folder, 'batch-1'));
  writeFileSync(join(folder, 'batch-1/report.html'), '<p>the report</p>');
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => {
        mails.push(text);
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.after(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  const { port } = server.server.address() as AddressInfo;
  const mail = { host: '127.0.0.1', port, secure: false, from: 'airbatch@example.com' };
  const send = makeSender({
    mail,
    report: reportForMail({ config: { out: folder }, clock: systemClock, ledgerPath: '' } as unknown as Session),
    secrets: [],
  });
  const recipient: Recipient = {
    id: 'email ann@example.com',
    kind: 'email',
    to: 'ann@example.com',
    attachReport: true,
    on: newsKinds,
  };
  await send(recipient, word, sent);
  await send(recipient, word, sent);
  const path = join(folder, 'batch-1/report.html');
  truncateSync(path, 5 * 2 ** 20 + 1);
  await send(recipient, word, sent);
  assert.ok(mails[2]?.includes(`Report:  ${path}`), 'one that is too large is named');
  assert.doesNotMatch(mails[2] ?? '', /filename=/);
  rmSync(path);
  await send(recipient, word, sent);
  const unfolded = mails[3]?.replace(/=\r\n/g, '') ?? '';
  assert.ok(unfolded.includes(`Report:  not at ${path}: "airbatch report batch-1" writes it`), unfolded);
  assert.match(mails[0] ?? '', /Subject: Payout run-1: All 3 rows were paid/);
  assert.match(mails[0] ?? '', /filename=batch-1\.html/);
  const ids = mails.map((text) => /Message-ID: (.*)/i.exec(text)?.[1]);
  assert.ok(ids[0]);
  assert.equal(ids[0], ids[1]);
  await assert.rejects(
    makeSender({ mail: null, report: noReport, secrets: [] })(recipient, word, sent),
    /no mail server/,
  );
});
