import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonFile, jsonLine } from '../../../src/core/text/json-output.ts';

test('a name in camelCase does not compile at any depth', () => {
  // @ts-expect-error: it is run_id.
  jsonLine({ runId: 'november' });
  // @ts-expect-error: it is wallet_id.
  jsonLine({ balance: { wallets: [{ walletId: 'w-1' }] } });
  // @ts-expect-error: it is read_at.
  jsonFile({ balance: null as { readAt: number } | null });
});

test('names that are data stay unchanged', () => {
  const sums: Record<string, string> = { KES: '10.5' };
  assert.equal(jsonLine({ run_id: 'november', sums }), '{"run_id":"november","sums":{"KES":"10.5"}}\n');
  assert.equal(jsonFile({ sums }), '{\n  "sums": {\n    "KES": "10.5"\n  }\n}\n');
});
