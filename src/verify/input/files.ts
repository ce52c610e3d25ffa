import { createReadStream, type Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';

/**
 * Characters of one line, bytes of a file that is read at once: 64 times a row of a file (256 KiB). Longer ones ask
 * for all memory.
 */
export const atOnceMax = 16 * 2 ** 20;

/**
 * Looks at a file of a folder of reports before it is read. A link may lead out of the folder, to what is no part of
 * the reports and nobody is to be told of; a pipe is waited for, and a device read, for ever. Rejects for each of
 * these.
 */
export async function ownFile(path: string): Promise<Stats> {
  const stats = await notLinked(path);
  if (!stats.isFile()) throw new Error('it is no ordinary file');
  return stats;
}

/** Likewise a folder within it. */
export async function ownFolder(path: string): Promise<Stats> {
  const stats = await notLinked(path);
  if (!stats.isDirectory()) throw new Error('it is no folder');
  return stats;
}

async function notLinked(path: string): Promise<Stats> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) throw new Error('it is a link, and what it leads to is no part of these reports');
  return stats;
}

/** The bytes of a file of a folder of reports. */
export async function ownBytes(path: string): Promise<Buffer> {
  const { size } = await ownFile(path);
  if (size > atOnceMax) throw new Error(`it has ${size} bytes, more than reports have in such a file`);
  return readFile(path);
}

/** As `ownBytes`, as text. */
export async function ownText(path: string): Promise<string> {
  return (await ownBytes(path)).toString();
}

/**
 * The lines of a file, some hundred at a time: a wait for each would take as long as all that is done with it. Line
 * feeds end them and nothing else, since a text within JSON may have any other end of a line as it is, U+2028 for one.
 */
export async function* linesOf(path: string): AsyncGenerator<string[], undefined> {
  let [rest, count] = ['', 0];
  for await (const block of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (block as string).split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() as string;
    count += lines.length;
    if (rest.length > atOnceMax) throw new Error(`line ${count + 1} is longer than any that is written there`);
    yield lines;
  }
  if (rest !== '') yield [rest];
}

/** The same of a file of a folder of reports. */
export async function* ownLines(path: string): AsyncGenerator<string[], undefined> {
  await ownFile(path);
  yield* linesOf(path);
}
