import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { EventWhy } from '../../../src/core/state/event-whys.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { atOnceMax } from '../../../src/verify/input/files.ts';
import { InputError } from '../../../src/verify/input/findings.ts';
import { csvLines } from '../../../src/verify/input/rows.ts';
import { verifyReports } from '../../../src/verify/verify.ts';
import { clockOf, signedBy } from '../../reports/fixture.ts';
import { giveBack } from '../../reports/late.ts';
import { folderOf } from '../../support/folder.ts';
import { makePack } from '../pack.ts';

/** The sample batch's reports with an earlier version, and what is found once `change` was made to them. */
async function damaged(t: TestContext) {
  const { dir, key, db } = await makePack(t);
  await giveBack(db, 2);
  await writeReports(db, 'B-1', join(dir, '..'), signedBy(db, key));
  const whole = join(folderOf(t), 'whole');
  cpSync(dir, whole, { recursive: true });
  return async (change: (dir: string) => void) => {
    rmSync(dir, { recursive: true });
    cpSync(whole, dir, { recursive: true });
    change(dir);
    return (await verifyReports(dir)).findings.map(({ file, message }) => `${file} ${message}`);
  };
}

test('a pipe, a device or a link among the reports is found, and neither read nor followed', async (t) => {
  const found = await damaged(t);
  const outside = join(folderOf(t), 'outside');
  writeFileSync(outside, 'nobody is to read this');
  const names = ['results.csv', 'difference.csv', 'summary.json', 'events.jsonl', 'manifest.json', 'manifest.sig'];
  const kept = 'versions/1-as-of-2026-11-01';
  for (const name of [...names, 'report.html', `${kept}/manifest.json`, `${kept}/results.csv`]) {
    for (const target of ['/dev/zero', outside, 'nowhere']) {
      const said = await found((dir) => {
        rmSync(join(dir, name));
        symlinkSync(target, join(dir, name));
      });
      assert.ok(
        said.includes(`${name} cannot be read: it is a link, and its target is not part of these reports.`),
        `${name} ${said}`,
      );
      assert.doesNotMatch(String(said), /nobody|ELOOP/);
    }
    const said = await found((dir) => {
      rmSync(join(dir, name));
      assert.equal(spawnSync('mkfifo', [join(dir, name)]).status, 0);
    });
    assert.ok(said.includes(`${name} cannot be read: it is not an ordinary file.`), `${name} ${said}`);
  }
});

test('earlier versions behind a link do not count as part of the reports', async (t) => {
  const found = await damaged(t);
  for (const name of ['versions', 'versions/1-as-of-2026-11-01']) {
    const elsewhere = join(folderOf(t), 'elsewhere');
    const said = await found((dir) => {
      cpSync(join(dir, name), elsewhere, { recursive: true });
      rmSync(join(dir, name), { recursive: true });
      symlinkSync(elsewhere, join(dir, name));
    });
    assert.ok(
      said.includes(`${name} cannot be read: it is a link, and its target is not part of these reports.`),
      `${said}`,
    );
  }
});

test('a line without an end, and a file of extreme size, are found and not read to their end', async (t) => {
  const found = await damaged(t);
  for (const [name, says] of [
    ['events.jsonl', 'line 1 is longer than any line that airbatch writes there'],
    ['summary.json', `it has ${atOnceMax + 99} bytes, more than reports have in such a file`],
    ['manifest.json', `it has ${atOnceMax + 99} bytes, more than reports have in such a file`],
  ] as const) {
    const said = await found((dir) => {
      writeFileSync(join(dir, name), '');
      truncateSync(join(dir, name), atOnceMax + 99);
    });
    assert.ok(String(said).includes(`${name} cannot be read: `) && String(said).includes(says), `${said}`);
  }
});

test('a row of results without an end is not read to its end', async (t) => {
  const path = join(folderOf(t), 'results.csv');
  writeFileSync(path, 'row\n');
  truncateSync(path, atOnceMax + 99);
  const lines = csvLines(path);
  assert.deepEqual((await lines.next()).value, ['row']);
  await assert.rejects(lines.next(), /tolerated bytes of 16777216/);
});

test('a line without an end in a file to compare with is refused with the name of the file', async (t) => {
  const { dir } = await makePack(t);
  const path = join(folderOf(t), 'given');
  writeFileSync(path, '\n');
  truncateSync(path, atOnceMax * 2);
  for (const options of [{ anchors: path }, { serviceList: path }])
    await assert.rejects(verifyReports(dir, options), (error) => {
      assert.ok(error instanceof InputError);
      assert.match(
        error.message,
        /given cannot be read as .*: line 2 is longer than any line that airbatch writes there$/,
      );
      return true;
    });
  await assert.rejects(verifyReports(dir, { anchors: dir }), InputError);
});

test('reports verify, whatever line ends the texts of people or of the service contain', async (t) => {
  const { dir, key, db } = await makePack(t);
  const why: EventWhy =
    'the row ended failed, and the service now says told by Ann\u2028\u2029\u0085\v\f\r\nsecond line';
  await inUnit(db, { clock: clockOf(db), actor: 'Ann' }, (unit) => unit.append('B-1', 'row.changed_late', { why }, 4));
  await writeReports(db, 'B-1', join(dir, '..'), signedBy(db, key));
  const { findings, version } = await verifyReports(dir);
  assert.deepEqual([findings, version], [[], 2]);
});
