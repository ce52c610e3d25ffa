import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { isSealed, openText, sealText, secretsKeyPath } from '../../../src/runtime/session/sealed-text.ts';
import { folderOf } from '../../support/folder.ts';

const secret = 'JBSWY3DPEHPK3PXP';

function place(t: TestContext) {
  return { ledgerPath: join(folderOf(t), 'ledger.db'), random: systemRandom };
}

describe('a sealed text', () => {
  test('is opened with the key beside the ledger, which its owner alone may read if there is no ledger yet', async (t) => {
    const at = place(t);
    const sealed = await sealText(at, 'amina', secret);
    assert.equal(await openText(at, 'amina', sealed), secret);
    assert.deepEqual([isSealed(sealed), isSealed(secret), sealed.includes(secret)], [true, false, false]);
    assert.equal(statSync(secretsKeyPath(at.ledgerPath)).mode & 0o777, 0o600);
    assert.notEqual(await sealText(at, 'amina', secret), sealed, 'a nonce is used once');
  });

  test('is opened by whoever may use the ledger: an administrator locks no program out', async (t) => {
    const at = place(t);
    writeFileSync(at.ledgerPath, '', { mode: 0o660 });
    chmodSync(at.ledgerPath, 0o660);
    await sealText(at, 'amina', secret);
    assert.equal(statSync(secretsKeyPath(at.ledgerPath)).mode & 0o777, 0o660);
  });

  test('is sealed with one key, whoever makes it first', async (t) => {
    const at = place(t);
    const sealed = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => sealText(at, owner, owner)));
    const opened = await Promise.all(['a', 'b', 'c', 'd'].map((owner, n) => openText(at, owner, sealed[n] ?? '')));
    assert.deepEqual(opened, ['a', 'b', 'c', 'd']);
  });

  test('cannot be opened for another owner, changed, in the clear, or without the key', async (t) => {
    const at = place(t);
    const sealed = await sealText(at, 'amina', secret);
    assert.equal(await openText(at, 'bela', sealed), null);
    // The last character may have bits that no byte has.
    for (const place of [3, 20, sealed.length - 2]) {
      const other = sealed[place] === 'A' ? 'B' : 'A';
      assert.equal(await openText(at, 'amina', sealed.slice(0, place) + other + sealed.slice(place + 1)), null);
    }
    for (const short of ['v1.', 'v1.AAAA', sealed.slice(0, 20), secret])
      assert.equal(await openText(at, 'amina', short), null);
    const path = secretsKeyPath(at.ledgerPath);
    const key = readFileSync(path, 'utf8');
    rmSync(path);
    assert.equal(await openText(at, 'amina', sealed), null, 'and no key is made for it');
    writeFileSync(path, `${'0'.repeat(64)}\n`);
    assert.equal(await openText(at, 'amina', sealed), null);
    writeFileSync(path, key);
    assert.equal(await openText(at, 'amina', sealed), secret);
  });

  test('is not sealed with what is no key', async (t) => {
    const at = place(t);
    writeFileSync(secretsKeyPath(at.ledgerPath), 'short\n');
    await assert.rejects(sealText(at, 'amina', secret), { code: 'LEDGER_IO' });
    await assert.rejects(openText(at, 'amina', 'v1.AAAA'), { code: 'LEDGER_IO' });
  });
});
