import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, type TestContext, test } from 'node:test';
import { newestText } from '../../../src/cli/backup/backup.ts';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { restoreBackup } from '../../../src/runtime/backup/restore.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

const passphrase = 'correct horse battery staple';

/** Made once: each test works on a copy. */
const templateFolder = folderOf({ after });
let template: Promise<string> | null = null;

async function installation(t: TestContext) {
  template ??= makeTemplate(templateFolder);
  const cwd = folderOf(t);
  cpSync(await template, cwd, { recursive: true });
  const airbatch = (args: string[], env: Record<string, string> = {}) => runHere(args, { cwd, env });
  return { cwd, airbatch };
}

/** Fills a folder with a ledger of one batch, its signing key, a key of sealed secrets, a configuration and a job. */
async function makeTemplate(cwd: string): Promise<string> {
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ backup: { folder: 'backups', keep: 2 } }));
  mkdirSync(join(cwd, 'jobs'), { mode: 0o755 });
  writeFileSync(
    join(cwd, 'jobs/nightly.js'),
    `import { defineJob } from 'airbatch';
export default defineJob({ name: 'nightly', schedule: { cron: '0 1 * * *', timeZone: 'UTC' }, source: { kind: 'backup' } });
`,
    { mode: 0o644 },
  );
  writeFileSync(
    join(cwd, 'pay.csv'),
    'phone_number,network_id,amount,currency,reference\n+254722441100,1,50,KES,one\n+254722441101,1,50,KES,two\n',
  );
  const paid = await runHere(['run', 'pay.csv', '--yes'], { cwd });
  assert.equal(paid.code, 0, paid.stderr);
  writeFileSync(join(cwd, '.airbatch/secrets.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
  return cwd;
}

const filesOf = (dir: string) =>
  globSync('**/*', { cwd: dir })
    .filter((name) => statSync(join(dir, name)).isFile())
    .toSorted();

test('a drill says how old the newest event is, also if the clock was ahead', () => {
  assert.match(newestText('2026-11-26T10:00:00.000Z', 36_000), /is 36 s old \(2026-11-26 10:00:00 UTC\)$/);
  assert.match(newestText('2026-11-26T10:00:00.000Z', -36_000), /is in the future: the clock was ahead \(2026/);
});

test('a backup has ledger, key and configuration, names what it lacks, and is restored where nothing is', async (t) => {
  const { cwd, airbatch } = await installation(t);
  const made = await airbatch(['--json', 'backup']);
  assert.equal(made.code, 0, made.stderr);
  const { backup, left_out, encrypted } = JSON.parse(made.stdout);
  const files = [
    'backup.json',
    'configuration/airbatch.config.json',
    'configuration/jobs/nightly.js',
    'ledger.db',
    'signing-key.pem',
  ];
  assert.deepEqual(filesOf(backup), files);
  assert.equal(encrypted, false);
  assert.deepEqual(
    left_out.map(({ name }: { name: string }) => name),
    ['secrets.key', '*.mark', '.env', 'reports'],
  );
  for (const name of files) assert.equal(statSync(join(backup, name)).mode & 0o077, 0, name);

  const refused = await airbatch(['restore', backup]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /ledger\.db exists, and nothing is overwritten \[LEDGER_EXISTS\]/);

  const place = folderOf(t);
  const restored = await runHere(['restore', backup], { cwd: place });
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(
    filesOf(join(place, '.airbatch')),
    files.filter((name) => name !== 'backup.json'),
  );
  const status = await runHere(['--json', 'status'], { cwd: place });
  assert.equal(JSON.parse(status.stdout).batches[0].status, 'completed');
  assert.equal((await runHere(['audit'], { cwd: place })).code, 0);
  const db = new DatabaseSync(join(place, '.airbatch/ledger.db'));
  const { restored_at } = db.prepare('SELECT restored_at FROM ledger_state').get() as { restored_at: number | null };
  const { kind } = db.prepare('SELECT kind FROM access_events ORDER BY seq DESC LIMIT 1').get() as { kind: string };
  db.close();
  assert.ok(restored_at);
  assert.equal(kind, 'ledger.restore');
  assert.deepEqual(
    filesOf(cwd).filter((name) => name.includes('.partial')),
    [],
  );
});

test('an encrypted backup shows nothing without its passphrase, and has the key of sealed secrets', async (t) => {
  const { airbatch } = await installation(t);
  const refused = await airbatch(['backup', 'vault', '--encrypt']);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /the environment variable AIRBATCH_BACKUP_PASSPHRASE is not set/);
  const short = await airbatch(['backup', 'vault', '--encrypt'], { AIRBATCH_BACKUP_PASSPHRASE: 'short' });
  assert.equal(short.code, 2);
  assert.doesNotMatch(short.stderr, /"short"/);

  const env = { AIRBATCH_BACKUP_PASSPHRASE: passphrase };
  const made = await airbatch(['--json', 'backup', 'vault', '--encrypt'], env);
  assert.equal(made.code, 0, made.stderr);
  const { backup } = JSON.parse(made.stdout);
  assert.ok(filesOf(backup).includes('secrets.key'));
  for (const name of filesOf(backup).filter((name) => name !== 'backup.json')) {
    const bytes = readFileSync(join(backup, name));
    for (const plain of ['SQLite format', 'PRIVATE KEY', 'abababab', 'backups', '254722441100'])
      assert.ok(!bytes.includes(plain), `${name} has ${plain}`);
  }

  const place = folderOf(t);
  const wrong = await runHere(['restore', backup], {
    cwd: place,
    env: { AIRBATCH_BACKUP_PASSPHRASE: 'another passphrase' },
  });
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /was encrypted with another passphrase/);
  assert.deepEqual(filesOf(place), []);
  const restored = await runHere(['restore', backup], { cwd: place, env });
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(readFileSync(join(place, '.airbatch/secrets.key'), 'utf8'), `${'ab'.repeat(32)}\n`);
  assert.equal((await runHere(['audit'], { cwd: place })).code, 0);
});

test('a changed, cut or missing file of a backup is found before anything is restored', async (t) => {
  const { cwd, airbatch } = await installation(t);
  const changes: [what: string, change: (backup: string) => void][] = [
    ['ledger.db was changed or cut short', (backup) => appendFileSync(join(backup, 'ledger.db'), 'x')],
    ['signing-key.pem cannot be read', (backup) => rmSync(join(backup, 'signing-key.pem'))],
    ['it has no backup.json', (backup) => rmSync(join(backup, 'backup.json'))],
  ];
  for (const [what, change] of changes) {
    const { backup } = JSON.parse((await airbatch(['--json', 'backup', 'one'])).stdout);
    change(backup);
    const place = folderOf(t);
    const refused = await runHere(['restore', backup], { cwd: place });
    assert.equal(refused.code, 3);
    assert.ok(refused.stderr.includes(what), refused.stderr);
    assert.ok(!existsSync(join(place, '.airbatch/ledger.db')));
  }
  // The file named in a manifest never leads out of the backup.
  const { backup } = JSON.parse((await airbatch(['--json', 'backup', 'two'])).stdout);
  const path = join(backup, 'backup.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"signing-key.pem"', '"../../signing-key.pem"'));
  assert.equal((await airbatch(['restore', relative(cwd, backup)])).code, 3);
});

test('a drill audits the newest backup, and keeping removes the oldest of the same ledger alone', async (t) => {
  const { cwd, airbatch } = await installation(t);
  const nothing = await airbatch(['backup', 'nowhere', '--drill']);
  assert.equal(nothing.code, 3);
  assert.match(nothing.stderr, /nowhere cannot be read: .*\[BACKUP_UNUSABLE\]/);
  mkdirSync(join(cwd, 'backups/airbatch-20200101T000000000Z'), { recursive: true });
  const made: string[] = [];
  for (let index = 0; index < 3; index++) made.push(JSON.parse((await airbatch(['--json', 'backup'])).stdout).backup);
  assert.deepEqual(
    made.map((backup) => existsSync(backup)),
    [false, true, true],
  );
  assert.ok(existsSync(join(cwd, 'backups/airbatch-20200101T000000000Z')), 'nobody knows whose it is');

  const good = await airbatch(['--json', 'backup', '--drill']);
  assert.equal(good.code, 0, good.stderr);
  const { backup, is_good, newest_event_at, newest_event_age_ms, audit } = JSON.parse(good.stdout);
  assert.deepEqual([backup, is_good, audit.chain.batches], [made[2], true, 1]);
  assert.ok(Date.parse(newest_event_at) > 0 && newest_event_age_ms >= 0);

  // Somebody has edited the ledger: the backup of it is as wrong, and the drill says so.
  const db = new DatabaseSync(join(cwd, '.airbatch/ledger.db'));
  db.exec("UPDATE rows SET amount = '500' WHERE row_no = 1");
  db.exec("INSERT INTO access_events VALUES (1, 1, 'ann', 'user.create', '{}', 'forged')");
  db.close();
  const slot = await airbatch(['--json', 'jobs', 'run', 'nightly', '--slot', '2026-11-20T01:00:00Z']);
  assert.equal(slot.code, 5, slot.stderr);
  const { outcome } = JSON.parse(slot.stdout);
  assert.match(outcome.detail, /is made, 1 older backup removed; the ledger in it does not agree/);
  assert.deepEqual([outcome.reasons[0].values.count, outcome.reasons[0].values.why], ['1', 'broken']);
  const bad = await airbatch(['backup', '--drill']);
  assert.equal(bad.code, 5);
  assert.match(bad.stdout, /^! batch \S+: .*row 1/m);
  assert.match(bad.stdout, /^! the chain of access events: event 1 was edited/m);
});

test('a restore fails if a program makes a new ledger meanwhile, such as one that its service manager starts', async (t) => {
  const { airbatch } = await installation(t);
  const { backup } = JSON.parse((await airbatch(['--json', 'backup'])).stdout);
  const ledgerPath = join(folderOf(t), 'ledger.db');
  const clock = {
    ...systemClock,
    now() {
      writeFileSync(ledgerPath, 'new', { mode: 0o600 });
      return systemClock.now();
    },
  };
  const session = { ledgerPath, clock, random: systemRandom, person: 'ann', through: 'cli' } as unknown as Session;
  const restoring = restoreBackup(session, { dir: backup, passphrase: () => passphrase });
  await assert.rejects(restoring, { code: 'LEDGER_EXISTS' });
  assert.equal(readFileSync(ledgerPath, 'utf8'), 'new');
});
