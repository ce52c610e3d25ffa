import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchPolicy } from '../../../src/core/state/batch-policy.ts';

test('a policy cannot name an unknown currency: its limit would have no effect', () => {
  for (const guard of [{ approval: { needed: 'above' } }, { recipientMaximum: {} }]) {
    const [[name = '', rest] = []] = Object.entries(guard);
    const of = (sums: Record<string, string>) => batchPolicy({ [name]: { ...rest, sums } });
    assert.doesNotThrow(() => of({ KES: '5000' }));
    assert.throws(() => of({ KSH: '5000' }), {
      code: 'CONFIG_INVALID',
      message: `the configuration has a fault: policy.${name}.sums.KSH: "KSH" is not a currency code, which has three letters (ISO 4217), such as KES`,
    });
    assert.throws(() => of({ kes: '5000' }), {
      code: 'CONFIG_INVALID',
      message: `the configuration has a fault: policy.${name}.sums.kes: "kes" is written KES`,
    });
    assert.throws(() => of({ KES: '-1' }), { code: 'CONFIG_INVALID' });
  }
});
