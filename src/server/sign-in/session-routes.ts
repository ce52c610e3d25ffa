import type { FastifyInstance } from 'fastify';
import { refusal } from '../../core/basics/refusal.ts';
import { refuseUnreadable } from '../../operations/base/operation.ts';
import { Refused } from '../base/problem.ts';
import { deviceOf } from './device.ts';
import { factorRoutes } from './factor-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { openIdRoutes } from './openid-routes.ts';
import { ownSessionRoutes } from './own-session-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { cookieFor, requireCsrfToken, requireOwnOrigin, tokenIn } from './request-guard.ts';
import { requireSignedIn, type SessionRoute } from './session-route.ts';
import { type SignInDeps, sessionOf } from './sessions.ts';
import { signInRoutes } from './sign-in-routes.ts';

/** All routes below `/api/v1/session`. They need no API key, and no `Idempotency-Key`. */
export const sessionRoutes: readonly SessionRoute[] = [
  ...signInRoutes,
  ...linkRoutes,
  ...factorRoutes,
  ...passkeyRoutes,
  ...openIdRoutes,
  ...ownSessionRoutes,
];

export function addSessionRoutes(scope: FastifyInstance, deps: SignInDeps): void {
  for (const route of sessionRoutes)
    scope.route({
      method: route.method,
      url: `/session${route.path}`,
      async handler(request, reply) {
        const { headers, ip } = request;
        const publicUrl = deps.publicUrl();
        if (route.method !== 'GET') requireOwnOrigin(headers, publicUrl);
        const token = tokenIn(headers, publicUrl);
        const known = await sessionOf(deps.session, token, true);
        if (route.isForSignedIn) requireCsrfToken(headers, requireSignedIn({ known, token }).token);
        const input = route.input.safeParse(request.body ?? {});
        if (!input.success) throw invalid(input.error.issues[0]);
        refuseUnreadable(Object(input.data));
        const setToken = (next: string | null) => void reply.header('set-cookie', cookieFor(next, publicUrl));
        const device = deviceOf(headers['user-agent']);
        return route.run({ deps, address: ip, device, token, known, setToken }, input.data);
      },
    });
}

function invalid(issue: { path: PropertyKey[]; message: string } | undefined): Refused {
  const { path = [], message = 'is not as it should be' } = issue ?? {};
  const [field] = path.map(String);
  const reason = field === undefined ? {} : { reason: refusal('INPUT_REFUSED', { fields: field }) };
  return new Refused('REQUEST_INVALID', `${path.map(String).join(' ')} ${message}`.trim(), reason);
}
