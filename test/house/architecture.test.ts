import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { folderOf } from '../support/folder.ts';
import { describedFolders, foldersOf, withPicture } from './architecture.ts';
import { root } from './imports.ts';

const source = join(root, 'src');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

describe('docs/architecture.md', () => {
  test('shows the imports of the rooms (if not: npm run architecture)', () => {
    assert.equal(page, withPicture(page, source));
  });

  test('has one sentence about each folder of src, and about no other', () => {
    assert.deepEqual(describedFolders(page).sort(), foldersOf(source));
  });

  test('draws an arrow to each imported room, unless another path leads there', (t) => {
    const folder = folderOf(t);
    const files = {
      door: "'../work/b.ts';\nimport '../base/c.ts'",
      work: "'../base/c.ts'",
      base: "'node:fs'",
      apart: "'./d.ts'",
    };
    for (const [room, imported] of Object.entries(files)) {
      mkdirSync(join(folder, room));
      writeFileSync(join(folder, room, 'a.ts'), `import ${imported};\n`);
    }
    const [begin, end] = page.split(/```mermaid[\s\S]*```\n/);
    const drawn = withPicture(`${begin}\n${end}`, folder);
    assert.match(drawn, /flowchart TD\n {2}door --> work\n {2}work --> base\n {2}apart\n```/);
  });
});
