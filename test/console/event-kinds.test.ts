import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { texts } from '../../src/console/texts/en-pages.ts';
import { auditKinds } from '../../src/reports/sentences/audit-sentences.ts';

const textOf = (path: string) => readFileSync(resolve(import.meta.dirname, '../../src', path), 'utf8');
const pairsIn = (text: string) =>
  new Map([...text.matchAll(/^ {2}'([\w.]+)': '([\w.]+)',$/gm)].map(([, a, b]) => [a, b]));

test('an event has the same text under the name that its kind had in an earlier version', () => {
  const renamed = pairsIn(textOf('ledger/audit/event-kinds.ts'));
  const texts = pairsIn(textOf('console/base/events-table.tsx'));
  const known = [...renamed].filter(([, kind]) => texts.has(kind));
  assert.ok(known.length >= 2);
  for (const [earlier, kind] of known) assert.equal(texts.get(earlier), texts.get(kind), earlier);
});

test('every kind of event that the command line has a sentence for has a text in the console', () => {
  const texts = pairsIn(textOf('console/base/events-table.tsx'));
  const without = auditKinds.filter((kind) => !texts.has(kind));
  assert.deepEqual(without, []);
});

test('every event of people and access has a text', () => {
  const root = resolve(import.meta.dirname, '../../src');
  const kinds = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('console'))
    .flatMap((path) => [...textOf(path).matchAll(/\bnote\('([\w.]+)'/g)].map(([, kind = '']) => kind));
  assert.ok(new Set(kinds).size >= 20);
  const shared = pairsIn(textOf('console/base/events-table.tsx'));
  assert.deepEqual(
    kinds.filter((kind) => !shared.has(kind) && !(`access.${kind}` in texts)),
    [],
  );
});
