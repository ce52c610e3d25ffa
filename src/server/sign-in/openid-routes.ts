import { z } from 'zod';
import { errorMessage } from '../../core/basics/errors.ts';
import { Refused } from '../base/problem.ts';
import { leaveForProvider, personSentBack } from './openid.ts';
import {
  defineSessionRoute,
  noInput,
  type SessionRequest,
  sessionView,
  signInNeeded,
  signInRefused,
} from './session-route.ts';
import { finish } from './sign-in-routes.ts';
import { fromAddress, tryAt } from './throttle.ts';

const waysToSignIn = defineSessionRoute({
  method: 'GET',
  path: '/ways',
  name: 'ways-to-sign-in',
  description: 'How people can sign in here, besides a password or a passkey.',
  input: noInput,
  result: z.strictObject({ openid: z.strictObject({ label: z.string() }).nullable() }),
  isForSignedIn: false,
  async run({ deps }) {
    const { openid } = deps.session.config.console;
    return { openid: openid && { label: openid.label } };
  },
});

const beginOpenId = defineSessionRoute({
  method: 'POST',
  path: '/openid',
  name: 'sign-in-elsewhere',
  description: 'Where the browser goes to sign in at the identity provider.',
  input: noInput,
  result: z.strictObject({ url: z.string() }),
  isForSignedIn: false,
  async run({ deps, address, known, setToken }) {
    const openid = providerIn(deps);
    await tryAt(deps.session, fromAddress(address));
    const beginning = { address, earlier: known?.session ?? null };
    const { token, url } = await leaveForProvider(deps, openid, beginning).catch((error: unknown) => {
      deps.session.log.warn('the identity provider cannot be used', { error: errorMessage(error) });
      throw new Refused('PROVIDER_UNREACHABLE', 'The identity provider does not answer as it should.', {
        hint: 'Try again later, or sign in with a password.',
      });
    });
    setToken(token);
    return { url: url.href };
  },
});

const endOpenId = defineSessionRoute({
  method: 'POST',
  path: '/openid/return',
  name: 'sign-in-by-openid',
  description: 'Signs in the person whom the identity provider has sent back. `query`: what the address then has.',
  input: z.strictObject({ query: z.string().max(8_000) }),
  result: sessionView,
  isForSignedIn: false,
  async run(request, { query }) {
    const { deps, known, token } = request;
    if (known === null || known.session.signed_in_at !== null || token === null) throw signInNeeded();
    const openid = providerIn(deps);
    const user = await personSentBack(deps, openid, { session: known.session, token, query }).catch((error) => {
      deps.session.log.warn('a person whom the identity provider sent back was refused', {
        error: errorMessage(error),
      });
      return null;
    });
    if (user === null || user.disabled_at !== null) throw signInRefused();
    return finish(request, user, 'identity provider');
  },
});

function providerIn({ session }: SessionRequest['deps']) {
  const { openid } = session.config.console;
  if (openid !== null) return openid;
  throw new Refused('NOT_FOUND', 'No identity provider is configured.');
}

export const openIdRoutes = [waysToSignIn, beginOpenId, endOpenId];
