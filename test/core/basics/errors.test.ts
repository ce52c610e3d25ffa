import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AirbatchError, type ErrorCode, errorTable, hintForPrograms } from '../../../src/core/basics/errors.ts';

const namesCommandLine = /\bairbatch [a-z-]|(^|[\s("])--[a-z]/;
const codes = Object.keys(errorTable) as ErrorCode[];

describe('the hint of an error', () => {
  for (const code of codes)
    test(`of ${code} names no command and no option where a program calls airbatch`, () => {
      const { hint, ...entry } = errorTable[code];
      const found = hintForPrograms(new AirbatchError(code, 'a fault'), (field) => field);
      assert.doesNotMatch(found, namesCommandLine);
      // A second text where the first one serves all doors would be one too many.
      assert.equal('forPrograms' in entry, namesCommandLine.test(hint));
      assert.equal(found === hint, !namesCommandLine.test(hint));
    });

  for (const [what, hint, found] of [
    ['a command', 'Look at it first: airbatch approve B-1 --why TEXT', errorTable.BATCH_STATE.forPrograms],
    ['options', 'Add --header-line 3 (or --map amount="Net").', 'Add headerLine 3 (or map amount="Net").'],
    ['neither', 'Wait until 17:00.', 'Wait until 17:00.'],
  ] as const)
    test(`of one case, with ${what}, is ${hint === found ? 'kept' : 'put in the terms of the caller'}`, () => {
      const error = new AirbatchError('BATCH_STATE', 'a fault', { hint });
      const camel = (field: string) => field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      assert.equal(hintForPrograms(error, camel), found);
    });

  test('has the name of the program only before a command: as the subject of a sentence it would look like one', () => {
    const root = join(import.meta.dirname, '../../..');
    const commands = readFileSync(join(root, 'docs/commands.md'), 'utf8').matchAll(/^### `([a-z-]+)/gm);
    const names = new Set([...commands].map(([, name]) => name));
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const hints = sources.flatMap((path) => readFileSync(join(root, 'src', path), 'utf8').match(/\bhint:.*/g) ?? []);
    assert.ok(hints.length > 100, `${hints.length} hints`);
    const others = hints.filter((hint) =>
      [...hint.matchAll(/\bairbatch ([a-z][a-z-]*)/g)].some(([, name]) => !names.has(name)),
    );
    assert.deepEqual(others, []);
  });
});
