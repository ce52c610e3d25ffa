import { readFileSync } from 'node:fs';

export const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Name and version of this program. Every batch records it. */
export const program = `airbatch ${version}`;
