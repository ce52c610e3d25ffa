import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { z } from 'zod';
import * as byName from '../../src/operations/all.ts';
import { type Operation, performIn } from '../../src/operations/base/operation.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { roles } from '../../src/runtime/settings/config-shape.ts';
import { routes } from '../../src/server/api/route-table.ts';

const operations = Object.values(byName);

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const commandTests = readdirSync(join(root, 'test/cli'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, 'test/cli', path), 'utf8'));

const serverTests = readdirSync(join(root, 'test/server'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, 'test/server', path), 'utf8'));

/** Whether a test sends a request to the route of the operation, as in `send('POST', '/api/v1/users', ...)`. */
function isRequested(name: string): boolean {
  const route = routes().find(({ operation }) => operation.name === name);
  if (route === undefined) return false;
  const path = route.path.replace(/:[a-z_]+/g, "[^'`/?]+");
  const called = new RegExp(`'${route.method}', ['\`]/api/v1${path}['\`?]`);
  return serverTests.some((text) => called.test(text));
}

/** The names of all fields of a schema, as its JSON schema has them. */
function namesOf(schema: unknown, names: Set<string> = new Set()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name);
    namesOf(value, names);
  }
  return names;
}

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
}

/** The smallest value that a schema takes. */
function sampleOf({ type, enum: values, required = [], properties = {} }: JsonSchema): unknown {
  if (values) return values[0];
  if (type === 'integer') return 1;
  if (type === 'array') return [];
  if (type !== 'object') return 'x';
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

/** Of inputs whose rules a JSON schema does not say. */
const samples: Record<string, object> = {
  'assign-rows': { batch_id: 'B-1', rows: [1], owner: null },
  'create-webhook': { url: 'https://pay.example.com/' },
  'reorder-batch': { batch_id: 'x', priority: 'urgent' },
  'create-api-key': { name: 'x', roles: ['audit'] },
  'preview-fix': { draft_id: 'x', code: 'DUPLICATE', column: 1, fix: 'exclude_rows' },
  'list-paid-files': { from: '2026-11-01T00:00:00Z' },
  'export-journal': { from: '2026-11-01T00:00:00Z' },
  'create-user': { name: 'x', display_name: 'x', roles: ['audit'] },
};

/** Whoever is asked for anything but the configuration was reached without a role. */
function sessionOfStranger(): Session {
  const people = Object.fromEntries(roles.map((role) => [role, ['somebody else']]));
  const known: Record<string, unknown> = { config: { people }, person: 'stranger', through: 'cli', grant: undefined };
  return new Proxy({} as Session, {
    get(_session, name) {
      if (Object.hasOwn(known, name)) return known[String(name)];
      throw new Error(`${String(name)} was used`);
    },
  });
}

describe('the operations', () => {
  test('are all listed, one file or a family with one purpose each', () => {
    const files = readdirSync(join(root, 'src/operations'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('/') && !path.startsWith('base/'))
      .filter((path) => readFileSync(join(root, 'src/operations', path), 'utf8').includes('defineOperation({'));
    const names = operations.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    const camelCase = names.map((name) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
    assert.deepEqual(Object.keys(byName), camelCase);
    const missing = files.filter((path) => !names.includes(basename(path, '.ts')));
    assert.deepEqual(missing, []);
  });

  for (const operation of operations)
    test(`${operation.name} has schemas in snake_case, a role, a place in the docs, and an end-to-end test`, () => {
      assert.match(operation.name, /^[a-z]+(-[a-z]+)+$/);
      assert.ok(operation.role === null || roles.includes(operation.role));
      for (const schema of [operation.input, operation.result]) {
        const names = [...namesOf(z.toJSONSchema(schema, { io: 'input' }))];
        assert.deepEqual(
          names.filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)),
          [],
        );
      }
      const [, role, command] =
        page.match(new RegExp(`^\\| \`${operation.name}\` \\| \`(\\w+)\` \\| (HTTP|\`[a-z -]+\`) \\|`, 'm')) ?? [];
      assert.equal(role, operation.role ?? 'anybody', 'docs/operations.md names its role');
      if (command === 'HTTP') {
        assert.ok(isRequested(operation.name), 'a test in test/server sends a request to its route');
        return;
      }
      const called = new RegExp(`'${command?.replaceAll('`', '')}'`);
      assert.ok(
        commandTests.some((text) => called.test(text)),
        `a test calls "airbatch ${command}"`,
      );
    });

  for (const operation of operations.filter(({ role }) => role !== null))
    test(`${operation.name} does nothing for a person without its role`, async () => {
      const input = samples[operation.name] ?? sampleOf(z.toJSONSchema(operation.input, { io: 'input' }) as JsonSchema);
      const door = { ask: async () => false, nameOf: (field: string) => field };
      await assert.rejects(performIn(sessionOfStranger(), operation as Operation, door, input), {
        code: 'ROLE_MISSING',
      });
    });

  test('are exactly those that docs/operations.md lists', () => {
    const named = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(named.toSorted(), operations.map(({ name }) => name).toSorted());
  });
});
