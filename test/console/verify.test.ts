import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { NotVerifiable, type ReadFile, verifyReports } from '../../src/console/pages/reports/verify.ts';
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
  return { reader, fingerprint };
}

const wrong = async (read: ReadFile) =>
  (await verifyReports(read, () => undefined)).checks.filter(({ faults }) => faults.length > 0);

describe('the proof of reports in the browser', () => {
  test('finds nothing wrong with unchanged reports, and shows the key of the installation', async (t) => {
    const { reader, fingerprint } = await reports(t);
    const verdict = await verifyReports(reader(), () => undefined);
    assert.deepEqual(
      verdict.checks.map(({ what, faults }) => [what, faults.length]),
      [
        ['signature', 0],
        ['files', 0],
        ['chain', 0],
        ['head', 0],
      ],
    );
    assert.deepEqual([verdict.fingerprint, verdict.version, verdict.isMasked], [fingerprint, 1, false]);
    assert.ok(verdict.events > 60);
  });

  test('finds an edited cell, an edited event, a missing event and an edited manifest', async (t) => {
    const { reader } = await reports(t);
    assert.deepEqual(await wrong(reader({ 'results.csv': (text) => text.replace('completed', 'Completed') })), [
      { what: 'files', faults: ['results.csv'] },
    ]);
    const edited = await wrong(
      reader({ 'events.jsonl': (text) => text.replace('"seq":3,', '"seq":3, ').replace('engine', 'nobody') }),
    );
    assert.deepEqual(
      edited.map(({ what }) => what),
      ['files', 'chain', 'head'],
    );
    const cut = await wrong(
      reader({ 'events.jsonl': (text) => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n` }),
    );
    assert.deepEqual(
      cut.map(({ what }) => what),
      ['files', 'head'],
    );
    const manifest = await wrong(reader({ 'manifest.json': (text) => text.replace('"version": 1', '"version": 2') }));
    assert.deepEqual(
      manifest.map(({ what }) => what),
      ['signature'],
    );
  });

  test('finds what the program has found: a chain that differs from its anchored head', async (t) => {
    const anchor = { place: 'file /mnt/heads.jsonl', events: 4, head: 'another', anchored_at: 1, receipt: null };
    const { reader } = await reports(t, anchor);
    const fault = 'summary.json: event 4 differs from the anchored one (file /mnt/heads.jsonl)';
    assert.deepEqual(await wrong(reader()), [{ what: 'chain', faults: [fault] }]);
  });

  test('says that a folder without a manifest cannot be judged', async (t) => {
    const { reader } = await reports(t);
    await assert.rejects(
      verifyReports(
        async () => null,
        () => undefined,
      ),
      NotVerifiable,
    );
    await assert.rejects(
      verifyReports(reader({ 'manifest.json': () => '{}' }), () => undefined),
      NotVerifiable,
    );
  });
});
