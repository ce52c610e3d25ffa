import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { filesToArchive, insertJobFile } from '../../src/ledger/jobs/job-files.ts';
import { retriesGivenUp } from '../../src/ledger/jobs/job-retries.ts';
import { insertSlot } from '../../src/ledger/jobs/slots.ts';
import type { Recipient } from '../../src/notify/recipients.ts';
import { watchNews } from '../../src/notify/watch.ts';
import type { OpenAccount } from '../../src/runtime/accounts/account.ts';
import { archiveFile } from '../../src/runtime/inbox/archive-file.ts';
import { defineJob } from '../../src/runtime/jobs/define-job.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { retriedByPolicy } from '../../src/scheduler/retry-policy.ts';
import { startScheduler } from '../../src/scheduler/start.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { folderOf } from '../support/folder.ts';
import { testService } from '../support/ledger.ts';
import { makeOpenLimiter } from '../support/open-limiter.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A batch of a job, of whose three rows the first two have failed, and whose file waits to be put away. */
async function place(t: TestContext, { times = 1, rows = 3 } = {}) {
  const rig = await makeRig();
  for (const generation of ['', '~2', '~3'])
    for (let row = 1; row < rows; row++) rig.service.ends(`run-1/ref-${row}${generation}`, 'failed');
  await rig.add(someRows(rows), { job: 'payroll' });
  await rig.run();
  const folder = folderOf(t);
  const file = join(folder, 'x.csv');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, 'x');
  const slot = { job: 'payroll', due_at: 1 };
  await rig.db.transact(async (tx) => {
    await insertSlot(tx, { ...slot, state: 'done', detail: null });
    await insertJobFile(tx, { ...slot, batch_id: 'batch-1', name: 'x.csv', working_path: file });
  });
  const job = defineJob({
    name: 'payroll',
    schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
    source: { kind: 'file', file: 'x.csv' },
    retry: { codes: ['DECLINED'], times },
  });
  const limiter = makeOpenLimiter(rig.clock);
  const account = { name: 'main', service: testService, gateway: rig.service, limiter } as unknown as OpenAccount;
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const config = { intake: {}, policy: {} };
  const session = {
    db: rig.db,
    clock: rig.clock,
    log,
    config,
    ledgerPath: join(folder, 'ledger.db'),
  } as unknown as Session;
  const stopping = new AbortController();
  const deps = {
    session,
    jobs: [job],
    withAccount: <R>(_: unknown, work: (one: OpenAccount) => Promise<R>) => work(account),
  };
  const retry = () =>
    rig.clock.drive(retriedByPolicy({ ...deps, stopping: stopping.signal }, { batch_id: 'batch-1', job: 'payroll' }));
  const failure = (rowNo: number, code: string) =>
    rig.db.execute('UPDATE rows SET failure_code = ? WHERE row_no = ?', [code, rowNo]);
  const generations = async () => [(await rig.row(1)).generation, (await rig.row(2)).generation];
  const start = () => startScheduler({ ...deps, onBatches: () => undefined });
  return { rig, session, warnings, stopping, retry, failure, generations, start };
}

test('rows that failed with a code of the job are retried without a person, as often as the job says', async (t) => {
  const { rig, retry, failure, generations } = await place(t, { times: 2 });
  // The second failed for another reason than the job's.
  await failure(2, 'OTHER');
  await rig.db.execute(`UPDATE batches SET status = 'cancelled'`);
  assert.equal(await retry(), 'none', 'it was cancelled');
  await rig.db.execute(`UPDATE batches SET status = 'completed'`);
  for (const tried of [2, 3]) {
    assert.equal(await retry(), 'again');
    await rig.run();
    assert.deepEqual(await generations(), [tried, 1]);
  }
  assert.equal(await retry(), 'none');
  assert.deepEqual(await rig.states(), ['failed', 'failed', 'completed']);
});

test('a retry that the job allows once is made once, and after the decision it is not asked for again', async (t) => {
  const { rig, retry, generations } = await place(t);
  assert.equal(await retry(), 'again');
  await rig.run();
  const asked = rig.service.lookUps.length;
  assert.deepEqual([await retry(), await retry()], ['none', 'none']);
  assert.deepEqual(await generations(), [2, 2]);
  assert.equal(rig.service.lookUps.length, asked);
});

test('a retry whose look-up got no answer stays due, with its file, until the service answers', async (t) => {
  const { rig, session, warnings, retry, generations } = await place(t);
  rig.service.refuses.reads = true;
  assert.deepEqual([await retry(), await retry()], ['due', 'due']);
  assert.equal(warnings.length, 1);
  await archiveFile(session);
  assert.equal((await filesToArchive(rig.db)).length, 1, 'a slot that is run by hand meanwhile leaves it');
  rig.service.refuses.reads = false;
  assert.equal(await retry(), 'again');
  await rig.run();
  assert.deepEqual(await generations(), [2, 2]);
  assert.equal(await retry(), 'none');
  await archiveFile(session);
  assert.deepEqual(await filesToArchive(rig.db), []);
});

test('rows with an answer are retried, and the others are tried when these have ended', async (t) => {
  const { rig, retry, generations } = await place(t);
  const lookup = rig.service.lookup;
  rig.service.lookup = async (reference) => {
    if (reference !== 'run-1/ref-2') return lookup(reference);
    return { kind: 'unavailable', evidence: { httpStatus: 500, code: 'http_500', message: '', requestId: null } };
  };
  assert.equal(await retry(), 'again');
  await rig.run();
  assert.deepEqual(await generations(), [2, 1]);
  assert.equal(await retry(), 'due');
  rig.service.lookup = lookup;
  assert.equal(await retry(), 'again');
  await rig.run();
  assert.deepEqual(await generations(), [2, 2]);
});

test('a file whose batch was reopened after its end stays until the batch ends again', async (t) => {
  const { rig, session, retry } = await place(t);
  const ended = await filesToArchive(rig.db);
  assert.equal(await retry(), 'again');
  await archiveFile(session, ended);
  await rig.run();
  assert.deepEqual(
    (await filesToArchive(rig.db)).map(({ batch_id }) => batch_id),
    ['batch-1'],
  );
});

test('a retry that breaks off after some rows reports that the batch continues, and the other rows are tried later', async (t) => {
  const { rig, warnings, retry, generations } = await place(t);
  const { transact } = rig.db;
  let decisions = 0;
  rig.db.transact = (work) => {
    decisions += 1;
    if (decisions === 2) throw new AirbatchError('LEDGER_BUSY', 'another program writes');
    return transact(work);
  };
  assert.equal(await retry(), 'again');
  rig.db.transact = transact;
  assert.equal(warnings.length, 1);
  await rig.run();
  assert.deepEqual(await generations(), [2, 1]);
  assert.equal(await retry(), 'again');
  await rig.run();
  assert.deepEqual([await generations(), await retry()], [[2, 2], 'none']);
});

test('an unreachable service is not asked for every failed row', async (t) => {
  const { rig, retry } = await place(t, { rows: 40 });
  rig.service.refuses.reads = true;
  const asked = rig.service.lookUps.length;
  assert.equal(await retry(), 'due');
  assert.ok(rig.service.lookUps.length - asked <= 5);
});

test('a retry that fails for a day is given up, and a person is told once which rows it concerns', async (t) => {
  const { rig, retry, generations } = await place(t);
  const recipient: Recipient = {
    id: 'chat ops',
    kind: 'chat',
    url: { value: 'https://x.example' },
    on: ['slot_missed'],
  };
  await watchNews(rig.db, rig.clock, [recipient]);
  rig.service.refuses.reads = true;
  assert.equal(await retry(), 'due');
  await rig.clock.drive(rig.clock.sleep(25 * hour));
  rig.service.refuses.reads = false;
  assert.deepEqual([await retry(), await retry()], ['none', 'none']);
  assert.deepEqual(await generations(), [1, 1]);
  assert.equal((await retriesGivenUp(rig.db, 'payroll')).length, 1);
  await watchNews(rig.db, rig.clock, [recipient]);
  await watchNews(rig.db, rig.clock, [recipient]);
  const word = await rig.db.query<{ body: string }>('SELECT body FROM outbox');
  assert.equal(word.length, 1);
  const { subject, lines } = JSON.parse(word[0]?.body ?? '{}');
  assert.equal(subject, 'Job payroll: 2 failed rows of payout run-1 were not retried');
  assert.match(lines.join('\n'), /Next: {4}airbatch retry batch-1 --code DECLINED/);
});

test('a start makes the retry that a crash prevented, and a minute later the one that got no answer', async (t) => {
  const { rig, generations, start } = await place(t);
  rig.service.refuses.reads = true;
  const one = start();
  await rig.clock.drive(rig.clock.sleep(30_000));
  rig.service.refuses.reads = false;
  assert.deepEqual(await generations(), [1, 1]);
  await rig.clock.drive(rig.clock.sleep(2 * minute));
  assert.deepEqual(await generations(), [2, 2]);
  await rig.clock.drive(one.stop());
  await rig.run();
  const two = start();
  await rig.clock.drive(rig.clock.sleep(10 * minute));
  await rig.clock.drive(two.stop());
  assert.deepEqual(await generations(), [2, 2]);
  assert.deepEqual(await filesToArchive(rig.db), []);
});

test('a program that is stopping looks up no further row, and leaves the retry to its next start', async (t) => {
  const { rig, stopping, retry, generations } = await place(t);
  stopping.abort();
  assert.equal(await retry(), 'due');
  assert.deepEqual(await generations(), [1, 1]);
  assert.equal((await filesToArchive(rig.db)).length, 1);
});
