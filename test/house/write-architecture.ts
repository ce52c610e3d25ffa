import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPicture } from './architecture.ts';
import { root } from './imports.ts';

/** `npm run architecture`: draws the picture of `docs/architecture.md` anew. */
const path = join(root, 'docs/architecture.md');
writeFileSync(path, withPicture(readFileSync(path, 'utf8'), join(root, 'src')));
