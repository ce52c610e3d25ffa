import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { texts as en } from '../../src/console/texts/en.ts';
import { texts as enMending } from '../../src/console/texts/en-pages.ts';
import { texts as fr } from '../../src/console/texts/fr.ts';
import { texts as frMending } from '../../src/console/texts/fr-pages.ts';
import { texts as pt } from '../../src/console/texts/pt.ts';
import { texts as ptMending } from '../../src/console/texts/pt-pages.ts';
import { texts as sw } from '../../src/console/texts/sw.ts';
import { texts as swMending } from '../../src/console/texts/sw-pages.ts';
import { problemTable } from '../../src/core/state/problem-table.ts';

const source = resolve(import.meta.dirname, '../../src/console');
const english: Record<string, string> = { ...en, ...enMending };
const catalogues: Record<string, Record<string, string>> = {
  en: english,
  fr: { ...fr, ...frMending },
  sw: { ...sw, ...swMending },
  pt: { ...pt, ...ptMending },
};
const ids = Object.keys(english);

/** The placeholders of a text, each with its kind: `count plural`. */
function placeholders(text: string): string[] {
  const found = new Set<string>();
  const walk = (message: CompiledMessage) => {
    for (const part of message) {
      if (typeof part === 'string') continue;
      const [name, kind, choices] = part;
      found.add([name, kind].join(' ').trim());
      if (typeof choices !== 'object') continue;
      for (const choice of Object.values(choices ?? {})) if (Array.isArray(choice)) walk(choice);
    }
  };
  walk(compileMessage(text));
  return [...found].sort();
}

/** A text without its choices. */
function plain(text: string): string {
  const message = compileMessage(text);
  const parts = message.map((part) => (typeof part === 'string' ? part : part.length === 1 ? `{${part[0]}}` : ''));
  return parts.join('');
}

/** The code of the console without its texts. */
const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/^texts\/(en|fr|sw|pt)[/.-]/.test(path))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .join('\n');

/** These name texts of pages. Whoever shows a failure or a reason loads them first. */
const withPageTexts = /^(base\/failure\.tsx|texts\/(failure|reason|problem)-text\.ts)$/;

/** The files of the console that are loaded with this one. */
function loadedWith(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  const text = readFileSync(join(source, path), 'utf8');
  for (const [, target = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*?from '(\.[^']+\.tsx?)'/gm))
    loadedWith(relative(source, resolve(dirname(join(source, path)), target)), known);
  return known;
}

/** Where a page shows a sentence as it came. */
const serverWords = [
  // For support, behind a disclosure, and marked as English.
  'base/failure.tsx {problem.detail}',
  'base/failure.tsx {problem.hint}',
  // By its code, or as a person or an earlier version wrote it.
  'pages/batch/held-panel.tsx {detail}',
  'pages/batch/held-panel.tsx {refusal}',
  'pages/batch/situation.tsx {detail}',
  'pages/batch/situation.tsx {rejection}',
  // A part of the name of a text.
  'pages/wallets/wallets-page.tsx {gate.why}',
];

for (const path of [
  'main.tsx',
  'pages/batches/batches-page.tsx',
  'pages/sign-in/sign-in-page.tsx',
  'pages/sign-in/sign-in-dialog.tsx',
  'pages/sign-in/step-up-dialog.tsx',
])
  test(`every text of ${path} is there without those of later pages`, () => {
    const missing = [...loadedWith(path)]
      .filter((file) => !withPageTexts.test(file) && !/^texts\/(en|fr|sw|pt)[/.-]/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(source, file), 'utf8');
        const named = [...text.matchAll(/'([a-z_]+(?:\.\w+)+)'/g)].map(([, id = '']) => id);
        const begun = [...text.matchAll(/`([a-z_]+\.(?:\w+\.)*)\$\{/g)].map(([, id = '']) => id);
        const found = Object.keys(enMending).filter(
          (id) => named.includes(id) || begun.some((it) => id.startsWith(it)),
        );
        return found.map((id) => `${file}: ${id}`);
      });
    assert.deepEqual(missing, []);
  });

describe('the texts of the console', () => {
  test('are in all four languages, none of them empty', () => {
    for (const [language, texts] of Object.entries(catalogues)) {
      assert.deepEqual(Object.keys(texts), ids, language);
      assert.deepEqual(
        ids.filter((id) => (texts[id] ?? '').trim() === ''),
        [],
      );
    }
  });

  test('have the same placeholders in every language', () => {
    const wrong = ids.flatMap((id) =>
      Object.entries(catalogues)
        .filter(([, texts]) => placeholders(texts[id] ?? '').join() !== placeholders(english[id] ?? '').join())
        .map(([language]) => `${id} ${language}`),
    );
    assert.deepEqual(wrong, []);
    assert.deepEqual(placeholders('{n, plural, one {# row of {whole}} other {# rows of {whole}}}, {why}'), [
      'n plural',
      'whole',
      'why',
    ]);
  });

  test('name every problem that a row can have', () => {
    for (const [language, texts] of Object.entries(catalogues))
      assert.deepEqual(
        Object.keys(problemTable).filter((code) => !texts[`problem.${code}`]),
        [],
        language,
      );
  });

  test('have a plural wherever a count stands before its word', () => {
    // Limits and sizes: always more than one.
    const always = ['reason.TOO_MANY_ROWS', 'reason.TOO_WIDE', 'reason.ROWS_EXPECTED', 'problem.SMS_TOO_LONG.more'];
    always.push('problem.ROW_TOO_LONG.more', 'problem.ROW_CUT_SHORT.more', 'link.password_help');
    // "3 of 5", where the word follows the second number; and names of columns.
    always.push('reconciliation.rest_part', 'approval.rows_of', 'reconciliation.items', 'reason.COLUMN_UNCLEAR');
    const counted =
      /\{(n|shown|rows|count|events|batches|given|needed|columns|cells|days|minutes|held|invalid|paid)\} [a-zà-ÿ]/;
    const bare = Object.entries(catalogues).flatMap(([language, texts]) =>
      ids.filter((id) => counted.test(plain(texts[id] ?? '')) && !always.includes(id)).map((id) => `${id} ${language}`),
    );
    assert.deepEqual(bare, []);
  });

  test('keep a sign of French with its word', () => {
    const { fr: french = {} } = catalogues;
    const loose = ids.filter((id) => / [:;?!»%]|« |\p{L}[:;?!»](?!\S)/u.test(french[id] ?? ''));
    assert.deepEqual(loose, []);
  });

  test('are all used', () => {
    const prefixes = [...code.matchAll(/[`']([a-z]\w*(?:\.\w+)*\.)\$\{/g)].map(([, prefix = '']) => prefix);
    const unused = ids.filter((id) => !code.includes(`'${id}'`) && !prefixes.some((prefix) => id.startsWith(prefix)));
    assert.deepEqual(unused, []);
  });

  test('stand in place of the sentences of the server', () => {
    const bare = /(?<!=)\{(?:\w+[?.]+)*(?:detail|why|message|hint|rejection|refusal|balance_trouble)\}/g;
    const shown = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.tsx'))
      .flatMap((path) => [...readFileSync(join(source, path), 'utf8').matchAll(bare)].map(([all]) => `${path} ${all}`));
    assert.deepEqual(shown.sort(), serverWords);
  });

  test('are only in the catalogue', () => {
    const written = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.tsx'))
      .flatMap((path) =>
        [
          ...readFileSync(join(source, path), 'utf8').matchAll(
            /(?<!=)>\s*([A-Z][a-z]+[ a-z]*)\s*<|(?:title|label|placeholder|aria-label)="([^"]+)"/g,
          ),
        ].map(([all]) => `${path}: ${all}`),
      );
    assert.deepEqual(written, []);
  });
});
