import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long what a test made lives: a test's context, or, for all tests of a file, `{ after }` of node:test. */
export interface Lifetime {
  after(work: () => unknown): void;
}

/** A folder of its own, as a user's working directory, which is removed at the end. */
export function folderOf(lifetime: Lifetime): string {
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-test-'));
  // A process that is being ended may still write into it.
  lifetime.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
