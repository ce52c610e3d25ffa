import { createReadStream, type Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';

/**
 * The most characters of one line, and bytes of a file that is read at once: 64 times a row of a file (256 KiB). More
 * could use up all memory.
 */
export const atOnceMax = 16 * 2 ** 20;

/**
 * Checks a file of a folder of reports before it is read. A link may lead out of the folder, to a file that the reader
 * must not disclose. Reading a pipe or a device may never end. Rejects for each of these.
 */
export async function ownFile(path: string): Promise<Stats> {
  const stats = await notLinked(path);
  if (!stats.isFile()) throw new Error('it is not an ordinary file');
  return stats;
}

/** Checks a folder within it in the same way. */
export async function ownFolder(path: string): Promise<Stats> {
  const stats = await notLinked(path);
  if (!stats.isDirectory()) throw new Error('it is not a folder');
  return stats;
}

async function notLinked(path: string): Promise<Stats> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) throw new Error('it is a link, and its target is not part of these reports');
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
 * The lines of a file, some hundred at a time: waiting for each would take as long as all work with it. Only line feeds
 * end a line, since a text within JSON may contain any other line end, such as U+2028.
 */
export async function* linesOf(path: string): AsyncGenerator<string[], undefined> {
  let [rest, count] = ['', 0];
  for await (const block of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (block as string).split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() as string;
    count += lines.length;
    if (rest.length > atOnceMax)
      throw new Error(`line ${count + 1} is longer than any line that airbatch writes there`);
    yield lines;
  }
  if (rest !== '') yield [rest];
}

/** The same for a file of a folder of reports. */
export async function* ownLines(path: string): AsyncGenerator<string[], undefined> {
  await ownFile(path);
  yield* linesOf(path);
}
