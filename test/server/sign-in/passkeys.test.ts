import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { allRoles } from '../api/api-fixture.ts';
import { makeAuthenticator } from './authenticator.ts';
import { consoleOf } from './browser.ts';

const own = '/api/v1/session';

/** A person with a passkey. */
async function amina(t: TestContext) {
  const installation = await consoleOf(t);
  const { origin } = installation;
  const browser = await installation.person('amina', { roles: allRoles });
  const key = makeAuthenticator();
  const add = async (made = key) => {
    const options = (await browser.send('POST', `${own}/factors/passkey/options`, { body: {} })).body;
    const body = { label: 'phone', credential: made.create(options, origin) };
    return browser.send('POST', `${own}/factors/passkey`, { body });
  };
  const added = await add();
  assert.equal(added.status, 200, JSON.stringify(added.body));
  return { ...installation, own: browser, key, add };
}

type Browser = Awaited<ReturnType<typeof amina>>['own'];

const optionsFor = async (browser: Browser) =>
  (await browser.send('POST', `${own}/passkey/options`, { body: {} })).body;
const signIn = (browser: Browser, credential: object) =>
  browser.send('POST', `${own}/passkey`, { body: { credential } });

describe('a passkey', () => {
  test('is the second step after a password', async (t) => {
    const { browser, key, origin } = await amina(t);
    const one = browser();
    assert.deepEqual((await one.signIn('amina')).body, { next: 'passkey', factors: ['passkey'] });
    const options = await optionsFor(one);
    assert.deepEqual([options.rpId, options.allowCredentials.length], ['localhost', 1]);
    const { status, body } = await signIn(one, key.get(options, origin));
    assert.deepEqual([status, body.person, body.second_factor], [200, 'amina', 'passkey']);
  });

  test('is enough to sign in, without a name', async (t) => {
    const { browser, key, origin } = await amina(t);
    const one = browser();
    const options = await optionsFor(one);
    assert.deepEqual(options.allowCredentials, []);
    assert.equal((await signIn(one, key.get(options, origin))).body.person, 'amina');
  });

  test('signs in as many people from one address as work there', async (t) => {
    const { browser, key, origin } = await amina(t);
    for (let person = 0; person < 100; person += 1) {
      const one = browser();
      const options = await optionsFor(one);
      const { status, body } = await signIn(one, key.get(options, origin));
      assert.equal(status, 200, `number ${person}: ${JSON.stringify(body)}`);
    }
    const guesses = Array.from({ length: 100 }, async () => (await optionsFor(browser())).code);
    assert.ok((await Promise.all(guesses)).includes('SIGN_IN_THROTTLED'), 'who only asks is slowed down');
  });

  test('is refused for another challenge, origin or host, for a second use, and without user verification', async (t) => {
    const { browser, key, origin, clock } = await amina(t);
    const attempt = async (answer: (options: { challenge: string }) => object) => {
      const one = browser();
      const options = await optionsFor(one);
      return (await signIn(one, answer(options))).body.code;
    };
    const refused = 'SIGN_IN_REFUSED';
    assert.equal(await attempt(() => key.get({ challenge: 'AAAA' }, origin)), refused);
    assert.equal(await attempt((options) => key.get(options, 'https://evil.example')), refused);
    assert.equal(await attempt((options) => key.get(options, origin, { rpId: 'evil.example' })), refused);
    assert.equal(await attempt((options) => key.get(options, origin, { flags: 1 })), refused);
    assert.equal(await attempt((options) => makeAuthenticator().get(options, origin)), refused);
    const stranger = makeAuthenticator();
    assert.equal(
      await attempt((options) => ({ ...stranger.get(options, origin), id: key.get(options, origin).id })),
      refused,
    );
    const late = await attempt((options) => {
      clock.setWall(clock.now() + 5 * 60_000);
      return key.get(options, origin);
    });
    assert.equal(late, 'SIGN_IN_NEEDED');
    const one = browser();
    const options = await optionsFor(one);
    const answer = key.get(options, origin);
    const { cookie } = one.jar;
    assert.equal((await signIn(one, answer)).status, 200);
    one.jar.cookie = cookie;
    assert.notEqual((await signIn(one, answer)).status, 200, 'an answer counts once');
    key.setCounter(0);
    assert.equal(await attempt((options) => key.get(options, origin)), refused, 'a copy of the passkey');
  });

  test('of one person is no second step of another', async (t) => {
    const { browser, person, origin, key, logged } = await amina(t);
    const bela = await person('bela');
    await bela.enrol();
    const one = browser();
    await one.signIn('bela');
    const options = await optionsFor(one);
    assert.equal((await signIn(one, key.get(options, origin))).body.code, 'SIGN_IN_REFUSED');
    assert.deepEqual(logged, [['somebody could not sign in to the console', { address: '127.0.0.1' }]]);
  });

  test('proves the requested purpose once', async (t) => {
    const { own: one, key, origin } = await amina(t);
    const change = () => one.send('POST', '/api/v1/users/amina/change', { body: { language: 'fr' } });
    const { body } = await change();
    const ask = async (purpose: string) =>
      (await one.send('POST', `${own}/step-up/passkey/options`, { body: { purpose } })).body;
    const prove = (purpose: string, credential: object) =>
      one.send('POST', `${own}/step-up/passkey`, { body: { purpose, credential } });
    const other = key.get(await ask('resolve-row'), origin);
    assert.equal((await prove(body.purpose, other)).body.code, 'CODE_REFUSED', 'asked for another purpose');
    assert.equal((await prove('resolve-row', other)).body.code, 'CODE_REFUSED', 'the challenge is used up');
    const right = key.get(await ask(body.purpose), origin);
    assert.equal((await prove(body.purpose, right)).status, 200);
    assert.equal((await change()).status, 200);
  });

  test('is added by a person who proves an earlier one, and never twice', async (t) => {
    const { own: one, key, origin, add, person } = await amina(t);
    assert.equal((await add(makeAuthenticator())).body.code, 'STEP_UP_NEEDED');
    const purpose = 'change-factors';
    const options = (await one.send('POST', `${own}/step-up/passkey/options`, { body: { purpose } })).body;
    await one.send('POST', `${own}/step-up/passkey`, { body: { purpose, credential: key.get(options, origin) } });
    assert.equal((await add(makeAuthenticator())).body.passkeys.length, 2);
    const bela = await person('bela');
    const asked = (await bela.send('POST', `${own}/factors/passkey/options`, { body: {} })).body;
    const stolen = { label: 'x', credential: key.create(asked, origin) };
    assert.equal((await bela.send('POST', `${own}/factors/passkey`, { body: stolen })).body.code, 'CODE_REFUSED');
    const [first] = (await one.send('GET', `${own}/factors`)).body.passkeys;
    const removed = await one.send('POST', `${own}/factors/remove`, { body: { credential_id: first.credential_id } });
    assert.equal(removed.body.passkeys.length, 1);
  });
});
