import { z } from 'zod';
import { isoTime } from '../../core/time/clock.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { endSession, listSessions } from '../../ledger/access/user-sessions.ts';
import { defineSessionRoute, noInput, requireSignedIn, type SessionRequest } from './session-route.ts';

/** Where the person is signed in, the newest first. */
const sessionList = z.strictObject({
  sessions: z.array(
    z.strictObject({
      session_id: z.string(),
      signed_in_at: z.string(),
      last_seen_at: z.string(),
      /** The address of the network from which it began. */
      address: z.string(),
      /** The browser and the system of the machine: "Firefox, Windows". */
      device: z.string().nullable(),
      /** Whether it is the session of this request. */
      is_own: z.boolean(),
    }),
  ),
});

async function sessionsOfPerson(request: SessionRequest): Promise<z.output<typeof sessionList>> {
  const { db, clock } = request.deps.session;
  const { user, session } = requireSignedIn(request);
  const found = await listSessions(db, user.name, clock.now());
  return {
    sessions: found.map(({ session_id, signed_in_at, created_at, last_seen_at, address, device }) => ({
      ...{ session_id, address, device },
      signed_in_at: isoTime(signed_in_at ?? created_at),
      last_seen_at: isoTime(last_seen_at),
      is_own: session_id === session.session_id,
    })),
  };
}

const listOwn = defineSessionRoute({
  method: 'GET',
  path: '/all',
  name: 'list-own-sessions',
  description: 'Where the person is signed in.',
  input: noInput,
  result: sessionList,
  isForSignedIn: false,
  run: sessionsOfPerson,
});

const endOther = defineSessionRoute({
  method: 'POST',
  path: '/end',
  name: 'end-own-session',
  description: 'Signs the person out elsewhere: in a session of their own.',
  input: z.strictObject({ session_id: z.string().max(64) }),
  result: sessionList,
  isForSignedIn: true,
  async run(request, { session_id }) {
    const { session } = request.deps;
    const { user } = requireSignedIn(request);
    await changeAccess({ ...session, person: user.name, through: 'console' }, async ({ tx, at, note }) => {
      // Of somebody else's session, the answer is that of one that has ended.
      const isOwn = (await listSessions(tx, user.name, at)).some((one) => one.session_id === session_id);
      if (!isOwn) return;
      await endSession(tx, session_id);
      await note('session.end', { session_id });
    });
    return sessionsOfPerson(request);
  },
});

export const ownSessionRoutes = [listOwn, endOther];
