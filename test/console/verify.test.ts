import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { NotVerifiable, type ReadFile, verifyReports, type Wanted } from '../../src/console/pages/reports/verify.ts';
import { type AnchorRecord, insertAnchor } from '../../src/ledger/audit/anchors.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { showKey } from '../../src/operations/proof/show-key.ts';
import { writeReports } from '../../src/operations/proof/write-reports.ts';
import { makeInstallation } from '../browser/installation.ts';
import { samples } from '../browser/samples.ts';
import { folderOf } from '../support/folder.ts';

const door = { nameOf: (field: string) => field };

/** Reports of a finished batch, read as a browser reads them. `edit` changes the bytes of a file on the way. */
async function reports(t: TestContext, anchor?: Omit<AnchorRecord, 'batch_id'>) {
  const installation = await makeInstallation(folderOf(t), '');
  t.after(() => installation.close());
  const { session } = installation;
  if (anchor !== undefined) await insertAnchor(session.db, { ...anchor, batch_id: samples.done });
  const { dir } = await performIn(session, writeReports, door, { batch_id: samples.done });
  const { fingerprint } = await performIn(session, showKey, door, {});
  const reader =
    (edit: Record<string, (text: string) => string> = {}): ReadFile =>
    async (name) => {
      const bytes = await readFile(join(dir, name)).catch(() => null);
      if (bytes === null) return null;
      const change = edit[name];
      return change === undefined ? new Uint8Array(bytes) : new TextEncoder().encode(change(bytes.toString()));
    };
  const names = await readdir(dir);
  const wanted = { batchId: samples.done, version: 1, isMasked: false, names };
  return { reader, fingerprint, wanted };
}

const wrong = async (read: ReadFile, wanted: Wanted) =>
  (await verifyReports(read, wanted, () => undefined)).checks.filter(({ faults }) => faults.length > 0);

describe('the proof of reports in the browser', () => {
  test('finds nothing wrong with unchanged reports, and shows the key of the installation', async (t) => {
    const { reader, fingerprint, wanted } = await reports(t);
    const verdict = await verifyReports(reader(), wanted, () => undefined);
    assert.deepEqual(
      verdict.checks.map(({ what, faults }) => [what, faults.length]),
      [
        ['signature', 0],
        ['version', 0],
        ['files', 0],
        ['chain', 0],
        ['head', 0],
      ],
    );
    assert.equal(verdict.fingerprint, fingerprint);
    assert.ok(verdict.events > 60);
  });

  test('finds an edited cell, an edited event, a missing event and an edited manifest', async (t) => {
    const { reader, wanted } = await reports(t);
    assert.deepEqual(await wrong(reader({ 'results.csv': (text) => text.replace('completed', 'Completed') }), wanted), [
      { what: 'files', faults: ['results.csv'] },
    ]);
    const edited = await wrong(
      reader({ 'events.jsonl': (text) => text.replace('"seq":3,', '"seq":3, ').replace('engine', 'nobody') }),
      wanted,
    );
    assert.deepEqual(
      edited.map(({ what }) => what),
      ['files', 'chain', 'head'],
    );
    const cut = await wrong(
      reader({ 'events.jsonl': (text) => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n` }),
      wanted,
    );
    assert.deepEqual(
      cut.map(({ what }) => what),
      ['files', 'head'],
    );
    const manifest = await wrong(
      reader({ 'manifest.json': (text) => text.replace('"program": "', '"program": "x') }),
      wanted,
    );
    assert.deepEqual(
      manifest.map(({ what }) => what),
      ['signature'],
    );
  });

  test('finds reports of another batch or version, masked ones, and a file that nobody has signed', async (t) => {
    const { reader, wanted } = await reports(t);
    for (const other of [{ batchId: 'another' }, { version: 2 }, { isMasked: true }])
      assert.deepEqual(await wrong(reader(), { ...wanted, ...other }), [
        { what: 'version', faults: ['manifest.json'] },
      ]);
    assert.deepEqual(await wrong(reader(), { ...wanted, names: [...wanted.names, 'final.csv'] }), [
      { what: 'files', faults: ['final.csv'] },
    ]);
  });

  test('finds what the program has found: a chain that differs from its anchored head', async (t) => {
    const anchor = { place: 'file /mnt/heads.jsonl', events: 4, head: 'another', anchored_at: 1, receipt: null };
    const { reader, wanted } = await reports(t, anchor);
    const fault = 'summary.json: event 4 differs from the anchored one (file /mnt/heads.jsonl)';
    assert.deepEqual(await wrong(reader(), wanted), [{ what: 'chain', faults: [fault] }]);
  });

  test('says that a folder without a manifest cannot be judged', async (t) => {
    const { reader, wanted } = await reports(t);
    await assert.rejects(
      verifyReports(
        async () => null,
        wanted,
        () => undefined,
      ),
      NotVerifiable,
    );
    const edits = [() => '{}', (text: string) => text.replace(/-----BEGIN PUBLIC KEY-----\\n..../, '')];
    for (const edit of edits)
      await assert.rejects(
        verifyReports(reader({ 'manifest.json': edit }), wanted, () => undefined),
        (error) => error instanceof NotVerifiable && error.message.startsWith('manifest.json'),
      );
  });
});
