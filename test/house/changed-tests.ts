import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Each file of `src` and `test`, with the files that it imports; paths begin at the repository's folder. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Tests of the house itself: they take no time, and any change may concern them. */
const always = ['test/tidy.test.ts', 'test/house/architecture.test.ts', 'test/house/docs.test.ts'];

/**
 * The test files that a change concerns: tests that were changed themselves, and those that import a changed file,
 * directly or by way of other files of its room. For other files, such as a page of docs, the tests that name it.
 * Tests of the changed folder come first, then those of its room, then others; the nearest importers first.
 */
export function changedTests(imports: Imports, changed: readonly string[], root: string): string[] {
  const found = new Set(changed.filter((path) => isTest(path) && imports.has(path)));
  const importers = importersOf(imports);
  let ring = changed.filter((path) => imports.has(path) && !isTest(path));
  const seen = new Set(ring);
  while (ring.length > 0) {
    const next: string[] = [];
    for (const path of ring)
      for (const importer of importers.get(path) ?? []) {
        if (isTest(importer)) found.add(importer);
        else if (roomOf(importer) === roomOf(path) && !seen.has(importer)) next.push(importer);
        seen.add(importer);
      }
    ring = next;
  }
  const others = changed.filter((path) => !imports.has(path)).map((path) => basename(path));
  for (const path of imports.keys())
    if (isTest(path) && others.some((name) => readFileSync(join(root, path), 'utf8').includes(name))) found.add(path);
  const folders = new Set(changed.map(folderOf));
  const rooms = new Set(changed.map(placeOf));
  const rank = (path: string) =>
    changed.includes(path) ? 0 : folders.has(folderOf(path)) ? 1 : rooms.has(placeOf(path)) ? 2 : 3;
  const ranked = [...found].sort((a, b) => rank(a) - rank(b));
  return [...new Set([...always.filter((path) => imports.has(path)), ...ranked])];
}

/** `engine/pacing` of `src/engine/pacing/outage.ts`, and of the tests of that folder. */
function folderOf(path: string): string {
  return dirname(path).split('/').slice(1).join('/');
}

/** `engine` of `src/engine/pacing/outage.ts`. */
function placeOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** `src/engine`, `test/support`. */
function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function importersOf(imports: Imports): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, targets] of imports)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path]);
  return importers;
}
