import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { attempt, Findings, given } from '../../../src/verify/input/findings.ts';

const shape = z.strictObject({ id: z.string(), rows: z.strictObject({ total: z.int() }) });

test('a file of another shape is described in words, not in the parser’s JSON', async () => {
  for (const [value, said] of [
    [
      { id: 'a', rows: { total: 1 }, extra: 1, more: 2 },
      'cannot be read: it has the unknown names "extra" and "more".',
    ],
    [{ rows: { total: 1, x: 2 } }, 'cannot be read: "id" is missing; "rows" has the unknown name "x".'],
    [
      { id: 5, rows: { total: 'a' } },
      'cannot be read: "id": expected string, received number; "rows.total": expected number, received string.',
    ],
    [[], 'cannot be read: expected object, received array.'],
  ] as const) {
    const findings = new Findings();
    await attempt(findings, 'summary.json', async () => shape.parse(value));
    assert.deepEqual(
      findings.list.map(({ message }) => message),
      [said],
    );
  }
});

test('so is a file that was given for a comparison', async () => {
  const reading = given('list.json cannot be read as the service’s list', () => shape.parse({ rows: { total: 1 } }));
  await assert.rejects(reading, { message: 'list.json cannot be read as the service’s list: "id" is missing' });
});

test('only the first three differences of a shape are named', async () => {
  const wide = z.strictObject(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, z.string()])));
  await assert.rejects(
    given('f', () => wide.parse({})),
    {
      message: 'f: "a" is missing; "b" is missing; "c" is missing; and 2 more',
    },
  );
});
