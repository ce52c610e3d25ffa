import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page, Request, Route } from 'playwright-core';
import { intercept, makeStage, openPage, type Person, type Stage, windowOf } from './browser.ts';
import { answer, jobs } from './sample-answers.ts';
import { moveRow, samples, ways } from './samples.ts';

let stage: Stage | null = null;
before(async () => {
  stage = await makeStage();
});
after(() => stage?.close());

async function open(t: TestContext, path: string, answers: Record<string, (route: Route) => unknown> = {}) {
  if (stage === null) {
    t.skip('no Chromium can run here: set CHROME_PATH');
    return null;
  }
  const person: Person = { options: { timezoneId: 'Africa/Nairobi' } };
  const context = await windowOf(stage, person);
  t.after(() => context.close());
  for (const [api, act] of Object.entries(answers))
    await intercept(context, new RegExp(`/api/v1/${api}(\\?.*)?$`), act);
  const { page } = await openPage(context, `${stage.installation.url}${path}`);
  return { page, context, installation: stage.installation };
}

/** The answer of the server, changed. */
const changed = (change: (body: never) => unknown) => async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, json: change((await response.json()) as never) });
};

const problem =
  (status: number, code: string, more: object = {}) =>
  (route: Route) =>
    route.fulfill({ status, json: { type: '', title: '', status, code, detail: code, hint: null, ...more } });

const session = (person: string, factors: string[] = []) => ({
  ...{ person, display_name: person, roles: ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin'] },
  ...{ accounts: [], csrf_token: 'token', second_factor: factors[0] ?? 'none', factors, locale: 'en' },
});

/** The person comes back to the window: its lists are read again. */
const comeBack = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));

const signIn = async (page: Page, name: string) => {
  const dialog = page.locator('dialog').last();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Password').fill('correct horse battery');
  await dialog.locator('button[type=submit]').first().click();
};
const sessions =
  (person: string, factors: string[] = []) =>
  (route: Route) =>
    route.request().method() === 'POST' ? route.fulfill({ json: session(person, factors) }) : route.fallback();

describe('a session that ends over a page', () => {
  test('lets nobody else send what its person was about to send', async (t) => {
    const sent: Request[] = [];
    const pause = (route: Route) => {
      sent.push(route.request());
      return sent.length === 1 ? problem(401, 'SIGN_IN_NEEDED')(route) : route.fulfill({ json: {} });
    };
    const opened = await open(t, `/batches/${samples.running}`, {
      'batches/[^/]+/pause': pause,
      session: sessions('otieno'),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('wrong month');
    await page.locator('dialog button[type=submit]').click();
    await signIn(page, 'otieno');
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
    assert.equal(sent.length, 1, 'wanjiru has decided this, and not otieno');
  });

  test('sends it for the same person, and asks again for the second factor that was being proved', async (t) => {
    let hasEnded = false;
    let proved = 0;
    let approved = 0;
    const opened = await open(t, '/approvals', {
      session: (route) =>
        route.request().method() === 'POST'
          ? sessions('wanjiru', ['totp'])(route)
          : route.fulfill({ json: session('wanjiru', ['totp']) }),
      'session/step-up': (route) => {
        proved += 1;
        return route.fulfill({ json: { purpose: 'x', until: '', csrf_token: 'token' } });
      },
      'batches/[^/]+': (route) => {
        if (!hasEnded) return route.fallback();
        hasEnded = false;
        return problem(401, 'SIGN_IN_NEEDED')(route);
      },
      'batches/[^/]+/approve': (route) => {
        approved += 1;
        return approved === 1
          ? problem(403, 'STEP_UP_NEEDED', { purpose: 'x' })(route)
          : problem(409, 'BATCH_STATE')(route);
      },
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('link', { name: 'Review and approve' }).first().click();
    await page.locator('.decision-bar .main-action').click();
    await page.locator('dialog button[type=submit]').click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    hasEnded = true;
    await signIn(page, 'wanjiru');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    await page.locator('[name=code]').last().fill('123456');
    await page.locator('dialog').last().locator('button[type=submit]').click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('alert').waitFor();
    assert.deepEqual([proved, approved], [1, 2]);
  });

  test('goes on for somebody who signs in at an identity provider, in another window', async (t) => {
    let isSignedIn = false;
    const sent: string[] = [];
    const opened = await open(t, `/batches/${samples.running}`, {
      'session/ways': (route) => route.fulfill({ json: { openid: { label: 'Sign in with Umoja' } } }),
      'batches/[^/]+/pause': (route) => {
        if (!isSignedIn) return problem(401, 'SIGN_IN_NEEDED')(route);
        sent.push(route.request().postData() ?? '');
        return route.fulfill({ json: {} });
      },
    });
    if (opened === null) return;
    const { page, context } = opened;
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('wrong month');
    await intercept(context, /\/api\/v1\/session$/, (route) =>
      isSignedIn ? route.fulfill({ json: session('wanjiru') }) : problem(401, 'SIGN_IN_NEEDED')(route),
    );
    await page.locator('dialog button[type=submit]').click();
    // The other window has no session yet.
    await context.addInitScript(() => {
      const send = window.fetch;
      const refused = { status: 401, code: 'SIGN_IN_NEEDED', detail: '', hint: null };
      const isAsked = (request: unknown) =>
        request instanceof Request && new URL(request.url).pathname === '/api/v1/session';
      window.fetch = async (...args) =>
        isAsked(args[0]) ? Response.json(refused, { status: 401 }) : await send(...args);
    });
    const dialog = page.locator('dialog').last();
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      dialog.getByRole('link', { name: 'Sign in with Umoja' }).click(),
    ]);
    await other.getByRole('button', { name: 'Sign in with Umoja' }).waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('alert').waitFor();
    isSignedIn = true;
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.locator('dialog').first().waitFor({ state: 'detached' });
    assert.equal(sent.length, 1);
    assert.match(sent[0] ?? '', /wrong month/);
  });
});

describe('a draft', () => {
  const upload = async (page: Page, header: string, row: string) => {
    const buffer = Buffer.from(`${header},${performance.now()}\n${row}\n`);
    await page.locator('input[type=file]').setInputFiles({ name: 'november.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('heading', { level: 1, name: 'november.csv' }).waitFor();
  };
  const header = 'name,phone_number,network_id,amount,currency';
  const row = 'Amina,+254712345609,1,100,KES,';

  test('is not submitted for another run than the one that the page names', async (t) => {
    const opened = await open(t, '/new');
    if (opened === null) return;
    const { page } = opened;
    await upload(page, header, row);
    await page.getByLabel('Run id').fill('run-of-november');
    await page.getByRole('button', { name: 'See the plan' }).click();
    const submit = page.getByRole('button', { name: 'Submit' });
    await submit.waitFor();
    await page.getByLabel('Run id').fill('run-of-december');
    await submit.waitFor({ state: 'detached' });
    await page.getByLabel('Run id').fill('run-of-november ');
    await submit.waitFor();
  });

  test('of corrections keeps the run that a person has chosen, whichever batch ends meanwhile', async (t) => {
    const batch = (run_id: string) => ({ batch_id: run_id, run_id, file_name: 'a.csv', counts: { failed: 1 } });
    let batches = [batch('first'), batch('second')];
    const opened = await open(t, '/new', {
      batches: (route) =>
        route.request().method() === 'GET' ? answer({ batches, next: null })(route) : route.fallback(),
    });
    if (opened === null) return;
    const { page } = opened;
    await upload(page, `${header},problem,suggestion`, `${row},,`);
    const corrects = page.getByLabel('This file corrects the run');
    await page.waitForFunction(() => [...document.querySelectorAll('select')].some(({ value }) => value === 'first'));
    await corrects.selectOption('second');
    batches = [batch('third'), ...batches];
    // An answer is fresh for three seconds.
    await page.waitForTimeout(3_500);
    await comeBack(page);
    await corrects.locator('option', { hasText: 'third' }).waitFor({ state: 'attached' });
    assert.equal(await corrects.inputValue(), 'second');
  });

  test('takes no change that waits on the page of one person once another one has signed in', async (t) => {
    const sent: string[] = [];
    const change = async (route: Route) => {
      sent.push(route.request().postData() ?? '');
      if (sent.length > 1) return route.fallback();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return problem(401, 'SIGN_IN_NEEDED')(route);
    };
    const opened = await open(t, '/new', { 'drafts/[^/]+/change': change, session: sessions('otieno') });
    if (opened === null) return;
    const { page } = opened;
    let questions = 0;
    page.on('dialog', (dialog) => {
      questions += 1;
      void dialog.dismiss();
    });
    await upload(page, header, row);
    await page.getByRole('grid').getByText('Amina').click();
    for (const name of ['Anna', 'Ben', 'Cate']) {
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowRight');
    }
    await signIn(page, 'otieno');
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
    assert.deepEqual([sent.length, questions], [1, 0], sent.join('\n'));
  });

  test('keeps what somebody chooses for its columns while a colleague corrects a cell', async (t) => {
    const opened = await open(t, '/new');
    if (opened === null) return;
    const { page, context, installation } = opened;
    await upload(page, header, row);
    const draftId = page.url().split('/').at(-1) ?? '';
    await page.getByRole('button', { name: 'Change' }).first().click();
    const name = page.getByLabel('name is read as');
    await name.selectOption('reference');
    const send = await context.request.post(`${installation.url}/api/v1/drafts/${draftId}/change`, {
      headers: { 'idempotency-key': 'colleague' },
      data: { cells: [{ row: 1, column: 3, value: '250' }] },
    });
    assert.equal(send.status(), 200);
    await page.getByRole('grid').getByText('250').waitFor({ timeout: 20_000 });
    assert.equal(await name.inputValue(), 'reference');
  });
});

describe('a decision', () => {
  test('about held rows is about those that the person saw', async (t) => {
    let seen = 100;
    const opened = await open(t, `/batches/${samples.running}`, {
      'batches/[^/]+/held-rows': changed((body: object) => ({
        ...body,
        refusal: null,
        refusal_reason: null,
        seen: seen++,
      })),
      'batches/[^/]+/release': (route) => route.fulfill({ json: { released: 1, kept: [] } }),
    });
    if (opened === null) return;
    const { page, installation } = opened;
    await page.getByRole('tab', { name: /Held/ }).click();
    await page.getByRole('button', { name: /^Release these/ }).click();
    const readAgain = page.waitForResponse(/held-rows/);
    await installation.completeRow(49);
    await readAgain;
    const before = seen - 2;
    const sent = page.waitForRequest(/\/release$/);
    await page.locator('dialog button[type=submit]').click();
    assert.equal((await sent).postDataJSON().seen, before);
  });

  test('about a batch that has waited for too long to be approved is to reject it', async (t) => {
    const opened = await open(t, '/approvals', {
      'batches/[^/]+/review': problem(409, 'APPROVAL_EXPIRED'),
      'batches/[^/]+/reject': (route) => route.fulfill({ json: { status: 'cancelled' } }),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('link', { name: 'Review and approve' }).first().click();
    await page.getByText('The batch has waited for too long').waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason').fill('too late');
    const sent = page.waitForRequest(/\/reject$/);
    await page.locator('dialog button[type=submit]').click();
    assert.deepEqual((await sent).postDataJSON(), { why: 'too late' });
    await page.waitForURL(/batches\/[^/]+$/);
    // The message about it leads to the batch, and is not on the page after that.
    await page.getByText('The batch is rejected.').waitFor();
    await page.waitForTimeout(1_000);
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    assert.equal(await page.getByText('The batch is rejected.').count(), 0);
  });

  test('to skip held rows is about those, too', async (t) => {
    const opened = await open(t, `/batches/${samples.running}`, {
      'batches/[^/]+/held-rows': changed((body: object) => ({ ...body, seen: 77 })),
      'batches/[^/]+/skip': (route) => route.fulfill({ json: { skipped: 1 } }),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('tab', { name: /Held/ }).click();
    await page.getByRole('button', { name: /^Skip these/ }).click();
    await page.getByLabel('Reason').fill('the same payment');
    const sent = page.waitForRequest(/\/skip$/);
    await page.locator('dialog button[type=submit]').click();
    assert.equal((await sent).postDataJSON().seen, 77);
  });

  test('to run a job is about the job as it was shown: two people do not run it twice', async (t) => {
    const seen = { ...jobs, jobs: jobs.jobs.map((job) => ({ ...job, etag: '"as-shown"' })) };
    const opened = await open(t, '/jobs', { jobs: answer(seen), 'jobs/[^/]+/run': problem(412, 'CHANGED_MEANWHILE') });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('button', { name: 'Run now' }).first().click();
    const sent = page.waitForRequest(/\/run$/);
    await page.locator('dialog button[type=submit]').click();
    assert.equal((await sent).headers()['if-match'], '"as-shown"');
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });

  test('about a row shows what it is now', async (t) => {
    const opened = await open(t, `/batches/${samples.running}`);
    if (opened === null) return;
    const { page, installation } = opened;
    await page.getByRole('main').locator('select').first().selectOption('accepted');
    await page.locator('[role=row][aria-rowindex="2"]').getByText('37', { exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('accepted', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Decide with evidence' }).waitFor();
    await moveRow(installation.session, samples.running, 37, ways.complete(37).slice(1));
    await dialog.getByText('completed', { exact: true }).first().waitFor();
    await dialog.getByRole('button', { name: 'Decide with evidence' }).waitFor({ state: 'detached' });
  });
});

describe('what a page shows', () => {
  test('goes away when the values that it is about are changed', async (t) => {
    const opened = await open(t, '/payments');
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('tab').nth(1).click();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    const table = page.getByRole('main').getByRole('table');
    await table.waitFor();
    await page.getByLabel('From').fill('2026-10-01');
    await table.waitFor({ state: 'detached' });
  });

  test('is the newest balance, whoever has read it', async (t) => {
    const wallet = { wallet_id: 'w', name: 'local KES', currency: 'KES', active: true };
    const balance = (read_at: string, value: string) => ({
      total: null,
      wallets: [{ ...wallet, balance: value }],
      read_at,
    });
    let listed = balance('2026-11-27T06:00:00.000Z', '100');
    const opened = await open(t, '/wallets', {
      accounts: changed(({ accounts }: { accounts: object[] }) => ({
        accounts: accounts.map((account) => ({ ...account, balance: listed })),
      })),
      'accounts/[^/]+/balance': (route) => {
        listed = balance('2026-11-27T08:00:00.000Z', '300');
        return route.fulfill({ json: balance('2026-11-27T07:00:00.000Z', '200') });
      },
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByText('100.00').first().waitFor();
    await page.getByRole('button', { name: 'Read now' }).click();
    await page.getByText('300.00').first().waitFor();
  });

  test('is every batch that waits for approval, page by page', async (t) => {
    const opened = await open(t, '/approvals', {
      batches: changed((body: { batches: object[] }) => ({ ...body, next: 'older' })),
    });
    if (opened === null) return;
    await opened.page.getByRole('button', { name: 'Show older batches' }).waitFor();
  });

  test('is the account of a person also after the configuration has dropped it', async (t) => {
    const person = {
      ...{
        name: 'zawadi',
        display_name: 'Zawadi',
        email: null,
        roles: ['prepare'],
        accounts: ['closed'],
        language: 'en',
      },
      ...{
        has_password: true,
        has_totp: false,
        passkeys: 0,
        created_by: 'wanjiru',
        created_at: '2026-11-01T00:00:00Z',
      },
      ...{ disabled_at: null, etag: '"1"' },
    };
    const opened = await open(t, '/people', { users: answer({ users: [person] }) });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('button', { name: 'Change' }).click();
    const account = page.getByRole('dialog').getByLabel('closed');
    assert.equal(await account.isChecked(), true);
    await account.uncheck();
    await account.waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('sandbox').isChecked(), false);
  });

  test('names the wallets of Version 1, which have no currency', async (t) => {
    const wallet = (name: string, balance: string) => ({ wallet_id: name, name, currency: '', balance, active: true });
    const wallets = [wallet('Safaricom (KE)', '12500.5'), wallet('MTN (UG)', '7')];
    const balance = { total: null, wallets, read_at: '2026-11-27T06:00:00.000Z' };
    const opened = await open(t, '/approvals', {
      'batches/[^/]+/review': changed((body: { plan: object }) => ({
        ...body,
        // Nothing can be compared with a balance without a currency.
        wallets: [],
        plan: { ...body.plan, balance },
      })),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('link', { name: 'Review and approve' }).first().click();
    await page.getByText(/Safaricom \(KE\) 12,500\.5\s+· MTN \(UG\) 7/).waitFor();
  });

  test('is money that no entry explains, too, where there is no entry', async (t) => {
    const currency = { currency: 'KES', left: '500', charged: '0', unexplained: '500' };
    const wallets = { first_read_at: null, last_read_at: null, currencies: [currency] };
    const opened = await open(t, '/payments', {
      'accounts/[^/]+/journal': changed((body: object) => ({
        ...body,
        entries: [],
        totals: {},
        uncertain: 0,
        wallets,
      })),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('tab').nth(2).click();
    await page.locator('form button[type=submit]').click();
    await page.getByRole('main').getByText('500.00').first().waitFor();
  });

  test('is no end of a session that has not ended', async (t) => {
    const opened = await open(t, '/', {
      session: (route) => (route.request().method() === 'DELETE' ? route.abort() : route.fallback()),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('button', { name: /wanjiru/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByText('The server does not answer').waitFor();
  });

  test('names the currencies whose cost no approver can see, and says that more people must approve', async (t) => {
    const opened = await open(t, '/approvals', {
      'batches/[^/]+/review': changed((body: { approvals: object }) => ({
        ...{ ...body, approvals: { ...body.approvals, needed: 3 } },
        expected_cost: { cost: { KES: '5' }, unknown: ['UGX'] },
      })),
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('link', { name: 'Review and approve' }).first().click();
    await page.getByText('What UGX costs is not known').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByText('More people must approve it before it is paid.').waitFor();
  });

  test('is true of all doubts where all are looked up, also of those on later pages', async (t) => {
    const asked: string[] = [];
    const opened = await open(t, '/doubts', {
      doubts: changed(({ doubts, ...body }: { doubts: { batch_id: string }[] }) => ({
        ...body,
        doubts: doubts.filter(({ batch_id }) => batch_id === samples.running),
        next: 'more',
      })),
      'batches/[^/]+/look-up': (route) => {
        asked.push(route.request().url().split('/').at(-2) ?? '');
        return route.fulfill({ json: { rows: [], next: null } });
      },
    });
    if (opened === null) return;
    const { page } = opened;
    await page.getByRole('button', { name: 'Look all up now' }).click();
    await page.getByText('No row is in doubt any more').waitFor();
    assert.deepEqual(asked.sort(), [samples.running, samples.paused].sort());
  });

  test('is a day of the reader, where only the day is known', async (t) => {
    const currency = { currency: 'KES', queued: '0', waiting: '0', spent: '100', missing: null, balance: '500' };
    const opened = await open(t, '/wallets', {
      'accounts/[^/]+/money-forecast': changed((body: object) => ({
        ...{ ...body, unknown: {}, products: 0 },
        currencies: [{ ...currency, runs_out_by: 'usual_spending', runs_out_at: '2026-12-01T22:30:00.000Z' }],
      })),
    });
    if (opened === null) return;
    // In Nairobi, that is half past one on the next day.
    await opened.page
      .getByText(/2 Dec 2026/)
      .first()
      .waitFor();
  });

  test('is no plan for 15 rows where somebody has entered 1.5', async (t) => {
    const opened = await open(t, '/payout');
    if (opened === null) return;
    const { page } = opened;
    const count = page.getByLabel('Rows');
    await count.fill('1.5');
    await page.locator('form button[type=submit]').click();
    await page.locator('[aria-invalid=true]').waitFor();
    await count.fill('5 000');
    await page.locator('form button[type=submit]').click();
    await page.locator('.figures').getByText(/5,000/).first().waitFor();
  });
});
