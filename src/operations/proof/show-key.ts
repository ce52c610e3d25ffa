import { existsSync } from 'node:fs';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { sessionKey, signingKeyPath } from '../../runtime/session/session.ts';
import { defineOperation } from '../base/operation.ts';

/**
 * Shows the public key, which an auditor must get in another way than with the reports. Does not create a missing key.
 */
export const showKey = defineOperation({
  name: 'show-key',
  role: 'audit',
  ledger: 'none',
  // It is the same for all accounts, and public.
  showsOnlyVisible: true,
  input: z.strictObject({}),
  result: z.strictObject({
    /** In PEM. */
    public_key: z.string(),
    /** SHA-256 of the key. */
    fingerprint: z.string(),
  }),
  async run({ session, nameOf }) {
    const path = signingKeyPath(session.ledgerPath);
    if (!existsSync(path))
      throw new AirbatchError('LEDGER_MISSING', `there is no key at ${path}`, {
        hint: `Go to the folder of the ledger, or name the ledger with ${nameOf('ledger')}. The first reports make the key.`,
      });
    const { publicKey: public_key, fingerprint } = await sessionKey(session);
    return { public_key, fingerprint };
  },
});
