import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { insertAnchor } from '../../../src/ledger/audit/anchors.ts';
import { type AuditEvent, chainHash, pageEvents } from '../../../src/ledger/audit/events.ts';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import { readOne } from '../../../src/ledger/drivers/read.ts';
import { auditBatch } from '../../../src/operations/audit/audit-rows.ts';
import { testLedger, writeSampleBatch } from '../../reports/fixture.ts';
import { giveBack } from '../../reports/late.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { changeLedgerIn, openLedgerIn } from '../../support/folder-ledger.ts';

test('airbatch audit of one row says why it is invalid or skipped, which the chain does not contain', async (t) => {
  const folder = folderOf(t);
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  const rows = ['+254712101000,1,10,KES,e-1', '0712,1,five,KES,e-2'];
  const file = ['phone_number,network_id,amount,currency,reference', ...rows, ''].join('\n');
  writeFileSync(join(folder, 'p.csv'), file);
  await run('run', 'p.csv', '--run-id', 'november', '--yes');
  const { stdout } = await run('run', 'p.csv', '--run-id', 'november', '--yes', '--json');
  const batch = JSON.parse(stdout).summary.batch_id as string;
  const wrong = await run('audit', '--batch', batch, '--row', '2');
  assert.match(
    wrong.stdout,
    /^Row 2 \(line 3\) is invalid:\n {2}phone_number: .* \[PHONE_NEEDS_COUNTRY\]\n {4}Write .*\n {2}amount: "five" is not an amount\. \[AMOUNT_NOT_A_NUMBER\]\n/,
  );
  const skipped = await run('audit', '--batch', batch, '--row', '1');
  assert.match(skipped.stdout, /^Row 1 \(line 2\) is skipped:\n {2}This row was paid in batch .* \[ALREADY_PAID\]\n/);
  const [row] = (await run('audit', '--batch', batch, '--row', '2', '--json')).stdout.split('\n');
  const { status, line, problems } = JSON.parse(row ?? '');
  const codes = problems.map(({ code }: { code: string }) => code);
  assert.deepEqual([status, line, codes], ['invalid', 3, ['PHONE_NEEDS_COUNTRY', 'AMOUNT_NOT_A_NUMBER']]);
});

test('airbatch audit shows what happened to a batch and to a row, and finds a changed chain', async (t) => {
  const folder = folderOf(t);
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  // Numbers that end in 0001 are declined.
  const rows = ['+254712101000,1,10,KES,e-1', '+254712101001,1,20,KES,e-2', '+254712110001,1,30,KES,e-3'];
  writeFileSync(join(folder, 'p.csv'), ['phone_number,network_id,amount,currency,reference', ...rows, ''].join('\n'));
  const paid = await run('--json', 'run', 'p.csv', '--yes');
  const idIn = (text: string) => (JSON.parse(text) as { summary: { batch_id: string } }).summary.batch_id;
  const batch = idIn(paid.stdout);

  const whole = await run('audit', '--batch', batch);
  assert.equal(whole.code, 0);
  assert.match(whole.stdout, /intake {2}batch: read 3 rows: 3 to pay, 0 wrong/);
  assert.match(whole.stdout, /engine {2}row 2: paid, /);
  assert.match(whole.stderr, /The chain of \d+ events is complete and unchanged/);
  assert.doesNotMatch(whole.stdout, /7121[01]/);

  const row = await run('audit', '--batch', batch, '--row', '2');
  const lines = row.stdout.trim().split('\n');
  assert.ok(lines.length >= 3 && lines.every((line) => line.includes('row 2: ')), row.stdout);
  const failed = await run('audit', '--batch', batch, '--row', '3');
  assert.match(failed.stdout, /row 3: failed: The operator declined the top-up\.\n$/);
  assert.equal(
    (await run('--json', 'audit', '--batch', batch)).stdout
      .trim()
      .split('\n')
      .every((line) => JSON.parse(line).batch_id === batch),
    true,
  );
  assert.match((await run('audit')).stdout, new RegExp(`${batch}.* {2}\\S+ \\(cli\\) {2}batch: approved 3 rows`));
  assert.equal((await run('audit', '--row', '2')).code, 2);
  assert.equal((await run('audit', '--batch', 'none')).code, 2);

  const noRow = await run('audit', '--batch', batch, '--row', '9999');
  assert.equal(noRow.code, 2);
  assert.match(noRow.stderr, new RegExp(`batch ${batch} has no row 9999 \\[ROW_UNKNOWN\\]`));
  assert.equal(noRow.stdout, '');

  const second = idIn((await run('--json', 'run', 'p.csv', '--run-id', 'again', '--yes')).stdout);
  const lastLine = async (...args: string[]) => {
    const { code, stdout } = await run('--json', 'audit', ...args);
    return [code, JSON.parse(stdout.trim().split('\n').at(-1) ?? '')];
  };
  const rest = { rows: { agree: true, edited: [], unread: [] }, access: null, anchors: { unread: [] }, is_good: true };
  const [code, one] = await lastLine('--batch', batch);
  assert.deepEqual(
    [code, one],
    [0, { batch_id: batch, chain: { whole: true, batches: 1, events: one.chain.events, broken: [] }, ...rest }],
  );
  const [, row2] = await lastLine('--batch', batch, '--row', '2');
  assert.deepEqual(row2, one);
  const [, all] = await lastLine();
  const [, other] = await lastLine('--batch', second);
  const events = one.chain.events + other.chain.events;
  const access = { whole: true, events: 0, broken: null };
  assert.deepEqual(all, { batch_id: null, chain: { whole: true, batches: 2, events, broken: [] }, ...rest, access });
  assert.match(
    (await run('audit')).stderr,
    new RegExp(`The chains of 2 batches, ${events} events in all, are complete and unchanged`),
  );

  await changeLedgerIn(folder, `UPDATE events SET body = substr(body, 2) WHERE seq = 3`);
  const broken = await run('audit', '--batch', batch);
  assert.equal(broken.code, 5);
  assert.match(broken.stderr, /The chain is broken: event 3 does not follow/);
  const why = 'event 3 does not follow from the one before it';
  for (const args of [['--batch', batch], ['--batch', batch, '--row', '2'], []]) {
    const [code, { chain }] = await lastLine(...args);
    assert.deepEqual([code, chain.whole, chain.broken[0]], [5, false, { batch_id: batch, why }]);
  }
  // The reports are written, and nobody can take them for whole.
  const report = await run('report', batch);
  assert.equal(report.code, 5);
  assert.match(report.stdout, /^The record of this batch was changed or damaged[^\n]*: event 3 does not follow from/);
  assert.equal(JSON.parse((await run('report', batch, '--json')).stdout).chain_broken, why);
  const anywhere = await run('audit');
  assert.equal(anywhere.code, 5);
  for (const id of [batch, second])
    assert.match(anywhere.stderr, new RegExp(`The chain of batch ${id} is broken: event 3 does not follow`));
});

test('airbatch audit finds an edited batch or row of the ledger, though its chain is complete', async (t) => {
  const folder = folderOf(t);
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  const lines = [
    'phone_number,network_id,amount,currency,reference',
    '+254712101000,1,10,KES,e-1',
    '0712,1,10,KES,e-2',
    '',
  ];
  writeFileSync(join(folder, 'p.csv'), lines.join('\n'));
  const paid = await run('--json', 'run', 'p.csv', '--yes');
  const { batch_id: batch } = (JSON.parse(paid.stdout) as { summary: { batch_id: string } }).summary;
  const change = (sql: string) => changeLedgerIn(folder, sql);
  /** What the audit says between an edit and its undoing. */
  const auditedWith = async (edit: string, undo: string) => {
    await change(edit);
    const { code, stderr } = await run('audit', '--batch', batch);
    await change(undo);
    return `${code}: ${stderr}`;
  };

  assert.match(
    await auditedWith('SELECT 1', 'SELECT 1'),
    /^0: .*is complete and unchanged\. Its rows have the content that was checked/,
  );
  const amount = (value: string) => `UPDATE rows SET amount = '${value}' WHERE row_no = 1`;
  const edited = await auditedWith(amount('900'), amount('10'));
  assert.match(edited, /^5: .* row 1 was sent with another amount than the row has now\./);
  assert.match(edited, new RegExp(`Batch ${batch} was edited: its rows are not those that were validated`));
  assert.match(edited, /not those that were approved[\s\S]*The chain of \d+ events is complete and unchanged/);
  assert.match(
    await auditedWith('UPDATE rows SET row_no = 7 WHERE row_no = 2', 'UPDATE rows SET row_no = 2 WHERE row_no = 7'),
    /^5: .*not those that were validated/,
  );
  await change('CREATE TABLE kept AS SELECT * FROM rows WHERE row_no = 2');
  assert.match(
    await auditedWith('DELETE FROM rows WHERE row_no = 2', 'INSERT INTO rows SELECT * FROM kept'),
    /^5: .*it has 1 row, but the chain says 2\.[\s\S]*it has 0 invalid rows, but the chain says 1\./,
  );
  const field = (sql: string) => `UPDATE batches SET ${sql}`;
  assert.match(
    await auditedWith(`${field("approved_by = approved_by || 'x'")}`, field("approved_by = rtrim(approved_by, 'x')")),
    /^5: .*as who approved it, but the chain says/,
  );
  assert.match(
    await auditedWith(field('finish_by = 86400000'), field('finish_by = NULL')),
    /^5: .*it has 1970-01-02T00:00:00\.000Z as when it was due, but the chain says nothing/,
  );
  const since: [edit: string, undo: string, expected: RegExp][] = [
    [
      "rows SET status = 'failed' WHERE row_no = 1",
      "rows SET status = 'completed' WHERE row_no = 1",
      /row 1 is failed; the audit chain says completed\./,
    ],
    [
      "rows SET cost = cost || '1' WHERE row_no = 1",
      'rows SET cost = substr(cost, 1, length(cost) - 1) WHERE row_no = 1',
      /row 1 has the payment \S+ and the cost \S+ \S+1; event \d+ of the audit chain has another payment or cost\./,
    ],
    [
      'rows SET generation = 2 WHERE row_no = 1',
      'rows SET generation = 1 WHERE row_no = 1',
      /row 1 has another key or generation than the audit chain\./,
    ],
    [
      "rows SET cost = '9', cost_currency = 'USD' WHERE row_no = 2",
      'rows SET cost = NULL, cost_currency = NULL WHERE row_no = 2',
      /row 2 has cost, cost_currency, and was never paid: it is invalid\./,
    ],
    [
      "batches SET status = 'running'",
      "batches SET status = 'completed'",
      /it has running as its state, but the chain says completed\./,
    ],
    [
      'batches SET forgotten_at = 1',
      'batches SET forgotten_at = NULL',
      /it has 1970-01-01T00:00:00\.001Z as when its people were forgotten, but the chain says nothing\./,
    ],
    [
      "batches SET service = 'x' || service",
      'batches SET service = substr(service, 2)',
      /it has xembedded sandbox as the service, but the chain says embedded sandbox\./,
    ],
    [
      "batches SET balance_after = 'x' || balance_after",
      'batches SET balance_after = substr(balance_after, 2)',
      /it has a balance after it that cannot be read/,
    ],
    [
      "rows SET problems = 'x' || problems WHERE row_no = 2",
      'rows SET problems = substr(problems, 2) WHERE row_no = 2',
      /row 2 has a field that cannot be read/,
    ],
    [
      "batch_counts SET count = count + 1 WHERE status = 'invalid'",
      "batch_counts SET count = count - 1 WHERE status = 'invalid'",
      /it counts 2 rows as invalid, but has 1\./,
    ],
    [
      "batch_counts SET count = 0 WHERE status = 'completed'",
      "batch_counts SET count = 1 WHERE status = 'completed'",
      /it counts 0 rows as completed, but has 1\./,
    ],
    [
      "batches SET balance_before = replace(balance_before, '10000', '20000')",
      "batches SET balance_before = replace(balance_before, '20000', '10000')",
      /as the balance before it, but the chain says/,
    ],
  ];
  for (const [edit, undo, expected] of since)
    assert.match(await auditedWith(`UPDATE ${edit}`, `UPDATE ${undo}`), new RegExp(`^5: .*${expected.source}`));
  await change(field("file_sha256 = 'f00'"));
  const whole = await run('--json', 'audit');
  const { chain, rows } = JSON.parse(whole.stdout.trim().split('\n').at(-1) ?? '');
  assert.deepEqual([whole.code, chain.whole, rows.agree], [5, true, false]);
  assert.match(rows.edited[0].why, /^it has f00 as the digest of the file, but the chain says [0-9a-f]{64}$/);
  for (const table of ['batches', 'rows']) await change(`DELETE FROM ${table}`);
  const gone = await run('audit');
  assert.equal(gone.code, 5);
  assert.match(
    gone.stderr,
    new RegExp(`The chain of batch ${batch} is broken: its batch is missing from the ledger\\.`),
  );
});

test('an audit accepts a refunded row, and finds a refund that the chain does not have', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  await giveBack(db, 2);
  assert.deepEqual((await auditBatch(db, 'B-1')).edited, []);
  await db.execute("UPDATE rows SET refund_amount = '0.70' WHERE row_no = 2");
  assert.deepEqual((await auditBatch(db, 'B-1')).edited, ['row 2 has another refund than the audit chain']);
});

test('an audit finds a rewritten or shortened chain by its anchored heads', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const { audit_seq: events, audit_head: head } = (await findBatch(db, 'B-1')) as BatchRecord;
  await insertAnchor(db, { batch_id: 'B-1', place: 'file heads', events, head, anchored_at: 1, receipt: null });
  assert.equal((await auditBatch(db, 'B-1')).broken, null);
  const [before, last] = (await pageEvents(db, 'B-1', events - 2, 2)) as [AuditEvent, AuditEvent];
  const forged = chainHash(before.hash, { ...last, actor: 'nobody' });
  await db.execute('UPDATE events SET actor = ?, hash = ? WHERE seq = ?', ['nobody', forged, events]);
  await db.execute('UPDATE batches SET audit_head = ?', [forged]);
  assert.equal((await auditBatch(db, 'B-1')).broken, `event ${events} differs from the anchored one (file heads)`);
  await db.execute('DELETE FROM events WHERE seq = ?', [events]);
  await db.execute('UPDATE batches SET audit_head = ?, audit_seq = ?', [before.hash, events - 1]);
  assert.equal((await auditBatch(db, 'B-1')).broken, `event ${events}, which is anchored (file heads), is missing`);
});

/** A ledger on the disk with one batch paid, the head of which was put in `elsewhere.jsonl`. */
async function anchoredLedger(t: TestContext) {
  const folder = folderOf(t);
  const anchors = [{ kind: 'file', path: 'elsewhere.jsonl' }];
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ anchors }));
  const rows = [
    '+254712101000,1,10,KES,e-1,',
    '+254712101002,1,20.50,KES,e-2,Hello',
    '+254712110001,1,30,KES,e-3,',
    '',
  ];
  const header = 'phone_number,network_id,amount,currency,reference,sms_message';
  writeFileSync(join(folder, 'p.csv'), [header, ...rows].join('\n'));
  const run = (...args: string[]) => runHere(args, { cwd: folder });
  const { stdout } = await run('--json', 'run', 'p.csv', '--yes');
  const batch = (JSON.parse(stdout) as { summary: { batch_id: string } }).summary.batch_id;
  const ledger = await openLedgerIn(folder);
  t.after(() => ledger.close());
  return { folder, run, batch, ledger };
}

test('an audit finds a completely deleted batch by its anchored head in a file', async (t) => {
  const { run, batch, ledger } = await anchoredLedger(t);
  assert.equal((await run('audit')).code, 0);
  const tables = ['batches', 'events', 'rows', 'batch_counts', 'batch_costs', 'payments', 'anchors'];
  for (const table of tables) await ledger.execute(`DELETE FROM ${table} WHERE batch_id = ?`, [batch]);
  const { code, stderr } = await run('audit');
  assert.equal(code, 5);
  assert.match(
    stderr,
    new RegExp(`batch ${batch} is broken: .*missing from the ledger, but its head is anchored \\(file .*elsewhere`),
  );
});

test('an audit finds events that were deleted from the end of a chain by the file with its head, whatever the ledger says', async (t) => {
  const { run, batch, ledger } = await anchoredLedger(t);
  await ledger.execute('DELETE FROM events WHERE seq > (SELECT MAX(seq) FROM events) - 2');
  await ledger.execute('DELETE FROM anchors');
  await ledger.execute(`UPDATE batches SET status = 'running', completed_at = NULL, balance_after = NULL,
      audit_seq = audit_seq - 2, audit_head = (SELECT hash FROM events ORDER BY seq DESC LIMIT 1)`);
  for (const args of [['--batch', batch], []]) {
    const { code, stderr } = await run('audit', ...args);
    assert.equal(code, 5);
    assert.match(stderr, /event \d+, which is anchored \(file .*elsewhere\.jsonl\), is missing/);
  }
});

test('an audit reports unreadable anchors, and continues', async (t) => {
  const { folder, run } = await anchoredLedger(t);
  writeFileSync(join(folder, 'elsewhere.jsonl'), 'no head\n');
  const broken = await run('audit');
  assert.equal(broken.code, 0);
  assert.match(
    broken.stderr,
    /! Not all heads in file .*elsewhere\.jsonl were compared: line 1 of .* is no head of a chain/,
  );
  rmSync(join(folder, 'elsewhere.jsonl'));
  const { stdout } = await run('--json', 'audit');
  assert.match(JSON.parse(stdout.trim().split('\n').at(-1) ?? '').anchors.unread[0].why, /ENOENT/);
});

test('an audit finds payments whose rows are missing, with their batch or without', async (t) => {
  const { run, batch, ledger } = await anchoredLedger(t);
  await ledger.execute('DELETE FROM rows WHERE row_no = 2');
  const row = await run('audit');
  assert.match(
    row.stderr,
    new RegExp(`Batch ${batch} was edited: the ledger has 1 payment of missing rows, the first of row 2`),
  );
  for (const table of ['batches', 'events', 'rows', 'anchors']) await ledger.execute(`DELETE FROM ${table}`);
  const whole = await run('audit');
  assert.equal(whole.code, 5);
  assert.match(whole.stderr, /the ledger has 3 payments of missing rows, the first of row 1/);
});

const bodyEdits: [edit: string, expected: string][] = [
  [`body = replace(body, '101002', '999999')`, 'row 2 has a payment whose body does not match its digest'],
  [`body_digest = 'f00'`, 'row 2 has a payment whose body does not match its digest'],
  [`row_no = 1`, 'row 2 has a payment of another row'],
  [`reference = reference || 'x'`, 'row 2 has a payment under another reference'],
  [`batch_id = 'another'`, 'row 2 was sent, but the ledger lacks its payment'],
];

/** What the ledger's own program writes of a body, so that body and digest fit. */
const bodyChanges: [was: string, is: string, what: string][] = [
  ['+254712101002', '+254712999999', 'phone number'],
  ['"network_id":1', '"network_id":7', 'network'],
  ['20.5', '2050', 'amount'],
  ['KES', 'UGX', 'currency'],
  ['Hello', 'Goodbye', 'text message'],
  ['/e-2', '/e-9', 'reference'],
];

test('an audit compares each row with the payment that was sent for it', async (t) => {
  const { batch, ledger } = await anchoredLedger(t);
  const one = `idempotency_key = (SELECT idempotency_key FROM payments WHERE row_no = 2)`;
  await ledger.execute('CREATE TABLE kept AS SELECT * FROM payments WHERE row_no = 2');
  const kept = await readOne<{ body: string; idempotency_key: string }>(ledger, 'SELECT * FROM kept');
  assert.ok(kept);
  const key = `idempotency_key = '${kept.idempotency_key}'`;
  const foundWith = async (set: string) => {
    await ledger.execute(`UPDATE payments SET ${set} WHERE ${one}`);
    const { edited } = await auditBatch(ledger, batch);
    await ledger.execute(`DELETE FROM payments WHERE ${key}`);
    await ledger.execute('INSERT INTO payments SELECT * FROM kept');
    return edited;
  };
  for (const [edit, expected] of bodyEdits) assert.deepEqual(await foundWith(edit), [expected]);
  for (const [was, is, what] of bodyChanges) {
    const body: string = kept.body.replace(was, is);
    assert.notEqual(body, kept.body, was);
    const set = `body = '${body}', body_digest = '${createHash('sha256').update(body).digest('hex')}'`;
    assert.deepEqual(await foundWith(set), [`row 2 was sent with another ${what} than the row has now`]);
  }
  assert.deepEqual(await foundWith('attempts = attempts'), []);
});
