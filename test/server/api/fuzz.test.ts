import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../../src/server/api/openapi.ts';
import { makeSeededRandom, type SeededRandom } from '../../simulation/seeded-random.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { api } from './api-fixture.ts';

/** Requests of one run of the suite. */
const requests = 2_000;

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Item {
  operationId: string;
  parameters: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

const names = [
  'batch-1',
  'B-default',
  'B-other',
  'default',
  'other',

  '../../etc/passwd',
  '__proto__',
  'constructor',
];
const anything: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    2 ** 53,
    1e308,
    '',
    ' ',
    'x',
    '0',
    '-1',
    '9'.repeat(400),
    'KES',
    '2026-01-01T00:00:00Z',
  ],
  ...[[], {}, [[]], { a: { b: [1] } }, { toString: 'x' }, 'x'.repeat(10_000), ...names],
  ...hostileTexts.map(({ text }) => text),
];

/** A value that the schema takes, or, now and then, one that it does not. */
function valueFor(schema: Schema, random: SeededRandom): unknown {
  if (random.percent(30)) return random.pick(anything);
  if (schema.enum) return random.pick(schema.enum);
  if (schema.anyOf) return valueFor(random.pick(schema.anyOf), random);
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  if (type === 'object') {
    const entries = Object.entries(schema.properties ?? {}).filter(() => random.percent(80));
    return Object.fromEntries(entries.map(([name, of]) => [name, valueFor(of, random)]));
  }
  if (type === 'array') return Array.from({ length: random.between(0, 2) }, () => valueFor(schema.items ?? {}, random));
  if (type === 'integer' || type === 'number') return random.between(0, 4);
  if (type === 'boolean') return random.percent(50);
  return random.pick(names);
}

test(`none of ${requests} requests made from the OpenAPI document causes an internal error`, async (t) => {
  const { send, logged } = await api(t);
  const random = makeSeededRandom(20_261_125);
  const items = Object.entries(openApiDocument().paths as Record<string, Record<string, Item>>)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, item]) => ({ path, method, item })))
    // A stream has no end, and an upload no JSON.
    .filter(
      ({ item }) => item.operationId !== 'stream-events' && !item.requestBody?.content['application/octet-stream'],
    );
  const statuses = new Map<number, number>();
  for (let count = 0; count < requests; count++) {
    const { path, method, item } = items[count % items.length] as (typeof items)[number];
    const of = (place: string) => item.parameters.filter((parameter) => parameter.in === place);
    const text = (schema: Schema = {}) => {
      const value = valueFor(schema, random);
      return encodeURIComponent(typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
    };
    const url = of('path').reduce((url, { name, schema }) => url.replace(`{${name}}`, text(schema)), path);
    const query = of('query')
      .filter(() => random.percent(60))
      .map(({ name, schema }) => `${name}=${text(schema)}`);
    const schema = item.requestBody?.content['application/json']?.schema;
    const body = schema === undefined ? undefined : valueFor(schema, random);
    const what = { method: method.toUpperCase() as 'GET' | 'POST', url: `${url}?${query.join('&')}` };
    const answer = await send(what.method, what.url, {
      once: `fuzz-${count}`,
      ...(body === undefined ? {} : { body }),
    });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    assert.notEqual(
      answer.status,
      500,
      JSON.stringify({ ...what, body, answer: answer.body, logged: logged.at(-1) }).slice(0, 2_000),
    );
  }
  assert.ok(
    (statuses.get(200) ?? 0) > requests / 20,
    `only ${statuses.get(200)} were answered: ${JSON.stringify([...statuses])}`,
  );
});
