import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { fingerprint } from '../../../src/verify/chain/fingerprint.ts';

/** Two ids of payments whose digests begin with the same 32 bits, as somebody looks for them who has the program. */
function alike(digestOf: (id: string) => string): [string, string] {
  const seen = new Map<string, string>();
  for (let number = 0; ; number++) {
    const id = `topup-${number}`;
    const bits = digestOf(id);
    const other = seen.get(bits);
    if (other !== undefined) return [other, id];
    seen.set(bits, id);
  }
}

test('payments made to have the same bits of a digest are still distinguished', () => {
  const [one, other] = alike((id) => hash('sha256', `|${id}|0.80|USD`).slice(0, 8));
  assert.notEqual(one, other);
  assert.notEqual(fingerprint(one, '0.80', 'USD'), fingerprint(other, '0.80', 'USD'));
});

test('two processes use different salts, so that payments that collide in one do not collide in another', async () => {
  const another = new URL('../../../src/verify/chain/fingerprint.ts?of-another-process', import.meta.url).href;
  const its = (await import(another)) as { fingerprint: typeof fingerprint };
  const ids = Array.from({ length: 4 }, (_, number) => `topup-${number}`);
  assert.deepEqual(
    ids.filter((id) => its.fingerprint(id) === fingerprint(id)),
    [],
  );
  const [one, other] = alike((id) => String(fingerprint(id)));
  assert.equal(fingerprint(one), fingerprint(other));
  assert.notEqual(its.fingerprint(one), its.fingerprint(other));
});
