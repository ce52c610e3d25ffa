import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routes } from '../../../src/server/api/route-table.ts';
import { allRoles } from '../api/api-fixture.ts';
import { consoleOf } from './browser.ts';

const minute = 60_000;
const seen = { content_sha256: 'a'.repeat(64), to_send: 1, products: 0, sums: {} };
const approve = '/api/v1/batches/B-default/approve';

/** An administrator with an app that shows codes. */
async function amina(...args: Parameters<typeof consoleOf>) {
  const installation = await consoleOf(...args);
  const own = await installation.person('amina', { roles: allRoles });
  const nextCode = await own.enrol();
  const stepUp = (purpose: string, code = nextCode()) =>
    own.send('POST', '/api/v1/session/step-up', { body: { purpose, code } });
  /** What the second factor must be proved for before this request; null if nothing. */
  const purposeFor = async (url: string, body: object) => {
    const answer = await own.send('POST', url, { body });
    return answer.body.code === 'STEP_UP_NEEDED' ? String(answer.body.purpose) : null;
  };
  return { ...installation, own, nextCode, stepUp, purposeFor };
}

describe('a second factor', () => {
  test('is needed to move money, to change who may, and for what programs elsewhere trust', () => {
    const needed = routes().filter(({ stepUp }) => stepUp !== undefined);
    assert.deepEqual(
      needed.map(({ operation }) => operation.name),
      [
        ...['approve-batch', 'resolve-row', 'create-user', 'change-user', 'reset-user', 'create-api-key'],
        ...['create-webhook', 'change-webhook', 'rotate-webhook-secret'],
      ],
    );
  });

  test('is requested before the request is executed or its key is used up', async (t) => {
    const { own, stepUp } = await amina(t);
    const headers = { 'idempotency-key': 'one' };
    const body = { name: 'payroll', roles: ['audit'] };
    const refused = await own.send('POST', '/api/v1/api-keys', { body, headers });
    assert.deepEqual([refused.status, refused.body.code], [403, 'STEP_UP_NEEDED']);
    assert.equal((await stepUp(refused.body.purpose)).status, 200);
    const made = await own.send('POST', '/api/v1/api-keys', { body, headers });
    assert.match(made.body.secret, /^airbatch_/);
    const again = await own.send('POST', '/api/v1/api-keys', { body, headers });
    assert.deepEqual([again.status, again.body.code], [409, 'SHOWN_ONCE'], 'a secret is shown once');
  });

  test('gives the session a new token, and the one from before the proof is worth nothing', async (t) => {
    const { own, stepUp, send } = await amina(t);
    const before = { ...own.jar };
    const proof = await stepUp('change-user');
    assert.equal(proof.status, 200);
    assert.notEqual(own.jar.cookie, before.cookie);
    assert.notEqual(proof.body.csrf_token, before.csrf);
    const stolen = await own.send('GET', '/api/v1/session', { headers: { cookie: before.cookie } });
    assert.deepEqual([stolen.status, stolen.body.code], [401, 'SIGN_IN_NEEDED']);
    // A page in another window still has the earlier token: it reads the session again.
    const headers = { 'x-csrf-token': before.csrf };
    const body = { language: 'fr' };
    const stale = await own.send('POST', '/api/v1/users/amina/change', { body, headers });
    assert.equal(stale.body.code, 'CROSS_ORIGIN');
    assert.equal((await own.send('POST', '/api/v1/users/amina/change', { body })).status, 200);
    const { body: sessions } = await own.send('GET', '/api/v1/session/all');
    assert.deepEqual(
      sessions.sessions.map(({ is_own }: { is_own: boolean }) => is_own),
      [true],
      'it is the same session',
    );
    assert.equal((await send('GET', '/api/v1/batches')).status, 200);
  });

  test('that is refused leaves the session its token', async (t) => {
    const { own, stepUp } = await amina(t);
    const before = own.jar.cookie;
    assert.equal((await stepUp('change-user', '000000')).body.code, 'CODE_REFUSED');
    assert.equal(own.jar.cookie, before);
    assert.equal((await own.send('GET', '/api/v1/session')).status, 200);
  });

  test('leaves no secret of a key or a link in the ledger', async (t) => {
    const { db, own, stepUp } = await amina(t);
    await stepUp('create-api-key');
    const key = await own.send('POST', '/api/v1/api-keys', { body: { name: 'payroll', roles: ['audit'] } });
    await stepUp('create-user');
    const body = { name: 'bela', display_name: 'Bela', roles: ['audit'] };
    const person = await own.send('POST', '/api/v1/users', { body });
    const kept = JSON.stringify(await db.query('SELECT * FROM api_requests'));
    assert.equal(kept.includes(key.body.secret), false);
    assert.equal(kept.includes(person.body.link.token), false);
    assert.ok(person.body.link.token);
  });

  test('proved for an approval counts for the seen state of that batch, and for nothing else', async (t) => {
    const { stepUp, purposeFor } = await amina(t);
    const purpose = await purposeFor(approve, { seen });
    assert.ok(purpose);
    assert.equal((await stepUp(purpose)).status, 200);
    assert.equal(await purposeFor(approve, { seen }), null);
    assert.notEqual(await purposeFor(approve, { seen: { ...seen, to_send: 2 } }), null);
    assert.notEqual(await purposeFor(approve, { seen: { ...seen, content_sha256: 'b'.repeat(64) } }), null);
    assert.notEqual(await purposeFor('/api/v1/batches/B-other/approve', { seen }), null);
    assert.notEqual(await purposeFor('/api/v1/batches/B-default/rows/1/resolve', { as: 'paid', evidence: 'x' }), null);
  });

  test('proved for a decision about a row counts for the rows of that batch, and no others', async (t) => {
    const { stepUp, purposeFor } = await amina(t);
    const resolve = (batch: string, row: number) =>
      purposeFor(`/api/v1/batches/${batch}/rows/${row}/resolve`, { as: 'paid', evidence: 'x' });
    const purpose = await resolve('B-default', 1);
    assert.match(purpose ?? '', /^resolve-row [0-9a-f]{64}$/);
    assert.equal((await stepUp(purpose ?? '')).status, 200);
    assert.deepEqual([await resolve('B-default', 1), await resolve('B-default', 2)], [null, null]);
    assert.ok(await resolve('B-other', 1));
  });

  test('is requested for a body that names no batch', async (t) => {
    const { own } = await amina(t);
    const refused = await own.send('POST', '/api/v1/batches/B-default/rows/1/resolve', { body: ['paid'] });
    assert.deepEqual([refused.status, refused.body.code], [403, 'STEP_UP_NEEDED']);
  });

  test('proved once counts for five minutes', async (t) => {
    const { clock, stepUp, purposeFor } = await amina(t);
    const url = '/api/v1/users/amina/change';
    assert.equal(await purposeFor(url, { language: 'fr' }), 'change-user');
    await stepUp('change-user');
    assert.equal(await purposeFor(url, { language: 'fr' }), null);
    clock.setWall(clock.now() + 5 * minute - 1);
    assert.equal(await purposeFor(url, { language: 'sw' }), null);
    clock.setWall(clock.now() + 1);
    assert.equal(await purposeFor(url, { language: 'pt' }), 'change-user');
  });

  test('proved in one session counts in no other', async (t) => {
    const { own, browser, nextCode, stepUp } = await amina(t);
    await stepUp('change-user');
    const other = browser();
    await other.signIn('amina');
    await other.send('POST', '/api/v1/session/totp', { body: { code: nextCode() } });
    const change = (one: typeof own) => one.send('POST', '/api/v1/users/amina/change', { body: { language: 'fr' } });
    assert.equal((await change(other)).body.code, 'STEP_UP_NEEDED');
    assert.equal((await change(own)).status, 200);
  });

  test('is not proved by a used, old or wrong code', async (t) => {
    const { clock, own, browser, nextCode, stepUp, purposeFor } = await amina(t);
    const code = nextCode();
    const other = browser();
    await other.signIn('amina');
    assert.equal((await other.send('POST', '/api/v1/session/totp', { body: { code } })).status, 200);
    const used = await stepUp('change-user', code);
    assert.deepEqual([used.status, used.body.code], [403, 'CODE_REFUSED'], 'it was used to sign in');
    const next = nextCode();
    clock.setWall(clock.now() + 2 * minute);
    assert.equal((await stepUp('change-user', next)).body.code, 'CODE_REFUSED', 'it is old');
    assert.equal((await stepUp('change-user', '000000')).body.code, 'CODE_REFUSED');
    assert.equal((await stepUp('change-user', 'words!')).body.code, 'REQUEST_INVALID');
    assert.equal(await purposeFor('/api/v1/users/amina/change', { language: 'fr' }), 'change-user');
    assert.equal((await own.send('GET', '/api/v1/session')).status, 200, 'the session goes on');
  });

  test('is requested after the role: a person without the role learns so at once', async (t) => {
    const { person } = await consoleOf(t);
    const { send } = await person('bela', { roles: ['prepare'] });
    assert.equal((await send('POST', approve, { body: { seen } })).body.code, 'ROLE_MISSING');
  });

  test('must exist first: without one, none of these requests is executed', async (t) => {
    const { person } = await consoleOf(t);
    const { send } = await person('bela', { roles: allRoles });
    const { body } = await send('POST', approve, { body: { seen } });
    assert.equal(body.code, 'STEP_UP_NEEDED');
    const code = await send('POST', '/api/v1/session/step-up', { body: { purpose: body.purpose, code: '123456' } });
    assert.equal(code.body.code, 'CODE_REFUSED');
  });

  test('is not requested from a program: a person made its key with that role', async (t) => {
    const { send } = await consoleOf(t);
    assert.equal((await send('POST', approve, { body: { seen } })).body.code, 'SERVICE_UNREACHABLE');
  });
});

describe('an app with codes', () => {
  test('counts once a code has confirmed it', async (t) => {
    const { person, browser } = await consoleOf(t);
    const own = await person('amina');
    const { body } = await own.send('POST', '/api/v1/session/factors/totp');
    assert.match(body.uri, /^otpauth:\/\/totp\/airbatch:amina\?issuer=airbatch&secret=[A-Z2-7]{32}&/);
    const wrong = await own.send('POST', '/api/v1/session/factors/totp/confirm', { body: { code: '000000' } });
    assert.equal(wrong.body.code, 'CODE_REFUSED');
    assert.deepEqual((await own.send('GET', '/api/v1/session/factors')).body, { totp: false, passkeys: [] });
    assert.equal((await browser().signIn('amina')).body.next, undefined);
    await own.enrol();
    assert.deepEqual((await own.send('GET', '/api/v1/session/factors')).body, { totp: true, passkeys: [] });
    assert.equal((await browser().signIn('amina')).body.next, 'totp');
    assert.equal((await own.send('GET', '/api/v1/session')).body.second_factor, 'totp');
  });

  test('is added by a person who has just signed in, not by a session that was stolen later', async (t) => {
    const { clock, person } = await consoleOf(t);
    const own = await person('bela');
    clock.setWall(clock.now() + 10 * minute);
    for (const path of ['totp', 'passkey/options']) {
      const { status, body } = await own.send('POST', `/api/v1/session/factors/${path}`, { body: {} });
      assert.deepEqual([status, body.code], [401, 'SIGN_IN_NEEDED'], path);
    }
    await own.signIn('bela');
    await own.enrol();
  });

  test('is replaced or removed by a person who proves it, not by a stolen session', async (t) => {
    const { own, stepUp } = await amina(t);
    for (const url of ['/api/v1/session/factors/totp', '/api/v1/session/factors/remove']) {
      const { body } = await own.send('POST', url, { body: {} });
      assert.deepEqual([body.code, body.purpose], ['STEP_UP_NEEDED', 'change-factors']);
    }
    await stepUp('change-factors');
    assert.equal((await own.send('POST', '/api/v1/session/factors/totp', { body: {} })).body.code, 'REQUEST_INVALID');
    const { body } = await own.send('POST', '/api/v1/session/factors/remove', { body: {} });
    assert.deepEqual(body, { totp: false, passkeys: [] });
  });
});
