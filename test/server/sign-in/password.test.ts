import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { makePasswordHasher } from '../../../src/server/sign-in/password.ts';

test('a password is hashed by argon2id with its own salt', async () => {
  const { hash, isRight } = makePasswordHasher(systemRandom);
  const [one, other] = [await hash('correct horse battery'), await hash('correct horse battery')];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, other);
  assert.equal(await isRight('correct horse battery', one), true);
  assert.equal(await isRight('correct horse batterY', one), false);
  assert.equal(await isRight('correct horse battery', null), false);
  assert.equal(await isRight('correct horse battery', 'nonsense'), false);
  // "é" as one character, and as two.
  assert.equal(await isRight('caf\u00e9 au lait noir', await hash('cafe\u0301 au lait noir')), true);
});

test('an account without a password takes as long to check as one with', async () => {
  let derived = 0;
  const { isRight, hash } = makePasswordHasher(systemRandom, async (message) => {
    derived += 1;
    return Buffer.from(message.padEnd(32));
  });
  const known = await hash('x');
  derived = 0;
  for (const one of [known, null, 'nonsense']) {
    await isRight('y', one);
    assert.equal(derived, 1);
    derived = 0;
  }
});
