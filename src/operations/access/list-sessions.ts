import { z } from 'zod';
import { isoTime } from '../../core/time/clock.ts';
import { listSessions as list } from '../../ledger/access/user-sessions.ts';
import { time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Lists who is signed in to the console, the newest first. Auditors see no network address. */
export const listSessions = defineOperation({
  name: 'list-sessions',
  role: 'admin',
  mayAudit: true,
  ledger: 'read',
  input: z.strictObject({ name: z.string().optional() }),
  result: z.strictObject({
    sessions: z.array(
      z.strictObject({
        session_id: z.string(),
        name: z.string(),
        signed_in_at: time,
        last_seen_at: time,
        /** The address of the network from which the person signed in. */
        address: z.string().nullable(),
        /** The browser and the system of the machine: "Firefox, Windows". Null: not known. */
        device: z.string().nullable(),
      }),
    ),
  }),
  async run({ session: { db, clock, grant } }, { name = null }) {
    const isAdmin = grant?.roles.includes('admin') ?? true;
    const sessions = (await list(db, name, clock.now())).map((one) => ({
      session_id: one.session_id,
      name: one.name,
      signed_in_at: isoTime(one.signed_in_at ?? one.created_at),
      last_seen_at: isoTime(one.last_seen_at),
      address: isAdmin ? one.address : null,
      device: one.device,
    }));
    return { sessions };
  },
});
