import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { isoTime } from '../../core/time/clock.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { revokeApiKey as revoke } from '../../ledger/access/api-keys.ts';
import { time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { apiKeyName } from './api-key-fields.ts';

/** Revokes a key: from now on, the HTTP API refuses it. */
export const revokeApiKey = defineOperation({
  name: 'revoke-api-key',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ name: apiKeyName }),
  result: z.strictObject({ key_id: z.string(), name: apiKeyName, revoked_at: time }),
  async run({ session }, { name }) {
    return changeAccess(session, async ({ tx, at, person, note }) => {
      const keyId = await revoke(tx, { name, by: person, at });
      if (keyId === null)
        throw new AirbatchError('USAGE', `there is no key "${name}" that is not revoked yet`, {
          reason: refusal('API_KEY_UNKNOWN', { name }),
          hint: 'See the list of keys for their names.',
        });
      await note('key.revoke', { name });
      return { key_id: keyId, name, revoked_at: isoTime(at) };
    });
  },
});
