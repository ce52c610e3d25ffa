import { z } from 'zod';
import { entityTag } from '../../core/identity/entity-tag.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { ApiKeyWithGrant } from '../../ledger/access/api-keys.ts';
import { type Role, roles } from '../../runtime/settings/config-shape.ts';
import { accountName, time } from '../base/fields.ts';

/** The name of the program that has the key. The audit log records it as the person. */
export const apiKeyName = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, {
  error: 'must consist of 1 to 64 of a-z, 0-9 and "-", and begin with a letter',
});

/** An API key without its secret. */
export const apiKey = z.strictObject({
  key_id: z.string(),
  name: apiKeyName,
  roles: z.array(z.enum(roles)),
  /** Empty: the key may use all accounts. */
  accounts: z.array(accountName),
  created_by: z.string(),
  created_at: time,
  expires_at: time.nullable(),
  /** Rounded to the minute. */
  last_used_at: time.nullable(),
  revoked_by: z.string().nullable(),
  revoked_at: time.nullable(),
  /** For `If-Match` of a revocation: a later key of the same name has another one. */
  etag: z.string(),
});
export type ApiKey = z.output<typeof apiKey>;

export function apiKeyTag({ key_id, revoked_at }: Pick<ApiKeyWithGrant, 'key_id' | 'revoked_at'>): string {
  return entityTag([key_id, revoked_at]);
}

export function apiKeyJson(key: Omit<ApiKeyWithGrant, 'secret_sha256'>): ApiKey {
  const { key_id, name, accounts, created_by, revoked_by } = key;
  return {
    key_id,
    name,
    roles: key.roles as Role[],
    accounts,
    created_by,
    created_at: isoTime(key.created_at),
    expires_at: isoOrNull(key.expires_at),
    last_used_at: isoOrNull(key.last_used_at),
    revoked_by,
    revoked_at: isoOrNull(key.revoked_at),
    etag: apiKeyTag(key),
  };
}
