import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { importsOf } from './imports.ts';

const begin = '<!-- This picture is written by `npm run architecture`. -->\n';
const end = '<!-- The end of the picture. -->\n';

/** The page with its picture drawn anew from the imports of `source`. */
export function withPicture(page: string, source: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error('the page has no place for the picture');
  return `${page.slice(0, before + begin.length)}\n${picture(source)}\n${page.slice(after)}`;
}

/** The rooms as a Mermaid flowchart: an arrow leads from a room to one that it imports. */
function picture(source: string): string {
  const rooms = roomImports(source);
  const arrows = [...rooms].flatMap(([room, imports]) =>
    nearest(rooms, imports).map((imported) => `  ${room} --> ${imported}`),
  );
  const alone = [...rooms].filter(([room, imports]) => imports.length === 0 && !isImported(rooms, room));
  return ['```mermaid', 'flowchart TD', ...arrows, ...alone.map(([room]) => `  ${room}`), '```\n'].join('\n');
}

function roomImports(source: string): Map<string, string[]> {
  const roomOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : 'index.ts');
  const rooms = new Map<string, Set<string>>();
  for (const [path, targets] of importsOf(source, source)) {
    const imports = rooms.get(roomOf(path)) ?? new Set();
    for (const target of targets) if (roomOf(target) !== roomOf(path)) imports.add(roomOf(target));
    rooms.set(roomOf(path), imports);
  }
  return new Map([...rooms].sort().map(([room, imports]) => [room, [...imports].sort()]));
}

function isImported(rooms: ReadonlyMap<string, readonly string[]>, room: string): boolean {
  return [...rooms.values()].some((imports) => imports.includes(room));
}

/** The imports that are not imported by another of them as well: all arrows would hide the order of the rooms. */
function nearest(rooms: ReadonlyMap<string, readonly string[]>, imports: readonly string[]): string[] {
  const reaches = (from: string, to: string): boolean =>
    (rooms.get(from) ?? []).some((next) => next === to || reaches(next, to));
  return imports.filter((one) => !imports.some((other) => other !== one && reaches(other, one)));
}

/** The folders of `source` that hold files, as the page names them: `engine/`, `engine/dispatch/`. */
export function foldersOf(source: string): string[] {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${relative(source, join(entry.parentPath, entry.name))}/`)
    .sort();
}

/** The folders that the page has a sentence about: list items such as "- `engine/dispatch/`: sends ready rows." */
export function describedFolders(page: string): string[] {
  return [...page.matchAll(/^ *- \*{0,2}`([a-z0-9/-]+\/)`\*{0,2}: [^\n]{20,}/gm)].map(([, folder = '']) => folder);
}
