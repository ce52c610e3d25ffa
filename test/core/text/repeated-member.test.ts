import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repeatedMember } from '../../../src/core/text/repeated-member.ts';

const texts: [text: string, repeated: string | null][] = [
  ['{"why":"x","why":"y"}', 'why'],
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', null],
  ['[{"a":{"b":1}},{"a":{"b":1 , "b" : 2}}]', 'b'],
  ['{"a":[{"b":1}],"c":{},"a":[]}', 'a'],
  [String.raw`{"why":1,"wh\u0079":2}`, 'why'],
  [String.raw`{"a":"\"a\":1,{[","b":"\\","c":"}]"}`, null],
  [String.raw`{"\"":1,"\\\"":2,"\"":3}`, '"'],
  ['{"a":"a","b":["a","a"]}', null],
  ['{"":1,"":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['"a"', null],
  ['{}', null],
];

for (const [text, repeated] of texts)
  test(`${text} names ${repeated === null ? 'no member twice' : `${JSON.stringify(repeated)} twice`}`, () => {
    JSON.parse(text);
    assert.equal(repeatedMember(text), repeated);
  });

/**
 * JSON values whose objects are lists of members, so that a name can be repeated. No name is a backslash: V8 13.6 can
 * take another escaped name for one that it has seen in objects of the same shape.
 */
const { value: members } = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constantFrom(true, null, '{', '}', '"', '\\', '":')),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.record({ members: fc.array(fc.tuple(fc.constantFrom('a', 'b', '"', '{', 'é', '\n'), tie('value'))) }),
  ),
}));

type Written = string | number | boolean | null | Written[] | { members: [name: string, value: Written][] };

function write(value: Written): string {
  if (Array.isArray(value)) return `[ ${value.map(write).join(' ,')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${value.members.map(([name, one]) => `${JSON.stringify(name)} :\n${write(one)}`).join(', ')} }`;
}

/** How many members a value has in all. JSON.parse keeps the last of those with the same name. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, one) => sum + count(one), own);
}

function countWritten(value: Written): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countWritten(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return value.members.reduce((sum, [, one]) => sum + countWritten(one), value.members.length);
}

test('a member is repeated exactly if JSON.parse drops one', () => {
  let repeated = 0;
  fc.assert(
    fc.property(members, (value) => {
      const text = write(value);
      const drops = count(JSON.parse(text)) < countWritten(value);
      if (drops) repeated++;
      assert.equal(repeatedMember(text) !== null, drops, text);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(repeated > 100, `only ${repeated} texts with a repeated member`);
});

test('the largest texts are read in time that grows with their length alone', () => {
  const mebibyte = 1024 ** 2;
  for (const text of [
    `"${'\\"'.repeat(mebibyte / 2)}"`,
    `"${'x'.repeat(mebibyte)}"`,
    `${'['.repeat(mebibyte / 2)}${']'.repeat(mebibyte / 2)}`,
    `${'{"a":'.repeat(mebibyte / 6)}1${'}'.repeat(mebibyte / 6)}`,
    `{"a":"x"${' '.repeat(mebibyte)}}`,
  ]) {
    const began = performance.now();
    assert.equal(repeatedMember(text), null);
    assert.ok(performance.now() - began < 5_000);
  }
});
