import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { camelNames, snakeNames } from '../../src/library/names.ts';
import * as operations from '../../src/operations/all.ts';
import { operationEvent, question } from '../../src/operations/base/events.ts';

const found = z.strictObject({
  batch_id: z.string(),
  content_sha256: z.string().nullable(),
  rows: z.array(z.strictObject({ row_no: z.int() })),
  by_state: z.record(z.string(), z.strictObject({ in_time: z.boolean() })),
  what: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('one'), first_at: z.string() }),
    z.strictObject({ kind: z.literal('two'), last_at: z.string().optional() }),
  ]),
});

test('names of fields become camelCase at every depth; the keys of a record are data and stay', () => {
  const value = {
    batch_id: 'B_1',
    content_sha256: null,
    rows: [{ row_no: 1 }],
    by_state: { in_doubt: { in_time: true }, KES: { in_time: false } },
    what: { kind: 'two' as const, last_at: 'now' },
  };
  const renamed = camelNames(found, value);
  assert.deepEqual(renamed, {
    batchId: 'B_1',
    contentSha256: null,
    rows: [{ rowNo: 1 }],
    byState: { in_doubt: { inTime: true }, KES: { inTime: false } },
    what: { kind: 'two', lastAt: 'now' },
  });
  assert.deepEqual(snakeNames(found, renamed), value);
});

test('unknown names are left for the schema to refuse', () => {
  const input = z.strictObject({ run_id: z.string().default('r') }).refine(() => true);
  assert.deepEqual(snakeNames(input, { runID: 'a' }), { runID: 'a' });
  assert.deepEqual(snakeNames(input, { runId: 'a' }), { run_id: 'a' });
});

interface Shaped {
  def: { type: string } & Record<string, unknown>;
}

/** The kinds of schemas within a schema. What a text is turned into is a text. */
function kindsOf(value: unknown, kinds: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return kinds;
  const { def } = value as Partial<Shaped>;
  if (def?.type === 'pipe' && (def.in as Shaped).def.type === 'string') return kinds.add('string');
  if (def) kinds.add(def.type);
  const within = def ? [def.shape, def.element, def.innerType, def.valueType, def.options] : Object.values(value);
  for (const inner of within) kindsOf(inner, kinds);
  return kinds;
}

test('every schema of an operation is of a kind whose names are converted, or has no names', () => {
  const converted = ['object', 'array', 'nullable', 'optional', 'default', 'record', 'union'];
  const plain = ['string', 'number', 'int', 'boolean', 'enum', 'literal', 'null', 'unknown'];
  const kinds = new Set<string>();
  for (const schema of [
    ...Object.values(operations).flatMap(({ input, result }) => [input, result]),
    operationEvent,
    question,
  ])
    kindsOf(schema, kinds);
  assert.deepEqual(
    [...kinds].filter((kind) => ![...converted, ...plain].includes(kind)),
    [],
  );
});
