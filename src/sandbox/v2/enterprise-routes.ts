import { assertCallable } from '../http/callable.ts';
import { type Replies, V2Error } from '../http/reply.ts';
import { type Route, route } from '../http/routes.ts';
import { logins } from '../money/companies.ts';
import type { SandboxClock } from '../parts/clock.ts';
import type { Settings } from '../parts/options.ts';
import type { SandboxRandom } from '../parts/random.ts';
import type { Store } from '../parts/store.ts';
import { login, registerWebhook, v2Answers } from './v2-shapes.ts';
import { iso } from './v2-views.ts';

/** How long an access token is valid. */
const tokenMs = 60 * 60_000;

/** Log-in (the spec does not show its shape, section 4.7) and registration of webhooks (section 4.8). */
export function enterpriseRoutes({
  store,
  clock,
  random,
  replies,
  settings,
}: {
  store: Store;
  clock: SandboxClock;
  random: SandboxRandom;
  replies: Replies;
  settings: Settings;
}): Route[] {
  return [
    route({
      method: 'POST',
      path: '/enterprise/auth/login',
      section: '4.7',
      summary: 'Returns an access token',
      access: { kind: 'public' },
      limits: ['auth'],
      body: login,
      answer: { status: 200, shape: v2Answers.login },
      handle({ body }) {
        const known = logins.find(({ email, password }) => email === body.email && password === body.password);
        if (!known) throw new V2Error(401, 'UNAUTHORIZED', 'The e-mail or the password is wrong.');
        const token = `access_${random.uuid()}`;
        const expiresAt = clock.now() + tokenMs;
        store.insert('tokens', { token, company: known.company, expires_at: expiresAt });
        return replies.v2(200, { access_token: token, company_id: known.company, expires_at: iso(expiresAt) });
      },
    }),
    route({
      method: 'POST',
      path: '/enterprise/webhooks',
      section: '4.8',
      summary: 'Registers a webhook',
      access: { kind: 'access_token' },
      limits: ['write'],
      body: registerWebhook,
      answer: { status: 201, shape: v2Answers.webhook },
      handle({ body, company }) {
        const id = random.uuid();
        const now = clock.now();
        const { url, events, secret } = body;
        assertCallable('url', url, settings);
        store.insert('webhooks', { id, company, url, events: JSON.stringify(events), secret, created_at: now });
        return replies.v2(201, { id, url, events, created_at: iso(now) });
      },
    }),
  ];
}

/** The company of an access token and the header `X-Company-ID`, or the error that refuses them. */
export function companyOfToken(
  { store, clock }: { store: Store; clock: SandboxClock },
  headers: Readonly<Record<string, string | undefined>>,
): { company: string | null; refusal: V2Error | null } {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const known = store.one<{ company: string }>(
    'SELECT company FROM tokens WHERE token = ? AND expires_at > ?',
    token,
    clock.now(),
  );
  if (!known) {
    const refusal = new V2Error(401, 'UNAUTHORIZED', 'The access token is missing, wrong or expired.');
    return { company: null, refusal };
  }
  const { company } = known;
  if (headers['x-company-id'] === company) return { company, refusal: null };
  const message = 'X-Company-ID is missing, or not the company of the access token.';
  return { company, refusal: new V2Error(403, 'FORBIDDEN', message) };
}
