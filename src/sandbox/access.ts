import type { SandboxClock } from './clock.ts';
import { findApiKey, serviceAccounts } from './companies.ts';
import { companyOfToken } from './enterprise-routes.ts';
import { V1Error, V2Error } from './reply.ts';
import type { Route } from './routes.ts';
import type { Store } from './store.ts';

/** Whose request this is (spec section 5). Throws the error that refuses it. */
export function authenticate(
  { store, clock }: { store: Store; clock: SandboxClock },
  { access }: Route,
  headers: Readonly<Record<string, string | undefined>>,
): { company: string; apiKey: string | null } {
  switch (access.kind) {
    case 'public':
      return { company: 'public', apiKey: null };
    case 'access_token':
      return { company: companyOfToken({ store, clock }, headers), apiKey: null };
    case 'service_headers':
      return { company: companyOfService(headers), apiKey: null };
    case 'api_key': {
      const known = findApiKey(headers.authorization);
      if (!known || isRevoked(store, known.key))
        throw new V2Error(401, 'UNAUTHORIZED', 'The API key is missing, wrong or revoked.');
      if (known.permissions.includes(access.permission)) return { company: known.company, apiKey: known.key };
      throw new V2Error(403, 'FORBIDDEN', `The API key lacks the permission ${access.permission}.`);
    }
  }
}

/** Spec section 5.1: a key can be revoked at any time. It keeps what it remembers, for when it is restored. */
function isRevoked(store: Store, key: string): boolean {
  return store.one('SELECT 1 FROM revoked_keys WHERE api_key = ?', key) !== null;
}

/** Revokes an API key, or takes that back. False: there is no such key. */
export function setRevoked(store: Store, key: string, revoked: boolean): boolean {
  if (!findApiKey(`Bearer ${key}`)) return false;
  store.run('DELETE FROM revoked_keys WHERE api_key = ?', key);
  if (revoked) store.insert('revoked_keys', { api_key: key });
  return true;
}

function companyOfService(headers: Readonly<Record<string, string | undefined>>): string {
  const email = headers['x-service-email'];
  const token = headers['x-service-token'];
  const known = serviceAccounts.find((account) => account.email === email && account.token === token);
  if (!known) throw new V1Error(401, null, 'Credentials are invalid or missing');
  if (!known.isLocated) throw new V1Error(403, 190, 'Customer account could not be located');
  return known.company;
}
