import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routes } from '../../../src/server/api/route-table.ts';
import { sessionRoutes } from '../../../src/server/sign-in/session-routes.ts';
import { allRoles } from '../api/api-fixture.ts';
import { consoleOf, password } from './browser.ts';

/** The path with something for each field in it. */
function filled(path: string, of = 'default'): string {
  return path
    .replace(':batch_id', `B-${of}`)
    .replace(':draft_id', `D-${of}`)
    .replace(':account', of)
    .replace(':row', '1')
    .replace(':delivery_no', '1')
    .replace(':item_no', '1')
    .replace(':which', 'original')
    .replace(/:[a-z_]+/g, 'none');
}

/** What an operation must be given besides what its path names; the least that it takes. */
const inputs: Readonly<Record<string, object>> = {
  'preview-fix': { code: 'COUNTRY_UNKNOWN', column: 0, fix: 'add_country_code' },
  'change-draft': { cells: [{ row: 1, column: 0, value: 'x' }] },
  'submit-draft': { batch_id: 'B-default' },
  'pause-batch': { why: 'x' },
  'reorder-batch': { priority: 'urgent' },
  'approve-batch': { seen: { content_sha256: null, to_send: 1, products: 0, sums: {} } },
  'reject-batch': { why: 'x' },
  'withdraw-batch': { why: 'x' },
  'note-open-item': { note: 'looked at' },
  'show-difference': { version: 1 },
  'skip-rows': { why: 'x' },
  'resolve-row': { as: 'paid', evidence: 'x' },
  'assign-rows': { rows: [1], owner: 'amina' },
  'list-networks': { query: 'KE' },
  'plan-payout': { rows: 1 },
  'export-journal': { from: '2026-11-01T00:00:00Z' },
  'find-payments': { number: '+254712345678' },
  'list-paid-files': { from: '2026-11-01T00:00:00Z' },
  'create-user': { name: 'x', display_name: 'x', roles: ['audit'] },
  'create-api-key': { name: 'x', roles: ['audit'] },
  'create-webhook': { url: 'https://example.org/' },
};

const mutations = [
  ...routes()
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => ({ method, path, needsToken: true })),
  ...sessionRoutes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, isForSignedIn }) => ({ method, path: `/session${path}`, needsToken: isForSignedIn })),
];

describe('a request that changes something', () => {
  for (const { method, path, needsToken } of mutations)
    test(`${method} ${path} must come from a page of the console, with the token of the session`, async (t) => {
      const { person, db } = await consoleOf(t);
      const own = await person('amina', { roles: allRoles });
      const before = await db.query('SELECT seq FROM access_events');
      const url = `/api/v1${filled(path)}`;
      const attacks: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: '' },
        { origin: 'http://localhost:8789' },
        { origin: 'https://localhost:8788' },
        { origin: 'http://localhost:8788.evil.example' },
        ...(needsToken ? [{ 'x-csrf-token': '' }, { 'x-csrf-token': 'f'.repeat(64) }] : []),
      ];
      for (const headers of attacks) {
        const { status, body } = await own.send(method, url, { headers, ...(method === 'POST' ? { body: {} } : {}) });
        assert.deepEqual([status, body.code], [403, 'CROSS_ORIGIN'], JSON.stringify(headers));
      }
      assert.deepEqual(await db.query('SELECT seq FROM access_events'), before);
      const { body } = await own.send(method, url, method === 'POST' ? { body: {} } : {});
      assert.notEqual(body.code, 'CROSS_ORIGIN', 'what the console itself sends is looked at');
    });

  test('is refused without Origin, which every browser sends', async (t) => {
    const { server, person } = await consoleOf(t);
    const { jar } = await person('amina');
    const headers = { cookie: jar.cookie, 'x-csrf-token': jar.csrf, 'sec-fetch-mode': 'cors' };
    const answer = await server.inject({ method: 'DELETE', url: '/api/v1/session', headers });
    assert.equal(answer.json().code, 'CROSS_ORIGIN');
  });

  test('must have the token of its own session, not of another one', async (t) => {
    const { person } = await consoleOf(t);
    const own = await person('amina');
    const other = await person('bela');
    const { body } = await own.send('DELETE', '/api/v1/session', { headers: { 'x-csrf-token': other.jar.csrf } });
    assert.equal(body.code, 'CROSS_ORIGIN');
  });

  test('may come from 127.0.0.1 or localhost on the same machine', async (t) => {
    const { person } = await consoleOf(t);
    const own = await person('amina');
    const headers = { origin: 'http://127.0.0.1:8788' };
    assert.equal((await own.send('DELETE', '/api/v1/session', { headers })).status, 200);
  });
});

describe('a person who is signed in', () => {
  for (const { id, operation, method, path, isUpload = false } of routes())
    test(`does ${id} only with its role, and only for their own accounts`, async (t) => {
      const { person } = await consoleOf(t);
      const input = inputs[operation.name] ?? {};
      const inQuery = method === 'GET' ? new URLSearchParams(input as Record<string, string>).toString() : '';
      const query = isUpload ? '?account=default' : inQuery && `?${inQuery}`;
      const body = method === 'POST' && !isUpload ? { body: input } : {};
      for (const role of allRoles) {
        // Whoever has any role may read.
        if (role === operation.role || operation.role === 'audit') continue;
        if (role === 'audit' && operation.mayAudit === true) continue;
        const { send } = await person(`only-${role}`, { roles: [role] });
        const answer = await send(method, `/api/v1${filled(path)}${query}`, body);
        const seen = `${role}: ${answer.status} ${JSON.stringify(answer.body)}`;
        assert.deepEqual([answer.status, answer.body.code], [403, 'ROLE_MISSING'], seen);
      }
      const { send } = await person('team', { roles: allRoles, accounts: ['default'] });
      const foreign = await send(method, `/api/v1${filled(path, 'other')}${query.replace('default', 'other')}`, body);
      if (operation.showsOnlyVisible === true) {
        if (foreign.status === 200) assert.doesNotMatch(JSON.stringify(foreign.body), /"other"|B-other/);
        return;
      }
      assert.ok(
        ['BATCH_UNKNOWN', 'DRAFT_UNKNOWN', 'ACCOUNT_UNKNOWN', 'ROLE_MISSING'].includes(foreign.body.code),
        `${foreign.status} ${JSON.stringify(foreign.body)}`,
      );
    });

  test('acts through "console", in their own name', async (t) => {
    const { db, person } = await consoleOf(t);
    const { send } = await person('amina', { roles: ['approve'] });
    const { status } = await send('POST', '/api/v1/batches/B-default/reject', { body: { why: 'not ours' } });
    assert.equal(status, 200);
    const [event] = await db.query<{ actor: string; body: string }>(
      "SELECT actor, body FROM events WHERE batch_id = 'B-default' ORDER BY seq DESC LIMIT 1",
    );
    assert.deepEqual([event?.actor, JSON.parse(event?.body ?? '').through], ['amina', 'console']);
  });

  test('shares no Idempotency-Key with a program of the same name', async (t) => {
    const { send, makeKey, person } = await consoleOf(t);
    const own = await person('amina', { roles: ['approve'] });
    const url = '/api/v1/batches/B-default/reject';
    const headers = { 'idempotency-key': 'the-same' };
    assert.equal((await own.send('POST', url, { body: { why: 'x' }, headers })).status, 200);
    const key = await makeKey('amina', ['approve']);
    const answer = await send('POST', url, { key, body: { why: 'x' }, once: 'the-same' });
    assert.equal(answer.body.code, 'BATCH_STATE', 'not the answer to the person');
  });

  test('is not one whose name and password are those of an API key', async (t) => {
    const { browser, admin } = await consoleOf(t);
    assert.equal((await browser().signIn('all', admin)).status, 401);
    assert.equal((await browser().signIn('all', password)).status, 401);
  });
});
