import { chmod, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A report of one file: its name, and its content in pieces. */
export interface ReportFile {
  name: string;
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** Reports hold personal data: their owner alone may read them. */
const folderMode = 0o700;
const fileMode = 0o600;

/** Text gathered before it is written: large enough that the number of system calls does not matter. */
const writeBytesMin = 256 * 1024;

/**
 * Writes the files into `folder`, which is made where it is missing. Every file appears whole or not at all: all of them are
 * written beside their places first, and then moved there.
 */
export async function writeFiles(
  folder: string,
  files: Iterable<ReportFile> | AsyncIterable<ReportFile>,
): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const making = await mkdtemp(join(folder, '.making-'));
  try {
    await chmod(making, folderMode);
    const names: string[] = [];
    for await (const { name, content } of files) {
      await writeWhole(join(making, name), content);
      names.push(name);
    }
    for (const name of names) await rename(join(making, name), join(folder, name));
    return names;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function writeWhole(path: string, content: ReportFile['content']): Promise<void> {
  const file = await open(path, 'wx', fileMode);
  try {
    let pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of content) {
      const data = typeof piece === 'string' ? Buffer.from(piece) : piece;
      pieces.push(data);
      bytes += data.byteLength;
      if (bytes < writeBytesMin) continue;
      await file.appendFile(Buffer.concat(pieces));
      pieces = [];
      bytes = 0;
    }
    await file.appendFile(Buffer.concat(pieces));
    // The move must not become durable before the bytes are.
    await file.sync();
  } finally {
    await file.close();
  }
}
