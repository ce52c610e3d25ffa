import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadJobs } from '../../../src/runtime/jobs/load-jobs.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { folderOf } from '../../support/folder.ts';

const config = '{ "accounts": { "main": { "baseUrl": "https://service.example", "apiKeyEnv": "TOPUP_KEY" } } }';
const job =
  '{ "name": "bonus", "schedule": { "cron": "0 9 * * *", "timeZone": "UTC" }, "source": { "kind": "file", "file": "b.csv" } }';

const bigEndian = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();

describe('a text that a person wrote in an editor', () => {
  for (const [what, written] of [
    ['without a mark', (text: string) => Buffer.from(text)],
    ['with the mark of Notepad', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['in UTF-16, as PowerShell redirects it', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['in UTF-16, the other way about', bigEndian],
  ] as const)
    test(`is read ${what}: the configuration, .env and a job`, async (t) => {
      const folder = folderOf(t);
      const write = (name: string, text: string) => writeFileSync(join(folder, name), written(text));
      write('airbatch.config.json', config);
      write('.env', 'TOPUP_KEY=the-key\r\n');
      mkdirSync(join(folder, 'jobs'));
      write('jobs/bonus.json', job);
      const { accounts } = await loadConfig({ cwd: folder, env: {}, configPath: undefined });
      assert.deepEqual(accounts.get('main')?.credentials, { apiKey: 'the-key' });
      const [loaded] = await loadJobs(join(folder, 'jobs'));
      assert.equal(loaded?.job.name, 'bonus');
    });

  test('is refused if one object has a name twice: the configuration and a job', async (t) => {
    const folder = folderOf(t);
    const guards = '"guards": { "amountMax": { "KES": "500" }, "amountMax": { "KES": "5000" } }';
    writeFileSync(join(folder, 'airbatch.config.json'), `{ "intake": { ${guards} } }`);
    const message = /: it has "amountMax" twice in one object: remove one of them$/;
    await assert.rejects(loadConfig({ cwd: folder, env: {}, configPath: undefined }), {
      code: 'CONFIG_INVALID',
      message,
    });
    mkdirSync(join(folder, 'jobs'));
    writeFileSync(join(folder, 'jobs/bonus.json'), job.replace('{', `{ ${guards}, `));
    await assert.rejects(loadJobs(join(folder, 'jobs')), { code: 'CONFIG_INVALID', message });
  });

  test('is reported if it cannot be read', async (t) => {
    const folder = folderOf(t);
    mkdirSync(join(folder, '.env'));
    await assert.rejects(loadConfig({ cwd: folder, env: {}, configPath: undefined }), {
      code: 'CONFIG_INVALID',
      message: /\.env cannot be read: EISDIR/,
      hint: /must have the right to read \.env/,
    });
  });
});
