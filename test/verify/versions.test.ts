import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeReports } from '../../src/reports/reports.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { giveBack, sayFailed } from '../reports/late.ts';
import { makePack } from './pack.ts';

/** Two versions of the reports of the sample batch, the earlier one kept beside the later, and how they are signed anew. */
async function twoVersions(t: TestContext) {
  const { dir, key, db } = await makePack(t);
  await giveBack(db, 2);
  await sayFailed(db, 4);
  await writeReports(db, 'B-1', join(dir, '..'), { key });
  /** Changes files as somebody does who holds the key: the manifest names what they are now, and is signed. */
  const forge = (changes: Record<string, (text: string) => string>) => {
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
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

test('a version whose difference is what differs from the one beside it is proven, and says so', async (t) => {
  const { dir } = await twoVersions(t);
  const { ok, checked, notes, version, as_of } = await verifyReports(dir);
  assert.deepEqual([ok, notes, version, as_of], [true, [], 2, '2026-11-02T09:00:00.000Z']);
  assert.equal(
    checked.at(-1),
    'What differs from version 1 of 2026-11-01, which lies beside these reports as it was signed, is what difference.csv says.',
  );
});

const forgeries: readonly (readonly [
  what: string,
  file: 'difference.csv' | 'summary.json',
  change: (text: string) => string,
  found: string,
  isFoundAlone: boolean,
])[] = [
  [
    'another value of now',
    'difference.csv',
    (text) => text.replace(',,0.80\n', ',,0.50\n'),
    'difference.csv line 3 (row 2, refund_amount) is not what these reports say.',
    true,
  ],
  [
    'another value of before',
    'difference.csv',
    (text) => text.replace('refund_amount,,', 'refund_amount,0.10,'),
    'difference.csv line 3 (row 2, refund_amount) is not what these reports say.',
    false,
  ],
  [
    'a line less',
    'difference.csv',
    (text) => text.replace(/2,3,[^\n]*refund_currency[^\n]*\n/, ''),
    'difference.csv lacks something that differs from the version before.',
    true,
  ],
  [
    'a line of a row that does not differ',
    'difference.csv',
    (text) => text.replace('2,,,row.refund', '7,8,payroll-2026-11/R-7,status,failed,skipped\n2,,,row.refund'),
    'difference.csv line 5 (row 7, status) is not what these reports say.',
    true,
  ],
  [
    'no word of the service',
    'difference.csv',
    (text) => text.replace(/4,,,row\.changed_late[^\n]*\n/, ''),
    'difference.csv says otherwise than the audit chain what the service has said of rows that had ended.',
    true,
  ],
  [
    'another word of the service',
    'difference.csv',
    (text) => text.replace('now says failed', 'now says completed'),
    'difference.csv says otherwise than the audit chain what the service has said of rows that had ended.',
    true,
  ],
  [
    'another count',
    'summary.json',
    (text) => text.replace(/("difference": \{\s+"rows": )1/, '$17'),
    'summary.json counts otherwise than difference.csv what differs.',
    true,
  ],
  [
    'other sums of now',
    'summary.json',
    (text) => text.replace(/("after": \{[^}]*\},\s+"paid": \{\s+"KES": ")/, '$19'),
    'summary.json has other counts and sums for a version than that version has.',
    true,
  ],
  [
    'other sums of before',
    'summary.json',
    (text) => text.replace(/("before": \{[^}]*\},\s+"paid": \{\s+"KES": ")/, '$19'),
    'summary.json has other counts and sums for a version than that version has.',
    false,
  ],
  [
    'another time',
    'summary.json',
    (text) => text.replace('"as_of": "2026-11-02T09', '"as_of": "2026-11-02T10'),
    'summary.json says otherwise than the manifest which version of the reports it is of.',
    true,
  ],
];

for (const [what, file, change, expected, isFoundAlone] of forgeries)
  test(`a difference with ${what} is found, though it is signed`, async (t) => {
    const { dir, forge, found } = await twoVersions(t);
    forge({ [file]: change });
    assert.ok((await found()).includes(expected), String(await found()));
    const alone = join(dir, '../alone');
    mkdirSync(alone);
    for (const name of JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')).files.map(
      ({ name }: { name: string }) => name,
    ))
      writeFileSync(join(alone, name), readFileSync(join(dir, name)));
    for (const name of ['manifest.json', 'manifest.sig'])
      writeFileSync(join(alone, name), readFileSync(join(dir, name)));
    const { ok, notes } = await verifyReports(alone);
    assert.equal(ok, !isFoundAlone, 'without the version before');
    if (ok) assert.match(String(notes), /Version 1 of 2026-11-01 does not lie beside these reports/);
  });

test('a version before that was changed is found, and so is one that is not the one meant', async (t) => {
  const { kept, found } = await twoVersions(t);
  const results = readFileSync(join(kept, 'results.csv'));
  appendFileSync(join(kept, 'results.csv'), '\n');
  assert.deepEqual(await found(), [
    'versions/1-as-of-2026-11-01/results.csv was changed: its digest is not that of its manifest.',
  ]);
  writeFileSync(join(kept, 'results.csv'), results);
  assert.deepEqual(await found(), []);
  appendFileSync(join(kept, 'manifest.json'), ' ');
  assert.deepEqual(await found(), ['versions has another version 1 than the one of which these reports tell.']);
});

test('what is no version is strange among the versions, as anything else is in the folder', async (t) => {
  const { dir, found } = await twoVersions(t);
  writeFileSync(join(dir, 'versions/notes.txt'), 'to be asked');
  assert.deepEqual(await found(), ['versions/notes.txt is no earlier version of these reports.']);
});

test('a manifest with another time, or without the version before, is found by the chain and by the difference', async (t) => {
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
  assert.ok(
    (await found()).includes(
      'summary.json tells of a difference that no difference.csv has, or not of the one that it has.',
    ),
  );
  sign({ version: 1 });
  assert.ok((await found()).includes('manifest.json is of version 1, and says that version 1 came before.'));
});
