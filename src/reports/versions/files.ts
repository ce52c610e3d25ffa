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
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { groupModes, makeFolders, privateModes, syncFolder } from '../../core/basics/folders.ts';
import { isEnded } from '../../core/basics/processes.ts';
import { callLater } from '../../core/time/clock.ts';

/** A report file: its name, and its content in pieces. */
export interface ReportFile {
  name: string;
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** A written file, as a manifest lists it. */
export interface WrittenFile {
  name: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** Bytes collected before a write: enough that the number of system calls does not matter. */
const blockBytes = 256 * 1024;

/** Who may read the reports. They contain personal data: by default only their owner. */
export interface Readers {
  readableByGroup?: boolean;
}

const modesFor = ({ readableByGroup }: Readers) => (readableByGroup ? groupModes : privateModes);

/** Writes a set of files into a folder: they appear together, each completely or not at all. */
export interface FolderWriter {
  write(file: ReportFile): Promise<WrittenFile>;
  /** The temporary path of a written file, until all are written. */
  pathOf(name: string): string;
  /**
   * Copies current files of the folder into a subfolder `to`, before others take their names. The subfolder appears
   * completely or not at all; an existing one stays.
   */
  keep(names: readonly string[], to: string): Promise<void>;
}

/**
 * Makes `folder` if it is missing, before anything is sent. Fails with `FOLDER_UNWRITABLE` if no file can be written
 * there.
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

/** An error of the file system is not a fault of the program: the message names the folder. */
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
 * Writes files into `folder`, which is made if it is missing. They are written to a temporary folder first, and moved
 * when `work` is done. Files named in `stale` that were not written are removed, since they are outdated. Fails with
 * `FOLDER_UNWRITABLE`, whose own hint is about the reports of a batch; `hint` replaces it.
 */
export function writeFolder(
  folder: string,
  stale: readonly string[],
  work: (writer: FolderWriter) => Promise<void>,
  { hint, ...readers }: Readers & { hint?: string } = {},
): Promise<string[]> {
  const options = hint === undefined ? {} : { hint };
  return withFolderTrouble(folder, () => writeAll(folder, stale, modesFor(readers), work), options);
}

const makingPrefix = '.making-';

/** The setgid bit: a folder passes its group on to new files in it. */
const setGroupId = 0o2000;

/** After this long without a change, a temporary folder of another machine or container is considered abandoned. */
const leftAfterMs = 600_000;
/** How often a temporary folder shows that its program still works, which may be waiting for the network. */
const aliveMs = 60_000;

/**
 * Removes temporary folders of killed processes: they contain personal data, and `verify` would report them as added
 * files. `making` is our own temporary folder; its time shows the file system's clock.
 */
async function removeLeft(folder: string, making: string): Promise<void> {
  const { mtimeMs: now } = await stat(making);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(makingPrefix) || path === making) continue;
    const [, id, host = hostname()] = /^(\d+)(?:@(.*))?-[^-]*$/.exec(name.slice(makingPrefix.length)) ?? [];
    // Several machines may share the folder. None knows whether a process of another one still lives.
    const isGone = id === undefined || (host === hostname() && isEnded(Number(id)));
    const isLeft = isGone || now - (await lastChange(path)) > leftAfterMs;
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
}

async function lastChange(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const paths = [folder, ...names.map((name) => join(folder, name))];
  // A missing file was moved to its place just now.
  const times = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => null))?.mtimeMs ?? Infinity));
  return Math.max(...times);
}

async function writeAll(
  folder: string,
  stale: readonly string[],
  modes: typeof privateModes,
  work: (writer: FolderWriter) => Promise<void>,
): Promise<string[]> {
  return withScratch(folder, modes, async (making) => {
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
  });
}

/** Gives `work` a temporary folder in `folder`, for its owner alone. Fails with `FOLDER_UNWRITABLE`. */
export function inScratch<Result>(folder: string, work: (scratch: string) => Promise<Result>): Promise<Result> {
  return withFolderTrouble(folder, () =>
    withScratch(folder, privateModes, async (scratch) => {
      let cancel: () => void = () => undefined;
      const keepAlive = () => {
        void writeFile(join(scratch, 'alive'), '').catch(() => undefined);
        cancel = callLater(aliveMs, keepAlive);
      };
      keepAlive();
      return work(scratch).finally(() => cancel());
    }),
  );
}

async function withScratch<Result>(
  folder: string,
  modes: typeof privateModes,
  work: (making: string) => Promise<Result>,
): Promise<Result> {
  makeFolders(folder, modes.folder);
  const making = await mkdtemp(join(folder, `${makingPrefix}${process.pid}@${hostname()}-`));
  try {
    await removeLeft(folder, making);
    await chmod(making, ((await stat(making)).mode & setGroupId) | modes.folder);
    return await work(making);
  } finally {
    await rm(making, { recursive: true, force: true });
    // Removes an empty folder; one with reports stays.
    await rmdir(folder).catch(() => undefined);
  }
}

/**
 * Hard links: both names mean the same bytes until another file takes one of them, and no file is ever without a name.
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

/** If something else has that name, a number is added: nothing that was kept is lost. */
async function swapFolders(making: string, to: string): Promise<void> {
  for (let number = 1; ; number++) {
    const place = number === 1 ? to : `${to}-${number}`;
    try {
      return await rename(making, place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
      // Another process has kept the same version meanwhile.
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
    // Not every file system has hard links.
    await copyFile(path, to, constants.COPYFILE_FICLONE);
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  }
}

async function writeWhole(
  path: string,
  content: ReportFile['content'],
  mode: number,
): Promise<{ bytes: number; sha256: string }> {
  const file = await open(path, 'wx', mode);
  const hash = createHash('sha256');
  // Two blocks are used in turn: one is filled while the other is written. Thousands of blocks would wait for the
  // garbage collector outside of its heap.
  let [block, other] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)];
  let [filled, bytes] = [0, 0];
  let writing = Promise.resolve();
  const put = async (data: Uint8Array) => {
    hash.update(data);
    bytes += data.byteLength;
    await writing;
    writing = file.appendFile(data);
    // Its error is handled where it is awaited.
    writing.catch(() => undefined);
  };
  const flush = async () => {
    await put(block.subarray(0, filled));
    [block, other] = [other, block];
    filled = 0;
  };
  try {
    // The umask may have removed the group's permission.
    if (mode !== privateModes.file) await file.chmod(mode);
    for await (const piece of content) {
      const size = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
      if (filled + size > blockBytes) await flush();
      if (size > blockBytes) {
        await put(typeof piece === 'string' ? Buffer.from(piece) : piece);
        // The producer of the piece may reuse its buffer.
        await writing;
      } else if (typeof piece === 'string') filled += block.write(piece, filled);
      else {
        block.set(piece, filled);
        filled += size;
      }
    }
    await flush();
    await writing;
    // The bytes must be durable before the move is.
    await file.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
