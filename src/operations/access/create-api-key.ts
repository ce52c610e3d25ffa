import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { insertApiKey } from '../../ledger/access/api-keys.ts';
import { roles } from '../../runtime/settings/config-shape.ts';
import { accountName, moment } from '../base/fields.ts';
import { comingTime } from '../base/input-times.ts';
import { defineOperation } from '../base/operation.ts';
import { apiKey, apiKeyJson, apiKeyName } from './api-key-fields.ts';
import { isNoProgram, isProgramText, requireAccounts, sorted } from './user-fields.ts';

/** Creates a key for a program that calls the HTTP API. Only this result contains its secret. */
export const createApiKey = defineOperation({
  name: 'create-api-key',
  role: 'admin',
  ledger: 'make',
  input: z.strictObject({
    name: apiKeyName.refine(isNoProgram, { error: isProgramText }),
    roles: z.array(z.enum(roles)).min(1, { error: `needs at least one of ${roles.join(', ')}` }),
    /** If it is empty, the key may use all accounts. */
    accounts: z.array(accountName).default([]),
    /** If it is left out, the key does not expire. */
    expires: moment.optional(),
  }),
  result: apiKey.extend({
    /** The bearer token that the program sends. */
    secret: z.string(),
  }),
  async run({ session, nameOf }, { name, roles, accounts, expires }) {
    const { clock, random, person } = session;
    const now = clock.now();
    const expiresAt = comingTime(nameOf('expires'), expires, now);
    requireAccounts(session, accounts);
    const keyId = random.hex(6);
    const secret = `airbatch_${keyId}_${random.hex(32)}`;
    const key = {
      key_id: keyId,
      name,
      roles: sorted(roles),
      accounts: sorted(accounts),
      created_by: person,
      created_at: now,
      expires_at: expiresAt,
    };
    await changeAccess(session, async ({ tx, note }) => {
      if (!(await insertApiKey(tx, { ...key, secret_sha256: sha256(secret) })))
        throw new AirbatchError('USAGE', `a key named "${name}" already exists`, {
          reason: refusal('API_KEY_EXISTS', { name }),
          hint: 'Give the new key another name, or revoke the old one first.',
        });
      await note('key.create', { name, roles: key.roles.join(','), accounts: key.accounts.join(',') });
    });
    return { ...apiKeyJson({ ...key, last_used_at: null, revoked_by: null, revoked_at: null }), secret };
  },
});
