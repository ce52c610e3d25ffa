import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = dirname(findPackageJSON(import.meta.url) as string);
const isSource = import.meta.url.endsWith('.ts');

/** The path of a file or folder of this package, wherever it is installed. */
export const packageFile = (path: string): string => join(root, path);

/**
 * The URL of a module that is loaded by its name, such as the first module of a thread. `source` is its path in `src`;
 * `npm run build` writes it to the same path in `dist`. No other module of the published package has a file of its own.
 */
export const programModule = (source: string): URL =>
  pathToFileURL(packageFile(isSource ? `src/${source}` : `dist/${source.replace(/\.ts$/, '.js')}`));
