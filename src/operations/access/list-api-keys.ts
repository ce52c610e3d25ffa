import { z } from 'zod';
import { listApiKeys as listKeys } from '../../ledger/access/api-keys.ts';
import { defineOperation } from '../base/operation.ts';
import { apiKey, apiKeyJson } from './api-key-fields.ts';

/** Lists the keys of the HTTP API, the newest first, with what each key may do and when it was last used. */
export const listApiKeys = defineOperation({
  name: 'list-api-keys',
  role: 'admin',
  mayAudit: true,
  ledger: 'read',
  input: z.strictObject({}),
  result: z.strictObject({ keys: z.array(apiKey) }),
  async run({ session: { db } }) {
    return { keys: (await listKeys(db)).map(apiKeyJson) };
  },
});
