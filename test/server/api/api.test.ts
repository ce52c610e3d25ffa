import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { listApiKeys } from '../../../src/ledger/access/api-keys.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import * as operations from '../../../src/operations/all.ts';
import { once } from '../../../src/server/api/once.ts';
import { openApiDocument } from '../../../src/server/api/openapi.ts';
import { routes } from '../../../src/server/api/route-table.ts';
import { sessionRoutes } from '../../../src/server/sign-in/session-routes.ts';
import { allRoles, api } from './api-fixture.ts';

const root = resolve(import.meta.dirname, '../../..');

describe('the HTTP API', () => {
  test('refuses a request without a key, or with a wrong, expired or revoked one', async (t) => {
    const { clock, send, makeKey, admin } = await api(t);
    const expires = new Date(clock.now() + 60_000).toISOString();
    const brief = await makeKey('brief', ['audit'], { expires });
    const gone = await makeKey('gone', ['audit']);
    const get = async (key: string | null) => {
      const { status, body, headers } = await send('GET', '/api/v1/api-keys', { key });
      return [status, body.code, headers['www-authenticate']];
    };
    assert.deepEqual(await get(null), [401, 'KEY_MISSING', 'Bearer']);
    const refused = [401, 'KEY_REFUSED', 'Bearer'];
    assert.deepEqual(await get('nonsense'), refused);
    assert.deepEqual(await get(`${admin.slice(0, -1)}${admin.endsWith('0') ? '1' : '0'}`), refused);
    assert.equal((await send('GET', '/api/v1/batches/B-default/held-rows', { key: brief })).status, 403);
    clock.setWall(clock.now() + 60_000);
    assert.deepEqual(await get(brief), refused);
    assert.equal((await send('POST', '/api/v1/api-keys/gone/revoke')).status, 200);
    assert.deepEqual(await get(gone), refused);
  });

  test('stores no secret of a key, and records its last use to the minute', async (t) => {
    const { db, clock, send, admin, logged } = await api(t);
    const usedAt = async () => (await listApiKeys(db)).find(({ name }) => name === 'all')?.last_used_at;
    assert.equal(await usedAt(), null);
    await send('GET', '/api/v1/api-keys');
    const first = clock.now();
    assert.equal(await usedAt(), first);
    clock.setWall(first + 59_000);
    await send('GET', '/api/v1/api-keys');
    assert.equal(await usedAt(), first);
    clock.setWall(first + 60_000);
    const { body } = await send('GET', '/api/v1/api-keys');
    assert.equal(await usedAt(), clock.now());
    assert.equal(JSON.stringify([body, await listApiKeys(db), logged]).includes(admin.slice(-64)), false);
  });

  test('runs an operation in the name of the key, through "api", and wakes the runner of the account', async (t) => {
    const { db, send, changed, statusOf } = await api(t);
    const { status, body } = await send('POST', '/api/v1/batches/B-default/reject', { body: { why: 'not ours' } });
    assert.deepEqual([status, body.batch_id, body.status], [200, 'B-default', 'cancelled']);
    assert.equal(await statusOf('B-default'), 'cancelled');
    assert.deepEqual(changed, ['default']);
    const last = (await pageEvents(db, 'B-default', 0, 100)).at(-1);
    assert.equal(last?.actor, 'all');
    assert.equal(JSON.parse(last?.body ?? '{}').through, 'api');
  });

  test('asks for a role like every interface', async (t) => {
    const { send, makeKey, statusOf } = await api(t);
    const key = await makeKey('preparing', ['prepare', 'operate']);
    const { status, body } = await send('POST', '/api/v1/batches/B-default/reject', { key, body: { why: 'no' } });
    assert.deepEqual([status, body.code, body.type], [403, 'ROLE_MISSING', 'urn:airbatch:problem:ROLE_MISSING']);
    assert.equal(await statusOf('B-default'), 'awaiting_approval');
  });

  for (const { id, operation, path } of routes().filter(({ method }) => method === 'POST'))
    test(`${id} says that the role is missing before it looks at the request`, async (t) => {
      // Whoever has any role may read.
      if (operation.role === 'audit') return;
      const { server, makeKey } = await api(t);
      const other = allRoles.find((role) => role !== operation.role && role !== 'audit') ?? 'audit';
      const authorization = `Bearer ${await makeKey('other', [other])}`;
      const url = `/api/v1${path.replace(':batch_id', 'B-default').replace(/:[a-z_]+/g, 'none')}`;
      for (const payload of ['{"nonsense": 1}', '{"why": "a\\u0000b"}', '{"why":', '']) {
        const headers = { authorization, 'content-type': 'application/json' };
        const answer = await server.inject({ method: 'POST', url, headers, payload });
        assert.deepEqual([answer.statusCode, answer.json().code], [403, 'ROLE_MISSING'], `${payload} ${answer.body}`);
      }
    });

  for (const { id, operation, method, path, isUpload } of routes())
    test(`${id} shows nothing of another team's account`, async (t) => {
      const { send, makeKey, statusOf } = await api(t);
      const key = await makeKey('team', allRoles, {
        accounts: ['default'],
      });
      const url = `/api/v1${path}`
        .replace(':batch_id', 'B-other')
        .replace(':draft_id', 'D-other')
        .replace(':which', 'original')
        .replace(':account', 'other')
        .replace(':row', '1')
        .replace(':name', 'all')
        .replace(':session_id', 'none')
        .replace(':endpoint_id', 'none')
        .replace(':delivery_no', '1');
      const body = {
        why: 'x',
        evidence: 'x',
        url: 'https://hooks.example',
        as: 'paid',
        seen: { content_sha256: null, to_send: 1, products: 0, sums: {} },
        ...(operation.name === 'assign-rows' ? { rows: [1], owner: null } : {}),
        ...(operation.name === 'export-journal' ? { from: '2026-11-01T00:00:00Z' } : {}),
        ...(operation.name === 'plan-payout' ? { rows: 1 } : {}),
        ...(operation.name === 'preview-fix' ? { code: 'DUPLICATE', column: 1, fix: 'exclude_rows' } : {}),
        ...(operation.name === 'submit-draft' ? { batch_id: 'B-default' } : {}),
      };
      const fields = Object.keys((operation.input as unknown as { shape?: object }).shape ?? {});
      const fitting = Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
      const queries: Record<string, string> = { 'list-networks': '?query=KE', 'show-difference': '?version=1' };
      const query = queries[operation.name] ?? (isUpload ? '?account=other' : '');
      if (['release-rows', 'skip-rows'].includes(operation.name)) delete fitting.seen;
      const answer = await send(method, `${url}${query}`, {
        key,
        ...(method === 'POST' ? { body: operation.name === 'reorder-batch' ? { priority: 'bulk' } : fitting } : {}),
      });
      assert.equal(await statusOf('B-other'), 'awaiting_approval');
      if (answer.status === 200) assert.doesNotMatch(JSON.stringify(answer.body), /"other"|B-other/);
      if (operation.showsOnlyVisible === true) return;
      assert.ok([403, 404].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
      assert.ok(
        ['BATCH_UNKNOWN', 'DRAFT_UNKNOWN', 'ACCOUNT_UNKNOWN', 'ROLE_MISSING', 'PERSON_NEEDED'].includes(
          answer.body.code,
        ),
      );
      assert.equal(await statusOf('B-other'), 'awaiting_approval');
    });

  test('makes a change once for each Idempotency-Key', async (t) => {
    const { send, makeKey, changed } = await api(t);
    const url = '/api/v1/batches/B-default/reject';
    const first = await send('POST', url, { body: { why: 'not ours' } });
    const again = await send('POST', url, { body: { why: 'not ours' } });
    assert.deepEqual([again.status, again.body], [first.status, first.body]);
    assert.deepEqual(changed, ['default'], 'nothing was done a second time');
    const other = await send('POST', url, { body: { why: 'another reason' } });
    assert.deepEqual([other.status, other.body.code], [409, 'IDEMPOTENCY_KEY_REUSED']);
    const none = await send('POST', url, { body: { why: 'not ours' }, once: null });
    assert.deepEqual([none.status, none.body.code], [400, 'IDEMPOTENCY_KEY_MISSING']);
    const key = await makeKey('second', ['approve']);
    const stranger = await send('POST', url, { key, body: { why: 'not ours' } });
    assert.deepEqual([stranger.status, stranger.body.code], [409, 'BATCH_STATE'], 'keys of callers do not meet');
    assert.equal(
      (await send('POST', url, { key, body: { why: 'not ours' } })).status,
      409,
      'a refusal is kept as well',
    );
  });

  test('keeps no number of a search: neither in an address nor in its ledger', async (t) => {
    const { db, send } = await api(t);
    const search = async (path: string, body: object) =>
      (await send('POST', `/api/v1/${path}`, { body, once: null })).status;
    assert.equal(await search('batches/B-default/rows/search', { find: '+254712000001' }), 200);
    assert.equal(await search('drafts/D-other/rows/search', { text: '+254712000001' }), 200);
    assert.equal(await search('payment-searches', { number: '+254712000001' }), 200);
    assert.deepEqual(await db.query('SELECT * FROM api_requests'), []);
    for (const path of ['batches/B-default/rows?find=0712000001', 'drafts/D-other/rows?text=0712000001'])
      assert.equal((await send('GET', `/api/v1/${path}`)).status, 400, path);
  });

  test('does not keep the answer to a request that met temporary trouble', async (t) => {
    const { send, db } = await api(t);
    const real = db.transact.bind(db);
    // The first transaction notes the request, the second one is that of the operation.
    let transactions = 0;
    Object.assign(db, {
      transact: (work: Parameters<typeof real>[0]) =>
        ++transactions === 2 ? Promise.reject(new Error('the disk is gone')) : real(work),
    });
    const url = '/api/v1/batches/B-default/reject';
    const failed = await send('POST', url, { body: { why: 'not ours' } });
    assert.deepEqual([failed.status, failed.body.code], [500, 'INTERNAL']);
    assert.equal(JSON.stringify(failed.body).includes('the disk is gone'), false);
    assert.equal((await send('POST', url, { body: { why: 'not ours' } })).status, 200);
  });

  test('does not keep the refusal of an account that another program works for at the moment', async (t) => {
    const { session } = await api(t);
    const request = { caller: 'all', key: 'busy', method: 'POST', url: '/api/v1/jobs/x/run', body: {} };
    const answer = (status: number, code: string) => async () => ({
      status,
      body: JSON.stringify({ code }),
      about: null,
    });
    const statuses: number[] = [];
    for (const work of [answer(409, 'ACCOUNT_BUSY'), answer(409, 'BATCH_STATE'), answer(200, 'not reached')])
      statuses.push((await once(session, request, work)).status);
    assert.deepEqual(statuses, [409, 409, 409]);
    const kept = await once(session, request, answer(200, 'not reached'));
    assert.match('body' in kept ? kept.body : '', /BATCH_STATE/);
  });

  test('refuses fields that are unknown, that name folders of the machine, or that are already in the path', async (t) => {
    const { send } = await api(t);
    const post = async (body: object, once: string) =>
      (await send('POST', '/api/v1/batches/B-default/reports', { body, once })).body.code;
    assert.equal(await post({ out: '/tmp' }, 'a'), 'USAGE');
    assert.equal(await post({ batch_id: 'B-other' }, 'b'), 'USAGE');
    assert.equal(await post({ nonsense: 1 }, 'c'), 'USAGE');
    assert.equal((await send('GET', '/api/v1/batches/B-default/review?batch_id=B-other')).body.code, 'USAGE');
    assert.equal((await send('GET', '/api/v1/nothing')).body.code, 'NOT_FOUND');
  });

  test('names the methods of an address in the header Allow', async (t) => {
    const { server, send } = await api(t);
    const cases: [method: 'DELETE' | 'GET', path: string, allowed: string][] = [
      ['DELETE', '/batches?limit=1', 'GET, HEAD, POST'],
      ['GET', '/batches/B-default/pause', 'POST'],
      ['DELETE', '/batches/B-default/rows/search', 'GET, HEAD, POST'],
      ['DELETE', '/batches/B-default/events', 'GET'],
      ['DELETE', '/session/factors', 'GET, HEAD'],
    ];
    for (const [method, path, allowed] of cases) {
      const answer = await server.inject({ method, url: `/api/v1${path}` });
      assert.deepEqual([answer.statusCode, answer.json().code], [405, 'REQUEST_INVALID'], path);
      assert.equal(String(answer.headers.allow).split(', ').toSorted().join(', '), allowed, path);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    }
    assert.equal((await send('GET', '/api/v1/batches/B-default/pause/x')).status, 404);
  });

  test('reads numbers and lists of a query by the schema', async (t) => {
    const { send } = await api(t);
    const { body } = await send('GET', '/api/v1/batches/B-default/held-rows?rows=nonsense');
    assert.deepEqual([body.code, body.status], ['USAGE', 400]);
    const held = await send('GET', '/api/v1/batches/B-default/held-rows?rows=1');
    assert.notEqual(held.body.code, 'USAGE', JSON.stringify(held.body));
  });
});

describe('the OpenAPI document', () => {
  test('has every operation except those of this machine, and equals docs/api-openapi.json', () => {
    const document = openApiDocument();
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((item) => (item as { operationId: string }).operationId),
    );
    const paying = ['create-job', 'invite-admin', 'retry-failed', 'run-file'];
    const onFiles = [
      'back-up-ledger',
      'check-migration',
      'check-ledger',
      'copy-ledger',
      'drill-backup',
      'migrate-ledger',
      'restore-ledger',
      'verify-reports',
    ];
    const local = [...paying, ...onFiles];
    assert.deepEqual(
      ids.toSorted(),
      Object.values(operations)
        .map(({ name }) => name)
        .filter((name) => !local.includes(name))
        .concat(
          'stream-events',
          'read-report-file',
          'search-rows',
          'search-draft-rows',
          sessionRoutes.map(({ name }) => name),
        )
        .toSorted(),
    );
    const written = JSON.parse(readFileSync(join(root, 'docs/api-openapi.json'), 'utf8'));
    assert.deepEqual(written, JSON.parse(JSON.stringify(document)), 'npm run openapi writes it');
  });

  test('is public: it has nothing of the installation', async (t) => {
    const { send } = await api(t);
    const { status, body } = await send('GET', '/api/openapi.json', { key: null });
    assert.deepEqual([status, body.openapi], [200, '3.1.0']);
  });
});
