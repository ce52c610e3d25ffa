import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { z } from 'zod';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { sha256 } from '../../../src/core/identity/ids.ts';
import { findLink, useLink } from '../../../src/ledger/access/one-time-links.ts';
import { confirmTotp, findTotp, insertPasskey, proposeTotp } from '../../../src/ledger/access/second-factors.ts';
import { insertSession, listSessions as sessionsOf } from '../../../src/ledger/access/user-sessions.ts';
import { findUser, updateUser } from '../../../src/ledger/access/users.ts';
import * as operations from '../../../src/operations/all.ts';
import { performIn, type RoleOperation } from '../../../src/operations/base/operation.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { folderOf } from '../../support/folder.ts';
import { memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

/** An installation with the account `default`, and its operations in the name of `root`. */
async function installation(t: TestContext) {
  const cwd = folderOf(t);
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  t.after(() => db.close());
  const env = { AIRBATCH_BASE_URL: 'http://127.0.0.1:1', AIRBATCH_API_KEY: 'service-key' };
  const config = await loadConfig({ cwd, env, configPath: undefined });
  const log = { info: () => undefined, warn: () => undefined };
  const session: Session = {
    ...{ db, clock, config, log, random: systemRandom, ledgerPath: join(cwd, 'ledger.db'), ledgerUrl: null },
    person: 'root',
    through: 'console',
  };
  const door = { nameOf: (field: string) => field };
  const perform = <Input extends z.ZodType, Result extends z.ZodType>(
    operation: RoleOperation<Input, Result>,
    input: z.input<Input>,
  ) => performIn(session, operation, door, input);
  const addUser = (name: string, more: Partial<z.input<typeof operations.createUser.input>> = {}) =>
    perform(operations.createUser, { name, display_name: name, roles: ['prepare'], ...more });
  const signIn = (name: string) =>
    insertSession(db, {
      ...{ token_sha256: sha256(name), session_id: `s-${name}`, name, address: '127.0.0.1', device: null },
      ...{ created_at: clock.now(), signed_in_at: clock.now(), last_seen_at: clock.now() },
    });
  /** As if the person had used the link. */
  const setPassword = async (name: string) => {
    const user = await findUser(db, name);
    assert.ok(user);
    await updateUser(db, { ...user, password_hash: 'x' });
  };
  return { db, clock, session, perform, addUser, signIn, setPassword };
}

describe('people of the console', () => {
  test('have no name of a part of the program, nor has a key: the audit log would take them for it', async (t) => {
    const { perform, addUser } = await installation(t);
    for (const name of ['engine', 'intake', 'reconcile', 'retention']) {
      await assert.rejects(addUser(name), { code: 'USAGE' }, name);
      await assert.rejects(perform(operations.createApiKey, { name, roles: ['operate'] }), { code: 'USAGE' }, name);
    }
  });

  test('are made with a link whose token only the result has, and which works once, for 72 hours', async (t) => {
    const { db, clock, addUser } = await installation(t);
    const { user, link } = await addUser('amina', { roles: ['prepare', 'approve', 'approve'], email: 'A@Example.org' });
    assert.deepEqual([user.roles, user.email, user.has_password], [['approve', 'prepare'], 'a@example.org', false]);
    const digest = sha256(link.token);
    assert.equal((await findLink(db, digest, clock.now()))?.name, 'amina');
    assert.equal(await findLink(db, link.token, clock.now()), null, 'the ledger has the digest alone');
    assert.equal(await findLink(db, digest, clock.now() + 72 * 3_600_000), null);
    assert.deepEqual([await useLink(db, digest, 1), await useLink(db, digest, 2)], [true, false]);
    assert.equal(await findLink(db, digest, clock.now()), null);
  });

  test('have names and addresses of their own', async (t) => {
    const { addUser } = await installation(t);
    await addUser('amina', { email: 'a@example.org' });
    await assert.rejects(addUser('amina'), { code: 'USAGE' });
    await assert.rejects(addUser('bela', { email: 'A@example.org' }), { code: 'USAGE' });
    await assert.rejects(addUser('engine'), /part of the program/);
    await assert.rejects(addUser('Amina K'), { code: 'USAGE' });
    await assert.rejects(addUser('chidi', { accounts: ['nope'] }), { code: 'ACCOUNT_UNKNOWN' });
    await assert.rejects(addUser('chidi', { roles: [] }), /needs at least one/);
  });

  test('are changed field by field; fields that are left out stay', async (t) => {
    const { perform, addUser } = await installation(t);
    await addUser('amina', { email: 'a@example.org', accounts: ['default'], language: 'sw' });
    const changed = await perform(operations.changeUser, { name: 'amina', roles: ['approve'] });
    assert.deepEqual(
      [changed.roles, changed.accounts, changed.email, changed.language],
      [['approve'], ['default'], 'a@example.org', 'sw'],
    );
    const cleared = await perform(operations.changeUser, { name: 'amina', email: null, accounts: [] });
    assert.deepEqual([cleared.email, cleared.accounts, cleared.roles], [null, [], ['approve']]);
    await addUser('bela', { email: 'b@example.org' });
    await assert.rejects(perform(operations.changeUser, { name: 'amina', email: 'b@example.org' }), { code: 'USAGE' });
    await assert.rejects(perform(operations.changeUser, { name: 'nobody', disabled: true }), { code: 'USAGE' });
  });

  test('can be changed after the configuration has dropped one of their accounts', async (t) => {
    const { db, addUser, perform } = await installation(t);
    await addUser('amina', { accounts: ['default'] });
    await db.execute(`UPDATE user_accounts SET account = 'closed'`);
    const roles = ['prepare' as const, 'approve' as const];
    const more = await perform(operations.changeUser, { name: 'amina', roles, accounts: ['closed', 'default'] });
    assert.deepEqual(
      [more.roles, more.accounts],
      [
        ['approve', 'prepare'],
        ['closed', 'default'],
      ],
    );
    const without = await perform(operations.changeUser, { name: 'amina', accounts: ['default'] });
    assert.deepEqual(without.accounts, ['default']);
    const back = perform(operations.changeUser, { name: 'amina', accounts: ['closed'] });
    await assert.rejects(back, { code: 'ACCOUNT_UNKNOWN' });
  });

  test('who are disabled are signed out at once', async (t) => {
    const { db, clock, perform, addUser, signIn } = await installation(t);
    await addUser('amina');
    await addUser('bela');
    await signIn('amina');
    await signIn('bela');
    const { disabled_at } = await perform(operations.changeUser, { name: 'amina', disabled: true });
    assert.notEqual(disabled_at, null);
    assert.deepEqual(
      (await sessionsOf(db, null, clock.now())).map(({ name }) => name),
      ['bela'],
    );
    assert.equal((await perform(operations.changeUser, { name: 'amina', disabled: false })).disabled_at, null);
  });

  test('always include an administrator who can sign in', async (t) => {
    const { perform, addUser, setPassword } = await installation(t);
    await addUser('amina', { roles: ['admin'] });
    await setPassword('amina');
    await addUser('bela', { roles: ['admin'] });
    const losing = [{ disabled: true }, { roles: ['audit' as const] }, { accounts: ['default'] }];
    for (const change of losing)
      await assert.rejects(perform(operations.changeUser, { name: 'amina', ...change }), /the only administrator/);
    await setPassword('bela');
    assert.deepEqual((await perform(operations.changeUser, { name: 'amina', roles: ['audit'] })).roles, ['audit']);
  });

  test('have an administrator left who signs in by a passkey, or at the identity provider, for all accounts', async (t) => {
    const { db, session, perform, addUser, setPassword } = await installation(t);
    await addUser('amina', { roles: ['admin'] });
    await setPassword('amina');
    await addUser('bela', { roles: ['admin'], email: 'bela@example.org' });
    const isLeft = async () => {
      const done = await perform(operations.changeUser, { name: 'amina', roles: ['audit'] }).catch(() => null);
      if (done !== null) await perform(operations.changeUser, { name: 'amina', roles: ['admin'] });
      return done !== null;
    };
    const openid = (claim: string | null) => {
      const given = claim === null ? null : { ...{ issuer: 'https://id.example.org', label: 'x' }, claim };
      const console = { ...session.config.console, openid: given && { ...given, clientId: 'x', clientSecret: 'x' } };
      Object.assign(session, { config: { ...session.config, console } });
    };
    assert.equal(await isLeft(), false);
    openid('email');
    assert.equal(await isLeft(), true, 'the provider knows bela by the address');
    await db.execute("UPDATE users SET email = NULL WHERE name = 'bela'");
    assert.equal(await isLeft(), false);
    openid('preferred_username');
    assert.equal(await isLeft(), true, 'the provider knows bela by the name');
    openid(null);
    const passkey = { credential_id: 'c', label: 'phone', public_key: 'p', counter: 0, transports: '', created_at: 1 };
    await insertPasskey(db, { ...passkey, name: 'bela' });
    assert.equal(await isLeft(), true, 'a passkey signs in by itself');
    await db.execute("INSERT INTO user_accounts (name, account) VALUES ('bela', 'default')");
    assert.equal(await isLeft(), false, 'bela administers one account, not the installation');
  });

  test('who are reset lose password, factors and sessions, and get a link; an earlier link ends', async (t) => {
    const { db, clock, perform, addUser, setPassword, signIn } = await installation(t);
    const first = await addUser('amina');
    await setPassword('amina');
    await proposeTotp(db, 'amina', 'SECRET');
    const proposed = await findTotp(db, 'amina');
    assert.ok(proposed);
    await confirmTotp(db, proposed, clock.now());
    const passkey = { credential_id: 'c', label: 'phone', public_key: 'p', counter: 0, transports: '', created_at: 1 };
    await insertPasskey(db, { ...passkey, name: 'amina' });
    await signIn('amina');
    const [before] = (await perform(operations.listUsers, {})).users;
    assert.deepEqual([before?.has_password, before?.has_totp, before?.passkeys], [true, true, 1]);
    const { user, link } = await perform(operations.resetUser, { name: 'amina' });
    assert.deepEqual([user.has_password, user.has_totp, user.passkeys], [false, false, 0]);
    assert.deepEqual(await sessionsOf(db, 'amina', clock.now()), []);
    assert.equal(await findLink(db, sha256(first.link.token), clock.now()), null);
    assert.equal((await findLink(db, sha256(link.token), clock.now()))?.name, 'amina');
  });

  test('are listed with their sessions, which can be revoked', async (t) => {
    const { perform, addUser, signIn } = await installation(t);
    await addUser('amina');
    await signIn('amina');
    const { sessions } = await perform(operations.listSessions, {});
    assert.deepEqual(
      sessions.map(({ name, session_id }) => [name, session_id]),
      [['amina', 's-amina']],
    );
    const revoked = await perform(operations.revokeSession, { session_id: 's-amina' });
    assert.equal(revoked.name, 'amina');
    await assert.rejects(perform(operations.revokeSession, { session_id: 's-amina' }), { code: 'USAGE' });
    assert.deepEqual((await perform(operations.listSessions, { name: 'amina' })).sessions, []);
  });
});

describe('the history of access', () => {
  test('says who changed what, without secrets, page by page', async (t) => {
    const { perform, addUser } = await installation(t);
    const { link } = await addUser('amina');
    await perform(operations.changeUser, { name: 'amina', roles: ['audit'] });
    const key = await perform(operations.createApiKey, { name: 'payroll', roles: ['audit'] });
    await perform(operations.revokeApiKey, { name: 'payroll' });
    const { events, next, broken_at } = await perform(operations.listAccessEvents, { limit: 3 });
    assert.deepEqual(
      events.map(({ kind, actor }) => [kind, actor]),
      [
        ['key.revoke', 'root'],
        ['key.create', 'root'],
        ['user.change', 'root'],
      ],
    );
    assert.equal(broken_at, null);
    assert.equal(next, 2);
    const rest = await perform(operations.listAccessEvents, { after: 2 });
    assert.deepEqual([rest.events.map(({ kind }) => kind), rest.next], [['user.create'], null]);
    const longAgo = await perform(operations.listAccessEvents, { until: '2001-01-01T00:00:00Z' });
    assert.deepEqual(longAgo.events, []);
    const text = JSON.stringify([events, rest]);
    assert.equal(text.includes(link.token) || text.includes(key.secret), false);
    const change = JSON.parse(events[2]?.body ?? '{}');
    assert.deepEqual([change.before_roles, change.roles, change.through], ['prepare', 'audit', 'console']);
  });

  for (const [how, edit] of [
    ['edited', "UPDATE access_events SET actor = 'nobody' WHERE seq = 2"],
    ['deleted', 'DELETE FROM access_events WHERE seq = 2'],
    ['cut off, with all that follow', 'DELETE FROM access_events WHERE seq >= 2'],
    ['missing from a head that was put back', 'UPDATE access_head SET seq = 1'],
  ] as const)
    test(`shows an event that was ${how}`, async (t) => {
      const { db, perform, addUser } = await installation(t);
      for (const name of ['amina', 'bela', 'chidi']) await addUser(name);
      await db.execute(edit);
      assert.equal((await perform(operations.listAccessEvents, {})).broken_at, 2);
    });
});
