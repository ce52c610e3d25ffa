import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for what does not fit into memory, readable by this user alone. It exists from its first use on. */
export interface Scratch {
  /** The path of a file in it. */
  path(name: string): string;
  /** Removes the folder and all that is in it. */
  dispose(): void;
}

export function makeScratch(): Scratch {
  let folder: string | null = null;
  return {
    path(name) {
      folder ??= mkdtempSync(join(tmpdir(), 'airbatch-'));
      return join(folder, name);
    },
    dispose() {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
      folder = null;
    },
  };
}

/** Records of one size in buckets, in the order in which they were added. Full buckets go to the disk. */
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

export function makeSpill(scratch: Scratch, name: string, recordBytes: number): Spill {
  const capacity = Math.floor(bucketBytes / recordBytes) * recordBytes;
  const open = new Map<number, { bytes: Buffer; used: number; isOnDisk: boolean }>();
  const file = (bucket: number) => scratch.path(`${name}-${bucket}`);
  return {
    add(bucket) {
      let own = open.get(bucket);
      if (!own) {
        own = { bytes: Buffer.allocUnsafe(capacity), used: 0, isOnDisk: false };
        open.set(bucket, own);
      }
      if (own.used === capacity) {
        appendFileSync(file(bucket), own.bytes, { mode: 0o600 });
        own.used = 0;
        own.isOnDisk = true;
      }
      const at = own.used;
      own.used += recordBytes;
      return { bytes: own.bytes, at };
    },
    read(bucket) {
      const own = open.get(bucket);
      if (!own) return Buffer.alloc(0);
      const rest = own.bytes.subarray(0, own.used);
      return own.isOnDisk ? Buffer.concat([readFileSync(file(bucket)), rest]) : rest;
    },
    buckets: () => [...open.keys()].sort((a, b) => a - b),
  };
}
