import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { visible } from '../../core/text/visible.ts';

/** What a name of a file may have on the file systems that there are. */
const nameBytesMax = 255;

/**
 * Writes beside a file in `rejected` why it lies there: as `<file>.why.txt`, cut where that would be too long for a
 * name.
 */
export async function writeWhy(path: string, why: string): Promise<void> {
  const ending = '.why.txt';
  const name = [...basename(path)];
  while (Buffer.byteLength(name.join('')) > nameBytesMax - ending.length) name.pop();
  await writeFile(join(dirname(path), `${name.join('')}${ending}`), `${visible(why)}\n`, {
    mode: 0o640,
  });
}
