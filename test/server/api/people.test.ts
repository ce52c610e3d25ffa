import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
