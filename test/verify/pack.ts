import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BatchRecord } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { openSigningKey, type SigningKey } from '../../src/reports/versions/signing-key.ts';
import { signedBy, testLedger, writeSampleBatch } from '../reports/fixture.ts';
import { folderOf } from '../support/folder.ts';

/** A folder of reports that tests may damage and mend. */
export interface Pack {
  dir: string;
  key: SigningKey;
  db: Database;
  files: Map<string, Buffer>;
  /** Writes these contents (null: the file is gone) and puts back everything else. */
  put(changes: Map<string, Buffer | null>): Promise<void>;
}

export async function makePack(
  t: TestContext,
  { ledger, mask = false, fields = {} }: { ledger?: Database; mask?: boolean; fields?: Partial<BatchRecord> } = {},
): Promise<Pack> {
  const folder = folderOf(t);
  const db = ledger ?? (await testLedger(t));
  await writeSampleBatch(db, 'B-1', fields);
  const key = await openSigningKey(join(folder, 'key.pem'));
  const { dir } = await writeReports(db, 'B-1', folder, { ...signedBy(db, key), mask });
  const files = new Map<string, Buffer>();
  for (const name of await readdir(dir)) files.set(name, await readFile(join(dir, name)));
  let changed: string[] = [];
  const put = async (changes: Map<string, Buffer | null>) => {
    for (const name of changed) await writeFile(join(dir, name), files.get(name) as Buffer);
    changed = [...changes.keys()];
    for (const [name, content] of changes) {
      if (content === null) await rm(join(dir, name));
      else await writeFile(join(dir, name), content);
    }
  };
  return { dir, key, db, files, put };
}

/** What somebody who holds the installation's key does: the manifest names the changed file, and is signed anew. */
export function signAnew(pack: Pack, name: string, content: Buffer): Map<string, Buffer> {
  const manifest = JSON.parse(String(pack.files.get('manifest.json')));
  for (const file of manifest.files) {
    if (file.name !== name) continue;
    file.bytes = content.byteLength;
    file.sha256 = createHash('sha256').update(content).digest('hex');
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  return new Map([
    [name, content],
    ['manifest.json', text],
    ['manifest.sig', Buffer.from(pack.key.sign(text))],
  ]);
}

/** A seeded source of choices (mulberry32): the same seed tampers in the same places. */
export function makeChooser(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return { below, pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item };
}
