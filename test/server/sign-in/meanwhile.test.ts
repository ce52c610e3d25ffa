import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { findTotp } from '../../../src/ledger/access/second-factors.ts';
import { findUser } from '../../../src/ledger/access/users.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { changeUser } from '../../../src/operations/access/change-user.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { consoleOf, password } from './browser.ts';

const door = { nameOf: (field: string) => field };
const newPassword = 'another long password';

/** Lets `work` happen when a request has read what it needs, right before its transaction number `count`. */
function beforeTransaction(db: Database, count: number, work: () => Promise<unknown>): void {
  const { transact } = db;
  let left = count;
  db.transact = async (change) => {
    left -= 1;
    if (left === 0) {
      db.transact = transact;
      await work();
    }
    return transact(change);
  };
}

describe('what an administrator changes while a person’s own request runs', () => {
  test('stays changed if the person chooses a language or a password', async (t) => {
    for (const [path, body] of [
      ['language', { language: 'sw' }],
      ['password', { current: password, password: newPassword }],
    ] as const) {
      const { db, session, person, browser } = await consoleOf(t);
      const { send } = await person('amina', { roles: ['operate'] });
      beforeTransaction(db, 1, () =>
        performIn(session, changeUser, door, { name: 'amina', roles: ['audit'], disabled: true }),
      );
      const { body: answer } = await send('POST', `/api/v1/session/${path}`, { body });
      const stored = await findUser(db, 'amina');
      assert.deepEqual([path, stored?.roles, stored?.disabled_at === null], [path, ['audit'], false]);
      assert.deepEqual([path, answer.code], [path, 'SIGN_IN_NEEDED']);
      await performIn(session, changeUser, door, { name: 'amina', disabled: false });
      assert.equal((await browser().signIn('amina', newPassword)).status, 401, 'nor is the password the new one');
    }
  });

  test('a reset ends a change of the password that began before it', async (t) => {
    const { db, person, resetUser, browser } = await consoleOf(t);
    const { send } = await person('amina');
    beforeTransaction(db, 1, () => resetUser('amina'));
    const body = { current: password, password: newPassword };
    assert.equal((await send('POST', '/api/v1/session/password', { body })).body.code, 'SIGN_IN_NEEDED');
    assert.equal((await browser().signIn('amina', newPassword)).status, 401);
  });

  test('a one-time link of a person who is disabled meanwhile sets no password', async (t) => {
    const { db, session, addUser, browser } = await consoleOf(t);
    const { link } = await addUser('amina', { roles: ['operate'] });
    beforeTransaction(db, 1, () => performIn(session, changeUser, door, { name: 'amina', disabled: true }));
    const used = await browser().send('POST', '/api/v1/session/link', { body: { token: link.token, password } });
    assert.equal(used.body.code, 'LINK_REFUSED');
    const stored = await findUser(db, 'amina');
    assert.deepEqual([stored?.disabled_at === null, stored?.password_hash], [false, null]);
  });

  test('a person who was reset between proof and sign-in gets no session', async (t) => {
    const { db, person, resetUser, browser } = await consoleOf(t);
    await person('amina');
    // Two attempts are counted, and settled, before the session begins.
    beforeTransaction(db, 5, () => resetUser('amina'));
    const own = browser();
    assert.equal((await own.signIn('amina')).body.code, 'SIGN_IN_REFUSED');
    assert.deepEqual(await db.query('SELECT * FROM user_sessions'), []);
  });
});

test('a code confirms the secret that its app has, not one that another session proposes meanwhile', async (t) => {
  const { db, clock, person, browser } = await consoleOf(t);
  const [own, other] = [await person('amina'), browser()];
  await other.signIn('amina');
  const propose = async ({ send }: Pick<typeof own, 'send'>) =>
    (await send('POST', '/api/v1/session/factors/totp')).body.secret;
  const totp = new TOTP({ secret: Secret.fromBase32(await propose(own)) });
  // The attempt is counted, and settled, before the secret is confirmed.
  beforeTransaction(db, 3, () => propose(other));
  const body = { code: totp.generate({ timestamp: clock.now() }) };
  const { status, body: answer } = await own.send('POST', '/api/v1/session/factors/totp/confirm', { body });
  assert.deepEqual([status, answer.code], [403, 'CODE_REFUSED']);
  assert.equal((await findTotp(db, 'amina'))?.confirmed_at, null);
});
