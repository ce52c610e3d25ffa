import { V1Error, V2Error } from './http/reply.ts';
import type { Access } from './http/routes.ts';
import { findApiKey, serviceAccounts } from './money/companies.ts';
import type { SandboxClock } from './parts/clock.ts';
import type { Store } from './parts/store.ts';
import { companyOfToken } from './v2/enterprise-routes.ts';

/** Who makes a request, by its credentials, and the error that refuses it. */
export interface Caller {
  /** Null if the credentials are unknown. */
  company: string | null;
  apiKey: string | null;
  refusal: V1Error | V2Error | null;
}

interface AccessParts {
  store: Store;
  clock: SandboxClock;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Finds the caller (spec section 5), for a route or for an unknown path. */
export function callerOf(parts: AccessParts, access: Access | null, headers: Headers): Caller {
  switch (access?.kind) {
    case 'public':
      return { company: 'public', apiKey: null, refusal: null };
    case 'access_token':
      return { apiKey: null, ...companyOfToken(parts, headers) };
    case 'service_headers':
      return { apiKey: null, ...companyOfService(headers) };
    default: {
      const known = findApiKey(headers.authorization);
      if (!known || isRevoked(parts.store, known.key)) {
        const refusal = new V2Error(401, 'UNAUTHORIZED', 'The API key is missing, wrong or revoked.');
        return { company: null, apiKey: null, refusal };
      }
      const { company, key: apiKey, permissions } = known;
      if (!access || permissions.includes(access.permission)) return { company, apiKey, refusal: null };
      const refusal = new V2Error(403, 'FORBIDDEN', `The API key lacks the permission ${access.permission}.`);
      return { company, apiKey, refusal };
    }
  }
}

/** Spec section 5.1: a key can be revoked at any time. Its idempotency keys are kept, in case it is restored. */
function isRevoked(store: Store, key: string): boolean {
  return store.one('SELECT 1 FROM revoked_keys WHERE api_key = ?', key) !== null;
}

/** Revokes an API key, or restores it. False if there is no such key. */
export function setRevoked(store: Store, key: string, revoked: boolean): boolean {
  if (!findApiKey(`Bearer ${key}`)) return false;
  store.run('DELETE FROM revoked_keys WHERE api_key = ?', key);
  if (revoked) store.insert('revoked_keys', { api_key: key });
  return true;
}

function companyOfService(headers: Headers): Omit<Caller, 'apiKey'> {
  const email = headers['x-service-email'];
  const token = headers['x-service-token'];
  const known = serviceAccounts.find((account) => account.email === email && account.token === token);
  if (!known) return { company: null, refusal: new V1Error(401, null, 'Credentials are invalid or missing') };
  const { company, isLocated } = known;
  return { company, refusal: isLocated ? null : new V1Error(403, 190, 'Customer account could not be located') };
}
