import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { loadJobs } from '../../../src/runtime/jobs/load-jobs.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

const hasUsers = process.platform !== 'win32';
const isRoot = process.geteuid?.() === 0;

const job = {
  name: 'payroll',
  schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
  source: { kind: 'command', command: ['true'] },
};

/** A folder with a configuration and a job in TypeScript, which nobody else may write. */
function place(t: TestContext, { json = false } = {}) {
  const cwd = folderOf(t);
  const jobs = join(cwd, 'jobs');
  mkdirSync(jobs, { mode: 0o755 });
  const jobFile = join(jobs, json ? 'payroll.json' : 'payroll.ts');
  const configFile = join(cwd, 'airbatch.config.ts');
  writeFileSync(jobFile, json ? JSON.stringify(job) : `export default ${JSON.stringify(job)};\n`, { mode: 0o644 });
  writeFileSync(configFile, 'export default { policy: { repeatWithinDays: 3 } };\n', { mode: 0o644 });
  chmodSync(jobFile, 0o644);
  chmodSync(configFile, 0o644);
  chmodSync(jobs, 0o755);
  return { cwd, jobs, jobFile, configFile };
}

const load = (cwd: string) => loadConfig({ cwd, env: {} });

describe('a configuration or a job that runs as code', { skip: !hasUsers }, () => {
  test('is used if only its owner, or root, can change it', async (t) => {
    const { cwd, jobs } = place(t);
    assert.deepEqual((await load(cwd)).policy, { repeatWithinDays: 3 });
    assert.equal((await loadJobs(jobs)).length, 1);
  });

  for (const mode of [0o664, 0o646, 0o666]) {
    test(`is refused with the mode ${mode.toString(8)}, and so is a file in a folder that others may write`, async (t) => {
      const { cwd, jobs, jobFile, configFile } = place(t);
      chmodSync(configFile, mode);
      await assert.rejects(load(cwd), {
        code: 'CONFIG_INVALID',
        message: /runs as code, and .* may be written by others/,
      });
      chmodSync(configFile, 0o644);
      chmodSync(jobFile, mode);
      await assert.rejects(loadJobs(jobs), /payroll\.ts may be written by others/);
      chmodSync(jobFile, 0o644);
      chmodSync(jobs, mode | 0o111);
      await assert.rejects(loadJobs(jobs), /jobs may be written by others/);
      chmodSync(cwd, mode | 0o111);
      await assert.rejects(load(cwd), /may be written by others/);
    });
  }

  test('is refused if a link leads to a file that others may write', async (t) => {
    const { cwd, configFile } = place(t);
    const other = join(folderOf(t), 'shared.ts');
    writeFileSync(other, 'export default {};\n');
    chmodSync(other, 0o666);
    const link = join(cwd, 'link.config.ts');
    symlinkSync(other, link);
    await assert.rejects(loadConfig({ cwd, env: {}, configPath: link }), /shared\.ts may be written by others/);
    assert.ok(configFile);
  });

  test('is refused if it belongs to another user than root', { skip: !isRoot }, async (t) => {
    const { cwd, jobs, jobFile, configFile } = place(t);
    chownSync(configFile, 4711, 4711);
    await assert.rejects(load(cwd), /belongs to another user \(uid 4711\)/);
    chownSync(jobFile, 4711, 4711);
    await assert.rejects(loadJobs(jobs), /belongs to another user \(uid 4711\)/);
  });

  test('can also be a JSON job with a command; other JSON jobs and a JSON configuration are only data', async (t) => {
    const { cwd, jobs, jobFile } = place(t, { json: true });
    chmodSync(jobFile, 0o666);
    await assert.rejects(loadJobs(jobs), /payroll\.json may be written by others/);
    writeFileSync(jobFile, JSON.stringify({ ...job, source: { kind: 'file', file: 'a.csv' } }));
    assert.equal((await loadJobs(jobs)).length, 1);
    const config = join(cwd, 'data.json');
    writeFileSync(config, '{}');
    chmodSync(config, 0o666);
    await loadConfig({ cwd, env: {}, configPath: config });
  });
});

test('of a .env that every user can read causes a warning; one that its group can read may be meant', {
  skip: !hasUsers,
}, async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, '.env'), 'A_KEY=hidden-value\n');
  for (const [mode, isWarned] of [
    [0o600, false],
    [0o640, false],
    [0o644, true],
  ] as const) {
    chmodSync(join(cwd, '.env'), mode);
    const { warnings } = await load(cwd);
    assert.deepEqual(
      warnings.map((warning) =>
        /every user of this machine can read .*\.env, which holds secrets: chmod o-r/.test(warning),
      ),
      isWarned ? [true] : [],
    );
    assert.doesNotMatch(warnings.join(), /hidden-value/);
  }
});

test('reports and logs can be read by the group if the configuration says so, whatever the umask; the ledger cannot', {
  skip: !hasUsers,
}, (t) => {
  const cwd = folderOf(t);
  const launcher = resolve(import.meta.dirname, '../../../src/cli/airbatch.js');
  writeFileSync(join(cwd, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712400001,1,100,KES\n');
  const config = { readableByGroup: true, log: { file: 'logs/a/airbatch.log' } };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify(config));
  // The folder hands its group on.
  mkdirSync(join(cwd, 'reports'));
  chmodSync(join(cwd, 'reports'), 0o2750);
  const retry = `"$NODE" "$AIRBATCH" retry $(ls reports)`;
  const commands = `umask 077; "$NODE" "$AIRBATCH" run a.csv --yes; ${retry}; "$NODE" "$AIRBATCH" reconcile --from 2026-01-01`;
  const env = { ...process.env, NODE: process.execPath, AIRBATCH: launcher };
  const ran = spawnSync('bash', ['-c', commands], { cwd, env, encoding: 'utf8' });
  const modes = (folder: string) =>
    readdirSync(join(cwd, folder), { recursive: true, encoding: 'utf8' }).map((path) => {
      const made = statSync(join(cwd, folder, path));
      return [path, (made.mode & (made.isDirectory() ? 0o2777 : 0o777)).toString(8)] as const;
    });
  const reports = modes('reports');
  assert.ok(
    reports.some(([path]) => /versions\/1.*manifest\.json$/.test(path)),
    ran.stderr,
  );
  assert.ok(
    reports.some(([path]) => /reconciliation\.csv$/.test(path)),
    ran.stderr,
  );
  for (const [path, mode] of reports) assert.equal(mode, /\.\w+$/.test(path) ? '640' : '2750', path);
  assert.deepEqual(
    modes('logs').map(([, mode]) => mode),
    ['750', '640'],
  );
  for (const [path, mode] of modes('.airbatch')) assert.match(mode, /00$/, path);
});

test('each command that reads a .env that every user can read warns of it', { skip: !hasUsers }, async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, '.env'), 'A_KEY=hidden-value\n');
  chmodSync(join(cwd, '.env'), 0o644);
  writeFileSync(join(cwd, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,100,KES\n');
  const commands = [
    'validate a.csv',
    'migrate-check a.csv',
    'jobs list',
    'jobs check',
    'jobs new x',
    'status',
    'balance',
  ];
  for (const command of ['key', 'networks', 'products', 'audit', ...commands]) {
    const { stderr } = await runHere(command.split(' '), { cwd });
    assert.equal(stderr.match(/every user of this machine can read/g)?.length, 1, `${command}: ${stderr}`);
  }
});

test('ledger, logs, reports and jobs are closed to others, whatever the umask', { skip: !hasUsers }, (t) => {
  const cwd = folderOf(t);
  const launcher = resolve(import.meta.dirname, '../../../src/cli/airbatch.js');
  writeFileSync(join(cwd, 'a.csv'), 'phone_number,network_id,amount,currency\n+254712405118,1,100,KES\n');
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ log: { file: 'logs/a/airbatch.log' } }));
  const commands = `umask 000; "$NODE" "$AIRBATCH" run a.csv --yes && "$NODE" "$AIRBATCH" jobs new x`;
  // Without the suite's own folder of compiled code, the command makes one.
  const cache = { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: join(cwd, 'cache') };
  const env = { ...process.env, ...cache, NODE: process.execPath, AIRBATCH: launcher };
  const ran = spawnSync('bash', ['-c', commands], { cwd, env, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  const made = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^(?:\.airbatch|logs|reports)/.test(path),
  );
  assert.ok(made.length > 10);
  for (const path of made) assert.equal(statSync(join(cwd, path)).mode & 0o077, 0, path);
  for (const path of ['jobs', 'jobs/x.ts', 'cache/airbatch'])
    assert.equal(statSync(join(cwd, path)).mode & 0o022, 0, path);
});
