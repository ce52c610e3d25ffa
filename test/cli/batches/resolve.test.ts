import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readColumn } from '../../../src/ledger/drivers/read.ts';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn, openLedgerIn } from '../../support/folder-ledger.ts';

/** Puts everything that was sent two hours back. */
const hoursLater = [
  "UPDATE rows SET first_sent_at = first_sent_at - 7200000, next_action_at = 0 WHERE status = 'accepted'",
  'UPDATE payments SET first_intent_at = first_intent_at - 7200000, last_intent_at = last_intent_at - 7200000',
];
/** As the chain has it: reports tell of an edited time. */
const asItWas = 'UPDATE rows SET first_sent_at = first_sent_at + 7200000';

test('overdue rows are shown with their age, and resolved by a person, after the service is asked', {
  timeout: 600_000,
}, async (t) => {
  const folder = folderOf(t);
  const airbatch = (...args: string[]) => runHere(args, { cwd: folder });
  await makeLedgerIn(folder);
  const db = await openLedgerIn(folder);
  t.after(() => db.close());
  const states = () => readColumn<string>(db, 'SELECT status FROM rows ORDER BY row_no');
  // Both stay in process for ever.
  const rows = ['+254712400003,1,50,KES,Juma Bakari', '+254712410003,1,70,KES,Amina Otieno'];
  writeFileSync(join(folder, 'a.csv'), ['phone_number,network_id,amount,currency,name', ...rows, ''].join('\n'));
  const run = startCommand(['run', 'a.csv', '--yes'], { cwd: folder });
  const [, batch = ''] = await run.seen(/^Batch +(\S+)/m);
  while ((await states()).some((status) => status !== 'accepted')) await sleep(50);
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);

  const early = await airbatch('resolve', batch, '1', '--as', 'paid', '--evidence', 'receipt 8841');
  assert.equal(early.code, 2);
  assert.match(
    early.stderr,
    /row 1 of batch \S+ was accepted at [-\d]+ [:\d]+ UTC: you can resolve it from [-\d]+ [:\d]+ UTC on \[BATCH_STATE\]/,
  );

  for (const statement of hoursLater) await db.execute(statement);
  const resumed = await airbatch('resume', batch);
  assert.equal(resumed.code, 5, resumed.stderr);
  assert.match(resumed.stderr, /2 rows are with the service for longer than it promises \(KES 120\.00\)/);
  assert.match(
    resumed.stderr,
    /^Next {7}airbatch status \S+, ask the service about its overdue rows, then airbatch resolve/m,
  );
  const { stdout } = await airbatch('status', batch);
  assert.match(
    stdout,
    /^Waits for {2}the service’s result for 2 overdue rows, or a person to resolve them; no program asks the service now \("airbatch resolve /m,
  );
  assert.match(
    stdout,
    /^Row 2 \(line 3, Amina Otieno\) is accepted: .* It was sent 2 h( \d+ min)? ago, on .* UTC; its last status: (pending|processing)\./m,
  );
  const { attention } = JSON.parse((await airbatch('status', batch, '--json')).stdout);
  assert.deepEqual(
    attention.map(({ row, status }: { row: number; status: string }) => [row, status]),
    [
      [1, 'accepted'],
      [2, 'accepted'],
    ],
  );

  for (const [row, as, status] of [
    ['1', 'paid', 'completed'],
    ['2', 'not-paid', 'failed'],
  ] as const) {
    const { code, stdout } = await airbatch('resolve', batch, row, '--as', as, '--evidence', 'case 77', '--json');
    const { resolved_by, ...said } = JSON.parse(stdout);
    assert.deepEqual(
      [code, said],
      [0, { batch_id: batch, row: Number(row), status, batch_status: 'running', is_worked_on: false }],
    );
    assert.equal(typeof resolved_by, 'string');
  }
  await db.execute(asItWas);
  const ended = await airbatch('resume', batch);
  assert.equal(ended.code, 4, ended.stderr);
  const results = readFileSync(join(folder, 'reports', batch, 'results.csv'), 'utf8');
  assert.deepEqual(results.match(/RESOLVED_\w+/g), ['RESOLVED_PAID', 'RESOLVED_NOT_PAID']);
  assert.match(
    (await airbatch('audit', '--batch', batch)).stdout,
    /row 2: decided that it was not paid: case 77 \(the service was asked before: open\)/,
  );
  assert.equal((await airbatch('verify', join('reports', batch))).code, 0);
  const retried = await airbatch('retry', batch);
  assert.match(
    retried.stderr,
    /Row 2 \(Amina Otieno\) stays failed: the service says that \S+ is processing: it may be paid\./,
  );
  assert.deepEqual(await states(), ['completed', 'failed']);
  const { retry } = JSON.parse((await airbatch('retry', batch, '--json')).stdout);
  assert.deepEqual(
    retry.kept.map(({ row, person }: { row: number; person: string | null }) => [row, person]),
    [[2, 'Amina Otieno']],
  );
});
