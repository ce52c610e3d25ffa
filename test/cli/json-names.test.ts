import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { buildProgram } from '../../src/cli/program.ts';
import { runHere, startCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { httpServer } from '../support/http-server.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

/** A name of ours, or one that is data: a code, a currency, a country. */
const isRight = (name: string) => /^([a-z][a-z0-9]*(_[a-z0-9]+)*|[A-Z0-9_]+)$/.test(name);

/** The paths of all names within a value that are not as they should be. */
function wrongNames(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => wrongNames(one, `${path}[]`));
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(isRight(name) ? [] : [`${path}.${name}`]),
    ...wrongNames(inner, `${path}.${name}`),
  ]);
}

// biome-ignore lint/suspicious/noExplicitAny: what is printed has no type.
type Printed = any;

const documentsOf = (text: string): Printed[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Takes what is told of batches and their chains, as a server of the person's own. */
async function startListener(t: TestContext, add: (by: string, documents: Printed[]) => void): Promise<string> {
  const { url } = await httpServer(t, (request, body, response) => {
    add(`POST ${request.url}`, [JSON.parse(body.toString())]);
    response.end();
  });
  return url;
}

const header = 'phone_number,network_id,amount,currency,product_id';
const job = {
  name: 'payroll',
  schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
  source: { kind: 'folder', folder: 'payroll', waitMinutes: 0 },
  policy: { approval: { needed: 'always' }, repeatWithinDays: 0 },
};

/** A folder with accounts of both versions, a job, and every way out that gives JSON. */
async function setUp(t: TestContext) {
  const folder = folderOf(t);
  const given = new Map<string, Printed[]>();
  const add = (by: string, documents: Printed[]) => given.set(by, [...(given.get(by) ?? []), ...documents]);
  const sandbox = await sandboxHere(t, { rate: 6_000 });
  const listener = await startListener(t, add);
  const config = {
    accounts: {
      default: { baseUrl: sandbox.url, apiKeyEnv: 'KEY', limits: { creation: { limit: 70 } } },
      old: { version: 'v1', baseUrl: sandbox.url, emailEnv: 'EMAIL', tokenEnv: 'TOKEN' },
    },
    policy: { approval: { needed: 'above', rows: 6 } },
    notifications: [{ kind: 'webhook', url: `${listener}/word`, secretEnv: 'WORD' }],
    anchors: [
      { kind: 'file', path: 'heads.jsonl' },
      { kind: 'url', url: `${listener}/heads` },
    ],
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  mkdirSync(join(folder, 'jobs'));
  mkdirSync(join(folder, 'payroll/inbox'), { recursive: true });
  writeFileSync(join(folder, 'jobs/payroll.json'), JSON.stringify(job));
  const WORD = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const env = { KEY: 'sandbox-key', EMAIL: 'sandbox@airbatch.test', TOKEN: 'sandbox-token', WORD };
  const place = { cwd: folder, env };
  const keep = (command: string, { stdout, stderr }: { stdout: string; stderr: string }): Printed => {
    add(command, documentsOf(stdout));
    add('log', documentsOf(stderr));
    return documentsOf(stdout).at(-1) ?? assert.fail(`${command} printed nothing: ${stderr}`);
  };
  return {
    folder,
    given,
    add,
    run: async (command: string, ...args: string[]) =>
      keep(command, await runHere(['--json', command, ...args], place)),
    /** Starts what runs until it is stopped, and stops it. */
    stop: async (command: string, ...args: string[]) => {
      const running = startCommand(['--json', command, ...args], place);
      await running.seen(/"url"/);
      running.child.kill('SIGTERM');
      return keep(command, await running.ended);
    },
    write: (name: string, ...rows: string[]) => {
      const file = join(folder, name);
      writeFileSync(file, [header, ...rows, ''].join('\n'));
      // A file that was written just now may not be whole, and is waited for.
      utimesSync(file, 1, 1);
    },
    change: (statement: string) => {
      const ledger = new DatabaseSync(join(folder, '.airbatch/ledger.db'), { timeout: 5_000 });
      ledger.exec(statement);
      ledger.close();
    },
  };
}

type Place = Awaited<ReturnType<typeof setUp>>;

const row = (index: number, amount: number) => `+25471210${1_000 + index},1,${amount},KES,`;
const rows = (count: number, first: number, amount: number) =>
  Array.from({ length: count }, (_, index) => row(first + index, amount + index));

async function payOne({ run, write }: Place): Promise<void> {
  await run('validate', 'none.csv');
  write('a.csv', row(1, 10), '0712,1,five,KES,', '+254712110001,1,30,KES,', '+254712101002,1,,,101');
  await run('validate', 'a.csv');
  const { summary, reports } = await run('run', 'a.csv', '--yes');
  const batch: string = summary.batch_id;
  await run('retry', batch);
  await run('report', batch);
  await run('audit-pack', batch);
  await run('verify', reports.dir, '--ledger', '.airbatch/ledger.db');
  await run('reconcile', '--batch', batch);
  await run('reconcile', '--from', '2026-01-01');
  await run('audit', '--batch', batch, '--row', '2');
  await run('audit');
  await run('status', batch, '--watch');
  await run('rows', batch);
}

async function decide({ run, write, change }: Place): Promise<void> {
  write('held.csv', row(1, 10), row(2, 20), row(3, 30));
  const held: string = (await run('run', 'held.csv', '--yes')).summary.batch_id;
  await run('status', held);
  await run('skip', held, '1', '--why', 'paid in cash');
  change(`UPDATE rows SET status = 'in_doubt' WHERE batch_id = '${held}' AND row_no = 2`);
  await run('assign', held, '2', '--nobody');
  await run('doubts');
  await run('resolve', held, '2', '--as', 'not-paid', '--evidence', 'their list');
  await run('look-up', held);
  await run('release', held);
  write('many.csv', ...rows(8, 50, 10));
  await run('reject', (await run('submit', 'many.csv')).batch_id, '--why', 'the wrong month');
  await run('withdraw', (await run('submit', 'many.csv')).batch_id, '--why', 'the wrong file');
  write('few.csv', ...rows(2, 70, 10));
  const few: string = (await run('submit', 'few.csv')).batch_id;
  await run('reorder', few, '--priority', 'bulk', '--finish-by', '2099-11-20T17:00:00+03:00');
  await run('pause', few, '--why', 'is it right?');
  await run('resume', few);
}

async function runJobs({ run, write, change }: Place): Promise<void> {
  for (const [index, month] of ['09', '10'].entries()) {
    write('payroll/inbox/p.csv', ...rows(3, 80 + index, 10 + 40 * index));
    await run('jobs', 'run', 'payroll', '--slot', `2026-${month}-25T09:00:00+03:00`);
    change(`UPDATE batches SET created_by = 'somebody else'`);
    const { batches } = await run('status');
    const { batch_id } = batches.find(({ status }: { status: string }) => status === 'awaiting_approval');
    await run('approve', batch_id, '--yes');
    await run('resume', batch_id);
  }
  for (const action of [['list'], ['check'], ['new', 'bonus']]) await run('jobs', ...action);
}

async function askAndStop({ run, stop, write }: Place): Promise<void> {
  for (const command of ['accounts', 'workers', 'balance', 'forecast', 'networks', 'products', 'api-keys', 'webhooks'])
    await run(command);
  await run('balance', '--account', 'old');
  await run('plan', '100');
  await run('find', '+254712101001');
  await run('paid', '--from', '2026-01-01');
  await run('journal', '--from', '2026-01-01');
  write('v1.csv', row(1, 10), '0712,1,five,KES,');
  await run('migrate-check', 'v1.csv');
  await run('forget', '--before', '2020-01-01');
  await run('key');
  const { backup } = await run('backup', 'backups');
  await run('backup', 'backups', '--drill');
  await run('restore', backup, '--ledger', 'again/ledger.db');
  for (const action of ['check', 'migrate']) await run('ledger', action);
  await run('ledger', 'copy', '--from', 'again/ledger.db', '--to', 'moved/ledger.db');
  await stop('sandbox', '--ephemeral');
  await stop('serve', '--port', '0');
  await stop('console', '--port', '0');
}

function addFiles({ folder, add }: Place): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/^(reports\/.*\.(json|jsonl)|heads\.jsonl)$/.test(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    add(file.replace(/.*\//, ''), file.endsWith('l') ? documentsOf(text) : [JSON.parse(text)]);
  }
}

const commands = buildProgram(() => async () => undefined, {}).commands.map((command) => command.name());

/** The names that docs/commands.md tells of a command's JSON, with those of the commands to which it refers. */
function namesTold(command: string, told: Set<string> = new Set()): Set<string> {
  const text = readFileSync(join(import.meta.dirname, '../../docs/commands.md'), 'utf8');
  const [, json = ''] = text.split(/^## JSON$/m);
  const line = json.split('\n').find((one) => one.startsWith(`| \`${command}\` |`)) ?? '';
  for (const [, name = ''] of line.split('|')[2]?.matchAll(/`(\w+)`/g) ?? []) {
    if (!told.has(name) && commands.includes(name)) namesTold(name, told.add(name));
    told.add(name);
  }
  return told;
}

test('every name in the printed JSON is in snake_case, and documented', { timeout: 600_000 }, async (t) => {
  const place = await setUp(t);
  for (const work of [payOne, decide, runJobs, askAndStop, addFiles]) await work(place);
  const { given } = place;
  const files = ['summary.json', 'reconciliation.json', 'manifest.json', 'events.jsonl', 'anchors.json', 'heads.jsonl'];
  for (const by of [...commands, ...files, 'log', 'POST /word', 'POST /heads'])
    assert.ok(given.has(by), `nothing was given out by ${by}`);
  const wrong = [...given].flatMap(([by, documents]) => documents.flatMap((document) => wrongNames(document, by)));
  assert.deepEqual([...new Set(wrong)], []);
  const unreported = commands.flatMap((command) => {
    const told = namesTold(command).add('error');
    return (given.get(command) ?? [])
      .flatMap(Object.keys)
      .filter((name) => !told.has(name))
      .map((name) => `${command}: ${name}`);
  });
  assert.deepEqual([...new Set(unreported)], [], 'what docs/commands.md does not tell');
});
