import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemTerminal } from '../../../src/cli/base/terminal.ts';
import { watchBy } from '../../../src/cli/batches/status-watch.ts';
import type { Call } from '../../../src/cli/session/call.ts';
import { savePace } from '../../../src/ledger/accounts/pace.ts';
import { takeLease } from '../../../src/ledger/schema/lease-table.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { startCommand } from '../../support/command.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn } from '../../support/folder-ledger.ts';
import { idlePace } from '../../support/ledger.ts';
import { startSandbox } from '../../support/sandbox-process.ts';

test('airbatch status --watch shows the rate, the time left and what is waited for, until all is done', async (t) => {
  const folder = folderOf(t);
  const sandbox = await startSandbox(t, folder, ['--rate', '20', '--window-ms', '1000']);
  const main = {
    baseUrl: sandbox.url,
    apiKeyEnv: 'PAY_KEY',
    limits: { creation: { limit: 20, windowMs: 1_000 }, read: { limit: 100, windowMs: 1_000 } },
  };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ accounts: { main } }));
  const lines = Array.from({ length: 120 }, (_, index) => `+25471210${1_000 + index},1,${10 + index},KES,e-${index}`);
  writeFileSync(join(folder, 'p.csv'), ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n'));
  const options = { cwd: folder, env: { PAY_KEY: 'sandbox-key' } };
  await makeLedgerIn(folder);
  const run = startCommand(['run', 'p.csv', '--yes'], options);
  await run.seen(/Batch +\S+/);
  // The service stands still until the other command watches, however long that takes to start.
  sandbox.command.child.kill('SIGSTOP');
  const watching = startCommand(['--json', 'status', '--watch'], options);
  await watching.seen(/"settled"/);
  sandbox.command.child.kill('SIGCONT');
  const watch = await watching.ended;
  assert.equal(watch.code, 0, watch.stderr);
  assert.equal((await run.ended).code, 0);
  const seen = watch.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number | string | null>);
  const sending = seen.filter(({ rate_used }) => rate_used !== null && Number(rate_used) > 0);
  assert.ok(sending.length > 0, watch.stdout);
  for (const { rate_used, rate_allowed } of sending) {
    assert.equal(rate_allowed, 20);
    assert.ok(Number(rate_used) <= 20);
  }
  assert.ok(seen.some(({ left_ms }) => Number(left_ms) > 500));
  const settled = seen.map((one) => Number(one.settled));
  assert.deepEqual(
    settled,
    settled.toSorted((a, b) => a - b),
  );
  assert.ok(
    seen.some(({ waits_for }) => /the service’s result|rate limit/.test(String(waits_for))),
    watch.stdout,
  );
});

const noScreen = systemTerminal({ json: true });
type Screen = Partial<typeof noScreen>;

/** Watches this ledger's batches on such a screen. */
function watchOn({ db, clock }: Pick<Rig, 'db' | 'clock'>, screen: Screen, json = false) {
  const context = { json, terminal: { ...noScreen, ...screen }, stderr: process.stderr };
  const place = { cwd: '/', env: {}, configPath: undefined, ledgerPath: undefined };
  const session = {
    db,
    clock,
    config: { accounts: new Map(), people: {} },
    person: 'ann',
    through: 'cli',
  } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const call: Call = (operation, input) => performIn(session, operation, door, input);
  return watchBy({ ...context, ...place }, call, clock, undefined);
}

/** Two batches that are running, of which nobody works on the second. */
async function twoBatches(): Promise<Rig> {
  const rig = await makeRig();
  for (const batch of [1, 2])
    await rig.add(someRows(2), { batch_id: `batch-${batch}`, run_id: `run-${batch}`, created_at: batch });
  await rig.db.execute(`UPDATE batches SET status = 'running'`);
  return rig;
}

async function end({ db }: Rig, batchId: string, failed: number): Promise<void> {
  await db.execute(`UPDATE batches SET status = 'completed' WHERE batch_id = ?`, [batchId]);
  await db.execute('DELETE FROM batch_counts WHERE batch_id = ?', [batchId]);
  for (const [status, count] of [['completed', 2 - failed] as const, ['failed', failed] as const])
    await db.execute('INSERT INTO batch_counts (batch_id, status, count) VALUES (?, ?, ?)', [batchId, status, count]);
}

test('a batch that ends while somebody watches stays on the screen below the others, with its result', async () => {
  const rig = await twoBatches();
  let lines: readonly string[] = [];
  let said = '';
  const show = (next: readonly string[]) => {
    lines = next;
  };
  const watching = watchOn(rig, { isInteractive: true, show, keep: () => undefined, print: (text) => (said += text) });
  await rig.clock.drive(rig.clock.sleep(1_500));
  await end(rig, 'batch-2', 1);
  await rig.clock.drive(rig.clock.sleep(3_000));
  assert.deepEqual(
    lines.filter((line) => /^batch/.test(line)).map((line) => line.slice(0, 7)),
    ['batch-1', 'batch-2'],
  );
  assert.match(lines.join('\n'), /batch-2 .*\n .* 2 of 2 rows settled, 1 failed\n finished\n/);
  await end(rig, 'batch-1', 0);
  await rig.clock.drive(watching);
  assert.match(lines.join('\n'), /batch-1 .*\n .* 2 of 2 rows settled\n finished\n/);
  assert.match(lines.join('\n'), /batch-2/);
  assert.equal(said, 'Every batch of this ledger is finished.\n');
});

for (const json of [true, false])
  test(`its end is one line${json ? ' of JSON' : ' if nobody watches'}`, async () => {
    const rig = await twoBatches();
    const lines: string[] = [];
    const watching = watchOn(rig, { isInteractive: false, print: (line) => void lines.push(line) }, json);
    await rig.clock.drive(rig.clock.sleep(500));
    await end(rig, 'batch-2', 1);
    await rig.clock.drive(rig.clock.sleep(30_000));
    const ended = lines.filter((line) => (json ? /"status":"completed"/ : / · finished$/m).test(line));
    assert.equal(ended.length, 1);
    assert.match(ended[0] ?? '', /batch-2/);
    await end(rig, 'batch-1', 0);
    await rig.clock.drive(watching);
    assert.match(lines.at(json ? -1 : -2) ?? '', json ? /"batch-1".*"status":"completed"/ : /^batch-1 .* · finished$/m);
  });

test('held rows count as not settled, and their number is shown', async () => {
  const rig = await twoBatches();
  await rig.db.execute(`UPDATE batch_counts SET status = 'held' WHERE batch_id = 'batch-1'`);
  const seen: string[] = [];
  const show = (lines: readonly string[]) => void seen.push(...lines);
  const watching = watchOn(rig, { isInteractive: true, show, keep: () => undefined, print: () => undefined });
  await rig.clock.drive(rig.clock.sleep(100));
  assert.match(seen.join('\n'), /0 of 2 rows settled, 2 held\n/);
  for (const batch of ['batch-1', 'batch-2']) await end(rig, batch, 0);
  await rig.clock.drive(watching);
});

test('status --watch reads each batch equally often, however many others are being sent', async () => {
  const asked = async (batches: number) => {
    const { db, clock, add } = await makeRig();
    for (let batch = 1; batch <= batches; batch++)
      await add(someRows(2), { batch_id: `batch-${batch}`, run_id: `run-${batch}`, created_at: batch });
    await db.execute(`UPDATE batches SET status = 'running'`);
    const lease = { account: 'main', now: clock.now(), ttlMs: 60_000, deadHolder: null };
    const held = await takeLease(db, { ...lease, holder: 'elsewhere/1/1' });
    await db.transact((tx) => savePace(tx, 'main', { ...idlePace, fence: held?.fence ?? 0 }));
    let questions = 0;
    const query: typeof db.query = (...of) => {
      questions += 1;
      return db.query(...of);
    };
    const seen: { status: string; batches_before: unknown[] }[] = [];
    const print = (line: string) => void seen.push(JSON.parse(line));
    const watching = watchOn({ db: { ...db, query }, clock }, { print }, true);
    await clock.drive(clock.sleep(10));
    const once = questions;
    await db.execute(`UPDATE batches SET status = 'completed'`);
    await clock.drive(watching);
    assert.deepEqual(
      seen.filter(({ status }) => status === 'running').map(({ batches_before }) => batches_before.length),
      Array(batches).fill(batches - 1),
    );
    return once / batches;
  };
  const [few, many] = [await asked(10), await asked(40)];
  assert.ok(many <= few, `${few} questions a batch of 10, ${many} of 40`);
});
