import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { originalName, takeFromInbox } from '../../../src/runtime/inbox/job-inbox.ts';
import { folderOf } from '../../support/folder.ts';

function inboxWith(t: TestContext, names: readonly string[], agoMs = 60_000) {
  const folder = folderOf(t);
  const inbox = join(folder, 'inbox');
  mkdirSync(inbox);
  for (const name of names) {
    writeFileSync(join(inbox, name), 'x');
    const at = (Date.now() - agoMs) / 1_000;
    utimesSync(join(inbox, name), at, at);
  }
  const take = (pattern = '*', clock = systemClock, known: ReadonlySet<string> = new Set()) =>
    takeFromInbox(
      { clock },
      { folder, pattern, stamp: '20261125-0900', known, isUsed: false },
      async () => undefined,
    ).then(({ taken, unfinished }) => ({ taken, unfinished }));
  return { path: folder, inbox, take };
}

describe('an inbox', () => {
  test('returns the complete files that match the pattern, and makes its folders', async (t) => {
    const { path, inbox, take } = inboxWith(t, ['b.csv', 'A.CSV', 'a~b.csv', 'b.csv.old', 'xcsv']);
    mkdirSync(join(inbox, 'folder.csv'));
    utimesSync(join(inbox, 'folder.csv'), 1, 1);
    const { taken, unfinished } = await take('*.csv');
    assert.deepEqual(taken.map(originalName), ['A.CSV', 'a~b.csv', 'b.csv']);
    assert.deepEqual(unfinished, []);
    assert.deepEqual(readdirSync(inbox).sort(), ['b.csv.old', 'folder.csv', 'xcsv']);
    for (const name of ['working', 'done', 'rejected']) assert.ok(existsSync(join(path, name)), name);
  });

  for (const name of ['x.csv.part', 'x.csv.tmp', 'x.csv.crdownload', 'x.csv.filepart'])
    test(`leaves ${name} where it is: it is still being written`, async (t) => {
      const { take } = inboxWith(t, [name]);
      assert.deepEqual(await take(), { taken: [], unfinished: [name] });
    });

  test('does not wait for lock files of an editor or a spreadsheet', async (t) => {
    const { take } = inboxWith(t, ['.hidden.csv', 'x.csv~', '~$x.xlsx']);
    assert.deepEqual(await take(), { taken: [], unfinished: [] });
  });

  test('leaves a file that another program has open', async (t) => {
    for (const lock of ['payroll.csv.lock', '~$payroll.csv', '~$yroll.csv', '.~lock.payroll.csv#']) {
      const { take } = inboxWith(t, ['payroll.csv', lock]);
      assert.deepEqual((await take('p*')).taken, [], lock);
    }
  });

  test('leaves the empty file with which a browser reserves the name of a download', async (t) => {
    const clock = { ...systemClock, sleep: async () => undefined };
    for (const [name, download] of [
      ['x.csv', 'x.csv.part'],
      ['x.csv', 'x.K3o_Ox-w.csv.part'],
      ['x.2026.csv', 'x.2026.K3oHOxPw.csv.part'],
      ['x.csv', 'x.csv.crdownload'],
    ] as const) {
      const { inbox, take } = inboxWith(t, [name, download, 'y.csv']);
      const { taken, unfinished } = await take('*.csv', clock);
      assert.deepEqual([taken.map(originalName), unfinished], [['y.csv'], [name]], download);
      rmSync(join(inbox, download));
      assert.deepEqual((await take('*.csv', clock)).taken.map(originalName), [name, 'y.csv'], download);
    }
  });

  test('watches its files together', async (t) => {
    const names = Array.from({ length: 100 }, (_, index) => `${index}.csv`);
    const { take } = inboxWith(t, names);
    const waits: number[] = [];
    const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) };
    assert.equal((await take('*', clock)).taken.length, names.length);
    assert.equal(waits.length, 1);
  });

  test('continues when a file vanishes while it is checked, and finds it under its new name', async (t) => {
    const { inbox, take } = inboxWith(t, ['a.csv', 'b.csv', 'c.csv']);
    const clock = {
      ...systemClock,
      async sleep() {
        if (!existsSync(join(inbox, 'b.csv'))) return;
        rmSync(join(inbox, 'a.csv'));
        renameSync(join(inbox, 'b.csv'), join(inbox, 'd.csv'));
      },
    };
    const { taken, unfinished } = await take('*', clock);
    assert.deepEqual([taken.map(originalName), unfinished], [['c.csv', 'd.csv'], []]);
  });

  test('leaves a file that was changed a moment ago', async (t) => {
    const { inbox, take } = inboxWith(t, ['x.csv']);
    const { mtimeMs } = statSync(join(inbox, 'x.csv'));
    const clock = { ...systemClock, now: () => mtimeMs + 500 };
    assert.deepEqual(await take('*', clock), { taken: [], unfinished: ['x.csv'] });
  });

  test('takes a file with a time in the future, from a machine with another clock, after a longer watch', async (t) => {
    const { take } = inboxWith(t, ['x.csv'], -24 * 3_600_000);
    const waits: number[] = [];
    const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) };
    assert.deepEqual((await take('*', clock)).taken.map(originalName), ['x.csv']);
    assert.deepEqual(waits, [3_000]);
  });

  for (const [how, content] of [
    ['grows, whatever its time says', 'more'],
    ['is written anew, though it is as long as before', 'y'],
  ] as const)
    test(`leaves a file that ${how} while it is checked`, async (t) => {
      const { inbox, take } = inboxWith(t, ['x.csv']);
      const path = join(inbox, 'x.csv');
      const { atime, mtime } = statSync(path);
      const clock = {
        ...systemClock,
        async sleep() {
          writeFileSync(path, content);
          if (content === 'more') utimesSync(path, atime, mtime);
        },
      };
      assert.deepEqual(await take('*', clock), { taken: [], unfinished: ['x.csv'] });
    });

  test('keeps a second file of the same name separate from the first, whether that is still there or was taken before', async (t) => {
    const { inbox, take } = inboxWith(t, ['x.csv']);
    const [first = ''] = (await take()).taken;
    const drop = (content: string) => {
      writeFileSync(join(inbox, 'x.csv'), content);
      utimesSync(join(inbox, 'x.csv'), 1, 1);
    };
    drop('the second');
    const { taken } = await take();
    assert.deepEqual(taken.map(originalName).sort(), ['2.x.csv', 'x.csv']);
    assert.equal(readFileSync(first, 'utf8'), 'x');
    rmSync(first);
    drop('the third');
    const third = await take('*', systemClock, new Set(['x.csv', '2.x.csv']));
    assert.deepEqual(third.taken.map(originalName).sort(), ['2.x.csv', '3.x.csv']);
  });

  test('returns the files that a crash left in working, and only to their own slot', async (t) => {
    const { path, take } = inboxWith(t, ['x.csv']);
    const first = await take();
    assert.deepEqual(await take(), first);
    const other = await takeFromInbox(
      { clock: systemClock },
      { folder: path, pattern: '*', stamp: '20261225-0900', known: new Set(), isUsed: false },
      async () => undefined,
    );
    assert.deepEqual(other.taken, []);
  });

  test('keeps its files for the next slot if a suspended process has lost its own meanwhile', async (t) => {
    const { path, inbox } = inboxWith(t, ['x.csv']);
    const lost = takeFromInbox(
      { clock: systemClock },
      { folder: path, pattern: '*', stamp: '20261125-0900', known: new Set(), isUsed: false },
      () => Promise.reject(new AirbatchError('FENCED', 'another process runs this slot by now')),
    );
    await assert.rejects(lost, { code: 'FENCED' });
    assert.deepEqual([readdirSync(inbox), readdirSync(join(path, 'working'))], [['x.csv'], []]);
  });
});
