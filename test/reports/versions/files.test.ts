import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type WrittenFile, writeFolder } from '../../../src/reports/versions/files.ts';
import { folderOf } from '../../support/folder.ts';

/** Texts and bytes of all sizes, several blocks of the writer in all, one piece of them larger than a block. */
function* pieces(): Generator<string | Uint8Array> {
  for (let n = 0; n < 40_000; n++)
    yield n % 7 === 0 ? Buffer.from(`bytes ${n}\n`) : `Zoë ${n}, 李 ${'x'.repeat(n % 50)}\n`;
  yield 'y'.repeat(300_000);
  yield Buffer.alloc(300_000, 'z');
  yield 'the end';
}

describe('a file of reports', () => {
  test('has the written bytes, in order and without a gap, and its digest', async (t) => {
    const folder = folderOf(t);
    let written: WrittenFile | null = null;
    const work = async ({ write }: Parameters<Parameters<typeof writeFolder>[2]>[0]) => {
      written = await write({ name: 'large.csv', content: pieces() });
    };
    assert.deepEqual(await writeFolder(folder, [], work), ['large.csv']);
    const expected = Buffer.concat([...pieces()].map((piece) => Buffer.from(piece)));
    const found = readFileSync(join(folder, 'large.csv'));
    assert.ok(expected.length > 1_500_000 && found.equals(expected), `${found.length} of ${expected.length} bytes`);
    const sha256 = createHash('sha256').update(expected).digest('hex');
    assert.deepEqual(written, { name: 'large.csv', bytes: expected.length, sha256 });
    assert.equal(statSync(join(folder, 'large.csv')).mode & 0o077, 0, 'its owner alone may read it');
  });

  test('is not published if another file of the same report fails, and the old files stay', async (t) => {
    const folder = folderOf(t);
    await writeFolder(folder, [], async ({ write }) => void (await write({ name: 'a.csv', content: ['old'] })));
    const failing = writeFolder(folder, ['a.csv'], async ({ write }) => {
      await write({ name: 'a.csv', content: ['new'] });
      throw new Error('no more');
    });
    await assert.rejects(failing, /no more/);
    assert.deepEqual(readdirSync(folder), ['a.csv']);
    assert.equal(readFileSync(join(folder, 'a.csv'), 'utf8'), 'old');
  });
});
