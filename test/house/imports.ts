import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The repository's folder. */
export const root = resolve(import.meta.dirname, '../..');

/** Each TypeScript file of a folder, with the files that it imports; all paths begin at `base`. */
export function importsOf(folder: string, base: string): Map<string, readonly string[]> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return new Map(
    paths.map((path) => {
      const file = join(folder, path);
      const targets = [...readFileSync(file, 'utf8').matchAll(/(?:from|import|URL)\s*\(?\s*'(\.[^']+\.ts)'/g)];
      return [relative(base, file), targets.map(([, target = '']) => relative(base, resolve(dirname(file), target)))];
    }),
  );
}
