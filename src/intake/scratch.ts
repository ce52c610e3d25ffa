import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file for what does not fit into memory. It has no name: however the process ends, nothing of it is left on the disk. */
export interface ScratchFile {
  /** Writes the bytes (a text as UTF-8) behind all others, and returns where they begin and how many they are. */
  append(bytes: Uint8Array | string): { at: number; bytes: number };
  read(place: { at: number; bytes: number }): Buffer;
}

/** Files without names, readable by this user alone. */
export interface Scratch {
  file(): ScratchFile;
  /** Closes them, and with that gives their place on the disk back. */
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

/** A file that is open for reading and writing, and whose name is gone already. */
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

/** False on systems that let a file keep its name for as long as it is open. */
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
  return {
    append(data) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      const at = end;
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
      end += bytes.length;
      return { at, bytes: bytes.length };
    },
    read({ at, bytes: length }) {
      const bytes = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) done += readSync(fd, bytes, done, length - done, at + done);
      return bytes;
    },
  };
}

/** Records of one size in buckets, in the order in which they were added. Full blocks of a bucket go to the disk. */
export interface Spill {
  /** Where the next record of the bucket is to be written: `recordBytes` bytes at the offset, at once. */
  add(bucket: number): { bytes: Buffer; at: number };
  /** All records of a bucket. */
  read(bucket: number): Buffer;
  /** The numbers of the buckets that have records. */
  buckets(): number[];
}

/** Bytes of a bucket kept in memory: with the 256 buckets of `repeats.ts` 4 MiB, and small files never touch the disk. */
const bucketBytes = 16 * 1024;

export function makeSpill(scratch: Scratch, recordBytes: number): Spill {
  const capacity = Math.floor(bucketBytes / recordBytes) * recordBytes;
  const open = new Map<number, { bytes: Buffer; used: number; blocks: { at: number; bytes: number }[] }>();
  let file: ScratchFile | null = null;
  return {
    add(bucket) {
      let own = open.get(bucket);
      if (!own) {
        own = { bytes: Buffer.allocUnsafe(capacity), used: 0, blocks: [] };
        open.set(bucket, own);
      }
      if (own.used === capacity) {
        file ??= scratch.file();
        own.blocks.push(file.append(own.bytes));
        own.used = 0;
      }
      const at = own.used;
      own.used += recordBytes;
      return { bytes: own.bytes, at };
    },
    read(bucket) {
      const own = open.get(bucket);
      if (!own) return Buffer.alloc(0);
      const stored = own.blocks.map((block) => (file as ScratchFile).read(block));
      return Buffer.concat([...stored, own.bytes.subarray(0, own.used)]);
    },
    buckets: () => [...open.keys()].sort((a, b) => a - b),
  };
}
