import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { findTotp } from '../../../src/ledger/access/second-factors.ts';
import { secretsKeyPath } from '../../../src/runtime/session/sealed-text.ts';
import { sealEarlierTotp } from '../../../src/server/sign-in/totp.ts';
import { consoleOf } from './browser.ts';

describe('the secret of an app with codes', () => {
  test('is not readable in the ledger', async (t) => {
    const { db, person } = await consoleOf(t);
    const own = await person('amina');
    const { body } = await own.send('POST', '/api/v1/session/factors/totp');
    const stored = await findTotp(db, 'amina');
    assert.ok(stored?.secret);
    assert.equal(stored.secret.includes(body.secret), false);
    assert.match(stored.secret, /^v1\./);
  });

  test('that an earlier version stored in the clear is sealed, and its codes still count', async (t) => {
    const { db, session, person, browser } = await consoleOf(t);
    const own = await person('amina');
    const { body } = await own.send('POST', '/api/v1/session/factors/totp');
    await db.execute('UPDATE user_totp SET secret = ?', [body.secret]);
    await sealEarlierTotp(session);
    assert.match((await findTotp(db, 'amina'))?.secret ?? '', /^v1\./);
    const nextCode = await own.confirmTotp(body.secret);
    const other = browser();
    assert.equal((await other.signIn('amina')).body.next, 'totp');
    assert.equal((await other.send('POST', '/api/v1/session/totp', { body: { code: nextCode() } })).status, 200);
  });

  test('whose key is lost lets nobody in, and says so; after a reset, the person adds an app again', async (t) => {
    const { session, person, addUser, browser, resetUser } = await consoleOf(t);
    await addUser('root', { roles: ['admin'] });
    const own = await person('amina');
    const nextCode = await own.enrol();
    rmSync(secretsKeyPath(session.ledgerPath));
    const other = browser();
    await other.signIn('amina');
    const refused = await other.send('POST', '/api/v1/session/totp', { body: { code: nextCode() } });
    assert.deepEqual([refused.status, refused.body.code], [409, 'FACTOR_UNREADABLE']);
    const { link } = await resetUser('amina');
    const again = browser();
    const password = 'correct horse battery';
    await again.send('POST', '/api/v1/session/link', { body: { token: link.token, password } });
    await again.enrol();
  });
});
