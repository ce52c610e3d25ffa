import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../../src');

test('the SDK of OpenTelemetry is loaded only where traces are configured', () => {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const loading = paths.filter((path) =>
    /^import (?!type )[^;]*from '@opentelemetry\//m.test(readFileSync(join(source, path), 'utf8')),
  );
  assert.deepEqual(loading, []);
});

test('a program whose ledger is a file does not load pg-boss: only a dynamic import leads to it', () => {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const loading = paths.filter(
    (path) =>
      !path.startsWith('fleet/') &&
      /^import (?!type )[^;]*from '(?:pg-boss|[^']*\/fleet\/[^']*)'/m.test(readFileSync(join(source, path), 'utf8')),
  );
  assert.deepEqual(loading, []);
});
