import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  exactDecimal,
  JsonNumber,
  numberDecimal,
  numberInteger,
  parseExactJson,
  rawNumber,
} from '../../../src/gateway/transport/exact-json.ts';

function numberIn(text: string): { decimal(): string | null; integer(): number | null } {
  const { value } = parseExactJson(text) as { value: unknown };
  assert.ok(typeof value === 'number' || value instanceof JsonNumber);
  return { decimal: () => numberDecimal(value), integer: () => numberInteger(value) };
}

describe('exact JSON', () => {
  test('reads amounts that no binary float can hold', () => {
    assert.equal(numberIn('{"value":9007199254740993.10}').decimal(), '9007199254740993.1');
    assert.equal(
      numberIn('{"value":0.1000000000000000055511151231257827}').decimal(),
      '0.1000000000000000055511151231257827',
    );
  });

  test('writes one canonical decimal for every way to write a number', () => {
    for (const [literal, decimal] of [
      ['10', '10'],
      ['10.00', '10'],
      ['10.50', '10.5'],
      ['1.5e3', '1500'],
      ['1E-2', '0.01'],
      ['-0', '0'],
      ['-0.0', '0'],
      ['-12.30', '-12.3'],
    ] as const) {
      assert.equal(numberIn(`{"value":${literal}}`).decimal(), decimal, literal);
    }
  });

  test('refuses numbers that cannot be money: endless exponents and digits', () => {
    for (const literal of ['1e999999', '1e-999999', '1e41', `1${'0'.repeat(60)}`]) {
      assert.equal(numberIn(`{"value":${literal}}`).decimal(), null, literal);
    }
    for (const text of ['', ' 1', '1 ', '+1', '01', '.5', '1.', '0x10', 'NaN', 'Infinity', '1,5', '１']) {
      assert.equal(exactDecimal(text), null, text);
    }
  });

  test('reads whole numbers only if they are whole and safe', () => {
    assert.equal(numberIn('{"value":42}').integer(), 42);
    for (const literal of ['42.0', '4.2e1', '9007199254740993']) {
      assert.equal(numberIn(`{"value":${literal}}`).integer(), null, literal);
    }
  });

  test('agrees with exact arithmetic about every literal, wherever it is', () => {
    const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
    const literal = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.constant('0'),
          digits(20).map((text) => text.replace(/^0+(?=.)/, '')),
        ),
        fc.oneof(
          fc.constant(''),
          digits(20).map((text) => `.${text}`),
        ),
        fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom('e2', 'E-3', 'e+20', 'e400', 'e-400')),
      )
      .map((parts) => parts.join(''));
    const around = fc.constantFrom(['{"value":', '}'], ['{ "value": ', ' }'], ['{"a":[1,"x"],"value":\n', '\n,"b":1}']);
    fc.assert(
      fc.property(literal, around, (text, [before, after]) => {
        const found = numberIn(`${before}${text}${after}`);
        assert.equal(found.decimal(), exactDecimal(text));
        const isWhole = /^-?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text));
        assert.equal(found.integer(), isWhole ? Number(text) : null);
      }),
      { numRuns: 2_000 },
    );
  });

  test('leaves everything that is not a number unchanged', () => {
    const text = '{"a":"1.50","b":[true,null,{"c":"x"}],"__proto__":{"d":"e"}}';
    const parsed = parseExactJson(text) as Record<string, unknown>;
    assert.equal(JSON.stringify(parsed), text);
    assert.equal(({} as Record<string, unknown>).d, undefined);
  });

  test('throws for invalid JSON', () => {
    for (const text of ['{"a":', '{"a":1e}', '01', '-', '']) assert.throws(() => parseExactJson(text));
  });

  test('reads deep nesting, and throws if it would have to search it for an unusual number', () => {
    const nested = (text: string) => '['.repeat(400_000) + text + ']'.repeat(400_000);
    assert.ok(Array.isArray(parseExactJson(nested('42'))));
    assert.throws(() => parseExactJson(nested('42.0')));
  });

  test('reads a number that is the whole text', () => {
    assert.equal(parseExactJson('42'), 42);
    for (const literal of ['42.0', '4e1', '-0', '9007199254740993']) {
      for (const text of [literal, ` ${literal} `, `\n${literal}`]) {
        const value = parseExactJson(text);
        assert.ok(value instanceof JsonNumber && value.source === literal, text);
      }
    }
  });

  test('writes a decimal as the same literal, and reads it back', () => {
    assert.equal(JSON.stringify({ value: rawNumber('9007199254740993.10') }), '{"value":9007199254740993.1}');
    assert.throws(() => rawNumber('ten'));
    const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 999_999 }));
    fc.assert(
      fc.property(amounts, ([whole, fraction]) => {
        const text = `${whole}.${String(fraction).padStart(6, '0')}`;
        const written = JSON.stringify({ value: rawNumber(text) });
        assert.equal(numberIn(written).decimal(), exactDecimal(text));
        assert.equal(written, `{"value":${exactDecimal(text)}}`);
      }),
    );
  });
});
