import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { reasonsOfError } from '../../../src/core/basics/slot-result.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { rejectBatch } from '../../../src/engine/batches/batch-commands.ts';
import type { Catalog } from '../../../src/intake/rows/network-catalog.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import type { BatchRecord } from '../../../src/ledger/batches/batches.ts';
import { insertSlot } from '../../../src/ledger/jobs/slots.ts';
import type { RequireSlot, SlotOutcome } from '../../../src/operations/slots/claimed-slot.ts';
import { runSlot } from '../../../src/operations/slots/run-slot.ts';
import type { OpenAccount } from '../../../src/runtime/accounts/account.ts';
import { archiveFile } from '../../../src/runtime/inbox/archive-file.ts';
import { leftNow } from '../../../src/runtime/inbox/remaining-files.ts';
import { defineJob, type JobInput } from '../../../src/runtime/jobs/define-job.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { archivedFilesOf } from '../../../src/runtime/upkeep/job-file-places.ts';
import { makeFakeService } from '../../support/fake-service.ts';
import { folderOf } from '../../support/folder.ts';
import { memoryLedger, testService } from '../../support/ledger.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

const minute = 60_000;
const broughtBefore = {
  outcome: 'done',
  detail: 'its files were imported before',
  reasons: [{ code: 'SLOT_BEFORE', values: {} }],
};

/** The codes of a slot's result. */
function codesOf({ reasons = [] }: SlotOutcome): string[] {
  return reasons.map(({ code }) => code);
}

const dueAt = Date.UTC(2026, 10, 25, 6);
const file = 'phone_number,network_id,amount,currency,reference\n0712 101 000,1,100,KES,R-1\n';

/** A job with a folder of its own, or another source, and its slot, which can be run again and again. */
async function place(t: TestContext, { source, ...fields }: Partial<JobInput> = {}) {
  const folder = folderOf(t);
  const placed = (given: JobInput['source']): JobInput['source'] => {
    if (given.kind === 'folder') return { ...given, folder };
    return given.kind === 'file' ? { ...given, file: join(folder, given.file) } : given;
  };
  const job = defineJob({
    name: 'payroll',
    schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
    source: placed(source ?? { kind: 'folder', folder: '.' }),
    intake: { country: 'KE' },
    ...fields,
  });
  const db = await memoryLedger();
  let now = dueAt;
  // What lies in these folders has lain there for years: nothing is gained by watching it.
  const clock = { ...systemClock, now: () => now, sleep: async () => undefined };
  const session = {
    config: {
      accounts: new Map(),
      secrets: [],
      intake: { country: 'NG' },
      policy: { approval: { needed: 'never' } },
      out: join(folder, 'reports'),
    },
    ledgerPath: join(folder, 'ledger.db'),
    db,
    clock,
    random: systemRandom,
    log: { info: () => undefined, warn: () => undefined },
    person: 'tester',
  } as unknown as Session;
  const networks = [{ networkId: 1, name: 'Safaricom', countryCode: 'KE', countryName: 'Kenya', currency: 'KES' }];
  const gateway = { ...makeFakeService(clock), networks: async () => ({ kind: 'items' as const, items: networks }) };
  const limiter = makeOpenLimiter(clock);
  const catalog: Catalog = { networks: async () => networks, products: async () => null };
  const account = { name: 'main', service: testService, credentialsFrom: 'PAY_KEY', gateway, limiter, catalog };
  const stopping = new AbortController();
  const run = (requireSlot: RequireSlot = async () => undefined, afterMs = 0) => {
    now = dueAt + afterMs;
    return runSlot(
      {
        session,
        base: folder,
        withAccount: (_name, work) => work(account as unknown as OpenAccount),
        requireSlot,
        stopping: stopping.signal,
      },
      job,
      dueAt,
    );
  };
  const write = (path: string, content = file) => {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, content);
    utimesSync(to, 1e9, 1e9);
  };
  const found = (path: string) => readdirSync(join(folder, path)).sort();
  const end = () => db.execute(`UPDATE batches SET status = 'completed'`);
  const toPutAway = async () =>
    (await db.query<{ name: string }>('SELECT name FROM job_files WHERE filed_at IS NULL')).map(({ name }) => name);
  const batches = async () =>
    (await db.query<{ status: string }>('SELECT status FROM batches ORDER BY status')).map(({ status }) => status);
  return { folder, db, session, gateway, job, run, stopping, write, found, end, toPutAway, batches };
}

describe('a slot', () => {
  test('reports once what in its inbox is not a file and is never paid: folders, pipes and links', async (t) => {
    const { run, write, session, folder } = await place(t, {
      source: { kind: 'folder', folder: '.', pattern: '*.csv' },
    });
    const warned: unknown[] = [];
    Object.assign(session.log, { warn: (_message: string, data: unknown) => void warned.push(data) });
    write('inbox/a.csv');
    write('inbox/old/b.csv');
    write('elsewhere.txt');
    symlinkSync(join(folder, 'elsewhere.txt'), join(folder, 'inbox/link.txt'));
    spawnSync('mkfifo', [join(folder, 'inbox/pipe.csv')]);
    const entries = '"link.txt" (a link), "old" (a folder), "pipe.csv" (a pipe)';
    const { outcome, detail } = await run();
    assert.equal(outcome, 'done');
    assert.match(detail, /^a\.csv is batch .*; not paid, because it is not a file: /);
    assert.ok(detail.endsWith(entries), detail);
    assert.deepEqual(warned, [{ job: 'payroll', entries }]);
    assert.doesNotMatch((await run()).detail, /no file/);
    mkdirSync(join(folder, 'inbox/new'));
    assert.match((await run()).detail, /not a file: "new" \(a folder\)$/);
    assert.equal(warned.length, 2);
  });

  test('with one bad file has its good one in the log as soon as that is imported', async (t) => {
    const { run, write, session } = await place(t);
    const logged: unknown[] = [];
    Object.assign(session.log, { info: (message: string, data: object) => void logged.push({ message, ...data }) });
    write('inbox/bad.csv', 'no,such\nfile,"');
    write('inbox/good.csv');
    assert.equal((await run()).outcome, 'failed');
    const [batch] = await session.db.query<{ batch_id: string; time_zone: string }>(
      `SELECT batch_id, time_zone FROM batches WHERE status = 'approved'`,
    );
    assert.equal(batch?.time_zone, 'Africa/Nairobi');
    const detail = `good.csv is batch ${batch?.batch_id} (1 row to pay)`;
    assert.deepEqual(logged, [
      { message: 'airbatch has made a batch from a file of a job', job: 'payroll', batch_id: batch?.batch_id, detail },
    ]);
  });

  test('whose process is stopping starts no further file of its inbox, and is run again', async (t) => {
    const { run, stopping, write, found, batches } = await place(t);
    for (const name of ['a.csv', 'b.csv']) write(`inbox/${name}`);
    stopping.abort();
    assert.equal((await run()).outcome, 'wait');
    assert.deepEqual(found('working'), ['20261125-0900~a.csv', '20261125-0900~b.csv']);
    assert.deepEqual(await batches(), []);
  });

  test('reports the rows whose text message is not sent, if the service has none', async (t) => {
    const { gateway, run, write } = await place(t, { intake: { country: 'KE', smsMessage: 'Thank you' } });
    Object.assign(gateway, { sendsTexts: false });
    write('inbox/x.csv');
    assert.match(
      (await run()).detail,
      /\(1 row to pay; 1 row with a text message that is not sent: Version 1 sends its own SMS instead/,
    );
  });

  test('pays the other files if one cannot be read, and fails: a person must look at that one', async (t) => {
    const { folder, run, write, batches } = await place(t);
    mkdirSync(join(folder, 'working', '20261125-0900~b.csv'), { recursive: true });
    for (const name of ['a.csv', 'c.csv']) write(`inbox/${name}`);
    const { outcome, detail } = await run();
    assert.equal(outcome, 'failed');
    assert.match(detail, /^a\.csv is batch .*; 20261125-0900~b\.csv is a folder, not a file; c\.csv is batch /);
    assert.deepEqual(await batches(), ['approved', 'approved']);
  });

  test('reports that a file cannot be read or moved for now, and brings no other twice meanwhile', async (t) => {
    const { folder, run, write, found, batches } = await place(t);
    for (const name of ['a.csv', 'b.csv']) write(`inbox/${name}`);
    const { rename } = fsPromises;
    const mocked = t.mock.method(fsPromises, 'rename', async (from: string, to: string) => {
      if (from.endsWith('b.csv'))
        throw Object.assign(new Error(`EROFS: read-only file system, rename '${from}'`), { code: 'EROFS' });
      return rename(from, to);
    });
    syncBuiltinESMExports();
    const first = await run();
    mocked.mock.restore();
    syncBuiltinESMExports();
    assert.deepEqual([first.outcome, first.mayPass], ['failed', true]);
    assert.match(first.detail, /^a\.csv is batch .*; b\.csv cannot be imported: EROFS: read-only file system$/);
    rmSync(join(folder, 'inbox', 'b.csv'));
    mkdirSync(join(folder, 'working', '20261125-0900~b.csv'));
    assert.deepEqual(await run(), {
      outcome: 'failed',
      detail: '20261125-0900~b.csv is a folder, not a file',
      reasons: [{ code: 'FILE_FOLDER', values: { file: '20261125-0900~b.csv' } }],
      mayPass: true,
    });
    rmSync(join(folder, 'working', '20261125-0900~b.csv'), { recursive: true });
    write('working/20261125-0900~b.csv');
    assert.equal((await run()).outcome, 'done');
    assert.deepEqual(await batches(), ['approved', 'approved']);
    assert.deepEqual(found('working'), ['20261125-0900~a.csv', '20261125-0900~b.csv']);
  });

  test('without its folder makes no other in its place, and does not treat that as an empty inbox', async (t) => {
    const { folder, run, write, batches } = await place(t);
    assert.equal((await run()).detail, 'found no file');
    const away = `${folder}-away`;
    renameSync(folder, away);
    t.after(() => rmSync(away, { recursive: true, force: true }));
    mkdirSync(folder);
    await assert.rejects(run(), {
      code: 'FILE_UNREADABLE',
      message: `the folder ${folder} cannot be used: its "inbox" no longer exists`,
    });
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
    renameSync(away, folder);
    write('inbox/a.csv');
    assert.equal((await run()).outcome, 'done');
    assert.deepEqual(await batches(), ['approved']);
  });

  test('reports a rejected file at its end as well, if it waited for another in between', async (t) => {
    const { folder, run, write, db } = await place(t);
    await insertSlot(db, { job: 'payroll', due_at: dueAt, state: 'due', detail: null });
    write('inbox/a.csv', 'nothing,of,it\n1,2,3\n');
    write('inbox/b.csv.part', 'x');
    const first = await run();
    assert.equal(first.outcome, 'wait');
    assert.match(first.detail, /^a\.csv could not be read: .*; still being written: b\.csv\.part$/);
    rmSync(join(folder, 'inbox', 'b.csv.part'));
    write('inbox/b.csv');
    const last = await run();
    assert.equal(last.outcome, 'failed');
    assert.match(
      last.detail,
      /^a\.csv could not be read: .*; b\.csv is batch .*; correct the file that could not be read and put it into the inbox/,
    );
    assert.deepEqual(codesOf(first), ['SLOT_REJECTED', 'COLUMN_MISSING', 'SLOT_WRITING']);
    assert.deepEqual(codesOf(last), ['SLOT_REJECTED', 'COLUMN_MISSING', 'SLOT_BATCH', 'SLOT_CORRECT']);
  });

  test('pays the other files if one cannot be taken, names it, and fails', async (t) => {
    const { folder, run, write, found, batches } = await place(t, {
      source: { kind: 'folder', folder: '.', pattern: '*.csv' },
    });
    const long = `a${'x'.repeat(245)}.csv`;
    for (const name of [long, 'b.csv']) write(`inbox/${name}`);
    write('elsewhere.csv');
    symlinkSync('../elsewhere.csv', join(folder, 'inbox', 'link.csv'));
    const { outcome, detail } = await run();
    assert.equal(outcome, 'failed');
    assert.match(detail, /^b\.csv is batch .* \(1 row to pay\); /);
    assert.match(detail, /; link\.csv cannot be imported: it is a link: put the file itself there/);
    assert.ok(detail.endsWith(`; ${long} cannot be imported: ENAMETOOLONG: name too long`), detail);
    assert.deepEqual(await batches(), ['approved']);
    assert.deepEqual(found('working'), ['20261125-0900~b.csv']);
  });

  const isLinux = process.platform === 'linux';
  test('reports a file whose name it cannot read, and fails', { skip: !isLinux }, async (t) => {
    const { folder, run } = await place(t);
    const inbox = join(folder, 'inbox');
    mkdirSync(inbox);
    writeFileSync(Buffer.concat([Buffer.from(`${inbox}/sal`), Buffer.of(0xe1), Buffer.from('rios.csv')]), file);
    assert.deepEqual(await run(), {
      outcome: 'failed',
      detail: 'sal\uFFFDrios.csv cannot be imported: its name is not UTF-8: give it another',
      reasons: [{ code: 'SLOT_NOT_TAKEN', values: { file: 'sal\uFFFDrios.csv', why: 'name', error: '' } }],
    });
  });

  test('continues with the other files if a rejected one cannot be archived', async (t) => {
    const { folder, run, write, batches } = await place(t);
    mkdirSync(join(folder, 'rejected', '20261125-0900~a.csv.why.txt'), { recursive: true });
    write('inbox/a.csv', '');
    write('inbox/b.csv');
    const { outcome, detail } = await run();
    assert.equal(outcome, 'failed');
    assert.match(
      detail,
      /^a\.csv could not be read: the file is empty; a\.csv cannot be archived: EISDIR.*; b\.csv is batch /,
    );
    assert.deepEqual(await batches(), ['approved', 'rejected']);
  });

  test('reports a rejected file that cannot be archived once, also if it is tried again', async (t) => {
    const { run, write, found } = await place(t);
    write('inbox/a.csv', '');
    write('inbox/b.csv.part', '');
    const { rename } = fsPromises;
    const mocked = t.mock.method(fsPromises, 'rename', async (from: string, to: string) => {
      if (to.includes('rejected')) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      return rename(from, to);
    });
    syncBuiltinESMExports();
    const details = [await run(), await run()].map(({ detail }) => detail);
    mocked.mock.restore();
    syncBuiltinESMExports();
    const told =
      'a.csv could not be read: the file is empty; a.csv cannot be archived: EACCES: permission denied; still being written: b.csv.part';
    assert.deepEqual(details, [told, told]);
    assert.deepEqual(found('working'), ['20261125-0900~a.csv']);
  });

  test('decides what a crash left undecided: its batch is neither imported again nor left waiting', async (t) => {
    const { db, run, write, batches } = await place(t);
    write('inbox/x.csv');
    const first = await run();
    assert.equal(first.outcome, 'done', first.detail);
    await db.execute(`UPDATE batches SET status = 'validated'`);
    assert.deepEqual(await run(), broughtBefore);
    assert.deepEqual(await batches(), ['approved']);
  });

  test('that another process has claimed brings nothing: its files are left to that process', async (t) => {
    const { db, run, write, batches, found } = await place(t);
    write('inbox/x.csv');
    let asked = 0;
    // It still had the slot as it took the file out of the inbox.
    const lost = async () => {
      asked += 1;
      if (asked > 1) throw new AirbatchError('FENCED', 'another process runs this slot');
    };
    await assert.rejects(run(lost), { code: 'FENCED' });
    assert.deepEqual(await batches(), ['validated'], 'nothing is approved');
    assert.deepEqual(await db.query('SELECT * FROM job_files'), []);
    assert.deepEqual(found('working'), ['20261125-0900~x.csv']);
    assert.match((await run()).detail, /x\.csv is batch .* \(1 row to pay\)/, 'whoever has the slot pays them');
    assert.deepEqual(await batches(), ['approved', 'validated']);
  });

  test('pays what its program wrote before a crash, and does not run the program again', async (t) => {
    const { run, write, batches } = await place(t, { source: { kind: 'command', command: ['false'] } });
    write('jobs/payroll/20261125-0900.csv');
    const { outcome, detail } = await run();
    assert.equal(outcome, 'done', detail);
    assert.deepEqual(await batches(), ['approved']);
  });

  test('waits for a single file that somebody is still writing, imports it once, and leaves it in its place', async (t) => {
    const source = { kind: 'file', file: 'x.csv' } as const;
    const { folder, db, session, run, write, end, toPutAway, batches } = await place(t, { source });
    const path = join(folder, 'x.csv');
    write('x.csv');
    write('~$x.csv');
    assert.equal((await run()).detail, 'still being written: x.csv');
    rmSync(join(folder, '~$x.csv'));
    assert.equal((await run()).outcome, 'done');
    write('~$x.csv');
    assert.deepEqual(await run(), broughtBefore, 'whatever is done to it afterwards');
    assert.deepEqual(await batches(), ['approved']);
    await end();
    await archiveFile(session);
    assert.deepEqual(await toPutAway(), []);
    const [batch] = await db.query<{ batch_id: string }>('SELECT batch_id FROM batches');
    assert.deepEqual(await archivedFilesOf(session, batch?.batch_id ?? ''), [path]);
  });

  test('reports that the folder of a single file is missing, not the file', async (t) => {
    const { folder, run, write } = await place(t, { source: { kind: 'file', file: 'share/x.csv' } });
    const share = join(folder, 'share');
    await assert.rejects(run(), {
      code: 'FILE_UNREADABLE',
      message: `the folder ${share} cannot be used: it is gone`,
    });
    mkdirSync(share);
    assert.deepEqual(await run(), {
      outcome: 'failed',
      detail: `there is no file x.csv in ${share}`,
      reasons: [{ code: 'FILE_MISSING', values: { file: 'x.csv', folder: share } }],
      mayPass: true,
    });
    write('share/x.csv');
    assert.equal((await run()).outcome, 'done');
  });

  test('waits for its file as long as the job says, and then fails', async (t) => {
    const { run, write } = await place(t, { source: { kind: 'folder', folder: '.', required: true, waitMinutes: 20 } });
    const waits = { outcome: 'wait', detail: 'there is no file', reasons: [{ code: 'SLOT_NO_FILE', values: {} }] };
    assert.deepEqual(await run(undefined, 20 * minute - 1), waits);
    assert.deepEqual(await run(undefined, 20 * minute), { ...waits, outcome: 'failed' });
    write('inbox/x.csv');
    write('inbox/y.csv.part');
    const { outcome, detail } = await run();
    assert.equal(outcome, 'wait');
    assert.match(detail, /^x\.csv is batch .*; still being written: y\.csv\.part$/);
  });

  test('without any file is done if none is required', async (t) => {
    const { run } = await place(t);
    assert.deepEqual(await run(), {
      outcome: 'done',
      detail: 'found no file',
      reasons: [{ code: 'SLOT_NO_FILE', values: {} }],
    });
  });

  test('lists what is in its inbox and does not match its pattern', async (t) => {
    const { run, write } = await place(t, { source: { kind: 'folder', folder: '.', pattern: '*.csv' } });
    write('inbox/november.xlsx');
    write('inbox/.DS_Store');
    write('inbox/november/x.csv');
    assert.deepEqual(await run(), {
      outcome: 'done',
      detail:
        'found no file; its inbox has "november.xlsx", not "*.csv"; not paid, because it is not a file: "november" (a folder)',
      reasons: [
        { code: 'SLOT_NO_FILE', values: {} },
        { code: 'SLOT_OTHER_NAMES', values: { files: 'november.xlsx', pattern: '*.csv' } },
        { code: 'SLOT_NOT_FILES', values: { files: '"november"' } },
      ],
    });
    for (const name of ['a', 'b', 'c']) write(`inbox/${name}.txt`);
    assert.match((await run()).detail, /has "a\.txt", "b\.txt", "c\.txt" and 1 more, not/);
  });

  test('fails if a file of it was rejected, and pays the others', async (t) => {
    const { run, write, found, batches } = await place(t);
    write('inbox/bad.csv', 'name,colour\nMary,blue\n');
    write('inbox/good.csv');
    const { outcome, detail } = await run();
    assert.equal(outcome, 'failed');
    assert.match(detail, /bad\.csv could not be read: .*; good\.csv is batch .* \(1 row to pay\)/);
    assert.ok(
      detail.endsWith(
        '; correct the file that could not be read and put it into the inbox before you run the slot again',
      ),
      detail,
    );
    assert.deepEqual(found('working'), ['20261125-0900~good.csv']);
    assert.deepEqual(found('rejected'), ['20261125-0900~bad.csv', '20261125-0900~bad.csv.why.txt']);
    assert.deepEqual(await batches(), ['approved', 'rejected']);
  });
});

describe('a file that a job has brought', () => {
  test('moves to `rejected` with the reason if a person rejected its batch, and is archived once', async (t) => {
    const { folder, db, session, run, write, found, toPutAway } = await place(t, {
      source: { kind: 'folder', folder: '.', required: true },
      policy: { approval: { needed: 'always' } },
      priority: 'urgent',
      finishBy: '17:00',
    });
    write('inbox/x.csv');
    const waits = await run();
    assert.match(waits.detail, /waits for approval/);
    assert.equal(waits.reasons?.[0]?.values.why, 'waits');
    assert.deepEqual(codesOf(waits).slice(0, 2), ['SLOT_BATCH', 'APPROVAL_ALWAYS']);
    const [batch] = await db.query<BatchRecord>('SELECT * FROM batches');
    assert.ok(batch);
    const [received] = await pageEvents(db, batch.batch_id, 0, 1);
    assert.equal(JSON.parse(received?.body ?? '').through, `job:${batch.job}`);
    assert.deepEqual([batch.priority, batch.finish_by], ['urgent', Date.parse('2026-11-25T17:00:00+03:00')]);
    await archiveFile(session);
    assert.deepEqual(found('working'), ['20261125-0900~x.csv'], 'its batch has not ended');
    await rejectBatch({ ...session, person: 'Ann', through: 'cli' }, batch.batch_id, 'the wrong month');
    await archiveFile(session);
    assert.deepEqual([found('working'), found('done')], [[], []]);
    assert.deepEqual(found('rejected'), ['20261125-0900~x.csv', '20261125-0900~x.csv.why.txt']);
    const rejected = join(folder, 'rejected/20261125-0900~x.csv');
    assert.equal(readFileSync(`${rejected}.why.txt`, 'utf8'), 'x.csv: the wrong month\n');
    assert.deepEqual(await archivedFilesOf(session, batch.batch_id), [rejected]);
    assert.deepEqual(await toPutAway(), []);
    assert.deepEqual(await run(), broughtBefore);
    // As where a crash has come between the putting away and the note of it.
    await db.execute('UPDATE job_files SET filed_at = NULL');
    await archiveFile(session);
    assert.deepEqual(await toPutAway(), []);
  });
});

describe('a file that a job has taken', () => {
  test('moves to `rejected` with its reason, however long its name is', async (t) => {
    const { db, session, run, write, found, toPutAway } = await place(t, {
      policy: { approval: { needed: 'always' } },
    });
    const names = ['a', 'b'].map((letter) => `${letter}${'é'.repeat(118)}.csv`);
    for (const [index, name] of names.entries())
      write(`inbox/${name}`, index === 0 ? 'name,colour\nMary,blue\n' : file);
    assert.doesNotMatch((await run()).detail, /put away/);
    const [batch] = await db.query<{ batch_id: string }>(
      `SELECT batch_id FROM batches WHERE status = 'awaiting_approval'`,
    );
    await rejectBatch({ ...session, person: 'Ann', through: 'cli' }, batch?.batch_id ?? '', 'the wrong month');
    await archiveFile(session);
    const cut = (letter: string) => `20261125-0900~${letter}${'é'.repeat(116)}.why.txt`;
    const taken = names.map((name) => `20261125-0900~${name}`);
    assert.deepEqual(found('rejected'), [cut('a'), taken[0], cut('b'), taken[1]].sort());
    assert.deepEqual(await toPutAway(), []);
  });

  test('waits while the share with its folder is missing, and nothing is made in its place', async (t) => {
    const { folder, session, run, write, found, end, toPutAway } = await place(t);
    write('inbox/x.csv');
    await run();
    await end();
    renameSync(folder, `${folder}-away`);
    mkdirSync(folder);
    await archiveFile(session);
    assert.deepEqual([readdirSync(folder), await toPutAway()], [[], ['x.csv']]);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-away`, folder);
    await archiveFile(session);
    assert.deepEqual([found('working'), found('done').length, await toPutAway()], [[], 2, []]);
  });

  test('is archived where it is, whatever happened to the job, and no other file is', async (t) => {
    const own = await place(t);
    own.write('inbox/x.csv');
    await own.run();
    const single = await place(t, { source: { kind: 'file', file: 'working/own.csv' } });
    single.write('working/own.csv');
    await single.run();
    for (const { session, end } of [own, single]) {
      await end();
      await archiveFile(session);
    }
    assert.deepEqual([own.found('working'), single.found('working')], [[], ['own.csv']]);
    const [reports, file] = own.found('done');
    assert.match(`${reports} ${file}`, /^20261125-060000-\w{4} 20261125-0900~x\.csv$/);
  });
});

describe('a file that a slot has taken and not imported', () => {
  const nobody = () => assert.fail('nothing is to be paid');

  test('is listed in the result of the slot', async (t) => {
    const { run, write } = await place(t);
    for (const name of ['a.csv', 'b.csv', 'c.csv', 'd.csv', 'e.csv']) write(`inbox/${name}`);
    let left = 2;
    const slot = run(async () => {
      // Once for what is taken, and once for the first that is brought.
      if (left-- === 0) throw new AirbatchError('LEDGER_BUSY', 'the ledger is busy');
    });
    const error: unknown = await slot.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AirbatchError);
    assert.equal(error.code, 'LEDGER_BUSY');
    assert.equal(error.message, 'the ledger is busy; not imported: b.csv, c.csv, d.csv and 1 more, in "working"');
    assert.deepEqual(reasonsOfError(error), [
      { code: 'SLOT_TROUBLE', values: { code: 'LEDGER_BUSY', error: 'the ledger is busy' } },
      { code: 'SLOT_NOT_BROUGHT', values: { files: 'b.csv, c.csv, d.csv, …' } },
    ]);
  });

  test('is reported by a later slot, once, and not after it is imported', async (t) => {
    const { folder, db, session, job, run, write } = await place(t);
    const told: unknown[] = [];
    const warn = (message: string, about: object) => void told.push([message, about]);
    const look = async (afterMs = minute) => {
      told.length = 0;
      const withAccount = nobody;
      const requireSlot = async () => undefined;
      const deps = { session: { ...session, log: { ...session.log, warn } } as Session, base: folder, withAccount };
      await runSlot({ ...deps, requireSlot }, job, dueAt + afterMs);
      return told;
    };
    const state = (to: string) => db.execute('UPDATE slots SET state = ?', [to]);
    await insertSlot(db, { job: 'payroll', due_at: dueAt, state: 'due', detail: null });
    write('working/20261125-0900~november.csv');
    write('working/.hidden');
    assert.deepEqual(await look(), [], 'its slot has its turn yet');
    await state('failed');
    const [[message, about] = []] = (await look()) as [[string, { next: string; files: number }]];
    assert.equal(message, 'files of a job are unprocessed, and are not paid');
    assert.equal(about?.files, 1);
    assert.match(
      about?.next ?? '',
      /^20261125-0900~november\.csv lies in "working" and is not paid: "airbatch jobs run payroll --slot 2026-11-25T06:00:00.000Z" imports it\.$/,
    );
    assert.deepEqual(await look(2 * minute), []);
    assert.deepEqual(await leftNow(db, job), [{ file: '20261125-0900~november.csv', due_at: dueAt }]);
    write('working/by-hand.csv');
    assert.match(
      JSON.stringify(await look()),
      /by-hand\.csv lies in .*: no run will read it there: put it into the inbox/,
    );
    rmSync(join(folder, 'working/by-hand.csv'));
    await run();
    assert.deepEqual([await look(), await leftNow(db, job)], [[], []], 'there is a batch of it');
    await db.execute(`UPDATE batches SET status = 'validated'`);
    assert.match(JSON.stringify(await look()), /november\.csv lies in .*: .*--slot/, 'the batch was not decided about');
  });
});

describe('a slot that compares with the service', () => {
  const day = 24 * 60 * minute;
  const compared = (t: TestContext) => place(t, { source: { kind: 'reconciliation', days: 2 } });

  /** A payment of which the ledger knows nothing, made so long before the slot (ms). */
  const foreign = (beforeMs: number) => ({
    key: 'k',
    topupId: 't-1',
    reference: 'elsewhere/1',
    serviceStatus: 'pending',
    state: 'open' as const,
    unknownStatus: false,
    phoneNumber: '+254712345678',
    amount: { value: '1', currency: 'KES' },
    cost: { value: '1', currency: 'USD' },
    productId: null,
    providerReference: null,
    failureCode: null,
    failureReason: null,
    createdAt: dueAt - beforeMs,
    completedAt: null,
    full: true,
  });

  for (const [what, beforeMs, outcome] of [
    ['fails where a payment of its days is in no ledger', 2 * day - minute, 'failed'],
    ['is done where what is in no ledger is older than its days', 2 * day + minute, 'done'],
  ] as const)
    test(`${what}, and leaves its reports where the command would`, async (t) => {
      const { gateway, run, found } = await compared(t);
      gateway.payments.set('t-1', foreign(beforeMs));
      const slot = await run();
      assert.equal(slot.outcome, outcome, slot.detail);
      assert.equal(slot.reasons?.[0]?.values.why, outcome === 'failed' ? 'open' : 'no_wallets');
      const [, dir = ''] = /\((R-[^)]+)\)$/.exec(slot.detail) ?? [];
      assert.ok(found(`reports/${dir}`).includes('reconciliation.csv'), slot.detail);
    });

  test('says which credentials to correct if they are refused', async (t) => {
    const { gateway, run } = await compared(t);
    gateway.refuses.reads = true;
    await assert.rejects(run(), {
      code: 'CREDENTIALS_REJECTED',
      hint: /^Correct PAY_KEY .*, then try again\.$/,
    });
  });
});
