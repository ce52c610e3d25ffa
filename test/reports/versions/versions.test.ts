import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type BatchRecord, findBatch } from '../../../src/ledger/batches/batches.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { savePublishedVersion } from '../../../src/ledger/reporting/published-versions.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { type ReportOptions, writeReports } from '../../../src/reports/reports.ts';
import { differenceText } from '../../../src/reports/sentences/version-text.ts';
import { differenceCsv } from '../../../src/reports/versions/difference.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { folderOf } from '../../support/folder.ts';
import {
  completedWay,
  newBatch,
  newRow,
  signedBy,
  startMs,
  testClock,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';
import { giveBack, sayFailed } from '../late.ts';

/** The sample batch, and what writes its reports again and again into one folder. */
async function sample(t: TestContext, time_zone: string | null = null) {
  const folder = folderOf(t);
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1', { time_zone });
  const key = await openSigningKey(join(folder, 'key.pem'));
  const write = (options: ReportOptions = {}) => writeReports(db, 'B-1', folder, { ...signedBy(db, key), ...options });
  return { folder, db, key, write, dir: join(folder, 'B-1'), kept: join(folder, 'B-1/versions/1-as-of-2026-11-01') };
}

/** Every file of a folder by its name, with its bytes. */
function filesOf(dir: string): Map<string, string> {
  const names = readdirSync(dir, { withFileTypes: true }).filter((one) => one.isFile());
  return new Map(names.map(({ name }) => [name, readFileSync(join(dir, name), 'latin1')]));
}

const json = (dir: string, name: string) => JSON.parse(readFileSync(join(dir, name), 'utf8'));

async function proven(dir: string) {
  const { ok, findings, checked, notes } = await verifyReports(dir);
  assert.deepEqual(findings, []);
  assert.ok(ok);
  return { checked, notes };
}

test('a published version is kept unchanged after a refund, and the new version lists the differences', async (t) => {
  const { db, write, dir, kept } = await sample(t);
  const first = await write();
  assert.deepEqual([first.version, first.is_new, first.previous, first.difference], [1, true, null, null]);
  const given = filesOf(dir);
  await giveBack(db, 2);
  const second = await write();
  assert.deepEqual(filesOf(kept), given);
  const manifest_sha256 = createHash('sha256')
    .update(given.get('manifest.json') ?? '', 'latin1')
    .digest('hex');
  const { events, head } = json(kept, 'manifest.json').audit;
  assert.deepEqual(second.previous, { version: 1, as_of: '2026-11-01T08:01:00.000Z', events, head, manifest_sha256 });
  assert.deepEqual([second.version, second.as_of, second.is_new], [2, '2026-11-02T08:00:00.000Z', true]);
  assert.equal(
    readFileSync(join(dir, 'difference.csv'), 'utf8'),
    [
      'row,line,reference,column,before,after',
      '2,3,payroll-2026-11/R-2,refunded_at,,2026-11-02T08:00:00.000Z',
      '2,3,payroll-2026-11/R-2,refund_amount,,0.80',
      '2,3,payroll-2026-11/R-2,refund_currency,,USD',
      '2,,,row.refund,,USD 0.80',
      '',
    ].join('\n'),
  );
  assert.equal(
    differenceText(second),
    '1 row differs from version 1 of 2026-11-01: refunded rows 0 → 1; refunds none → USD 0.80.',
  );
  const { version, as_of, previous, difference, difference_unknown } = json(dir, 'summary.json');
  assert.deepEqual(
    { version, as_of, previous, difference, difference_unknown },
    Object.fromEntries(
      ['version', 'as_of', 'previous', 'difference', 'difference_unknown'].map((name) => [
        name,
        second[name as 'version'],
      ]),
    ),
  );
  assert.match(
    readFileSync(join(dir, 'report.html'), 'utf8'),
    /version 2, as of 2026-11-02 08:00:00 UTC.*1 row differs from version 1 of 2026-11-01/s,
  );
  const [, rowByRow = ''] =
    /row by row<\/h2>(.*?)<\/section>/s.exec(readFileSync(join(dir, 'report.html'), 'utf8')) ?? [];
  assert.match(rowByRow, /refund amount.*0\.80/s);
  assert.doesNotMatch(rowByRow, /the service refunded money|more line/, 'which the row itself tells');
  assert.ok(
    (await proven(dir)).checked.some((sentence) =>
      sentence.startsWith('difference.csv has exactly the differences from version 1'),
    ),
  );
  await proven(kept);
});

test('an unchanged ledger makes no new version, and restores the same bytes, whatever somebody did to them', async (t) => {
  const { db, write, dir } = await sample(t);
  for (const version of [1, 2]) {
    if (version === 2) await giveBack(db, 2);
    await write();
    const given = filesOf(dir);
    writeFileSync(join(dir, 'results.csv'), 'saved by a spreadsheet');
    rmSync(join(dir, 'report.html'));
    const again = await write();
    assert.deepEqual([again.is_new, again.version], [false, version]);
    assert.deepEqual(filesOf(dir), given);
  }
  assert.deepEqual(readdirSync(join(dir, 'versions')), ['1-as-of-2026-11-01']);
});

test('a third version is compared with the second, and each one can be verified next to the previous one', async (t) => {
  const { db, write, dir } = await sample(t);
  await write();
  await giveBack(db, 2);
  await write();
  await giveBack(db, 3, { hours: 48 });
  await sayFailed(db, 4, { hours: 49 });
  const third = await write();
  assert.deepEqual([third.version, third.previous?.version, third.difference?.rows], [3, 2, 1]);
  assert.deepEqual(third.difference?.late, { 'row.refund': 1, 'row.changed_late': 1 });
  assert.deepEqual(readdirSync(join(dir, 'versions')).sort(), ['1-as-of-2026-11-01', '2-as-of-2026-11-02']);
  const second = join(dir, 'versions/2-as-of-2026-11-02');
  for (const path of [dir, second])
    assert.ok(
      (await proven(path)).checked.some((sentence) =>
        sentence.startsWith('difference.csv has exactly the differences from version'),
      ),
      path,
    );
  assert.ok(!existsSync(join(second, 'versions')));
});

test('a later answer of the service that changes no row makes a version as well: the difference shows it', async (t) => {
  const { db, write, dir } = await sample(t);
  await write();
  await sayFailed(db, 4);
  const { version, difference } = await write();
  assert.deepEqual([version, difference?.rows, difference?.late], [2, 0, { 'row.changed_late': 1 }]);
  assert.match(
    readFileSync(join(dir, 'difference.csv'), 'utf8'),
    /\n4,,,row\.changed_late,,"the row ended completed, and/,
  );
  await proven(dir);
});

test('reports of a running batch are not a published version', async (t) => {
  const db = await testLedger(t);
  const folder = folderOf(t);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const rows = [{ row: newRow('B-1', 1), way: completedWay(1) }, { row: newRow('B-1', 2) }];
  await writeBatch(db, newBatch('B-1'), rows, null);
  const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, key));
  const clock = testClock();
  await inUnit(db, { clock, actor: 'engine' }, (unit) => unit.append('B-1', 'batch.resume', {}));
  const { version, previous } = await writeReports(db, 'B-1', folder, signedBy(db, key));
  assert.deepEqual([version, previous, existsSync(join(dir, 'versions'))], [null, null, false]);
  assert.match(readFileSync(join(dir, 'report.html'), 'utf8'), / · running · no version yet, as of /);
  assert.equal((await verifyReports(dir)).version, null);
  await proven(dir);
});

for (const event of ['cancel', 'reject'] as const) {
  test(`the published version of a batch that ended by "${event}" is kept as well`, async (t) => {
    const db = await testLedger(t);
    const folder = folderOf(t);
    const key = await openSigningKey(join(folder, 'key.pem'));
    const clock = testClock();
    await inUnit(db, { clock, actor: 'engine' }, async (unit) => {
      await unit.addBatch(newBatch('B-1'), {});
      await unit.changeBatch((await findBatch(unit.tx, 'B-1')) as BatchRecord, event, {}, {});
    });
    const { dir } = await writeReports(db, 'B-1', folder, signedBy(db, key));
    await inUnit(db, { clock, actor: 'amina' }, (unit) => unit.append('B-1', 'batch.forget', {}));
    assert.equal((await writeReports(db, 'B-1', folder, signedBy(db, key))).version, 2);
    assert.deepEqual(readdirSync(join(dir, 'versions')), ['1-as-of-2026-11-01']);
  });
}

test('an edited manifest is not a published version: nothing in it is trusted', async (t) => {
  const { db, write, dir } = await sample(t);
  await write();
  const manifest = readFileSync(join(dir, 'manifest.json'), 'utf8');
  writeFileSync(join(dir, 'manifest.json'), manifest.replace('"version": 1,', '"version": 41,'));
  await giveBack(db, 2);
  const { version, previous } = await write();
  assert.deepEqual([version, previous?.version, previous?.manifest_sha256], [2, 1, null]);
});

test('a retry keeps the final version, and counts nothing that is written before its own end', async (t) => {
  const { db, write, dir, kept } = await sample(t);
  await write();
  const given = filesOf(dir);
  const clock = testClock();
  const act = (event: 'reopen' | 'complete', hours: number) => {
    clock.set(startMs + hours * 3_600_000);
    return inUnit(db, { clock, actor: 'engine' }, async (unit) => {
      const batch = (await findBatch(unit.tx, 'B-1')) as BatchRecord;
      const data = event === 'complete' ? { balance: null } : {};
      await unit.changeBatch(
        batch,
        event,
        event === 'complete' ? { completed_at: unit.at, balance_after: null } : { completed_at: null },
        data,
      );
    });
  };
  await act('reopen', 2);
  const open = await write();
  await proven(dir);
  await inUnit(db, { clock, actor: 'engine' }, (unit) => unit.append('B-1', 'batch.resume', {}));
  await write();
  await act('complete', 3);
  const end = await write();
  assert.deepEqual([open.version, open.previous?.version, end.version, end.previous?.version], [null, 1, 2, 1]);
  assert.deepEqual(readdirSync(join(dir, 'versions')), ['1-as-of-2026-11-01']);
  assert.deepEqual(filesOf(kept), given);
});

test('a crash between keeping the old version and writing the new one loses nothing, and the next run finishes it', async (t) => {
  const { db, write, dir, kept } = await sample(t);
  await write();
  const given = filesOf(dir);
  await giveBack(db, 2);
  const whole = await write();
  const made = filesOf(dir);
  // As it lay there when so many of the new files had been moved to their places.
  for (const moved of whole.files.map((_, index) => index)) {
    for (const [name] of filesOf(dir)) rmSync(join(dir, name));
    for (const [name, bytes] of given) writeFileSync(join(dir, name), bytes, 'latin1');
    for (const name of whole.files.slice(0, moved)) writeFileSync(join(dir, name), made.get(name) ?? '', 'latin1');
    const { version, is_new } = await write();
    assert.deepEqual([version, is_new], [2, true], `${moved} of them`);
    assert.deepEqual(filesOf(dir), made);
    assert.deepEqual(readdirSync(join(dir, 'versions')), ['1-as-of-2026-11-01']);
    assert.deepEqual(filesOf(kept), given);
  }
});

for (const [what, put] of [
  ['another version is kept', (place: string) => writeIn(place, 'manifest.json')],
  ['a folder of something else lies', (place: string) => writeIn(place, 'notes.txt')],
  ['a file lies', (place: string) => writeIn(dirname(place), basename(place))],
] as const)
  test(`if ${what} under the name of a version, neither is lost`, async (t) => {
    const { db, write, dir, kept } = await sample(t);
    await write();
    const strange = put(kept);
    const given = filesOf(dir);
    await giveBack(db, 2);
    assert.equal((await write()).version, 2);
    assert.deepEqual(filesOf(`${kept}-2`), given);
    assert.equal(readFileSync(strange, 'utf8'), 'of somebody else');
  });

function writeIn(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), 'of somebody else');
  return join(folder, name);
}

test('reports signed before versions existed are the first version, as of their last event', async (t) => {
  const { folder, db, write, dir } = await sample(t);
  await write();
  const { version: _version, as_of, status: _status, previous: _previous, ...manifest } = json(dir, 'manifest.json');
  const text = JSON.stringify(manifest);
  const key = await openSigningKey(join(folder, 'key.pem'));
  writeFileSync(join(dir, 'manifest.json'), text);
  writeFileSync(join(dir, 'manifest.sig'), key.sign(Buffer.from(text)));
  await giveBack(db, 2);
  const { version, previous } = await write();
  assert.deepEqual([version, previous?.version, previous?.as_of], [2, 1, as_of]);
});

test('no difference is reported to a version with other masking, nor to one with an edited summary', async (t) => {
  const { folder, db, write, dir } = await sample(t);
  await write();
  cpSync(dir, join(folder, 'B-1-masked'), { recursive: true });
  writeFileSync(join(dir, 'summary.json'), `${readFileSync(join(dir, 'summary.json'), 'utf8')}\n`);
  await giveBack(db, 2);
  assert.equal((await write()).difference_unknown, 'its summary.json has changed since it was signed');
  const masked = await write({ mask: true });
  assert.equal(masked.difference_unknown, 'only one of the two versions masks its numbers');
});

/** The text of the difference between two results of these lines, and what is told of it. */
async function differing(t: TestContext, before: readonly string[], after: readonly string[], db?: Database) {
  const folder = folderOf(t);
  const [was, is] = [join(folder, 'before.csv'), join(folder, 'after.csv')];
  writeFileSync(was, [...before, ''].join('\n'));
  writeFileSync(is, [...after, ''].join('\n'));
  const compared = { before: was, after: is, afterSeq: 0, forgotten: false };
  const { content, counts, first } = differenceCsv(db ?? (await testLedger(t)), 'B-1', compared);
  let text = '';
  for await (const piece of content) text += piece;
  const [header, ...lines] = text.trimEnd().split('\n');
  assert.equal(header, 'row,line,reference,column,before,after');
  return { lines, told: counts, first };
}

test('a difference of any length has each line once, and the first fifty for the page', async (t) => {
  const header = 'row,line,reference,cost';
  const rows = (cost: string) =>
    Array.from({ length: 200 }, (_, index) => `${index + 1},${index + 2},R-${index + 1},${cost}`);
  const { lines, told, first } = await differing(t, [header, ...rows('1.00')], [header, ...rows('0')]);
  assert.deepEqual(lines, rows('cost,1.00,0'));
  assert.deepEqual(told, { rows: 200, columns: { cost: 200 }, late: {} });
  assert.deepEqual([first.length, first.at(-1)?.[0]], [50, '50']);
});

test('a difference distinguishes columns with the same name, shows removed ones, and the reference of a row', async (t) => {
  const before = ['row,line,reference,input_a,input_a,refunded_at', '1,2,R-1,x,y,then'];
  const after = ['row,line,reference,input_a,input_a', '1,2,,x,z'];
  const { lines } = await differing(t, before, after);
  assert.deepEqual(lines, ['1,2,R-1,reference,R-1,', '1,2,R-1,input_a#2,y,z', '1,2,R-1,refunded_at,then,']);
});

test('a difference has all late changes of the service, however many', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db);
  for (let hours = 25; hours < 125; hours++) await sayFailed(db, 2, { hours });
  const { lines, told } = await differing(t, ['row,line,reference'], ['row,line,reference'], db);
  assert.deepEqual([lines.length, told.late], [100, { 'row.changed_late': 100 }]);
});

test('no difference is reported to a version that was changed, or that another key has signed', async (t) => {
  const { folder, db, write, dir } = await sample(t);
  await write();
  const results = readFileSync(join(dir, 'results.csv'), 'utf8');
  writeFileSync(join(dir, 'results.csv'), results.replace('+254', '+255'));
  await giveBack(db, 2);
  const { difference, difference_unknown, files } = await write();
  assert.deepEqual([difference, difference_unknown], [null, 'its results.csv has changed since it was signed']);
  assert.ok(!files.includes('difference.csv'));
  const { findings, notes } = await verifyReports(dir);
  assert.deepEqual(
    findings.map(({ file }) => file),
    ['versions/1-as-of-2026-11-01/results.csv'],
  );
  assert.match(
    String(notes),
    /Version 1 of 2026-11-01 is the previous version. The difference from it is unknown: its results/,
  );
  assert.match(String(notes), /the files of this version are correct/);
  await giveBack(db, 3, { hours: 48 });
  const key = await openSigningKey(join(folder, 'another.pem'));
  assert.equal((await write(signedBy(db, key))).difference_unknown, 'it was signed by another key');
  assert.equal(readdirSync(join(dir, 'versions')).length, 2);
});

test('masked reports have their own folder and versions, without a complete number', async (t) => {
  const { folder, db, write } = await sample(t);
  await write();
  await write({ mask: true });
  await giveBack(db, 2);
  const masked = await write({ mask: true });
  assert.deepEqual([masked.dir, masked.version, masked.difference?.rows], [join(folder, 'B-1-masked'), 2, 1]);
  const results = readFileSync(join(masked.dir, 'versions/1-as-of-2026-11-01/results.csv'), 'utf8');
  assert.doesNotMatch(results, /\+254\d{9}/);
  await proven(masked.dir);
  assert.equal((await write()).version, 2);
});

test('after people are forgotten, the difference has none of their data', async (t) => {
  const { db, write, dir, kept } = await sample(t);
  await write();
  const clock = testClock();
  clock.set(startMs + 3_600_000);
  await inUnit(db, { clock, actor: 'amina' }, async (unit) => {
    await unit.noteBatch((await findBatch(unit.tx, 'B-1')) as BatchRecord, { forgotten_at: unit.at });
    await unit.append('B-1', 'batch.forget', { why: 'retention', rows: 10 });
  });
  await forget(db);
  const { difference } = await write();
  assert.deepEqual([difference?.forgotten, difference?.columns], [true, { failure_code: 1, failure_column: 1 }]);
  assert.doesNotMatch(readFileSync(join(dir, 'difference.csv'), 'utf8'), /254|0712|Person/);
  await proven(dir);
  await proven(kept);
});

/** As `forgetRows` does. */
async function forget(db: Database): Promise<void> {
  await db.execute(
    `UPDATE rows SET phone_number = NULL, sms_message = NULL, input = '[]', problems = NULL, failure_reason = NULL`,
  );
}

test('without a key nothing can be proven, and nothing unsigned is kept, but signed reports are', async (t) => {
  const { db, dir, write, folder } = await sample(t);
  await writeReports(db, 'B-1', folder);
  await giveBack(db, 2);
  assert.equal((await write()).version, 1);
  const given = filesOf(dir);
  await giveBack(db, 3, { hours: 48 });
  assert.equal((await writeReports(db, 'B-1', folder)).version, null);
  assert.deepEqual(filesOf(join(dir, 'versions/1-as-of-2026-11-02')), given);
});

test('if the last version was moved away, the next one follows the last kept one, whatever else is there', async (t) => {
  const { db, write, dir } = await sample(t);
  await write();
  for (let hours = 24; hours <= 33; hours++) {
    await giveBack(db, 2, { hours });
    await write();
  }
  const versions = join(dir, 'versions');
  cpSync(join(versions, '2-as-of-2026-11-02'), join(versions, '70-as-of-2027-01-01'), { recursive: true });
  for (const [name] of filesOf(dir)) rmSync(join(dir, name));
  await giveBack(db, 2, { hours: 34 });
  const { version, previous } = await write();
  assert.deepEqual([version, previous?.version], [12, 10]);
});

test('if somebody has put the first version in the place of the third, no number is given twice', async (t) => {
  const { db, write, dir, kept } = await sample(t);
  await write();
  for (const hours of [24, 25]) {
    await giveBack(db, 2, { hours });
    await write();
  }
  for (const [name, bytes] of filesOf(kept)) writeFileSync(join(dir, name), bytes, 'latin1');
  await giveBack(db, 2, { hours: 26 });
  const { version, previous } = await write();
  assert.deepEqual([version, previous?.version], [4, 1]);
  assert.equal(readdirSync(join(dir, 'versions')).length, 2);
});

test('if the previous version was moved away, the next one is compared with what is left', async (t) => {
  const { folder, db, write, dir } = await sample(t);
  await write();
  await giveBack(db, 2);
  await write();
  renameSync(join(dir, 'versions'), join(folder, 'archive'));
  const { notes } = await proven(dir);
  assert.match(String(notes), /Version 1 of 2026-11-01 is not in this folder/);
  await giveBack(db, 3, { hours: 48 });
  const third = await write();
  assert.deepEqual([third.version, third.previous?.version, third.difference?.rows], [3, 2, 1]);
  await proven(dir);
});

test('a version number belongs to the batch in every folder: the same state has the same number', async (t) => {
  const { folder, db, key, write, dir } = await sample(t);
  const elsewhere = join(folder, 'elsewhere');
  const writeThere = () => writeReports(db, 'B-1', elsewhere, signedBy(db, key));
  await write();
  const there = await writeThere();
  assert.deepEqual([there.version, there.previous], [1, null]);
  assert.deepEqual(filesOf(there.dir), filesOf(dir));
  await giveBack(db, 2);
  assert.equal((await writeThere()).version, 2);
  await giveBack(db, 3, { hours: 48 });
  const third = await write();
  assert.deepEqual([third.version, third.previous?.version, third.difference?.rows], [3, 1, 2]);
  assert.ok(
    (await proven(dir)).notes.includes('Version 2 of 2026-11-02 was also published, and is not in this folder.'),
  );
});

test('the previous version is dated by the local time of its batch as well', async (t) => {
  const { db, write, dir } = await sample(t, 'Africa/Nairobi');
  await write();
  await giveBack(db, 2);
  await write();
  const page = readFileSync(join(dir, 'report.html'), 'utf8');
  assert.match(page, /<dt>Version 1<\/dt><dd>as of 2026-11-01 08:01:00 UTC \(11:01:00 in Africa\/Nairobi\), with/);
});

test('in an empty folder, a version names the previous one by the audit chain alone', async (t) => {
  const { folder, db, key, write } = await sample(t);
  await write();
  await giveBack(db, 2);
  const { dir, version, previous, difference, difference_unknown } = await writeReports(
    db,
    'B-1',
    join(folder, 'elsewhere'),
    signedBy(db, key),
  );
  assert.deepEqual(
    [version, previous?.version, previous?.as_of, previous?.manifest_sha256, difference, difference_unknown],
    [2, 1, '2026-11-01T08:01:00.000Z', null, null, 'it is not in this folder'],
  );
  assert.match(
    String((await proven(dir)).notes),
    /Version 1 of 2026-11-01 is the previous version. The difference from it is unknown: it is not in this folder/,
  );
  const page = readFileSync(join(dir, 'report.html'), 'utf8');
  assert.match(page, /<dt>Version 1<\/dt><dd>as of 2026-11-01 08:01:00 UTC, in another folder<\/dd>/);
  assert.doesNotMatch(page, /is kept in the folder versions/);
});

test('a version number is in the ledger before anything is written, and is not used again', async (t) => {
  const { folder, db, key, write, dir } = await sample(t);
  await write();
  const { signing } = signedBy(db, key);
  assert.ok(signing);
  await giveBack(db, 2);
  // Killed between the two: the ledger tells of a version that lies nowhere.
  await inUnit(db, { clock: signing.clock, actor: 'amina' }, (unit) => savePublishedVersion(unit, 'B-1', 2));
  assert.deepEqual([(await write()).version, (await write()).is_new], [2, false]);
  await giveBack(db, 3, { hours: 48 });
  rmSync(folder, { recursive: true });
  assert.equal((await write()).version, 3);
  await proven(dir);
});

test('a restored ledger does not reuse a version number that is in the folder', async (t) => {
  const { db, key, folder } = await sample(t);
  const restored = await testLedger(t);
  await writeSampleBatch(restored);
  const write = (to: Database) => writeReports(to, 'B-1', folder, signedBy(to, key));
  await write(db);
  await giveBack(db, 2);
  assert.equal((await write(db)).version, 2);
  assert.equal((await write(restored)).version, 3);
});
