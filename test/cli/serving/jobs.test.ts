import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn } from '../../support/folder-ledger.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

const examples = resolve(import.meta.dirname, '../../../jobs');

/**
 * A folder with the example jobs; `dropped` puts a file into the inbox of the payroll as one that has lain there for a
 * while.
 */
function place(t: TestContext) {
  const folder = folderOf(t);
  cpSync(examples, join(folder, 'jobs'), { recursive: true });
  const inbox = join(folder, 'payroll/inbox');
  mkdirSync(inbox, { recursive: true });
  const drop = (name: string, content: string, agoMs = 60_000) => {
    writeFileSync(join(inbox, name), content);
    const at = (Date.now() - agoMs) / 1_000;
    utimesSync(join(inbox, name), at, at);
  };
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  const runElsewhere = (...args: string[]) => runCommand(args, { cwd: folder });
  const found = (sub: string) => {
    const path = join(folder, 'payroll', sub);
    return existsSync(path) ? readdirSync(path).sort() : [];
  };
  const ledger = () => new DatabaseSync(join(folder, '.airbatch/ledger.db'), { timeout: 5_000 });
  return { folder, drop, run, runElsewhere, found, ledger };
}

const header = 'phone_number,network,amount,staff_no';
const payroll = (...rows: string[]) => [header, ...rows, ''].join('\n');
const two = payroll('0712 101 000,Safaricom,100,S-1', '0712 101 001,Safaricom,50,S-2');
const slot = '2026-10-25T09:00:00+03:00';

/** Replaces a job's module by a changed one in another file: a process loads the module of a path once. */
function changeJob(folder: string, from: string, to: string, change: (text: string) => string): void {
  const path = join(folder, `jobs/${from}.ts`);
  writeFileSync(join(folder, `jobs/${to}.ts`), change(readFileSync(path, 'utf8')));
  rmSync(path);
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!isSo()) {
    assert.ok(Date.now() < end, `not in time: ${what}`);
    await sleep(100);
  }
}

// Most of each test is waiting: for the sandbox to end payments, or for a process to start.
describe('airbatch jobs', { concurrency: 4 }, () => {
  test('serve catches up with a missed slot, pays the file in the inbox, and archives it', async (t) => {
    const { folder, drop, found, ledger } = place(t);
    await makeLedgerIn(folder);
    const db = ledger();
    // It was last seen before the last two slots, and nothing ran since.
    const since = lastPaydays(2) - 3_600_000;
    db.exec(`INSERT INTO job_state (job, looked_at) VALUES ('monthly-payroll', ${since})`);
    drop('payroll.csv', two);
    const command = startCommand(['serve', '--port', '0'], { cwd: folder });
    t.after(async () => {
      command.child.kill('SIGKILL');
      await command.ended;
      db.close();
    });
    await until('the file is put away', () => found('done').length === 2);
    const webhooks = db.prepare(`SELECT COUNT(*) AS count FROM inbox WHERE account = 'sandbox'`);
    await until('the sandbox has sent its webhooks to this very process', () => Number(webhooks.get()?.count) > 0);
    const slots = db.prepare(`SELECT state, reasons FROM slots WHERE job = 'monthly-payroll' ORDER BY due_at`).all();
    assert.equal(slots[0]?.reasons, '[{"code":"SLOT_MISSED","values":{}}]');
    assert.deepEqual(
      slots.map(({ state }) => state),
      ['skipped', 'done'],
    );
    const batch = db.prepare('SELECT status, created_by, approved_by, job FROM batches').all();
    assert.deepEqual(
      batch.map((one) => ({ ...one })),
      [
        {
          status: 'completed',
          created_by: 'job monthly-payroll',
          approved_by: 'job monthly-payroll',
          job: 'monthly-payroll',
        },
      ],
    );
    assert.deepEqual([found('inbox'), found('working')], [[], []]);
    command.child.kill('SIGTERM');
    const { code, stderr } = await command.ended;
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /712101000/);
    // Started again, it looks for slots, and runs nothing.
    const lookedAt = db.prepare(`SELECT looked_at FROM job_state WHERE job = 'monthly-payroll'`);
    // As if a minute had passed: it stores the time of a look once a minute.
    db.exec(`UPDATE job_state SET looked_at = looked_at - 60000`);
    const before = Number(lookedAt.get()?.looked_at);
    const second = startCommand(['serve', '--port', '0'], { cwd: folder });
    await until('it has looked for slots', () => Number(lookedAt.get()?.looked_at) > before);
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
    assert.equal(db.prepare('SELECT COUNT(*) AS count FROM batches').get()?.count, 1);
  });

  test('serve stops the program of a job when it is stopped, and the next start imports the slot', async (t) => {
    const { folder, ledger } = place(t);
    const program = slowProgram(folder, '0 9 25 * *');
    await makeLedgerIn(folder);
    const db = ledger();
    t.after(() => db.close());
    db.exec(`INSERT INTO job_state (job, looked_at) VALUES ('slow', ${Date.now() - 40 * 24 * 3_600_000})`);
    const first = startCommand(['serve', '--port', '0'], { cwd: folder });
    await until('the program has begun', () => program.isRunning());
    first.child.kill('SIGTERM');
    const { code, stderr } = await first.ended;
    assert.equal(code, 0, stderr);
    await until('the program has ended', () => !program.isRunning());
    assert.equal(db.prepare(`SELECT state FROM slots WHERE job = 'slow' ORDER BY due_at DESC`).get()?.state, 'due');
    program.mend();
    const second = startCommand(['serve', '--port', '0'], { cwd: folder });
    await second.seen(/"a job has run"/);
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).code, 0);
  });

  test('lists the jobs with their next runs, in their own time zones', async (t) => {
    const { run } = place(t);
    const { code, stdout } = await run('jobs');
    assert.equal(code, 0);
    assert.match(stdout, /friday-promo +0 17 \* \* 5 Africa\/Lagos +Fri \d{4}-\d\d-\d\d 17:00 +never/);
    assert.match(stdout, /monthly-payroll +0 9 25 \* \* Africa\/Nairobi +\w{3} \d{4}-\d\d-25 09:00 +never/);
  });

  test('lists unpaid files in `working`, and says how to import them', async (t) => {
    const { folder, run } = place(t);
    mkdirSync(join(folder, 'payroll/working'));
    writeFileSync(join(folder, 'payroll/working/left.csv'), two);
    assert.match(
      (await run('jobs')).stdout,
      /\n! monthly-payroll: left\.csv lies in "working" and is not paid: .*: put it into the inbox\.\n$/,
    );
    const { jobs } = JSON.parse((await run('--json', 'jobs')).stdout);
    assert.deepEqual(
      jobs.map(({ unprocessed }: { unprocessed: unknown }) => unprocessed),
      [[], [{ file: 'left.csv', slot: null }]],
    );
  });

  test('checks them, and writes a new one that passes', async (t) => {
    const { folder, run } = place(t);
    assert.equal((await run('jobs', 'new', 'bonus')).code, 0);
    const again = await run('jobs', 'new', 'bonus');
    assert.equal(again.code, 2);
    assert.match(again.stderr, /there is already a job .*bonus\.ts \[USAGE\]\nChange that file, or give the new job/);
    assert.equal((await run('jobs', 'check')).code, 0);
    changeJob(folder, 'bonus', 'wrong', (text) => text.replace('0 9 25', '0 99 25'));
    const bad = await run('jobs', 'check');
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /wrong\.ts: .*schedule\.cron/);
  });

  test('reports what a job needs and the configuration lacks, in the check and when serve starts, not when the job is due', async (t) => {
    const { folder, run } = place(t);
    const path = join(folder, 'jobs/friday-promo.ts');
    const more = "account: 'mian', notifications: [{ kind: 'email', to: 'ann@example.com', accounts: ['other'] }],";
    writeFileSync(path, readFileSync(path, 'utf8').replace("name: 'friday-promo',", `name: 'friday-promo', ${more}`));
    for (const command of [
      ['jobs', 'check'],
      ['serve', '--port', '0'],
    ]) {
      const { code, stderr } = await run(...command);
      assert.equal(code, 2);
      assert.match(stderr, /friday-promo\.ts: account: .*"mian"/);
      assert.match(stderr, /friday-promo\.ts: notifications\.0: an e-mail needs "mail"/);
      assert.match(stderr, /friday-promo\.ts: notifications\.0\.accounts: there is no account "other"/);
    }
  });

  test('reports slots that would share a run id, in the check and when serve starts', async (t) => {
    const { folder, run } = place(t);
    const path = join(folder, 'jobs/friday-promo.ts');
    writeFileSync(path, readFileSync(path, 'utf8').replace('yyyy-MM-dd', 'yyyy-MM'));
    const { code, stdout } = await run('jobs', 'check');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /! friday-promo \(jobs\/friday-promo\.ts\): the slots of .* have the same run id, "friday-promo-/,
    );
    assert.match(stdout, /✔ monthly-payroll/);
    const serving = startCommand(['serve', '--port', '0'], { cwd: folder });
    const [line] = await serving.seen(/.*several slots of a job have the same run id.*/);
    assert.equal(JSON.parse(line).job, 'friday-promo');
    serving.child.kill('SIGTERM');
    assert.equal((await serving.ended).code, 0);
  });

  test('runs a slot by hand, once: its file is archived with its reports', async (t) => {
    const { folder, drop, run, found } = place(t);
    drop('october.csv', two);
    const first = await run('--json', 'jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.equal(first.code, 0, first.stderr);
    const { summary } = JSON.parse(first.stdout).batches[0];
    assert.deepEqual([summary.run_id, summary.rows.by_status.completed], ['monthly-payroll-2026-10', 2]);
    assert.deepEqual(found('inbox'), []);
    assert.deepEqual(found('working'), []);
    assert.deepEqual(found('done'), ['20261025-0900~october.csv', summary.batch_id]);
    assert.equal((await run('verify', join('payroll/done', summary.batch_id))).code, 0);
    const again = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /has already run/);
    // The same people again in another slot of the month, in another file: nobody is paid twice.
    drop('october-again.csv', two);
    const third = await run('--json', 'jobs', 'run', 'monthly-payroll', '--slot', '2026-10-26T09:00:00+03:00');
    assert.equal(JSON.parse(third.stdout).batches[0].summary.rows.by_status.skipped, 2);
    assert.ok(existsSync(join(folder, 'payroll/done/20261026-0900~october-again.csv')));
  });

  test('leaves files to the process that works for the account, which first retries as the job says', async (t) => {
    const { drop, run, runElsewhere, found, ledger } = place(t);
    drop('november.csv', two);
    assert.equal((await run('jobs', 'run', 'monthly-payroll', '--slot', slot)).code, 0);
    const db = ledger();
    const { working_path } = db.prepare('SELECT working_path FROM job_files').get() as { working_path: string };
    db.exec('UPDATE job_files SET filed_at = NULL');
    writeFileSync(working_path, two);
    db.prepare('UPDATE leases SET holder = ?, expires_at = ?').run(
      `${hostname()}/${process.pid}/1`,
      Date.now() + 3_600_000,
    );
    await runElsewhere('jobs', 'run', 'monthly-payroll', '--slot', '2026-10-26T09:00:00+03:00');
    assert.deepEqual(found('working'), [basename(working_path)]);
    db.exec('UPDATE leases SET expires_at = 0');
    db.close();
    await run('jobs', 'run', 'monthly-payroll', '--slot', '2026-10-27T09:00:00+03:00');
    assert.deepEqual(found('working'), []);
  });

  test('runs a new job by hand under the run id of today, and says so before it imports anything', async (t) => {
    const { drop, run } = place(t);
    drop('november.csv', two);
    const { code, stderr } = await run('jobs', 'run', 'monthly-payroll');
    assert.equal(code, 0, stderr);
    const [, day, runId] =
      /^Slot {7}\w{3} (\d{4}-\d\d)-\d\d \d\d:\d\d \(Africa\/Nairobi\), run (\S+): now, because no due time of the job has passed/m.exec(
        stderr,
      ) ?? [];
    assert.equal(runId, `monthly-payroll-${day}`, stderr);
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Nairobi' }).format(Date.now());
    assert.equal(day, today.slice(0, 7));
  });

  test('runs the named slot, says which it is, and does not accept a day as a time', async (t) => {
    const { drop, run, found } = place(t);
    drop('october.csv', two);
    const day = await run('jobs', 'run', 'monthly-payroll', '--slot', '2026-10-01');
    assert.equal(day.code, 2, day.stderr);
    assert.match(day.stderr, /--slot "2026-10-01" is a day, not a time \[USAGE\]\nWrite the time with its zone/);
    assert.deepEqual(found('inbox'), ['october.csv']);
    const other = await run('jobs', 'run', 'monthly-payroll', '--slot', '2026-10-25T09:01:00+03:00');
    assert.match(
      other.stderr,
      /^Slot {7}Sun 2026-10-25 09:01 \(Africa\/Nairobi\), run monthly-payroll-2026-10: the named time, which is not one of its due times$/m,
    );
    const due = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.match(
      due.stderr,
      /^Slot {7}Sun 2026-10-25 09:00 \(Africa\/Nairobi\), run monthly-payroll-2026-10: as named$/m,
    );
  });

  test('runs no dropped slot by hand, since nobody knows whether it has run', async (t) => {
    const { drop, run, found, ledger } = place(t);
    // A slot without a file fails, and makes the ledger.
    assert.equal((await run('jobs', 'run', 'monthly-payroll', '--slot', '2026-09-25T09:00:00+03:00')).code, 3);
    drop('old.csv', two);
    const db = ledger();
    db.exec(`INSERT INTO job_state (job, slots_dropped_until) VALUES ('monthly-payroll', ${Date.parse(slot)})
      ON CONFLICT (job) DO UPDATE SET slots_dropped_until = excluded.slots_dropped_until`);
    db.close();
    const { code, stderr } = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /it is no longer known whether .* has run \[USAGE\]\nIts slots up to 2026-10-25T06:00:00\.000Z were dropped/,
    );
    assert.deepEqual(found('inbox'), ['old.csv']);
    assert.equal((await run('jobs', 'run', 'monthly-payroll', '--slot', '2026-10-25T09:01:00+03:00')).code, 0);
  });

  test('moves an unreadable file aside, with the reason, and pays the others', async (t) => {
    const { folder, drop, run, found } = place(t);
    drop('bad.csv', 'name,colour\nMary,blue\n');
    drop('good.csv', two);
    const result = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.equal(result.code, 3, result.stderr);
    assert.deepEqual(found('rejected'), ['20261025-0900~bad.csv', '20261025-0900~bad.csv.why.txt']);
    assert.match(
      readFileSync(join(folder, 'payroll/rejected/20261025-0900~bad.csv.why.txt'), 'utf8'),
      /bad\.csv: .*the column "staff_no", but the file has no such column; its header reads ".*"\. Name a column of the file: --map reference="\.\.\.", or intake\.columns\.reference in the configuration\. Nothing was sent\.\n$/,
    );
    assert.equal(found('done').includes('20261025-0900~good.csv'), true);
    assert.match(
      (await run('jobs')).stdout,
      /^! monthly-payroll: the run of Sun 2026-10-25 09:00 has failed: bad\.csv could not be read: /m,
    );
  });

  test('archives what it can, if the folder of another job is not writable', async (t) => {
    const { folder, drop, run, found } = place(t);
    const job = JSON.stringify({
      name: 'bonus',
      schedule: { cron: '0 9 1 * *', timeZone: 'UTC' },
      source: { kind: 'folder', folder: 'bonus' },
    });
    writeFileSync(join(folder, 'jobs/bonus.json'), job);
    mkdirSync(join(folder, 'bonus/inbox'), { recursive: true });
    writeFileSync(join(folder, 'bonus/inbox/b.csv'), payroll('0712 101 005,Safaricom,70,B-1'));
    utimesSync(join(folder, 'bonus/inbox/b.csv'), 1e9, 1e9);
    // No file can be put where a folder lies.
    mkdirSync(join(folder, 'bonus/done/20261001-0900~b.csv'), { recursive: true });
    const { stderr } = await run('jobs', 'run', 'bonus', '--slot', '2026-10-01T09:00:00Z');
    assert.match(stderr, /"files":1,"job":"bonus".*files of a job could not be archived/);
    drop('october.csv', two);
    const second = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.equal(second.code, 0, second.stderr);
    assert.equal(found('done').length, 2);
  });

  test('fails the slot of a file that was still being written when it was read, and pays the rest when it comes again', async (t) => {
    const { folder, drop, run, found, ledger } = place(t);
    drop('october.csv', two);
    assert.equal((await run('jobs', 'run', 'monthly-payroll', '--slot', slot)).code, 0);
    const whole = `${two}0712 101 002,Safaricom,75,S-3\n`;
    const db = ledger();
    // As it stands before it is put away; meanwhile its writer has gone on.
    db.exec('UPDATE job_files SET filed_at = NULL');
    writeFileSync(join(folder, 'payroll/done/20261025-0900~october.csv'), whole);
    const command = startCommand(['serve', '--port', '0'], { cwd: folder });
    t.after(async () => {
      command.child.kill('SIGKILL');
      await command.ended;
      db.close();
    });
    await command.seen(/a file of a job has changed since it was read/);
    const [failed] = db.prepare(`SELECT state, detail, reasons FROM slots WHERE job = 'monthly-payroll'`).all();
    assert.equal(failed?.state, 'failed');
    assert.match(String(failed?.detail), /october\.csv was still being written.*run the slot again/);
    assert.match(String(failed?.reasons), /^\[\{"code":"SLOT_PARTIAL"/);
    assert.equal(found('done').length, 2, 'its reports are there all the same');
    command.child.kill('SIGTERM');
    await command.ended;
    drop('october.csv', whole);
    const again = await run('--json', 'jobs', 'run', 'monthly-payroll', '--slot', slot);
    const { completed, skipped } = JSON.parse(again.stdout).batches[0].summary.rows.by_status;
    assert.deepEqual([completed, skipped], [1, 2], again.stderr);
  });

  test('ends with the exit code of the command that does the same by hand', async (t) => {
    const { folder, drop, run, ledger } = place(t);
    const schedule = { cron: '0 9 25 * *', timeZone: 'UTC' };
    const job = (name: string, fields: object) =>
      writeFileSync(join(folder, `jobs/${name}.json`), JSON.stringify({ name, schedule, ...fields }));
    const file = join(folder, 'some.csv');
    writeFileSync(file, two);
    utimesSync(file, 1, 1);
    job('unknown', { source: { kind: 'file', file }, account: 'nobody' });
    job('compared', { source: { kind: 'reconciliation' } });
    job('small', {
      source: { kind: 'file', file },
      intake: { columns: { reference: 'staff_no' }, country: 'KE', currency: 'KES', guards: { rowsMax: 1 } },
    });
    assert.equal((await run('jobs', 'run', 'small', '--slot', slot)).code, 3, 'the file is rejected');
    assert.equal((await run('jobs', 'run', 'unknown', '--slot', slot)).code, 2, 'the account is not known');
    drop('october.csv', two);
    assert.equal((await run('jobs', 'run', 'monthly-payroll', '--slot', slot)).code, 0);
    const compare = () => run('jobs', 'run', 'compared', '--slot', new Date(Date.now() + 60_000).toISOString());
    assert.equal((await compare()).code, 0, 'everything agrees');
    const db = ledger();
    db.exec(`UPDATE rows SET status = 'failed' WHERE row_no = 1`);
    db.close();
    assert.equal((await compare()).code, 5, 'somebody must look');
  });

  test('waits with a file that has network names while the service, which knows them, cannot be reached', async (t) => {
    const { folder, drop, found } = place(t);
    drop('october.csv', two);
    const args = ['--json', 'jobs', 'run', 'monthly-payroll', '--slot', slot];
    const nobody = { AIRBATCH_BASE_URL: 'http://127.0.0.1:1', AIRBATCH_API_KEY: 'sandbox-key' };
    const first = await runHere(args, { cwd: folder, env: nobody });
    assert.equal(first.code, 5, first.stderr);
    const { outcome, batches } = JSON.parse(first.stdout);
    assert.match(outcome.detail, /networks that .*october\.csv names could not be looked up/);
    assert.deepEqual([batches, found('working'), found('done')], [[], ['20261025-0900~october.csv'], []]);
    assert.equal((await runHere(args, { cwd: folder, env: nobody })).code, 5);
    const status = await runHere(['--json', 'status'], { cwd: folder, env: nobody });
    assert.deepEqual(JSON.parse(status.stdout).batches, []);
    const sandbox = await sandboxHere(t);
    const second = await runHere(args, { cwd: folder, env: sandbox.env });
    assert.equal(second.code, 0, second.stderr);
    assert.equal(JSON.parse(second.stdout).batches[0].summary.rows.by_status.completed, 2);
  });

  test('asks for the networks of all files of an inbox once: the service allows six requests a minute', async (t) => {
    const { folder, drop, found } = place(t);
    const sandbox = await sandboxHere(t, { rate: 3 });
    const job = {
      schedule: { cron: '0 9 25 * *', timeZone: 'UTC' },
      source: { kind: 'folder', folder: 'payroll' },
      intake: { columns: { reference: 'staff_no' }, country: 'KE', currency: 'KES' },
      policy: { approval: { needed: 'always' } },
    };
    rmSync(join(folder, 'jobs/monthly-payroll.ts'));
    writeFileSync(join(folder, 'jobs/inboxes.json'), JSON.stringify({ name: 'inboxes', ...job }));
    const names = Array.from({ length: 8 }, (_, index) => `${index}.csv`);
    for (const [index, name] of names.entries()) drop(name, payroll(`071210100${index},Safaricom,100,S-${index}`));
    const args = ['--json', 'jobs', 'run', 'inboxes', '--slot', slot];
    const { code, stdout, stderr } = await runHere(args, { cwd: folder, env: sandbox.env });
    assert.equal(code, 5, stdout + stderr);
    assert.equal(JSON.parse(stdout).outcome.detail.match(/waits for approval/g)?.length, names.length, stdout);
    assert.equal(found('working').length, names.length);
  });

  test('ends with the command that reads a corrected file as the job reads its own', async (t) => {
    const { folder, drop, run } = place(t);
    const job = (name: string, intake: object) => {
      const schedule = { cron: '0 9 25 * *', timeZone: 'UTC' };
      const source = { kind: 'folder', folder: 'payroll' };
      const fields = {
        name,
        schedule,
        source,
        intake: { columns: { reference: 'staff_no' }, country: 'KE', ...intake },
      };
      rmSync(join(folder, 'jobs/monthly-payroll.ts'), { force: true });
      rmSync(join(folder, 'jobs/said.ts'), { force: true });
      writeFileSync(join(folder, `jobs/${name}.ts`), `export default ${JSON.stringify(fields)};`);
    };
    for (const [name, intake, ending] of [
      [
        'said',
        { currency: 'KES', duplicates: 'hold', guards: { rowsMax: 100 } },
        ' --country KE --currency KES --map reference=staff_no',
      ],
      ['unsaid', { networkId: 1, currency: 'KES' }, '; if you gave options for reading the first file, add them'],
    ] as const) {
      job(name, intake);
      drop('october.csv', payroll('071210100,Safaricom,100,S-1'));
      const { stderr } = await run('jobs', 'run', name, '--slot', slot);
      assert.ok(stderr.includes(`airbatch run corrected.csv --run-id ${name}-2026-10${ending}\n`), stderr);
    }
  });

  test('leaves a large file for a second person', async (t) => {
    const { drop, run, found } = place(t);
    const rows = Array.from({ length: 30 }, (_, index) => `07121010${10 + index},Safaricom,4000,S-${index}`);
    drop('large.csv', payroll(...rows));
    const result = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.equal(result.code, 5);
    assert.match(result.stderr, /waits for approval: KES 120,000\.00 is more than the KES 100,000\.00/);
    assert.deepEqual(found('working'), ['20261025-0900~large.csv']);
  });

  test('says of a file that was dropped twice that each of its rows is paid once', async (t) => {
    const { folder, drop, run } = place(t);
    const rows = Array.from({ length: 30 }, (_, index) => `07121010${10 + index},Safaricom,4000,S-${index}`);
    for (const name of ['a.csv', 'b.csv']) drop(name, payroll(...rows));
    const { stderr } = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    const said =
      /a\.csv is batch (\S+) \(waits [^;]*\); b\.csv is batch (\S+) \(waits .*; 30 of the rows to pay are also in batch \1 of this run \(awaiting approval\): each is paid once/;
    const [, first = '', second = ''] = said.exec(stderr) ?? assert.fail(stderr);
    const approve = (batch: string) =>
      runHere(['--json', 'approve', batch, '--yes'], { cwd: folder, env: { USER: 'ann', LOGNAME: 'ann' } });
    await approve(first);
    await run('resume', first);
    const { review } = JSON.parse((await approve(second)).stdout);
    assert.deepEqual(review.same_rows, [{ batch_id: first, status: 'completed', rows: 30, paid: 30 }]);
  });

  test('says when there is no file, or when it is still being written', async (t) => {
    const { drop, run } = place(t);
    const none = await run('jobs', 'run', 'monthly-payroll', '--slot', slot);
    assert.deepEqual([none.code, /there is no file/.test(none.stderr)], [3, true]);
    assert.match(none.stderr, /^monthly-payroll, slot of Sun 2026-10-25 09:00 \(Africa\/Nairobi\): /m);
    drop('x.csv', two, 0);
    const writing = setInterval(() => drop('x.csv', two, 0), 100);
    t.after(() => clearInterval(writing));
    const now = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    const fresh = await run('jobs', 'run', 'monthly-payroll', '--slot', now);
    assert.deepEqual([fresh.code, /still being written: x\.csv/.test(fresh.stderr)], [5, true]);
  });

  test('imports what a command writes, and nothing of one that fails', async (t) => {
    const { folder, run } = place(t);
    mkdirSync(join(folder, 'promo'));
    writeFileSync(
      join(folder, 'promo/winners.csv'),
      'phone_number,network_id,amount,reference\n+2348031230001,13,100,W-1\n',
    );
    const paid = await run('--json', 'jobs', 'run', 'friday-promo', '--slot', '2026-11-20T17:00:00+01:00');
    assert.equal(JSON.parse(paid.stdout).batches.length, 1, paid.stderr);
    assert.match(JSON.parse(paid.stdout).outcome.detail, /\(1 row to pay\)/);
    changeJob(folder, 'friday-promo', 'failing', (text) =>
      text.replace("'cat', 'promo/winners.csv'", "'cat', 'none.csv'"),
    );
    const failed = await run('jobs', 'run', 'friday-promo', '--slot', '2026-11-27T17:00:00+01:00');
    assert.deepEqual([failed.code, /exit code 1: cat: none\.csv/.test(failed.stderr)], [3, true]);
  });

  test('runs a command again whose file was rejected, and keeps what it wrote', async (t) => {
    const { folder, run } = place(t);
    const winners = join(folder, 'promo/winners.csv');
    mkdirSync(join(folder, 'promo'));
    writeFileSync(winners, 'name,colour\nMary,blue\n');
    const slot = ['--slot', '2026-11-20T17:00:00+01:00'];
    const bad = await run('jobs', 'run', 'friday-promo', ...slot);
    assert.match(bad.stderr, /20261120-1700\.csv could not be read/);
    assert.deepEqual(readdirSync(join(folder, '.airbatch/jobs/friday-promo')), ['20261120-1700.csv.rejected']);
    writeFileSync(winners, 'phone_number,network_id,amount,reference\n+2348031231234,13,100,W-1\n');
    const mended = await run('--json', 'jobs', 'run', 'friday-promo', ...slot);
    assert.equal(mended.code, 0, mended.stderr);
    assert.equal(JSON.parse(mended.stdout).batches[0].summary.rows.by_status.completed, 1);
    assert.deepEqual(
      readdirSync(join(folder, '.airbatch/jobs/friday-promo')),
      [],
      'nothing of it stays when it is put away',
    );
  });

  test('does not run a command again if a crash came after its file was archived', async (t) => {
    const { folder, run, ledger } = place(t);
    mkdirSync(join(folder, 'promo'));
    writeFileSync(
      join(folder, 'promo/winners.csv'),
      'phone_number,network_id,amount,reference\n+2348031231234,13,100,W-1\n',
    );
    const slot = ['--slot', '2026-11-20T17:00:00+01:00'];
    assert.equal((await run('jobs', 'run', 'friday-promo', ...slot)).code, 0);
    const db = ledger();
    db.exec(`UPDATE slots SET state = 'due'`);
    db.close();
    const again = await run('jobs', 'run', 'friday-promo', ...slot);
    assert.match(again.stderr, /its files were imported before/);
    assert.deepEqual(readdirSync(join(folder, '.airbatch/jobs/friday-promo')), []);
  });

  test('stops the program of a job with itself, and imports the slot when it is run again', async (t) => {
    const { folder, run } = place(t);
    const program = slowProgram(folder, '* * * * *');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const running = startCommand(['jobs', 'run', 'slow', '--slot', '2026-11-20T17:00:00Z'], { cwd: folder });
      await until('the program has begun', () => program.isRunning());
      running.child.kill(signal);
      const { code, stderr } = await running.ended;
      assert.deepEqual([code, /nothing was sent/.test(stderr)], [130, true], stderr);
      await until('the program has ended', () => !program.isRunning());
    }
    program.mend();
    assert.equal((await run('jobs', 'run', 'slow', '--slot', '2026-11-20T17:00:00Z')).code, 0);
  });

  test('lists the archived files when their people are forgotten', async (t) => {
    const { folder, drop, run, ledger } = place(t);
    drop('october.csv', two);
    const paid = await run('--json', 'jobs', 'run', 'monthly-payroll', '--slot', slot);
    const { batch_id: batch } = JSON.parse(paid.stdout).batches[0].summary;
    mkdirSync(join(folder, 'promo'));
    writeFileSync(join(folder, 'promo/winners.csv'), 'name,colour\nMary,blue\n');
    await run('jobs', 'run', 'friday-promo', '--slot', '2026-11-20T17:00:00+01:00');
    const db = ledger();
    db.exec(`UPDATE batches SET created_at = 0, completed_at = CASE WHEN completed_at IS NULL THEN NULL ELSE 0 END`);
    db.close();
    const { files } = JSON.parse((await run('--json', 'forget', '--before', '2000-01-01')).stdout);
    assert.deepEqual(files.sort(), [
      join(folder, '.airbatch/jobs/friday-promo/20261120-1700.csv.rejected'),
      join(folder, 'payroll/done/20261025-0900~october.csv'),
      join(folder, 'payroll/done', batch),
    ]);
  });
});

/** A job whose program begins another and does not end, until it is mended. */
function slowProgram(folder: string, cron: string) {
  const script = 'sleep 60 & echo $! > child; wait';
  const source = { kind: 'command', command: ['bash', '-c', script] };
  const path = join(folder, 'jobs/slow.json');
  const write = () =>
    writeFileSync(path, JSON.stringify({ name: 'slow', schedule: { cron, timeZone: 'UTC' }, source }));
  write();
  return {
    isRunning() {
      try {
        const child = readFileSync(join(folder, 'child'), 'utf8').trim();
        return child !== '' && !/^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8'));
      } catch {
        return false;
      }
    },
    mend() {
      source.command = ['printf', 'phone_number,network_id,amount,currency\n+254712101234,1,100,KES\n'];
      write();
    },
  };
}

/** The `count`th last slot of the example payroll, at 9 on the 25th in Nairobi (epoch ms). */
function lastPaydays(count: number): number {
  const now = new Date();
  const slots = Array.from({ length: count + 1 }, (_, back) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 25, 6),
  );
  return slots.filter((at) => at <= now.getTime())[count - 1] ?? Number.NaN;
}
