import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requestFaults, webhookFaults } from '../../../src/sandbox/parts/faults.ts';
import { magicNumbers, refusalCodes } from '../../../src/sandbox/parts/magic.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/sandbox.md'), 'utf8');
const lines = (pattern: RegExp) => text.split('\n').filter((line) => pattern.test(line));

test('docs/sandbox.md lists exactly the magic numbers', () => {
  const documented = lines(/^\| `[0-9]{4}` \|/);
  assert.deepEqual(
    documented,
    magicNumbers.map(({ digits, v2, v1 }) => `| \`${digits}\` | ${v2} | ${v1} |`),
  );
  assert.ok(text.includes(`code 218: ${refusalCodes.join(', ')}.`));
});

test('docs/sandbox.md lists exactly the faults', () => {
  const faults = Object.entries({ ...requestFaults, ...webhookFaults });
  assert.deepEqual(
    lines(/^\| `[a-z][a-z_0-9]+` \| (the connection|[0-9]|everything|the request arrives|it is|a forged one)/),
    faults.map(([name, what]) => `| \`${name}\` | ${what} |`),
  );
});
