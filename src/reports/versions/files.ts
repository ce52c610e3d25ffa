import { createHash } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  copyFile,
  link,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { groupModes, makeFolders, privateModes } from '../../core/basics/folders.ts';
import { isEnded } from '../../core/basics/processes.ts';

/** A report of one file: its name, and its content in pieces. */
export interface ReportFile {
  name: string;
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** What was written, as a manifest names it. */
export interface WrittenFile {
  name: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** Bytes gathered before they are written: large enough that the number of system calls does not matter. */
const blockBytes = 256 * 1024;

/** Reports hold personal data: by default their owner alone may read them. */
export interface Readers {
  readableByGroup?: boolean;
}

const modesFor = ({ readableByGroup }: Readers) => (readableByGroup ? groupModes : privateModes);

/** A folder in which files appear all together, each whole or not at all. */
export interface FolderWriter {
  write(file: ReportFile): Promise<WrittenFile>;
  /** Where a file that was written lies until all of them are. */
  pathOf(name: string): string;
  /**
   * Keeps files that lie in the folder now in a folder of it, `to`: there they stay as they are, when others take
   * their names. The folder comes to be whole or not at all; where it is there already, it stays.
   */
  keep(names: readonly string[], to: string): Promise<void>;
}

/**
 * Makes `folder` where it is missing, before anything is sent. Fails with `FOLDER_UNWRITABLE` where no file can be
 * written there.
 */
export function makeFolder(
  folder: string,
  readers: Readers,
  hint = 'Make the folder writable, or name another with --out, then "airbatch resume". Nothing was sent just now.',
): Promise<void> {
  const work = async () => {
    makeFolders(folder, modesFor(readers).folder);
    await access(folder, constants.W_OK | constants.X_OK);
  };
  return withFolderTrouble(folder, work, { hint });
}

/** What the file system refuses is no error of the program's own: it says of which folder. */
async function withFolderTrouble<Result>(
  folder: string,
  work: () => Promise<Result>,
  options: { hint?: string } = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    const message = `nothing can be written to ${folder}: ${error.message}`;
    throw new AirbatchError('FOLDER_UNWRITABLE', message, { ...options, cause: error });
  }
}

/**
 * Writes files into `folder`, which is made where it is missing: all of them beside their places first, and moved
 * there when `work` is done. Files named in `stale` that were not written are removed: they would speak of another
 * time. Fails with `FOLDER_UNWRITABLE`.
 */
export function writeFolder(
  folder: string,
  stale: readonly string[],
  work: (writer: FolderWriter) => Promise<void>,
  readers: Readers = {},
): Promise<string[]> {
  return withFolderTrouble(folder, () => writeAll(folder, stale, modesFor(readers), work));
}

const makingPrefix = '.making-';

/** The bit by which a folder hands its group on to what is made in it. */
const setGroupId = 0o2000;

/** How long nothing has changed in what a process of another machine or container has left behind. */
const leftAfterMs = 600_000;

/**
 * Removes what a process that was killed had begun to write: it names people, and a proof of the folder takes it for a
 * file that somebody has added. `making` is our own, whose time is that of the file system.
 */
async function removeLeft(folder: string, making: string): Promise<void> {
  const { mtimeMs: now } = await stat(making);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(makingPrefix) || path === making) continue;
    const pid = Number(/^\d+(?=-)/.exec(name.slice(makingPrefix.length))?.[0]);
    const isLeft = !(pid > 0) || isEnded(pid) || now - (await lastChange(path)) > leftAfterMs;
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
}

async function lastChange(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const paths = [folder, ...names.map((name) => join(folder, name))];
  // What is gone meanwhile was moved to its place just now.
  const times = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => null))?.mtimeMs ?? Infinity));
  return Math.max(...times);
}

async function writeAll(
  folder: string,
  stale: readonly string[],
  modes: typeof privateModes,
  work: (writer: FolderWriter) => Promise<void>,
): Promise<string[]> {
  makeFolders(folder, modes.folder);
  const making = await mkdtemp(join(folder, `${makingPrefix}${process.pid}-`));
  try {
    await removeLeft(folder, making);
    await chmod(making, ((await stat(making)).mode & setGroupId) | modes.folder);
    const names: string[] = [];
    await work({
      write: async ({ name, content }) => {
        names.push(name);
        return { name, ...(await writeWhole(join(making, name), content, modes.file)) };
      },
      pathOf: (name) => join(making, name),
      keep: (kept, to) =>
        keepFiles(folder, kept, { making: join(making, 'kept'), to: join(folder, to), mode: modes.folder }),
    });
    for (const name of names) await rename(join(making, name), join(folder, name));
    for (const name of stale) if (!names.includes(name)) await rm(join(folder, name), { force: true });
    return names;
  } finally {
    await rm(making, { recursive: true, force: true });
    // A folder in which nothing came to be does not stay; one that holds reports does.
    await rmdir(folder).catch(() => undefined);
  }
}

/**
 * Both names of a file are of the same bytes until another file takes one of them: nothing is without a name in
 * between.
 */
async function keepFiles(
  folder: string,
  names: readonly string[],
  { making, to, mode }: { making: string; to: string; mode: number },
): Promise<void> {
  makeFolders(making, mode);
  for (const name of names) await nameTwice(join(folder, name), join(making, name));
  await syncFolder(making);
  makeFolders(dirname(to), mode);
  await swapFolders(making, to);
  for (const path of [dirname(to), folder]) await syncFolder(path);
}

/** Where something else has that name already, a number tells them apart: nothing that was kept is lost. */
async function swapFolders(making: string, to: string): Promise<void> {
  for (let number = 1; ; number++) {
    const place = number === 1 ? to : `${to}-${number}`;
    try {
      return await rename(making, place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
      // Another process has kept the same meanwhile.
      if (await haveSameManifest(making, place)) return;
    }
  }
}

async function haveSameManifest(...folders: string[]): Promise<boolean> {
  const read = (folder: string) => readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  const [one, other] = await Promise.all(folders.map(read));
  return one !== null && one === other;
}

async function nameTwice(path: string, to: string): Promise<void> {
  try {
    await link(path, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    // Not every file system has second names.
    await copyFile(path, to, constants.COPYFILE_FICLONE);
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  }
}

/** What is kept must be durable before anything else takes its names. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

async function writeWhole(
  path: string,
  content: ReportFile['content'],
  mode: number,
): Promise<{ bytes: number; sha256: string }> {
  const file = await open(path, 'wx', mode);
  const hash = createHash('sha256');
  // Two blocks are filled in turn, one while the other is written. Blocks by the thousand would wait for the collector
  // outside of its heap.
  let [block, other] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)];
  let [filled, bytes] = [0, 0];
  let writing = Promise.resolve();
  const put = async (data: Uint8Array) => {
    hash.update(data);
    bytes += data.byteLength;
    await writing;
    writing = file.appendFile(data);
    // Its trouble is met where it is waited for.
    writing.catch(() => undefined);
  };
  const flush = async () => {
    await put(block.subarray(0, filled));
    [block, other] = [other, block];
    filled = 0;
  };
  try {
    // The umask may have taken the group's right away.
    if (mode !== privateModes.file) await file.chmod(mode);
    for await (const piece of content) {
      const size = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
      if (filled + size > blockBytes) await flush();
      if (size > blockBytes) {
        await put(typeof piece === 'string' ? Buffer.from(piece) : piece);
        // Whoever made the piece may fill it again.
        await writing;
      } else if (typeof piece === 'string') filled += block.write(piece, filled);
      else {
        block.set(piece, filled);
        filled += size;
      }
    }
    await flush();
    await writing;
    // The move must not become durable before the bytes are.
    await file.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
