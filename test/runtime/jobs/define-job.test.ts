import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { defineJob, type JobInput } from '../../../src/runtime/jobs/define-job.ts';
import { loadJobs } from '../../../src/runtime/jobs/load-jobs.ts';
import { runIdOfSlot } from '../../../src/runtime/jobs/run-id.ts';
import { folderOf } from '../../support/folder.ts';

const good: JobInput = {
  name: 'payroll',
  schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
  source: { kind: 'folder', folder: 'payroll' },
};

describe('a job definition', () => {
  for (const [what, change, words] of [
    ['a name with a space', { name: 'my job' }, /name must consist of a-z/],
    [
      'no such time zone',
      { schedule: { ...good.schedule, timeZone: 'Nairobi' } },
      /schedule\.timeZone is not a time zone/,
    ],
    [
      'a minute that no hour has',
      { schedule: { ...good.schedule, cron: '61 9 25 * *' } },
      /schedule\.cron has "61" as its minute/,
    ],
    [
      'a weekday in a language',
      { schedule: { ...good.schedule, cron: '0 9 * * lundi' } },
      /"lundi" as its day of the week/,
    ],
    ['six fields of cron', { schedule: { ...good.schedule, cron: '0 0 9 25 * *' } }, /schedule\.cron is not a cron/],
    ['a day that is none', { schedule: { ...good.schedule, cron: '0 9 32 * *' } }, /schedule\.cron/],
    ['a day that never comes', { schedule: { ...good.schedule, cron: '0 9 31 2 *' } }, /schedule\.cron .*never due/],
    ['a run id of unknown parts', { runId: '{month}' }, /runId has a part/],
    ['a run id with nothing of the time in its slot', { runId: '{job}-{slot:YYYY}' }, /runId has a part/],
    ['an empty run id', { runId: '' }, /runId /],
    [
      'a run id that would be cut',
      { runId: `${'x'.repeat(60)}-{slot:yyyy-MM}` },
      /runId does not make valid run ids: .*64/,
    ],
    [
      'a run id that begins with a dash',
      { runId: '-{slot:yyyy-MM}' },
      /runId does not make valid run ids: .*begins with/,
    ],
    [
      'a run id that begins with what becomes one',
      { runId: '(pay) {slot:yyyy-MM}' },
      /runId does not make valid run ids/,
    ],
    ['a field that is none', { acount: 'main' }, /acount/],
    [
      'an unknown field of intake',
      { intake: { countri: 'KE' } },
      /^intake\.countri is not known \(did you mean country\?\)/,
    ],
    [
      'an unknown field of the policy',
      { policy: { canari: {} } },
      /^policy\.canari is not known \(did you mean canary\?\)/,
    ],
    ['a country that is none', { intake: { country: 'Kenya' } }, /^intake\.country is a two-letter/],
    ['a canary of no rows', { policy: { canary: { rows: 0 } } }, /^policy\.canary\.rows must be more than 0/],
    ['an hour that is none', { finishBy: '24:00' }, /finishBy is not a time of day such as "17:00"/],
    ['two faults', { name: 'my job', runId: '{month}' }, /name .*; runId /],
    ['a source of no kind', { source: { kind: 'ftp' } }, /source/],
  ] as [string, object, RegExp][])
    test(`with ${what} is refused, and the message names the field`, () => {
      assert.throws(
        () => defineJob({ ...good, ...change } as JobInput),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'CONFIG_INVALID');
          assert.match(error.message, words);
          return true;
        },
      );
    });

  test('may have run ids of 64 characters', () => {
    const runId = `${'x'.repeat(57)}{slot:yyyy-MM}`;
    assert.equal(defineJob({ ...good, runId }).runId, runId);
  });

  test('has its defaults filled in', () => {
    const { schedule, runId, priority, finishBy } = defineJob(good);
    const expected = ['last', '{job}-{slot:yyyy-MM}', 'normal', null];
    assert.deepEqual([schedule.catchUp, runId, priority, finishBy], expected);
  });
});

test('a run id has the time of the slot in the zone of the job', () => {
  const at = Date.UTC(2026, 11, 31, 22, 30);
  assert.equal(runIdOfSlot('{job}-{slot:yyyy-MM}', 'payroll', at, 'Africa/Nairobi'), 'payroll-2027-01');
  assert.equal(runIdOfSlot('{job}-{slot:yyyy-MM}', 'payroll', at, 'Africa/Lagos'), 'payroll-2026-12');
  assert.equal(runIdOfSlot('p {slot:dd.MM.yyyy HH:mm}', 'x', at, 'UTC'), 'p-31.12.2026-22-30');
});

describe('a folder of jobs', () => {
  test('is read from TypeScript, JavaScript and JSON, with paths relative to its own folder', async (t) => {
    const folder = folderOf(t);
    const jobs = join(folder, 'jobs');
    mkdirSync(jobs);
    writeFileSync(
      join(jobs, 'a.ts'),
      `import { defineJob } from 'airbatch';\nexport default defineJob(${JSON.stringify(good)});\n`,
    );
    const named = (name: string) => JSON.stringify({ ...good, name, source: { ...good.source, folder: name } });
    writeFileSync(join(jobs, 'b.js'), `export default ${named('b')};\n`);
    writeFileSync(join(jobs, 'c.json'), named('c'));
    writeFileSync(join(jobs, 'README.md'), 'not a job');
    const loaded = await loadJobs(jobs);
    assert.deepEqual(
      loaded.map(({ job }) => job.name),
      ['b', 'c', 'payroll'],
    );
    const [{ job } = assert.fail()] = loaded;
    assert.equal(job.source.kind === 'folder' && job.source.folder, join(folder, 'b'));
    writeFileSync(join(jobs, 'd.json'), JSON.stringify(good));
    await assert.rejects(loadJobs(jobs), /d\.json: name: is also used by .*a\.ts/);
    writeFileSync(join(jobs, 'd.json'), '{"name": "d"}');
    writeFileSync(join(jobs, 'e.json'), '{');
    writeFileSync(join(jobs, 'f.js'), 'export const job = {};');
    await assert.rejects(loadJobs(jobs), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'CONFIG_INVALID');
      const [d = '', e = '', f = ''] = error.message.split('\n');
      assert.match(d, /d\.json: .*schedule /);
      assert.match(e, /e\.json: .*JSON/);
      assert.match(f, /f\.js: it has no default export/);
      return true;
    });
  });

  test('has no two jobs with the same source folder, however it is written', async (t) => {
    const folder = folderOf(t);
    const jobs = join(folder, 'jobs');
    for (const name of ['jobs', 'payroll']) mkdirSync(join(folder, name));
    symlinkSync('payroll', join(folder, 'link'));
    writeFileSync(join(jobs, 'a.json'), JSON.stringify(good));
    for (const [name, place] of Object.entries({ b: 'other/../payroll', c: 'link' })) {
      const source = { ...good.source, folder: place, pattern: `*.${name}` };
      writeFileSync(join(jobs, `${name}.json`), JSON.stringify({ ...good, name, source }));
      await assert.rejects(loadJobs(jobs), {
        message: new RegExp(`${name}\\.json: source\\.folder: is also used by .*a\\.json`),
      });
      rmSync(join(jobs, `${name}.json`));
    }
  });

  test('ignores hidden files, such as locks of an editor or notes of another system', async (t) => {
    const jobs = folderOf(t);
    writeFileSync(join(jobs, 'a.json'), JSON.stringify(good));
    symlinkSync('mary@desk.4711', join(jobs, '.#a.json'));
    writeFileSync(join(jobs, '._a.json'), Buffer.of(0, 5, 22, 7));
    assert.equal((await loadJobs(jobs)).length, 1);
  });

  test('of the project itself is valid: its examples are jobs', async () => {
    const loaded = await loadJobs(resolve(import.meta.dirname, '../../../jobs'));
    assert.deepEqual(
      loaded.map(({ job }) => job.name),
      ['friday-promo', 'monthly-payroll'],
    );
  });
});

test('faults of the schema are explained to people, with what was probably meant', () => {
  const faults: [object, string][] = [
    [
      { schedule: { cron: '0 9 25 * *', timezone: 'Africa/Nairobi' } },
      'schedule.timeZone is missing (you wrote timezone)',
    ],
    [{ schedule: { cron: '0 9 25 * *' } }, 'schedule.timeZone is missing'],
    [{ schedule: undefined }, 'schedule is missing'],
    [{ name: 5 }, 'name must be a text in quotation marks'],
    [{ acount: 'main' }, 'acount is not known (did you mean account?)'],
    [{ colour: 'red' }, 'colour is not known'],
    [{ priority: 'urgnet' }, 'priority must be "urgent", "normal" or "bulk" (did you mean "urgent"?)'],
    [{ source: { kind: 'ftp' } }, 'source.kind must be "folder", "file", "command", "reconciliation" or "backup"'],
    [{ source: {} }, 'source.kind is missing'],
    [{ source: { kind: 'folder', folder: '' } }, 'source.folder must not be empty'],
    [{ source: { kind: 'folder', flder: 'a' } }, 'source.folder is missing (you wrote flder)'],
    [{ source: { kind: 'command', command: [] } }, 'source.command must have at least 1 entry'],
    [{ source: { kind: 'reconciliation', days: 1.5 } }, 'source.days must be a whole number'],
    [{ source: { kind: 'reconciliation', days: 1000 } }, 'source.days must be at most 366'],
    [{ policy: { canary: { rows: 0 } } }, 'policy.canary.rows must be more than 0'],
    [{ policy: { approval: { neede: 'always' } } }, 'policy.approval.neede is not known (did you mean needed?)'],
    [{ notifications: [{ kind: 'email', to: 'ann' }] }, 'notifications.0.to must be an e-mail address'],
    [{ notifications: [{ kind: 'webhook', url: 'x', secretEnv: 'S' }] }, 'notifications.0.url must be a URL'],
    [{ retry: { codes: ['1'], times: 'two' } }, 'retry.times must be a number without quotation marks'],
  ];
  for (const [fields, message] of faults)
    assert.throws(() => defineJob({ ...good, ...fields } as JobInput), { code: 'CONFIG_INVALID', message });
});
