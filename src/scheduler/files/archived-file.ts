import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { visible } from '../../core/text/visible.ts';
import type { Session } from '../../runtime/session/session.ts';

/** Where what a program wrote for a slot is kept until its batch has ended; `name` is that of the batch's file. */
export function archivedFile({ ledgerPath }: Pick<Session, 'ledgerPath'>, job: string, name: string): string {
  return join(dirname(ledgerPath), 'jobs', job, name);
}

/** Where it lies once it was rejected, until the slot has brought another that is paid. */
export function rejectedName(path: string): string {
  return `${path}.rejected`;
}

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
