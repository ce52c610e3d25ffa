import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A file for data that does not fit into memory. It has no name, so nothing of it stays on the disk, however the
 * process ends.
 */
export interface ScratchFile {
  /** Appends the bytes, and returns their position and number. */
  append(bytes: Uint8Array): { at: number; bytes: number };
  read(place: { at: number; bytes: number }): Buffer;
  /** Fills `bytes` from position `at`. */
  readInto(bytes: Uint8Array, at: number): void;
}

/** Makes files without names, readable by this user only. */
export interface Scratch {
  file(): ScratchFile;
  /** Closes them, which frees their space on the disk. */
  dispose(): void;
}

export function makeScratch(): Scratch {
  const opened: NamelessFile[] = [];
  return {
    file() {
      const file = openNameless();
      opened.push(file);
      return scratchFile(file.fd);
    },
    dispose() {
      for (const file of opened.splice(0)) file.close();
    },
  };
}

export interface NamelessFile {
  fd: number;
  close(): void;
}

/** Opens a file for reading and writing, and removes its name. */
export function openNameless(): NamelessFile {
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-'));
  const fd = openSync(join(folder, 'scratch'), 'wx+', 0o600);
  const isGone = removed(folder);
  return {
    fd,
    close() {
      closeSync(fd);
      if (!isGone) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** False on systems where an open file keeps its name. */
function removed(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

function scratchFile(fd: number): ScratchFile {
  let end = 0;
  const readInto = (bytes: Uint8Array, at: number) => {
    for (let done = 0; done < bytes.length; ) done += readSync(fd, bytes, done, bytes.length - done, at + done);
  };
  return {
    append(bytes) {
      const at = end;
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
      end += bytes.length;
      return { at, bytes: bytes.length };
    },
    read({ at, bytes: length }) {
      const bytes = Buffer.allocUnsafe(length);
      readInto(bytes, at);
      return bytes;
    },
    readInto,
  };
}

/**
 * Records of 32-bit words, all of one size, in buckets, in the order in which they were added. Full blocks of a bucket
 * are written to the disk.
 */
export interface Spill {
  /** Makes room for a record of the bucket. The caller must write its words at `at` before adding the next record. */
  add(bucket: number): { readonly words: Uint32Array; readonly at: number };
  /** All records of a bucket. The next read overwrites them. */
  read(bucket: number): Uint32Array;
  /** The numbers of the buckets that have records. */
  buckets(): number[];
}

/** Bytes of a bucket in memory: 4 MiB for the 256 buckets of a file. Small files never use the disk. */
const bucketBytes = 16 * 1024;

interface Bucket {
  words: Uint32Array;
  /** The position of its last record. */
  at: number;
  used: number;
  blocks: { at: number; bytes: number }[];
}

export function makeSpill(scratch: Scratch, recordWords: number): Spill {
  const capacity = Math.floor(bucketBytes / 4 / recordWords) * recordWords;
  const open: (Bucket | undefined)[] = [];
  let file: ScratchFile | null = null;
  let page = new Uint32Array(0);
  return {
    add(bucket) {
      let own = open[bucket];
      if (!own) {
        own = { words: new Uint32Array(capacity), at: 0, used: 0, blocks: [] };
        open[bucket] = own;
      }
      if (own.used === capacity) {
        file ??= scratch.file();
        own.blocks.push(file.append(new Uint8Array(own.words.buffer)));
        own.used = 0;
      }
      own.at = own.used;
      own.used += recordWords;
      return own;
    },
    read(bucket) {
      const own = open[bucket];
      if (!own) return page.subarray(0, 0);
      const length = own.blocks.length * capacity + own.used;
      if (page.length < length) page = new Uint32Array(2 ** Math.ceil(Math.log2(length)));
      for (const [index, block] of own.blocks.entries()) {
        const words = page.subarray(index * capacity, (index + 1) * capacity);
        (file as ScratchFile).readInto(new Uint8Array(words.buffer, words.byteOffset, words.byteLength), block.at);
      }
      page.set(own.words.subarray(0, own.used), own.blocks.length * capacity);
      return page.subarray(0, length);
    },
    buckets: () => [...open.keys()].filter((bucket) => open[bucket]),
  };
}
