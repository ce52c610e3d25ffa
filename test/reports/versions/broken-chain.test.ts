import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { insertAnchor } from '../../../src/ledger/audit/anchors.ts';
import { type AuditEvent, chainHash, chainStart, pageEvents } from '../../../src/ledger/audit/events.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { verdictOf } from '../../../src/reports/sentences/verdict.ts';
import { batchSummary } from '../../../src/reports/summary/summary.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { folderOf } from '../../support/folder.ts';
import { signedBy, startMs, testLedger, writeSampleBatch } from '../fixture.ts';
import { giveBack } from '../late.ts';

/** A batch whose reports are published, and what publishes them again. */
async function published(t: TestContext) {
  const folder = folderOf(t);
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1');
  const key = await openSigningKey(join(folder, 'key.pem'));
  const write = (mask = false) => writeReports(db, 'B-1', folder, { ...signedBy(db, key), mask });
  await write();
  const read = (name: string) => readFileSync(join(folder, 'B-1', name), 'utf8');
  return { db, write, read, dir: join(folder, 'B-1'), kept: join(folder, 'B-1/versions/1-as-of-2026-11-01') };
}

/** Rewrites the chain from one event on, so that each event follows from the one before. */
async function forgeFrom(db: Database, from: number) {
  let previous = chainStart;
  for (const event of await pageEvents(db, 'B-1', 0, 10_000)) {
    const forged: AuditEvent = event.seq < from ? event : { ...event, actor: 'somebody else' };
    previous = chainHash(previous, forged);
    await db.execute('UPDATE events SET actor = ?, hash = ? WHERE seq = ?', [forged.actor, previous, event.seq]);
  }
  await db.execute('UPDATE batches SET audit_head = ?', [previous]);
}

async function anchor(db: Database, events: number) {
  const [event] = await pageEvents(db, 'B-1', events - 1, 1);
  const place = { batch_id: 'B-1', place: 'file /mnt/heads.jsonl', anchored_at: startMs, receipt: null };
  await insertAnchor(db, { ...place, events, head: event?.hash ?? '' });
}

const faults: [what: string, edit: (db: Database) => Promise<unknown>, fault: RegExp][] = [
  [
    'with a changed event',
    (db) => db.execute(`UPDATE events SET actor = 'another' WHERE seq = 3`),
    /^event 3 does not follow from the one before it$/,
  ],
  ['without one of its events', (db) => db.execute('DELETE FROM events WHERE seq = 3'), /^event 3 is missing$/],
  [
    'without its last event',
    (db) => db.execute('DELETE FROM events WHERE seq = (SELECT MAX(seq) FROM events)'),
    // The event that records the new version comes after the gap.
    /^event 31 is missing$/,
  ],
  [
    'with an event after its end',
    (db) =>
      db.execute(
        `INSERT INTO events (batch_id, seq, at, actor, kind, row_no, body, hash)
           SELECT batch_id, seq + 2, at, actor, 'batch.note', NULL, '{}', hash FROM events ORDER BY seq DESC LIMIT 1`,
      ),
    /^it does not end where the batch says$/,
  ],
  [
    'that was rewritten after it was anchored',
    async (db) => {
      await anchor(db, 4);
      await forgeFrom(db, 3);
    },
    /^event 4 differs from the anchored one \(file \/mnt\/heads\.jsonl\)$/,
  ],
];

for (const [what, edit, fault] of faults)
  test(`a report on a chain ${what} says so first, is kept beside the earlier version, and is never proven`, async (t) => {
    const { db, write, read, dir, kept } = await published(t);
    const before = read('manifest.json');
    await edit(db);
    const { version, is_new } = await write();
    assert.deepEqual([version, is_new], [2, true]);
    assert.equal(readFileSync(join(kept, 'manifest.json'), 'utf8'), before);
    assert.match(JSON.parse(read('summary.json')).audit.broken, fault);
    const verdict = verdictOf(await batchSummary(db, 'B-1'));
    const first = 'The record of this batch was changed or damaged: do not rely on these figures.';
    assert.deepEqual([verdict.tone, verdict.headline], ['attention', first]);
    assert.match(verdict.details[0] ?? '', /^Its audit chain is broken: .*"airbatch audit --batch B-1"/);
    assert.match(verdict.details[1] ?? '', /^In the ledger as it is now: 7 of 10 rows were paid/);
    assert.ok(read('report.html').indexOf(first) < read('report.html').indexOf('rows were paid'));
    const { ok, findings } = await verifyReports(dir);
    assert.equal(ok, false);
    const said = findings.map(({ file, message }) => `${file} ${message}`);
    assert.ok(
      said.some((text) => /^summary\.json says that the audit chain is broken: /.test(text)),
      said.join('\n'),
    );
  });

test('an event that is added while a summary is made is no fault of the chain', async (t) => {
  const { db } = await published(t);
  const { execute } = db;
  const late: Database = {
    ...db,
    // The batch is read by now, and its chain is not.
    query: async (sql, values) => {
      if (sql.includes('FROM anchors')) {
        await execute(`UPDATE batches SET audit_seq = audit_seq + 1, audit_head = 'later'`);
        await execute(
          `INSERT INTO events (batch_id, seq, at, actor, kind, row_no, body, hash)
             SELECT batch_id, seq + 1, at, actor, kind, row_no, body, 'later' FROM events ORDER BY seq DESC LIMIT 1`,
        );
        await anchor(db, (await pageEvents(db, 'B-1', 0, 10_000)).length);
      }
      return db.query(sql, values);
    },
  };
  assert.equal((await batchSummary(late, 'B-1')).audit.broken, undefined);
});

test('reports are written of a ledger in which the text of an event is cut, unless it is that of a version', async (t) => {
  const { db, dir } = await published(t);
  await giveBack(db, 2);
  const write = () => writeReports(db, 'B-1', join(dir, 'again'));
  for (const { seq, kind, body } of await pageEvents(db, 'B-1', 0, 10_000)) {
    await db.execute('UPDATE events SET body = substr(body, 2) WHERE seq = ?', [seq]);
    if (kind === 'batch.report') await assert.rejects(write(), { code: 'LEDGER_DAMAGED' });
    else assert.match((await write()).chain_broken ?? '', new RegExp(`^event ${seq} does not follow`));
    await db.execute('UPDATE events SET body = ? WHERE seq = ?', [body, seq]);
  }
});
