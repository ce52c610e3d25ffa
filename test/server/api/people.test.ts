import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createUser } from '../../../src/operations/access/create-user.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { routes } from '../../../src/server/api/route-table.ts';
import { api } from './api-fixture.ts';

describe('roles over HTTP', () => {
  test('are listed for a key with the role', async (t) => {
    const { send } = await api(t);
    assert.deepEqual((await send('GET', '/api/v1/users')).body, { users: [] });
    assert.deepEqual((await send('GET', '/api/v1/sessions')).body, { sessions: [] });
    const { body } = await send('GET', '/api/v1/access-events');
    assert.deepEqual([body.events[0].kind, body.broken_at], ['key.create', null]);
    assert.equal((await send('POST', '/api/v1/sessions/none/revoke')).body.code, 'USAGE');
  });

  test('are in the configuration, which is shown without secrets', async (t) => {
    const { send } = await api(t);
    const { status, body } = await send('GET', '/api/v1/configuration');
    assert.deepEqual([status, body.people], [200, {}]);
    assert.doesNotMatch(JSON.stringify(body), /service-key/);
  });

  test('are seen by auditors, without their addresses, and changed by nobody of them', async (t) => {
    const { send, makeKey, session } = await api(t);
    const door = { nameOf: (field: string) => field };
    const person = { name: 'amina', display_name: 'Amina', roles: ['prepare' as const], email: 'amina@example.org' };
    await performIn(session, createUser, door, person);
    await send('POST', '/api/v1/webhooks', { body: { url: 'https://example.org/' } });
    const auditor = await makeKey('auditor', ['audit']);
    const read = async (key: string, path: string) => (await send('GET', `/api/v1/${path}`, { key })).body;
    const [{ email, roles }] = (await read(auditor, 'users')).users;
    assert.deepEqual([email, roles], [null, ['prepare']]);
    assert.equal((await read(auditor, 'api-keys')).keys.length, 2);
    const [{ endpoint_id }] = (await read(auditor, 'webhooks')).endpoints;
    assert.deepEqual((await read(auditor, `webhooks/${endpoint_id}/deliveries`)).deliveries, []);
    assert.deepEqual(await read(auditor, 'sessions'), { sessions: [] });
    assert.deepEqual((await read(auditor, 'configuration')).people, {});
    const revoked = await send('POST', '/api/v1/api-keys/all/revoke', { key: auditor });
    assert.equal(revoked.body.code, 'ROLE_MISSING');
    // Whoever may read because of another role is no auditor, nor does one of some accounts see all.
    for (const key of [
      await makeKey('clerk', ['prepare', 'approve', 'operate']),
      await makeKey('team', ['audit'], { accounts: ['default'] }),
    ])
      for (const path of [
        'users',
        'sessions',
        'api-keys',
        'configuration',
        'webhooks',
        `webhooks/${endpoint_id}/deliveries`,
      ])
        assert.equal((await read(key, path)).code, 'ROLE_MISSING', path);
  });

  test('are decided by people, not by programs', async (t) => {
    const { send } = await api(t);
    const refused = [
      await send('POST', '/api/v1/users', { body: { name: 'x', display_name: 'x', roles: ['admin'] } }),
      await send('POST', '/api/v1/users/x/change', { body: { roles: ['admin'] } }),
      await send('POST', '/api/v1/users/x/reset'),
      await send('POST', '/api/v1/api-keys', { body: { name: 'x', roles: ['admin'] } }),
    ];
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      refused.map(() => [403, 'PERSON_NEEDED']),
    );
    assert.equal(routes().filter(({ isForPeople }) => isForPeople).length, refused.length);
  });
});
