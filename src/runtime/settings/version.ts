import { readFileSync } from 'node:fs';
import { packageFile } from '../../core/basics/package-files.ts';

export const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
  version: string;
};

/** Name and version of this program. Every batch records it. */
export const program = `airbatch ${version}`;
