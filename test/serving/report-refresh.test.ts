import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { insertJobFile } from '../../src/ledger/jobs/job-files.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { makeReportRefresh } from '../../src/serving/report-refresh.ts';
import { signedBy, startMs, testClock, testLedger, writeSampleBatch } from '../reports/fixture.ts';
import { giveBack, sayFailed } from '../reports/late.ts';
import { folderOf } from '../support/folder.ts';

const hourMs = 3_600_000;

/**
 * The sample batch with its first reports, and what looks, so many hours and seconds after the start; it returns the
 * versions made.
 */
async function reported(t: TestContext) {
  const folder = folderOf(t);
  const db = await testLedger(t);
  await writeSampleBatch(db);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const clock = testClock();
  const out = join(folder, 'reports');
  await writeReports(db, 'B-1', out, signedBy(db, key));
  const made: string[] = [];
  const places = { isHere: true };
  const restarted = () =>
    makeReportRefresh({ db, clock, config: { out } } as unknown as Session, {
      isOurs: () => places.isHere,
      async restate(batchId, place) {
        const { version, is_new } = await writeReports(db, batchId, place, signedBy(db, key));
        if (is_new) made.push(`${place.slice(folder.length + 1)} ${version}`);
      },
    });
  let look = restarted();
  return {
    db,
    folder,
    out,
    key,
    places,
    restart: () => {
      look = restarted();
    },
    async lookAt(hours: number, seconds = 0) {
      clock.set(startMs + hours * hourMs + seconds * 1_000);
      await look();
      return made.splice(0);
    },
  };
}

test('reports are written again once for the service’s late changes, after a quiet minute', async (t) => {
  const { db, lookAt, restart } = await reported(t);
  assert.deepEqual(await lookAt(1), []);
  await giveBack(db, 2);
  assert.deepEqual(await lookAt(24, 30), []);
  await giveBack(db, 3, { hours: 24 + 40 / 3_600 });
  assert.deepEqual(await lookAt(24, 70), [], 'there may be more');
  assert.deepEqual(await lookAt(24, 101), ['reports 2']);
  assert.deepEqual(await lookAt(24, 200), []);
  restart();
  assert.deepEqual(await lookAt(24, 300), []);
  await sayFailed(db, 4, { hours: 25 });
  restart();
  assert.deepEqual(await lookAt(26), ['reports 3']);
});

test('reports of an account that another machine works for are left to it', async (t) => {
  const { db, places, lookAt } = await reported(t);
  await giveBack(db, 2);
  places.isHere = false;
  assert.deepEqual(await lookAt(24, 70), []);
  places.isHere = true;
  assert.deepEqual(await lookAt(24, 140), ['reports 2']);
});

test('reports that somebody has moved away are not written again', async (t) => {
  const { db, out, lookAt } = await reported(t);
  rmSync(join(out, 'B-1'), { recursive: true });
  await giveBack(db, 2);
  assert.deepEqual(await lookAt(30), []);
});

test('the reports next to the file of a job are written again as well', async (t) => {
  const { db, folder, key, lookAt } = await reported(t);
  mkdirSync(join(folder, 'inbox/done'), { recursive: true });
  await writeReports(db, 'B-1', join(folder, 'inbox/done'), signedBy(db, key));
  const working_path = join(folder, 'inbox/working/20261101-0800~payroll.csv');
  await insertJobFile(db, { batch_id: 'B-1', job: 'payroll', due_at: startMs, name: 'payroll.csv', working_path });
  await giveBack(db, 2);
  assert.deepEqual(await lookAt(30), ['reports 2', 'inbox/done 2']);
});

test('other changes, such as forgotten people, make no new version', async (t) => {
  const { db, lookAt } = await reported(t);
  await db.execute('UPDATE batches SET audit_seq = audit_seq + 1');
  assert.deepEqual(await lookAt(30), []);
});
