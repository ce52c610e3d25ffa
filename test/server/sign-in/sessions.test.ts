import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { confirmTotp, findTotp, proposeTotp } from '../../../src/ledger/access/second-factors.ts';
import { findUser } from '../../../src/ledger/access/users.ts';
import { changeUser } from '../../../src/operations/access/change-user.ts';
import { listAccessEvents } from '../../../src/operations/access/list-access-events.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { deviceOf } from '../../../src/server/sign-in/device.ts';
import { consoleOf, password } from './browser.ts';

const door = { nameOf: (field: string) => field };
const minute = 60_000;

describe('a session of the console', () => {
  test('begins with a one-time link or a password, and ends by signing out', async (t) => {
    const { person, browser } = await consoleOf(t);
    await person('amina', { roles: ['prepare', 'approve'], accounts: ['default'], language: 'sw' });
    const own = browser();
    assert.deepEqual((await own.send('GET', '/api/v1/session')).body.code, 'SIGN_IN_NEEDED');
    const { status, body } = await own.signIn('amina');
    const { csrf_token, ...view } = body;
    assert.equal(status, 200);
    assert.match(csrf_token, /^[0-9a-f]{64}$/);
    assert.deepEqual(view, {
      ...{ person: 'amina', display_name: 'amina', roles: ['approve', 'prepare'], accounts: ['default'] },
      ...{ second_factor: 'none', factors: [], locale: 'sw' },
    });
    assert.deepEqual((await own.send('GET', '/api/v1/session')).body, body);
    const { cookie } = own.jar;
    assert.equal((await own.send('DELETE', '/api/v1/session')).status, 200);
    assert.equal(own.jar.cookie, '');
    own.jar.cookie = cookie;
    assert.equal((await own.send('GET', '/api/v1/session')).status, 401, 'an old cookie is worth nothing');
  });

  test('is not begun by a name with U+0000, for which PostgreSQL cannot look', async (t) => {
    const { browser } = await consoleOf(t);
    const body = { name: 'amina\0', password };
    const { status, body: answer } = await browser().send('POST', '/api/v1/session', { body });
    assert.deepEqual([status, answer.code], [400, 'USAGE']);
  });

  test('is not begun by a link that is older than the second factor of its person', async (t) => {
    const { db, clock, addUser, browser } = await consoleOf(t);
    const { link } = await addUser('amina');
    // She has signed in at the identity provider, and added an app with codes there.
    await proposeTotp(db, 'amina', 'sealed');
    const totp = await findTotp(db, 'amina');
    assert.ok(totp !== null && (await confirmTotp(db, totp, clock.now())));
    const finder = browser();
    for (const path of ['/link/show', '/link']) {
      const body = { token: link.token, ...(path === '/link' ? { password } : {}) };
      const { status, body: answer } = await finder.send('POST', `/api/v1/session${path}`, { body });
      assert.deepEqual([status, answer.code], [403, 'LINK_REFUSED'], path);
    }
    assert.equal((await findUser(db, 'amina'))?.password_hash, null);
  });

  for (const [publicUrl, expected] of [
    ['http://localhost:8788', /^airbatch=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/],
    ['https://pay.example.org', /^__Host-airbatch=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Secure$/],
  ] as const)
    test(`is kept in a cookie that scripts and other sites cannot read (${publicUrl})`, async (t) => {
      const { person, browser } = await consoleOf(t, { publicUrl });
      await person('amina');
      const { headers } = await browser().signIn('amina');
      assert.match(String(headers['set-cookie']), expected);
    });

  test('is stored only as the digest of its token', async (t) => {
    const { db, person } = await consoleOf(t);
    const { jar } = await person('amina');
    const [stored] = await db.query('SELECT * FROM user_sessions');
    assert.equal(JSON.stringify(stored).includes(jar.cookie.slice('airbatch='.length)), false);
  });

  test('ends after 15 minutes without use', async (t) => {
    const { clock, person } = await consoleOf(t);
    const { send } = await person('amina');
    for (let use = 0; use < 3; use++) {
      clock.setWall(clock.now() + 14 * minute);
      assert.equal((await send('GET', '/api/v1/session')).status, 200);
    }
    clock.setWall(clock.now() + 15 * minute);
    assert.deepEqual((await send('GET', '/api/v1/session')).body.code, 'SIGN_IN_NEEDED');
    assert.deepEqual((await send('GET', '/api/v1/batches')).body.code, 'SIGN_IN_NEEDED');
  });

  test('ends after 8 hours, whatever is done in it', async (t) => {
    const { clock, person } = await consoleOf(t);
    const { send } = await person('amina');
    const began = clock.now();
    for (let at = 10; at < 480; at += 10) {
      clock.setWall(began + at * minute);
      assert.equal((await send('GET', '/api/v1/session')).status, 200, `after ${at} minutes`);
    }
    clock.setWall(began + 480 * minute);
    assert.equal((await send('GET', '/api/v1/session')).status, 401);
  });

  test('is seen by administrators and auditors, with the kind of device; auditors see no address, and end none', async (t) => {
    const { clock, person, browser } = await consoleOf(t);
    const admin = await person('zawadi', { roles: ['admin'] });
    const auditor = await person('otieno', { roles: ['audit'] });
    await person('amina');
    clock.setWall(clock.now() + minute);
    const device = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const own = browser();
    await own.signIn('amina', password, { headers: { 'user-agent': device }, ip: '10.0.0.7' });
    assert.equal((await own.send('GET', '/api/v1/sessions')).body.code, 'ROLE_MISSING');
    const ofAmina = (body: { sessions: { name: string; session_id: string }[] }) =>
      body.sessions.filter(({ name }) => name === 'amina');
    const [seen] = ofAmina((await admin.send('GET', '/api/v1/sessions')).body);
    const { session_id, ...more } = seen ?? { session_id: '' };
    const at = new Date(clock.now()).toISOString();
    const shown = { name: 'amina', signed_in_at: at, last_seen_at: at, device: 'Firefox, Windows' };
    assert.deepEqual(more, { ...shown, address: '10.0.0.7' });
    const masked = ofAmina((await auditor.send('GET', '/api/v1/sessions')).body);
    assert.deepEqual(masked[0], { ...shown, session_id, address: null });
    assert.equal((await own.send('GET', '/api/v1/session/all')).body.sessions[0].device, 'Firefox, Windows');
    const refused = await auditor.send('POST', `/api/v1/sessions/${session_id}/revoke`);
    assert.equal(refused.body.code, 'ROLE_MISSING');
    assert.equal((await own.send('GET', '/api/v1/session')).status, 200);
  });

  test('has the address that a trusted proxy reports, and nobody else’s report', async (t) => {
    const { person, browser } = await consoleOf(t, { trustedProxies: ['10.0.0.5'] });
    await person('amina');
    const own = browser();
    // A browser that lies about its address: the proxy appends the true one.
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
    await own.signIn('amina', password, { headers, ip: '10.0.0.5' });
    await browser().signIn('amina', password, { headers, ip: '10.0.0.6' });
    const { sessions } = (await own.send('GET', '/api/v1/session/all')).body;
    const addresses = sessions.map(({ address }: { address: string }) => address);
    assert.deepEqual(addresses.toSorted(), ['10.0.0.6', '127.0.0.1', '203.0.113.7']);
  });

  test('names the browser and the system, and nothing else that the sender writes', () => {
    const like = (rest: string) => `Mozilla/5.0 (${rest}`;
    const devices: [sent: string | undefined, device: string | null][] = [
      [like('iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1'), 'Safari, iOS'],
      [like('Linux; Android 10; K) Chrome/138.0.0.0 Mobile Safari/537.36'), 'Chrome, Android'],
      [like('Linux; Android 10; K) SamsungBrowser/28.0 Chrome/130 Mobile Safari/537.36'), 'Samsung Internet, Android'],
      [like('Windows NT 10.0) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0'), 'Edge, Windows'],
      [like('Macintosh; Intel Mac OS X 10_15_7) Version/18.5 Safari/605.1.15'), 'Safari, macOS'],
      [like('X11; CrOS x86_64 14541.0.0) Chrome/138.0.0.0 Safari/537.36'), 'Chrome, ChromeOS'],
      [like('X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'), 'Firefox, Linux'],
      ['curl/8.5.0', null],
      ['<b>+254712345678</b>', null],
      [undefined, null],
    ];
    for (const [sent, device] of devices) assert.equal(deviceOf(sent), device, sent);
  });

  test('proves nothing after the clock was set back', async (t) => {
    const { clock, person } = await consoleOf(t);
    const { send } = await person('amina');
    clock.setWall(clock.now() - 2 * minute);
    assert.equal((await send('GET', '/api/v1/session')).status, 401);
  });

  test('has a new token after each sign-in: a token that somebody else has set is useless', async (t) => {
    const { person, browser } = await consoleOf(t);
    await person('amina');
    const attacker = browser();
    const victim = browser();
    const planted = 'a'.repeat(64);
    victim.jar.cookie = `airbatch=${planted}`;
    await victim.signIn('amina');
    attacker.jar.cookie = `airbatch=${planted}`;
    assert.equal((await attacker.send('GET', '/api/v1/session')).status, 401);
    const first = victim.jar.cookie;
    await victim.signIn('amina');
    assert.notEqual(victim.jar.cookie, first);
    attacker.jar.cookie = first;
    assert.equal((await attacker.send('GET', '/api/v1/session')).status, 401, 'the earlier session has ended');
  });

  for (const [how, path, body] of [
    ['a password with a second factor', '', { name: 'amina', password }],
    ['a passkey', '/passkey/options', {}],
  ] as const)
    test(`ends when somebody begins to sign in by ${how} in the same browser`, async (t) => {
      const { person, db } = await consoleOf(t);
      const own = await person('amina');
      await own.enrol();
      const { cookie } = own.jar;
      assert.equal((await own.send('POST', `/api/v1/session${path}`, { body })).status, 200);
      assert.notEqual(own.jar.cookie, cookie);
      own.jar.cookie = cookie;
      assert.equal((await own.send('GET', '/api/v1/session')).status, 401, 'nobody can end it otherwise');
      assert.equal((await db.query('SELECT * FROM user_sessions')).length, 1);
    });

  test('that is refused is logged with the network address, whichever step fails', async (t) => {
    const { person, browser, logged } = await consoleOf(t);
    await (await person('amina')).enrol();
    const one = browser();
    await one.signIn('amina', 'a wrong password', { ip: '198.51.100.71' });
    await one.signIn('amina', password, { ip: '198.51.100.72' });
    await one.send('POST', '/api/v1/session/totp', { body: { code: '000000' }, ip: '198.51.100.73' });
    const addresses = ['198.51.100.71', '198.51.100.73'];
    assert.deepEqual(
      logged,
      addresses.map((address) => ['somebody could not sign in to the console', { address }]),
    );
  });

  test('between two steps of signing in may do nothing', async (t) => {
    const { person, browser } = await consoleOf(t);
    const { enrol } = await person('amina', { roles: ['admin'] });
    const nextCode = await enrol();
    const own = browser();
    const { body } = await own.signIn('amina');
    assert.deepEqual(body, { next: 'totp', factors: ['totp'] });
    const half = own.jar.cookie;
    for (const url of ['/api/v1/session', '/api/v1/users', '/api/v1/session/factors'])
      assert.equal((await own.send('GET', url)).status, 401, url);
    assert.equal((await own.send('POST', '/api/v1/session/totp', { body: { code: nextCode() } })).status, 200);
    assert.notEqual(own.jar.cookie, half);
    assert.equal((await own.send('GET', '/api/v1/users')).status, 200);
    own.jar.cookie = half;
    assert.equal((await own.send('GET', '/api/v1/users')).status, 401, 'the first step is over');
  });

  test('can be completed for five minutes', async (t) => {
    const { clock, person, browser } = await consoleOf(t);
    const nextCode = await (await person('amina')).enrol();
    const own = browser();
    await own.signIn('amina');
    clock.setWall(clock.now() + 5 * minute);
    const { status, body } = await own.send('POST', '/api/v1/session/totp', { body: { code: nextCode() } });
    assert.deepEqual([status, body.code], [401, 'SIGN_IN_NEEDED']);
  });

  test('ends when its person is disabled, and another cannot begin', async (t) => {
    const { session, person, browser } = await consoleOf(t);
    const { send } = await person('amina');
    await performIn(session, changeUser, door, { name: 'amina', disabled: true });
    assert.equal((await send('GET', '/api/v1/session')).status, 401);
    assert.equal((await browser().signIn('amina')).body.code, 'SIGN_IN_REFUSED');
    await performIn(session, changeUser, door, { name: 'amina', disabled: false });
    assert.equal((await send('GET', '/api/v1/session')).status, 401, 'the old session stays ended');
    assert.equal((await browser().signIn('amina')).status, 200);
  });

  test('has changed roles and accounts at once', async (t) => {
    const { session, person } = await consoleOf(t);
    const { send } = await person('amina', { roles: ['admin'] });
    await person('bela', { roles: ['admin'] });
    assert.equal((await send('GET', '/api/v1/users')).status, 200);
    await performIn(session, changeUser, door, { name: 'amina', roles: ['prepare'] });
    assert.equal((await send('GET', '/api/v1/users')).body.code, 'ROLE_MISSING');
  });

  test('of another browser ends when the password is changed; this one continues with a new token', async (t) => {
    const { person, browser } = await consoleOf(t);
    const own = await person('amina');
    const other = browser();
    await other.signIn('amina');
    const before = own.jar.cookie;
    const change = (current: string) =>
      own.send('POST', '/api/v1/session/password', { body: { current, password: 'another long password' } });
    assert.equal((await change('wrong')).body.code, 'SIGN_IN_REFUSED');
    assert.equal((await change(password)).status, 200);
    assert.notEqual(own.jar.cookie, before);
    assert.equal((await own.send('GET', '/api/v1/session')).status, 200);
    assert.equal((await other.send('GET', '/api/v1/session')).status, 401);
    assert.equal((await browser().signIn('amina')).status, 401);
    assert.equal((await browser().signIn('amina', 'another long password')).status, 200);
  });

  test('is seen and ended by its person elsewhere, and by nobody else', async (t) => {
    const { clock, person, browser } = await consoleOf(t);
    const own = await person('amina');
    const bela = await person('bela');
    const elsewhere = browser();
    await elsewhere.signIn('amina', password, { ip: '10.0.0.7' });
    const { sessions } = (await own.send('GET', '/api/v1/session/all')).body;
    assert.deepEqual(
      sessions.map(({ address, is_own }: { address: string; is_own: boolean }) => [address, is_own]).toSorted(),
      [
        ['10.0.0.7', false],
        ['127.0.0.1', true],
      ],
    );
    const id = sessions.find(({ is_own }: { is_own: boolean }) => !is_own).session_id;
    const body = { session_id: id };
    assert.equal((await bela.send('POST', '/api/v1/session/end', { body })).body.sessions.length, 1);
    assert.equal((await elsewhere.send('GET', '/api/v1/session')).status, 200, 'nobody else ends it');
    assert.equal((await own.send('POST', '/api/v1/session/end', { body })).body.sessions.length, 1);
    assert.equal((await elsewhere.send('GET', '/api/v1/session')).status, 401);
    await elsewhere.signIn('amina');
    clock.setWall(clock.now() + 14 * minute);
    await own.send('GET', '/api/v1/session');
    clock.setWall(clock.now() + 2 * minute);
    const left = (await own.send('GET', '/api/v1/session/all')).body.sessions;
    assert.deepEqual([left.length, left[0].is_own], [1, true], 'one that was not used has ended');
  });

  test('keeps the language that its person chooses', async (t) => {
    const { person, browser } = await consoleOf(t);
    const own = await person('amina');
    await own.send('POST', '/api/v1/session/language', { body: { language: 'fr' } });
    assert.equal((await browser().signIn('amina')).body.locale, 'fr');
    const { body } = await own.send('POST', '/api/v1/session/language', { body: { language: 'tlh' } });
    assert.equal(body.code, 'REQUEST_INVALID');
  });

  test('is in the access history, without secrets', async (t) => {
    const { session, person } = await consoleOf(t);
    const { send } = await person('amina');
    await send('DELETE', '/api/v1/session');
    const { events } = await performIn(session, listAccessEvents, door, { limit: 3 });
    assert.deepEqual(
      events.map(({ kind, actor }) => `${actor} ${kind}`),
      ['amina session.end', 'amina session.begin', 'amina link.use'],
    );
    assert.equal(JSON.parse(events[0]?.body ?? '').through, 'console');
  });
});

describe('a one-time link', () => {
  test('sets a password once', async (t) => {
    const { addUser, browser } = await consoleOf(t);
    const { link } = await addUser('amina');
    const own = browser();
    const show = async (token: string) =>
      (await own.send('POST', '/api/v1/session/link/show', { body: { token } })).body;
    assert.deepEqual(await show(link.token), { name: 'amina', display_name: 'amina' });
    const use = (secret: string) =>
      own.send('POST', '/api/v1/session/link', { body: { token: link.token, password: secret } });
    assert.match((await use('short')).body.detail, /at least 12 characters/);
    assert.match((await use('aaaaaaaaaaaaaaaa')).body.detail, /5 different/);
    const both = await Promise.all([use(password), use(password)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 403]);
    assert.equal((await use(password)).body.code, 'LINK_REFUSED');
    assert.equal((await show(link.token)).code, 'LINK_REFUSED');
    assert.equal((await show('x')).code, 'LINK_REFUSED');
  });

  test('expires in 72 hours, or with its person', async (t) => {
    const { clock, session, addUser, browser } = await consoleOf(t);
    const { link } = await addUser('amina');
    const other = await addUser('bela');
    await performIn(session, changeUser, door, { name: 'bela', disabled: true });
    const show = async (token: string) =>
      (await browser().send('POST', '/api/v1/session/link/show', { body: { token } })).body.code;
    assert.equal(await show(other.link.token), 'LINK_REFUSED');
    clock.setWall(clock.now() + 72 * 60 * minute);
    assert.equal(await show(link.token), 'LINK_REFUSED');
  });
});

describe('guessing', () => {
  test('at a name is slowed down to a guess a minute, and never locks its owner out for longer', async (t) => {
    const { clock, hashed, person, browser } = await consoleOf(t);
    await person('amina');
    hashed.length = 0;
    const began = clock.now();
    const statuses = new Set<number>();
    for (let guess = 0; guess < 1_000; guess++) {
      const { status, headers } = await browser().signIn('amina', `guess ${guess}`, { ip: `10.0.${guess % 200}.1` });
      statuses.add(status);
      if (status === 429) assert.ok(Number(headers['retry-after']) <= 60);
      clock.setWall(clock.now() + 1_000);
    }
    assert.deepEqual([...statuses].toSorted(), [401, 429]);
    const minutes = (clock.now() - began) / minute;
    assert.ok(hashed.length <= minutes + 12, `${hashed.length} guesses were tried in ${minutes} minutes`);
    clock.setWall(clock.now() + minute);
    assert.equal((await browser().signIn('amina')).status, 200, 'the owner waits a minute at most');
    assert.equal((await browser().signIn('amina', 'typing error')).status, 401, 'and begins anew');
  });

  test('with many parallel requests gains nothing', async (t) => {
    const { hashed, person, browser } = await consoleOf(t);
    await person('amina');
    hashed.length = 0;
    await Promise.all(Array.from({ length: 100 }, (_, guess) => browser().signIn('amina', `guess ${guess}`)));
    assert.equal(hashed.length, 5);
  });

  test('at many names from one address is slowed down as well, and one right password does not reset that', async (t) => {
    const { hashed, person, browser } = await consoleOf(t);
    await person('own');
    hashed.length = 0;
    for (let guess = 0; guess < 100; guess++) {
      if (guess === 20) await browser().signIn('own');
      await browser().signIn(`name${guess}`, 'a password of many');
    }
    assert.equal(hashed.length, 31);
    assert.equal((await browser().signIn('own', password, { ip: '10.0.0.2' })).status, 200);
  });

  test('from many addresses of one IPv6 network counts as from one', async (t) => {
    const { hashed, browser } = await consoleOf(t);
    const guess = async (ip: string) => (await browser().signIn(`name${hashed.length}`, 'wrong', { ip })).status;
    for (let host = 0; host < 100; host++) await guess(`2001:db8:0:7:${host.toString(16)}::1`);
    assert.equal(hashed.length, 30);
    assert.equal(await guess('2001:db8::7:ffff:0:0:1'), 429, 'however it is written');
    for (const ip of ['2001:db8:0:8::1', '10.0.0.1']) assert.equal(await guess(ip), 401, ip);
    for (let count = 0; count < 40; count++) await guess('::ffff:10.0.0.9');
    assert.equal(await guess('10.0.0.9'), 429, 'the same address at a socket of both kinds');
    assert.equal(await guess('::ffff:10.0.0.8'), 401);
  });

  test('learns nothing from the time or the text of an answer', async (t) => {
    const { hashed, session, addUser, person, browser } = await consoleOf(t);
    await person('amina');
    await addUser('bela');
    await person('chidi');
    await performIn(session, changeUser, door, { name: 'chidi', disabled: true });
    const answers = [];
    for (const name of ['amina', 'bela', 'chidi', 'nobody']) {
      hashed.length = 0;
      const { status, body } = await browser().signIn(name, name === 'chidi' ? password : 'wrong');
      answers.push([status, body.code, body.detail, hashed.length]);
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.[3], 1, 'each name costs one hash');
    assert.equal((await findUser(session.db, 'bela'))?.password_hash, null);
  });

  test('at codes is slowed down to one in 15 minutes', async (t) => {
    const { clock, person, browser } = await consoleOf(t);
    const nextCode = await (await person('amina')).enrol();
    const outcomes: number[] = [];
    for (let guess = 0; guess < 300; guess++) {
      const own = browser();
      await own.signIn('amina');
      outcomes.push((await own.send('POST', '/api/v1/session/totp', { body: { code: '000000' } })).status);
      clock.setWall(clock.now() + 10_000);
    }
    const tried = outcomes.filter((status) => status === 401).length;
    assert.ok(tried < 20, `${tried} codes were tried in 50 minutes`);
    clock.setWall(clock.now() + 15 * minute);
    const own = browser();
    await own.signIn('amina');
    assert.equal((await own.send('POST', '/api/v1/session/totp', { body: { code: nextCode() } })).status, 200);
  });
});
