import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { insertAnchor } from '../../../src/ledger/audit/anchors.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey, type SigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { signedBy } from '../../reports/fixture.ts';
import { giveBack, sayFailed } from '../../reports/late.ts';
import { makePack } from '../pack.ts';

/**
 * Two versions of the reports of the sample batch, the earlier one kept beside the later, and how they are signed
 * anew.
 */
async function twoVersions(t: TestContext) {
  const { dir, key, db } = await makePack(t);
  await giveBack(db, 2);
  await sayFailed(db, 4);
  await writeReports(db, 'B-1', join(dir, '..'), signedBy(db, key));
  /** Changes files as somebody does who holds the key: the manifest names what they are now, and is signed. */
  const forge = (changes: Record<string, (text: string) => string>, told: object = {}) => {
    const manifest = { ...JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')), ...told };
    manifest.files = manifest.files.filter(({ name }: { name: string }) => existsSync(join(dir, name)));
    for (const [name, change] of Object.entries(changes)) {
      const was = readFileSync(join(dir, name), 'utf8');
      const text = change(was);
      assert.notEqual(text, was, name);
      writeFileSync(join(dir, name), text);
      for (const file of manifest.files) {
        if (file.name !== name) continue;
        file.bytes = Buffer.byteLength(text);
        file.sha256 = createHash('sha256').update(text).digest('hex');
      }
    }
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    writeFileSync(join(dir, 'manifest.json'), text);
    writeFileSync(join(dir, 'manifest.sig'), key.sign(Buffer.from(text)));
  };
  const found = async () => (await verifyReports(dir)).findings.map(({ file, message }) => `${file} ${message}`);
  return { dir, key, db, kept: join(dir, 'versions/1-as-of-2026-11-01'), forge, found };
}

test('a version is proven if its difference matches the previous version, and the result says so', async (t) => {
  const { dir } = await twoVersions(t);
  const { ok, checked, notes, version, as_of } = await verifyReports(dir);
  assert.deepEqual([ok, notes, version, as_of], [true, [], 2, '2026-11-02T09:00:00.000Z']);
  assert.equal(
    checked.at(-2),
    'The earlier version in versions/ is as signed, and the audit chain continues from there.',
  );
  assert.equal(
    checked.at(-1),
    'difference.csv has exactly the differences from version 1 of 2026-11-01, which is in this folder, unchanged since it was signed.',
  );
});

const forgeries: readonly (readonly [
  what: string,
  file: 'difference.csv' | 'summary.json',
  change: (text: string) => string,
  found: string,
  foundAlone?: string | null,
])[] = [
  [
    'another value of now',
    'difference.csv',
    (text) => text.replace(',,0.80\n', ',,0.50\n'),
    'difference.csv line 3 (row 2, refund_amount) is not what these reports say.',
  ],
  [
    'another value of before',
    'difference.csv',
    (text) => text.replace('refund_amount,,', 'refund_amount,0.10,'),
    'difference.csv line 3 (row 2, refund_amount) is not what these reports say.',
    null,
  ],
  [
    'a line less',
    'difference.csv',
    (text) => text.replace(/2,3,[^\n]*refund_currency[^\n]*\n/, ''),
    'difference.csv lacks a difference from the previous version.',
    'summary.json has other counts of differences than difference.csv.',
  ],
  [
    'a line of a row that does not differ',
    'difference.csv',
    (text) => text.replace('2,,,row.refund', '7,8,payroll-2026-11/R-7,status,failed,skipped\n2,,,row.refund'),
    'difference.csv line 5 (row 7, status) is not what these reports say.',
  ],
  [
    'no word of the service',
    'difference.csv',
    (text) => text.replace(/4,,,row\.changed_late[^\n]*\n/, ''),
    'difference.csv has other late changes than the audit chain.',
  ],
  [
    'another word of the service',
    'difference.csv',
    (text) => text.replace('now says failed', 'now says completed'),
    'difference.csv has other late changes than the audit chain.',
  ],
  [
    'another count',
    'summary.json',
    (text) => text.replace(/("difference": \{\s+"rows": )1/, '$17'),
    'summary.json has other counts of differences than difference.csv.',
  ],
  [
    'other sums of now',
    'summary.json',
    (text) => text.replace(/("after": \{[^}]*\},\s+"paid": \{\s+"KES": ")/, '$19'),
    'summary.json has other counts and sums for a version than that version has.',
  ],
  [
    'other sums of before',
    'summary.json',
    (text) => text.replace(/("before": \{[^}]*\},\s+"paid": \{\s+"KES": ")/, '$19'),
    'summary.json has other counts and sums for a version than that version has.',
    null,
  ],
  [
    'another time',
    'summary.json',
    (text) => text.replace('"as_of": "2026-11-02T09', '"as_of": "2026-11-02T10'),
    'summary.json names another version of the reports than the manifest.',
  ],
  [
    'a row of another line',
    'difference.csv',
    (text) => text.replace('2,3,', '2,9,'),
    'difference.csv line 2 (row 2, refunded_at) is not what these reports say.',
  ],
  [
    'a row of another reference',
    'difference.csv',
    (text) => text.replace('R-2,refunded_at', 'R-9,refunded_at'),
    'difference.csv line 2 (row 2, refunded_at) is not what these reports say.',
  ],
  [
    'a column that is not there',
    'difference.csv',
    (text) => text.replace('\n2,3,', '\n2,3,payroll-2026-11/R-2,fee,,0.10\n2,3,'),
    'difference.csv line 2 (row 2, fee) is not what these reports say.',
  ],
  [
    'none told of in the summary, though its file is there',
    'summary.json',
    (text) => text.replace(/"difference": \{[\s\S]*?\n {2}\},/, '"difference": null,'),
    'summary.json and the folder disagree: only one of the two has a difference.',
  ],
];

for (const [what, file, change, expected, foundAlone = expected] of forgeries)
  test(`a difference with ${what} is found, even if signed`, async (t) => {
    const { dir, forge, found } = await twoVersions(t);
    forge({ [file]: change });
    assert.ok((await found()).includes(expected), String(await found()));
    if (file === 'difference.csv')
      assert.doesNotMatch(String((await verifyReports(dir)).checked), /the differences from version/);
    const alone = join(dir, '../alone');
    mkdirSync(alone);
    for (const name of JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')).files.map(
      ({ name }: { name: string }) => name,
    ))
      writeFileSync(join(alone, name), readFileSync(join(dir, name)));
    for (const name of ['manifest.json', 'manifest.sig'])
      writeFileSync(join(alone, name), readFileSync(join(dir, name)));
    const { ok, notes, findings } = await verifyReports(alone);
    const isFound = findings.some((one) => `${one.file} ${one.message}` === foundAlone);
    assert.deepEqual([ok, isFound], [foundAlone === null, foundAlone !== null], 'without the version before');
    if (ok) assert.match(String(notes), /Version 1 of 2026-11-01 is not in this folder/);
  });

test('a changed previous version is found, and so is a wrong one', async (t) => {
  const { kept, found } = await twoVersions(t);
  const results = readFileSync(join(kept, 'results.csv'));
  appendFileSync(join(kept, 'results.csv'), '\n');
  assert.deepEqual(await found(), ['versions/1-as-of-2026-11-01/results.csv has 2497 bytes; the manifest says 2496.']);
  writeFileSync(join(kept, 'results.csv'), results);
  const summary = readFileSync(join(kept, 'summary.json'));
  appendFileSync(join(kept, 'summary.json'), '\n');
  assert.deepEqual(await found(), [
    `versions/1-as-of-2026-11-01/summary.json has ${summary.byteLength + 1} bytes; the manifest says ${summary.byteLength}.`,
  ]);
  writeFileSync(join(kept, 'summary.json'), summary);
  assert.deepEqual(await found(), []);
  appendFileSync(join(kept, 'manifest.json'), ' ');
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01/manifest.json is not written as the program writes it: it may have a name twice, and readers may use either value.',
    'versions/1-as-of-2026-11-01/manifest.json does not fit its signature: one of the two was changed.',
    'versions has another version 1 than the one that these reports name.',
  ]);
});

test('a file among the versions that is not a version is found, like any other file in the folder', async (t) => {
  const { dir, found } = await twoVersions(t);
  writeFileSync(join(dir, 'versions/notes.txt'), 'to be asked');
  assert.deepEqual(await found(), ['versions/notes.txt is not an earlier version of these reports.']);
});

test('a manifest with another time, or without the previous version, is found by the chain and by the difference', async (t) => {
  const { dir, key, found } = await twoVersions(t);
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  const sign = (changed: object) => {
    const text = `${JSON.stringify({ ...manifest, ...changed }, null, 2)}\n`;
    writeFileSync(join(dir, 'manifest.json'), text);
    writeFileSync(join(dir, 'manifest.sig'), key.sign(Buffer.from(text)));
  };
  sign({ as_of: '2027-01-01T00:00:00.000Z' });
  assert.ok(
    (await found()).includes(
      'manifest.json is as of 2027-01-01T00:00:00.000Z; the last event of the audit chain was at 2026-11-02T09:00:00.000Z.',
    ),
  );
  sign({ previous: null });
  assert.ok((await found()).includes('summary.json and the folder disagree: only one of the two has a difference.'));
  const { previous } = manifest;
  sign({
    previous: { ...previous, head: previous.head.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0')) },
  });
  assert.ok(
    (await found()).includes('events.jsonl does not continue from the end of version 1: the chain was rewritten.'),
  );
  sign({ previous: { ...previous, events: 999 } });
  assert.match(String(await found()), /events\.jsonl has \d+ events, fewer than version 1, which had 999\./);
  sign({ version: 1 });
  assert.ok((await found()).includes('manifest.json is of version 1, and names version 1 as the previous one.'));
});

test('each earlier version must be signed, of this batch, older, under its own name and complete', async (t) => {
  const { dir, key, db, kept, found } = await twoVersions(t);
  await giveBack(db, 3, { hours: 48 });
  await writeReports(db, 'B-1', join(dir, '..'), signedBy(db, key));
  assert.deepEqual(await found(), []);
  const second = join(dir, 'versions/2-as-of-2026-11-02');
  const page = readFileSync(join(kept, 'report.html'), 'utf8');

  writeFileSync(join(kept, 'report.html'), page.replace('KES', 'USD'));
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01/report.html was changed: its digest is not that of the manifest.',
  ]);
  writeFileSync(join(kept, 'report.html'), page);
  writeFileSync(join(kept, 'notes.txt'), 'to be asked');
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01/notes.txt is not named by the manifest: it is not part of these reports.',
  ]);
  rmSync(join(kept, 'notes.txt'));
  mkdirSync(join(kept, 'versions'));
  assert.deepEqual(await found(), ['versions/1-as-of-2026-11-01/versions is not part of an earlier version.']);
  rmSync(join(kept, 'versions'), { recursive: true });

  renameSync(kept, join(dir, 'versions/3-as-of-2026-11-01'));
  renameSync(second, kept);
  renameSync(join(dir, 'versions/3-as-of-2026-11-01'), second);
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01 has the name of another version: it is version 2, as of 2026-11-02T09:00:00.000Z.',
    'versions/2-as-of-2026-11-02 has the name of another version: it is version 1, as of 2026-11-01T08:01:00.000Z.',
    'versions has another version 2 than the one that these reports name.',
  ]);
});

test('an older version in the place of the newest is found by the versions next to it', async (t) => {
  const { dir, kept, found } = await twoVersions(t);
  for (const name of readdirSync(dir)) if (name !== 'versions') rmSync(join(dir, name));
  for (const name of readdirSync(kept)) writeFileSync(join(dir, name), readFileSync(join(kept, name)));
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01 is version 1, and did not come before these reports, version 1.',
  ]);
});

test('an earlier version of another batch, or signed with another key, is found', async (t) => {
  const { dir, kept, found, key } = await twoVersions(t);
  const manifest = JSON.parse(readFileSync(join(kept, 'manifest.json'), 'utf8'));
  const lay = (changed: object, signer: SigningKey) => {
    const forged = join(dir, 'versions/1-as-of-2026-11-01-2');
    rmSync(forged, { recursive: true, force: true });
    mkdirSync(forged);
    for (const name of readdirSync(kept)) writeFileSync(join(forged, name), readFileSync(join(kept, name)));
    const text = `${JSON.stringify({ ...manifest, ...changed, public_key: signer.publicKey }, null, 2)}\n`;
    writeFileSync(join(forged, 'manifest.json'), text);
    writeFileSync(join(forged, 'manifest.sig'), signer.sign(Buffer.from(text)));
  };
  lay({ batch_id: 'B-2' }, key);
  assert.deepEqual(await found(), ['versions/1-as-of-2026-11-01-2 is of another batch, B-2.']);
  lay({}, await openSigningKey(join(dir, '../other.pem')));
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01-2 was signed by another key, and no later version names it.',
  ]);
  lay({ audit: { events: 12, head: manifest.audit.head } }, key);
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01-2 is not an earlier state of these reports: their audit chain does not continue from the end of its own.',
  ]);
});

test('versions that were signed with a replaced key are reported', async (t) => {
  const { dir, db } = await twoVersions(t);
  await giveBack(db, 3, { hours: 48 });
  const other = await openSigningKey(join(dir, '../other.pem'));
  await writeReports(db, 'B-1', join(dir, '..'), signedBy(db, other));
  const { findings, notes } = await verifyReports(dir);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    notes.map((note) => note.replace(/ of .*? is the previous version.*/, '')),
    [
      'versions/1-as-of-2026-11-01 was signed by another key than these reports.',
      'versions/2-as-of-2026-11-02 was signed by another key than these reports.',
      'Version 2',
    ],
  );
});

test('reports with another number than in the audit chain are found, even if signed', async (t) => {
  const { forge, found } = await twoVersions(t);
  forge({ 'summary.json': (text) => text.replace('"version": 2', '"version": 7') }, { version: 7 });
  assert.deepEqual(await found(), [
    'manifest.json is of version 7; the audit chain says that version 2 was published last.',
  ]);
});

test('reports without a previous version are found, even if all of it was signed', async (t) => {
  const { forge, dir, found } = await twoVersions(t);
  rmSync(join(dir, 'versions'), { recursive: true });
  rmSync(join(dir, 'difference.csv'));
  const alone = (text: string) =>
    `${JSON.stringify({ ...JSON.parse(text), previous: null, difference: null }, null, 2)}\n`;
  forge({ 'summary.json': alone }, { previous: null });
  assert.deepEqual(await found(), ['manifest.json names no previous version; the audit chain has one.']);
});

test('a manifest with another state of the batch, or with a file that is not part of reports, is found', async (t) => {
  const { dir, forge, found } = await twoVersions(t);
  const { files } = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  forge({}, { status: 'running' });
  assert.deepEqual(await found(), ['summary.json has another status than the manifest.']);
  writeFileSync(join(dir, 'paid.csv'), '');
  const sha256 = createHash('sha256').update('').digest('hex');
  forge({}, { status: 'completed', files: [...files, { name: 'paid.csv', bytes: 0, sha256 }] });
  assert.deepEqual(await found(), ['paid.csv is named by the manifest, but reports have no such file.']);
});

/** Two versions, and anchored heads right before each was published, or elsewhere. */
async function provenBy(t: TestContext, { atEnds }: { atEnds: boolean }) {
  const { dir, db, kept } = await twoVersions(t);
  const chain = await pageEvents(db, 'B-1', 0, 100);
  const given = chain.filter(({ kind }) => kind === 'batch.report').map(({ seq }) => seq);
  const places = atEnds ? given.map((seq) => seq - 1) : [5, ...given.slice(1)];
  const anchors = join(dir, '../heads.jsonl');
  const heads = places.map((events) => ({ batch_id: 'B-1', events, head: chain[events - 1]?.hash }));
  writeFileSync(anchors, heads.map((head) => JSON.stringify(head)).join('\n'));
  return { dir, kept, places, verify: (folder: string) => verifyReports(folder, { anchors }) };
}

test('an earlier version that ends at an anchored head is proven up to there, and the result names the newer one', async (t) => {
  const { dir, kept, places, verify } = await provenBy(t, { atEnds: true });
  const { ok, doubts, checked, findings } = await verify(kept);
  assert.deepEqual([ok, findings], [true, []]);
  assert.deepEqual(doubts, [
    `These reports are an earlier version: they were published when the chain had this length. It has at least ${places[1]} events now. A newer version has what came later.`,
  ]);
  assert.match(String(checked), /every anchored head up to its end/);
  assert.doesNotMatch(String(checked), /nothing was cut off/);
  const newest = await verify(dir);
  assert.deepEqual([newest.ok, newest.doubts], [true, []]);
  assert.match(String(newest.checked), /nothing was cut off/);
});

test('a chain that ends before or after the anchored heads may have been cut short', async (t) => {
  const { kept, verify } = await provenBy(t, { atEnds: false });
  const { ok, doubts, findings } = await verify(kept);
  assert.deepEqual([ok, doubts], [false, []]);
  assert.match(findings[0]?.message ?? '', /was cut short, or is of an older version: \d+ events were anchored/);
});

test('an anchored head in the reports that lies beyond their chain shows that the chain was cut', async (t) => {
  const { dir, key, db } = await makePack(t);
  const chain = await pageEvents(db, 'B-1', 0, 100);
  const end = chain.length - 1;
  const later = { batch_id: 'B-1', events: end + 9, head: 'f'.repeat(64) };
  await insertAnchor(db, { ...later, place: 'url https://a.example', anchored_at: 1, receipt: null });
  await giveBack(db, 2);
  await writeReports(db, 'B-1', join(dir, '..'), signedBy(db, key));
  const anchors = join(dir, '../heads.jsonl');
  const now = await pageEvents(db, 'B-1', 0, 100);
  const heads = [{ ...later, events: now.length, head: now.at(-1)?.hash }, later];
  writeFileSync(anchors, heads.map((head) => JSON.stringify(head)).join('\n'));
  const { doubts, findings } = await verifyReports(dir, { anchors });
  assert.deepEqual(doubts, []);
  assert.match(findings[0]?.message ?? '', /was cut short/);
});
