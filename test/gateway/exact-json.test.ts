import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { exactDecimal, JsonNumber, parseExactJson, rawNumber } from '../../src/gateway/exact-json.ts';

function numberIn(text: string): JsonNumber {
  const parsed = parseExactJson(text) as { value: unknown };
  assert.ok(parsed.value instanceof JsonNumber);
  return parsed.value;
}

describe('exact JSON', () => {
  test('reads amounts that no binary float holds', () => {
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

  test('refuses numbers that are no money: endless exponents and digits', () => {
    for (const literal of ['1e999999', '1e-999999', '1e41', `1${'0'.repeat(60)}`]) {
      assert.equal(numberIn(`{"value":${literal}}`).decimal(), null, literal);
    }
    for (const text of ['', ' 1', '1 ', '+1', '01', '.5', '1.', '0x10', 'NaN', 'Infinity', '1,5', '１']) {
      assert.equal(exactDecimal(text), null, text);
    }
  });

  test('reads whole numbers only where they are whole and safe', () => {
    assert.equal(numberIn('{"value":42}').integer(), 42);
    for (const literal of ['42.0', '4.2e1', '9007199254740993']) {
      assert.equal(numberIn(`{"value":${literal}}`).integer(), null, literal);
    }
  });

  test('leaves everything that is no number as it is', () => {
    const text = '{"a":"1.50","b":[true,null,{"c":"x"}],"__proto__":{"d":"e"}}';
    const parsed = parseExactJson(text) as Record<string, unknown>;
    assert.equal(JSON.stringify(parsed), text);
    assert.equal(({} as Record<string, unknown>).d, undefined);
  });

  test('throws for what is no JSON, and for what is nested too deeply', () => {
    assert.throws(() => parseExactJson('{"a":'));
    assert.throws(() => parseExactJson('['.repeat(400_000) + ']'.repeat(400_000)));
  });

  test('writes a decimal as that very literal, and reads it back', () => {
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
