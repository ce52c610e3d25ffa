import { z } from 'zod';
import { refusal } from '../../core/basics/refusal.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { findLink, type OneTimeLink, useLink } from '../../ledger/access/one-time-links.ts';
import { findUser, insertUser, otherAdmins, type User, updateUser } from '../../ledger/access/users.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { displayName, language, userName } from '../../operations/access/user-fields.ts';
import type { Session } from '../../runtime/session/session.ts';
import { roles } from '../../runtime/settings/config-shape.ts';
import { Refused } from '../base/problem.ts';
import { newPassword } from './password.ts';
import { defineSessionRoute, type SessionRequest, sessionView } from './session-route.ts';
import { factorsOf } from './sessions.ts';
import { finish } from './sign-in-routes.ts';

const token = z.string().max(200);

const showLink = defineSessionRoute({
  method: 'POST',
  path: '/link/show',
  name: 'show-link',
  description: "Whose one-time link this is. A link for the first administrator is nobody's yet.",
  input: z.strictObject({ token }),
  result: z.strictObject({ name: z.string().nullable(), display_name: z.string().nullable() }),
  isForSignedIn: false,
  async run({ deps: { session } }, { token }) {
    const { user } = await requireLink(session, token);
    return { name: user?.name ?? null, display_name: user?.display_name ?? null };
  },
});

const redeemLink = defineSessionRoute({
  method: 'POST',
  path: '/link',
  name: 'use-link',
  description:
    'Sets a password by a one-time link, and signs in. The first administrator also chooses a name, and gets all roles.',
  input: z.strictObject({
    token,
    password: newPassword,
    name: userName.optional(),
    display_name: displayName.optional(),
    language: language.optional(),
  }),
  result: sessionView,
  isForSignedIn: false,
  async run(request, { token, password, name, display_name, language }) {
    const { session, hasher } = request.deps;
    const { link, user: known } = await requireLink(session, token);
    const password_hash = await hasher.hash(password);
    if (known === null && name === undefined)
      throw new Refused('REQUEST_INVALID', 'The first administrator needs a name.', {
        reason: refusal('NAME_MISSING', {}),
        hint: 'Choose a name.',
      });
    const person = known?.name ?? name ?? '';
    const user = await changeAccess({ ...session, person, through: 'console' }, async ({ tx, at, note }) => {
      // While the password was hashed, somebody may have changed the person, or made the first administrator.
      const { user: now } = await requireLink({ ...session, db: tx }, token);
      if (!(await useLink(tx, link.token_sha256, at))) throw linkRefused();
      await note('link.use', { name: person });
      if (now !== null) return withPassword(tx, { ...now, password_hash, language: language ?? now.language });
      const first: User = {
        ...{ name: person, display_name: display_name ?? person, email: null, password_hash },
        ...{ language: language ?? 'en', created_by: link.made_by, created_at: at, disabled_at: null },
        ...{ roles: [...roles].sort(), accounts: [] },
      };
      if (!(await insertUser(tx, first)))
        throw new Refused('REQUEST_INVALID', `There is a person "${person}" already.`, {
          reason: refusal('PERSON_EXISTS', { name: person }),
          hint: 'Choose another name.',
        });
      await note('user.create', { name: person, roles: first.roles.join(','), accounts: '' });
      return first;
    });
    return finish(request satisfies SessionRequest, user, 'one-time link');
  },
});

async function withPassword(tx: Queryable, user: User): Promise<User> {
  await updateUser(tx, user);
  return user;
}

/** The link of this token and its person. Throws `LINK_REFUSED` if it is unknown, used or expired. */
async function requireLink(
  { db, clock, config }: Pick<Session, 'clock' | 'config'> & { db: Queryable },
  token: string,
): Promise<{ link: OneTimeLink; user: User | null }> {
  const link = await findLink(db, sha256(token), clock.now());
  if (link === null) throw linkRefused();
  const user = link.name === null ? null : await findUser(db, link.name);
  // The link for the first administrator works only while there is none.
  const hasAdmin = async () => (await otherAdmins(db, '', config.console.openid?.claim ?? null)) > 0;
  // Nor does a link take the place of a second factor that its person has added since: a reset removes these first.
  const isOfNobody = async () =>
    user === null || user.disabled_at !== null || (await factorsOf(db, user.name)).length > 0;
  if (link.name === null ? await hasAdmin() : await isOfNobody()) throw linkRefused();
  return { link, user };
}

function linkRefused(): Refused {
  return new Refused('LINK_REFUSED', 'This link is not known, was used, or has expired.', {
    hint: 'Ask an administrator for a new one.',
  });
}

export const linkRoutes = [showLink, redeemLink];
