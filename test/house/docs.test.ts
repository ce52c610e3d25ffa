import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { root } from './imports.ts';

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const named = new RegExp(`\`((?:src|test|bench|docs|samples|${rooms.join('|')})/[\\w./-]*)\``, 'g');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = '']) => heading,
  );
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Files of TypeScript by their names alone, as a page may call a second file of the same folder. */
const fileNames = new Set(
  ['src', 'test', 'bench', 'jobs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
  ),
);

describe('the pages for people', () => {
  test('contain no merge conflict marks', () => {
    const torn = pages.filter((page) => /^(<{7}|>{7}|={7}$)/m.test(readFileSync(join(root, page), 'utf8')));
    assert.deepEqual(torn, []);
  });

  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8');

    test(`${page} names only files and folders that exist`, () => {
      const paths = [...text.matchAll(named)].map(([, path = '']) => path);
      const names = [...text.matchAll(/`([\w.-]+\.ts)`/g)].map(([, name = '']) => name);
      assert.deepEqual(
        paths.filter((path) => !['.', 'src', 'test'].some((folder) => existsSync(join(root, folder, path)))),
        [],
      );
      assert.deepEqual(
        names.filter((name) => !fileNames.has(name)),
        [],
      );
    });

    test(`${page} links only to pages and headings that exist`, () => {
      const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);
      const dead = links.filter((link) => {
        const [path = '', anchor] = link.split('#');
        const file = path === '' ? join(root, page) : join(root, dirname(page), path);
        if (!existsSync(file)) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).has(anchor);
      });
      assert.deepEqual(dead, []);
    });
  }

  test('docs/architecture.md names functions and tables that are in their files', () => {
    const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const inFiles = [...text.matchAll(/`(\w+)` in `(src\/[^`]+\.ts)`/g)];
    assert.ok(inFiles.length >= 8);
    assert.deepEqual(
      inFiles
        .filter(([, name, path = '']) => !new RegExp(`\\b${name}\\b`).test(readFileSync(join(root, path), 'utf8')))
        .map(([all]) => all),
      [],
    );
  });
});
