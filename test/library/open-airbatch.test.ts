import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type Airbatch, type AirbatchOptions, type OperationEvent, openAirbatch } from '../../src/index.ts';
import { folderOf } from '../support/folder.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() });

function place(t: TestContext, rows: readonly string[] = ['+254712405118,1,50,KES,A-1']) {
  const cwd = folderOf(t);
  const file = join(cwd, 'payroll.csv');
  writeFileSync(file, `${['phone_number,network_id,amount,currency,reference', ...rows].join('\n')}\n`);
  return {
    cwd,
    file,
    open: (options: AirbatchOptions = {}) => openAirbatch({ cwd, env: {}, log: silent(), ...options }),
  };
}

test('a file is paid, its events are iterated meanwhile, and its result has names in camelCase', async (t) => {
  const { file, open } = place(t);
  await using airbatch = await open();
  const run = airbatch.runFile({ file, runId: 'payroll-2026-11', yes: true }, { progressMs: 20 });
  const kinds = new Set<OperationEvent['kind']>();
  for await (const event of run) kinds.add(event.kind);
  for (const kind of ['account', 'reading', 'planned', 'progress'] as const) assert.ok(kinds.has(kind), kind);
  const result = await run;
  assert.ok('summary' in result);
  assert.equal(result.exitCode, 0);
  assert.equal(result.summary.runId, 'payroll-2026-11');
  const { batches } = await airbatch.listBatches();
  assert.equal(batches.length, 1);
});

test('the plan is shown before a file is sent, and a file that is declined is not sent', async (t) => {
  const { file, open } = place(t);
  await using airbatch = await open();
  await assert.rejects(airbatch.runFile({ file }), { code: 'CONFIRMATION_NEEDED' });
  const asked: number[] = [];
  const ask = async ({ plan }: { plan: { toSend: number } }) => {
    asked.push(plan.toSend);
    return false;
  };
  const declined = await airbatch.runFile({ file }, { ask });
  assert.ok('status' in declined);
  assert.deepEqual([asked, declined.status], [[1], 'cancelled']);
});

test('a stopped operation rejects with the reason of the signal, and sends nothing', async (t) => {
  const { file, open } = place(t);
  await using airbatch = await open();
  const stop = new AbortController();
  const run = airbatch.runFile({ file, yes: true }, { signal: stop.signal });
  stop.abort(new Error('no more'));
  await assert.rejects(run, /no more/);
});

test('closing stops running operations and waits for them', async (t) => {
  const { cwd, file, open } = place(t, ['+254712400003,1,50,KES,A-1']);
  const airbatch = await open();
  const run = airbatch.runFile({ file, yes: true }, { progressMs: 20 });
  for await (const { kind } of run) if (kind === 'progress') break;
  await airbatch[Symbol.asyncDispose]();
  const result = await run;
  assert.ok('summary' in result);
  assert.equal(result.exitCode, 130);
  assert.equal(readdirSync(join(cwd, 'reports')).length, 1);
});

test('roles are checked for the acting person, and hints name no command', async (t) => {
  const { cwd, file, open } = place(t);
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ people: { prepare: ['ann'], operate: ['joe'] } }));
  await using ann = await open({ person: 'ann' });
  assert.equal((await ann.submitFile({ file })).status, 'approved');
  await assert.rejects(ann.resumeBatches(), { code: 'ROLE_MISSING' });
  const unknown = { code: 'BATCH_UNKNOWN', hint: 'The operation list-batches names the batches of this ledger.' };
  await assert.rejects(ann.showStatus({ batchId: 'B-1' }), unknown);
  await using joe = await open({ person: 'joe' });
  assert.equal((await joe.resumeBatches()).batches[0]?.exitCode, 0);
});

test('the rate limits of an account hold across methods', async (t) => {
  const { cwd, open } = place(t);
  const { url } = await sandboxHere(t);
  const limits = { balance: { limit: 1, windowMs: 2_000 } };
  const old = { version: 'v1', baseUrl: url, emailEnv: 'EMAIL', tokenEnv: 'TOKEN', limits };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts: { old } }));
  await using airbatch = await open({ env: { EMAIL: 'sandbox@airbatch.test', TOKEN: 'sandbox-token' } });
  const from = performance.now();
  for (const _ of [1, 2]) await airbatch.readBalance();
  // However late the first one begins: the second one begins a window later.
  assert.ok(performance.now() - from >= 2_000, 'the second one waits for the window');
});

test('resuming all accounts stops with the first one that fails, and leaves the others as they were', async (t) => {
  const { cwd, file, open } = place(t, ['+254712400003,1,50,KES,A-1']);
  const { url } = await sandboxHere(t);
  const account = { baseUrl: url, apiKeyEnv: 'KEY' };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts: { one: account, two: account } }));
  await using airbatch = await open({ env: { KEY: 'sandbox-key' } });
  for (const name of ['one', 'two']) await airbatch.submitFile({ file, account: name, runId: name });
  const stop = new AbortController();
  const resuming = airbatch.resumeBatches({}, { signal: stop.signal, progressMs: 20 });
  // Before that, the first account may not have begun.
  for await (const event of resuming) if (event.kind === 'progress' && event.underWay > 0) stop.abort();
  const { batches } = await resuming;
  assert.deepEqual(
    batches.map(({ exitCode, summary }) => [exitCode, summary.runId]),
    [[130, 'one']],
  );
  const { batches: all } = await airbatch.listBatches({ status: ['approved'] });
  // The first one may have been stopped before it began.
  assert.ok(all.some(({ runId }) => runId === 'two'));
});

/** Never called: the compiler reads it. */
export async function misspelt(airbatch: Airbatch): Promise<void> {
  // @ts-expect-error: it is runId
  await airbatch.runFile({ file: 'a.csv', runID: 'a' });
  // @ts-expect-error: names are in camelCase
  await airbatch.runFile({ file: 'a.csv', run_id: 'a' });
  // @ts-expect-error: it is signal
  await airbatch.runFile({ file: 'a.csv' }, { signals: null });
  // @ts-expect-error: it is config
  await openAirbatch({ configPath: 'a.json' });
  // @ts-expect-error: the batch is missing
  await airbatch.pauseBatch({ why: 'a' });
  const { wallets } = await airbatch.readBalance();
  // @ts-expect-error: results have names in camelCase
  wallets[0]?.wallet_id;
}
