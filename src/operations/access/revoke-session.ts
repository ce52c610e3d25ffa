import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { endSession } from '../../ledger/access/user-sessions.ts';
import { defineOperation } from '../base/operation.ts';

/** Signs a person out of the console. */
export const revokeSession = defineOperation({
  name: 'revoke-session',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({ session_id: z.string() }),
  result: z.strictObject({ session_id: z.string(), name: z.string().nullable() }),
  async run({ session }, { session_id }) {
    return changeAccess(session, async ({ tx, note }) => {
      const ended = await endSession(tx, session_id);
      if (ended === null)
        throw new AirbatchError('USAGE', 'there is no such session, or it has ended', {
          reason: refusal('SESSION_ENDED', {}),
          hint: 'See the list of sessions.',
        });
      await note('session.revoke', { name: ended.name, session_id });
      return { session_id, name: ended.name };
    });
  },
});
