import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { systemRandom } from '../../src/core/basics/random.ts';
import { inviteAdmin } from '../../src/operations/access/invite-admin.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { withAccount } from '../../src/runtime/accounts/with-account.ts';
import { makeApiServer } from '../../src/server/api/api-server.ts';
import { makePasswordHasher } from '../../src/server/sign-in/password.ts';
import { axeFaults } from './axe.ts';
import { makeStage, type Stage } from './browser.ts';

const password = 'correct horse battery';
const period = 30_000;

/** The console of the stage's installation, with signing in as it is; and the link of an administrator. */
async function open({ installation: { session }, consoleFolder }: Stage, name?: string) {
  let url = '';
  const server = makeApiServer({
    ...{ session, consoleFolder, onChange: () => undefined },
    withAccount: (name, work) => withAccount(session, name, work),
    hasher: makePasswordHasher(systemRandom),
    publicUrl: () => new URL(url),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://localhost:${(server.server.address() as AddressInfo).port}`;
  const { link } = await performIn(session, inviteAdmin, { nameOf: (field) => field }, { name });
  return { url, link: `${url}/link#${link?.token}`, close: () => server.close() };
}

const send = (page: Page) => page.locator('button[type=submit]').last().click();

describe('signing in, in a browser', () => {
  let stage: Stage | null = null;
  before(async () => {
    stage = await makeStage();
  });
  after(() => stage?.close());

  test('the first administrator sets a password, adds a second factor and a person, and loses no input', {
    timeout: 120_000,
  }, async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { url, link, close } = await open(stage);
    const context = await stage.browser.newContext({ locale: 'en-KE' });
    t.after(async () => {
      await context.close();
      await close();
    });
    const page = await context.newPage();
    await page.goto(`${url}/people`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Name').fill('amina');
    await page.getByLabel('Password').fill('not this one');
    await send(page);
    await page.getByText('The name, the password or the code is wrong').waitFor();

    await page.goto(`${url}/link#made-up`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.goto(link);
    await page.getByLabel('Name').fill('amina');
    await page.getByLabel('New password').fill(password);
    assert.deepEqual(await axeFaults(page), []);
    await send(page);
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the link is gone from the address');

    // Without a second factor, the password is enough.
    await context.clearCookies();
    await page.goto(url);
    await page.getByLabel('Name').fill('amina');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();

    // The dialog leads to where a second factor is added.
    await page.goto(`${url}/people`);
    await page.getByRole('button', { name: 'Change' }).first().click();
    await send(page);
    await page.getByRole('link', { name: 'Add a second factor' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    assert.equal(await page.locator('dialog').count(), 0);
    await page.getByRole('button', { name: 'Add an app with codes' }).click();
    const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
    await page.getByRole('img', { name: 'QR code with the key' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await page.locator('[name=code]').last().fill(totp.generate());
    await send(page);
    await page.getByRole('button', { name: 'Remove' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);

    await page.goto(`${url}/people`);
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByLabel('Name', { exact: true }).fill('bela');
    await page.getByLabel('Full name').fill('Bela Odhiambo');
    assert.deepEqual(await axeFaults(page), []);
    // The session ends while the form is filled in.
    await context.clearCookies();
    await send(page);
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await page.locator('dialog').last().getByLabel('Password').fill(password);
    await send(page);
    await page
      .locator('[name=code]')
      .last()
      .fill(totp.generate({ timestamp: Date.now() + period }));
    await send(page);
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await page.locator('[name=code]').last().fill('000000');
    await send(page);
    await page.getByText('was used before').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).last().click();
    assert.equal(await page.getByLabel('Full name').inputValue(), 'Bela Odhiambo', 'what was entered is still there');
  });

  test('a passkey is made by the browser, and signs in and confirms', { timeout: 120_000 }, async (t) => {
    if (stage === null) return t.skip('no Chromium can run here');
    const { url, link, close } = await open(stage, 'chiku');
    const context = await stage.browser.newContext({ locale: 'en-KE' });
    t.after(async () => {
      await context.close();
      await close();
    });
    const page = await context.newPage();
    const devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    const device = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true };
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', { options });
    await page.goto(link);
    await page.getByLabel('New password').fill(password);
    await send(page);
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.goto(`${url}/account`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name of the passkey').fill('this laptop');
    await send(page);
    await page.getByText('this laptop').waitFor();
    const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId });
    assert.equal(credentials.length, 1);

    await context.clearCookies();
    await page.goto(`${url}/people`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Change' }).first().click();
    await send(page);
    await page.getByRole('button', { name: 'Use the passkey' }).click();
    await page.getByText('The change is saved').waitFor();
  });
});
