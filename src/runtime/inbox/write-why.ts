import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { visible } from '../../core/text/visible.ts';

/** The longest file name that common file systems allow. */
const nameBytesMax = 255;

/** Writes the reason next to a file in `rejected`, as `<file>.why.txt`. The name is cut if it would be too long. */
export async function writeWhy(path: string, why: string): Promise<void> {
  const ending = '.why.txt';
  const name = [...basename(path)];
  while (Buffer.byteLength(name.join('')) > nameBytesMax - ending.length) name.pop();
  await writeFile(join(dirname(path), `${name.join('')}${ending}`), `${visible(why)}\n`, {
    mode: 0o640,
  });
}
