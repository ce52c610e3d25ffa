import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readXlsx, writeXlsx } from 'hucre/xlsx';
import { performIn } from '../../../src/operations/base/operation.ts';
import { forgetBatches } from '../../../src/operations/proof/forget-batches.ts';
import { eraseOldDrafts } from '../../../src/runtime/drafts/erase-drafts.ts';
import { signingKeyPath } from '../../../src/runtime/session/session.ts';
import { roles } from '../../../src/runtime/settings/config-shape.ts';
import { reportForMail } from '../../../src/runtime/upkeep/report-store.ts';
import { s3Server } from '../../support/s3-server.ts';
import { unzipped } from '../../support/unzip.ts';
import { draftsApi } from './drafts-fixture.ts';

const header = ['phone_number', 'network_id', 'amount', 'currency'];
const file =
  'phone_number,network_id,amount,currency\n+254712345601,Safaricom,100,KES\n+254712345602,Safaricom,oops,KES\n';

/** Two machines with folders of their own, one ledger, and one bucket. */
async function machines(t: TestContext) {
  const store = await s3Server(t);
  const { endpoint, bucket, prefix } = store.bucket;
  const keys = { accessKeyIdEnv: 'FILES_ID', secretAccessKeyEnv: 'FILES_KEY' };
  const config = { reports: { s3: { endpoint, bucket, prefix, ...keys } } };
  const env = { FILES_ID: 'AKIATEST', FILES_KEY: 'the-secret-key-of-the-store' };
  const one = await draftsApi(t, config, { env });
  const other = await draftsApi(t, config, { env, ledger: one.db, clerkName: 'other-clerk' });
  /** What is on the disks of the two that names people. */
  const onDisk = () =>
    [one, other].flatMap(({ session }) =>
      readdirSync(dirname(session.ledgerPath), { recursive: true, encoding: 'utf8' }).filter((path) =>
        /^(?:drafts|uploads)\/./.test(path),
      ),
    );
  return { store, one, other, onDisk, stored: () => [...store.objects.keys()].sort() };
}

test('a file is uploaded on one machine, and corrected, planned and submitted on another that has no copy', async (t) => {
  const { store, one, other, onDisk, stored } = await machines(t);
  const { id, ...made } = await one.upload(file);
  assert.equal(made.status, 200, made.text);
  const original = `reports/drafts/${id}/original`;
  assert.deepEqual([stored(), onDisk()], [[original], []]);

  const { body: draft } = await other.send('GET', `/api/v1/drafts/${id}`);
  assert.deepEqual(draft.totals.counts, { rows: 2, valid: 1, invalid: 1, held: 0, skipped: 0 });
  const cells = [{ row: 2, column: 2, value: '150' }];
  assert.equal((await other.send('POST', `/api/v1/drafts/${id}/change`, { body: { cells } })).status, 200);
  const read = async (machine: typeof one, which: string) =>
    (await machine.send('GET', `/api/v1/drafts/${id}/file/${which}`)).text;
  assert.match(await read(one, 'mended'), /\+254712345602,Safaricom,150,KES/);
  store.objects.delete(`reports/drafts/${id}/mended-2.csv`);

  const { body: plan, text } = await other.send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
  assert.deepEqual([plan.to_send, plan.held], [2, 0], text);
  const { batch_id } = plan;
  const submitted = await one.send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id } });
  assert.equal(submitted.status, 200, submitted.text);
  assert.equal(await read(other, 'original'), file);
  assert.match(await read(one, 'mended'), /\+254712345602,Safaricom,150,KES/);
  const { original_sha256 } = (await other.send('GET', `/api/v1/drafts/${id}`)).body;
  const kept = store.objects.get(original)?.body ?? '';
  assert.equal(createHash('sha256').update(kept).digest('hex'), original_sha256);
  assert.deepEqual([stored(), onDisk()], [[`reports/drafts/${id}/mended-2.csv`, original], []]);

  // The people are forgotten while the bucket is away: it is named, and erased when it is back.
  await one.db.transact((tx) => tx.execute(`UPDATE batches SET status = 'completed', completed_at = 1`));
  store.before = () => 503;
  const forgotten = await performIn(other.session, forgetBatches, { nameOf: String }, { batch_id });
  assert.deepEqual(forgotten.files, [`s3://payouts/reports/drafts/${id}/`]);
  store.before = () => undefined;
  assert.equal(stored().length, 2);
  await eraseOldDrafts(one.session);
  assert.deepEqual([stored(), onDisk()], [[], []]);
  assert.equal((await one.send('GET', `/api/v1/drafts/${id}/file/original`)).status, 409);
});

test('a corrected workbook is read on another machine, and leaves nothing on a disk', async (t) => {
  const { store, one, other, onDisk, stored } = await machines(t);
  const rows = [header, ['+254712345601', 'Safaricom', 100, 'KES']];
  const bytes = Buffer.from(await writeXlsx({ sheets: [{ name: 'November', rows }] }));
  const { id } = await one.upload(bytes, { name: 'payroll.xlsx' });
  const { sheets } = await readXlsx((await other.download(`/api/v1/drafts/${id}/file/mended_xlsx`)).bytes);
  assert.deepEqual(sheets[0]?.rows, [header, ['+254712345601', 'Safaricom', '100', 'KES']]);
  assert.deepEqual([stored(), onDisk()], [[`reports/drafts/${id}/mended-1.xlsx`, `reports/drafts/${id}/original`], []]);

  const { batch_id } = (await other.send('POST', `/api/v1/drafts/${id}/plan`, { body: {} })).body;
  await other.send('POST', `/api/v1/drafts/${id}/submit`, { body: { batch_id } });
  store.objects.delete(`reports/drafts/${id}/mended-1.xlsx`);
  const late = await readXlsx((await one.download(`/api/v1/drafts/${id}/file/mended_xlsx`)).bytes);
  assert.deepEqual(
    late.sheets[0]?.rows,
    [header, ['+254712345601', 'Safaricom', '100', 'KES']],
    'made again of the CSV',
  );
  assert.deepEqual(onDisk(), []);
});

test('a bucket that is away refuses an upload or a plan, loses nothing, and the same step succeeds when it is back', async (t) => {
  const { store, one, other, onDisk, stored } = await machines(t);
  store.before = () => 503;
  const refused = await one.upload(file);
  assert.deepEqual([refused.status, refused.body.code], [503, 'FOLDER_UNWRITABLE'], refused.text);
  assert.match(refused.body.detail, /s3:\/\/payouts\/reports cannot be used/);
  assert.match(refused.body.hint, /^Check "reports\.s3" in the configuration/);
  assert.deepEqual((await one.send('GET', '/api/v1/drafts')).body.drafts, []);
  store.before = () => undefined;
  const { id, ...made } = await one.upload(file);
  assert.equal(made.status, 200, made.text);

  store.before = () => 503;
  const plan = () => other.send('POST', `/api/v1/drafts/${id}/plan`, { body: {} });
  assert.deepEqual((await plan()).status, 503);
  // The file is corrected without the bucket: its rows are in the ledger.
  const cells = [{ row: 2, column: 2, value: '150' }];
  assert.equal((await other.send('POST', `/api/v1/drafts/${id}/change`, { body: { cells } })).status, 200);
  store.before = () => undefined;
  assert.equal((await plan()).body.to_send, 2);

  // Another reading of the file needs the original, on the machine that has no copy of it.
  const again = await other.send('POST', `/api/v1/drafts/${id}/reread`, { body: { header_line: 1 } });
  assert.equal(again.status, 200, again.text);
  assert.deepEqual([stored(), onDisk()], [[`reports/drafts/${again.body.draft_id}/original`], []]);
  store.objects.set(stored()[0] ?? '', { body: Buffer.from('another'), at: new Date() });
  const changed = await one.send('POST', `/api/v1/drafts/${again.body.draft_id}/reread`, { body: { header_line: 1 } });
  assert.match(changed.text, /is not the file that was uploaded/);

  store.before = () => 503;
  const discarded = await one.send('POST', `/api/v1/drafts/${again.body.draft_id}/discard`, { body: {} });
  assert.equal(discarded.status, 200, discarded.text);
  store.before = () => undefined;
  await eraseOldDrafts(other.session);
  assert.deepEqual([stored(), onDisk()], [[], []]);
});

test('reports are downloaded, packed and attached by a machine that has no copy of them', async (t) => {
  const { store, one, other, onDisk } = await machines(t);
  const key = await one.makeKey('all', [...roles]);
  const { id } = await one.upload(file.replace('oops', '150'));
  const { batch_id } = (await one.send('POST', `/api/v1/drafts/${id}/plan`, { body: {} })).body;
  const written = await one.send('POST', `/api/v1/batches/${batch_id}/reports`, { key, body: {} });
  assert.equal(written.status, 200, written.text);
  const dir = `s3://payouts/reports/${batch_id}/`;
  assert.ok(written.body.dir.startsWith(dir), written.body.dir);
  // Machines that share a ledger have the same key.
  copyFileSync(signingKeyPath(one.session.ledgerPath), signingKeyPath(other.session.ledgerPath));

  const path = `/api/v1/batches/${batch_id}`;
  const { folders } = (await other.send('GET', `${path}/report-files`, { key })).body;
  const names: string[] = folders[0].files.map(({ name }: { name: string }) => name);
  const stored = (name: string) => store.objects.get(`reports/${batch_id}/${basename(written.body.dir)}/${name}`)?.body;
  for (const name of ['results.csv', 'report.html', 'manifest.json']) {
    assert.ok(names.includes(name), names.join());
    const { text } = await other.send('GET', `${path}/report-files/${name}`, { key });
    assert.equal(text, stored(name)?.toString());
  }
  const get = { method: 'GET' as const, url: `${path}/audit-pack`, headers: { authorization: `Bearer ${key}` } };
  const pack = unzipped((await other.server.inject(get)).rawPayload);
  for (const name of names) assert.ok(pack.get(`reports/${name}`)?.equals(stored(name) ?? Buffer.alloc(0)), name);

  const mailed = await reportForMail(other.session)(batch_id);
  assert.deepEqual([mailed.place, mailed.bytes], [`${written.body.dir}/report.html`, stored('report.html')?.length]);
  const pieces: Buffer[] = [];
  for await (const piece of await mailed.open()) pieces.push(piece as Buffer);
  assert.ok(stored('report.html')?.equals(Buffer.concat(pieces)));
  assert.deepEqual(onDisk(), []);

  store.before = () => 503;
  const away = await other.send('GET', `${path}/report-files/results.csv`, { key });
  assert.deepEqual([away.status, away.body.code], [503, 'FOLDER_UNWRITABLE']);
  // The mail says where the report will be.
  const { place, bytes } = await reportForMail(other.session)(batch_id);
  assert.deepEqual([place, bytes], [`${dir}report.html`, null]);
});
