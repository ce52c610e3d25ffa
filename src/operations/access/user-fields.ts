import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import { entityTag } from '../../core/identity/entity-tag.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { AccessChange } from '../../ledger/access/access-events.ts';
import { insertLink } from '../../ledger/access/one-time-links.ts';
import { findTotp, passkeysOf } from '../../ledger/access/second-factors.ts';
import { findUser, type User } from '../../ledger/access/users.ts';
import { programNames } from '../../ledger/audit/events.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { Session } from '../../runtime/session/session.ts';
import { sandboxAccountName } from '../../runtime/settings/account-config.ts';
import { chooseAccount } from '../../runtime/settings/config.ts';
import { type Role, roles } from '../../runtime/settings/config-shape.ts';
import { accountName, time } from '../base/fields.ts';

/** How long a one-time link works. */
const linkValidMs = 72 * 60 * 60 * 1_000;

/** Nobody acts under the name of a part of the program: the audit log would take it for that. */
export const isNoProgram = (name: string) => !programNames.includes(name);
export const isProgramText = 'is the name of a part of the program';

/** The name with which a person signs in. The audit log records it as the person. */
export const userName = z
  .string()
  .regex(/^[a-z][a-z0-9._-]{0,63}$/, {
    error: 'must consist of 1 to 64 of a-z, 0-9, ".", "_" and "-", and begin with a letter',
  })
  .refine(isNoProgram, { error: isProgramText });

export const displayName = z
  .string()
  .trim()
  .regex(/^[^\p{C}]{1,100}$/u, { error: 'must have 1 to 100 visible characters' });

export const email = z
  .email()
  .max(254)
  .transform((text) => text.toLowerCase());

/** The languages of the console. */
export const language = z.enum(['en', 'fr', 'sw', 'pt']);

export const userRoles = z.array(z.enum(roles)).min(1, { error: `needs at least one of ${roles.join(', ')}` });

/** A person without what they prove themselves with. */
export const user = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  email: z.string().nullable(),
  roles: z.array(z.enum(roles)),
  /** Empty: the person may use all accounts. */
  accounts: z.array(accountName),
  language: z.string(),
  has_password: z.boolean(),
  has_totp: z.boolean(),
  passkeys: z.int(),
  created_by: z.string(),
  created_at: time,
  disabled_at: time.nullable(),
  /** For `If-Match` of a change. */
  etag: z.string(),
});

/** A link by which the person sets a password, once. Only this result contains its token. */
export const oneTimeLink = z.strictObject({ token: z.string(), expires_at: time });

export async function userJson(db: Queryable, record: User): Promise<z.output<typeof user>> {
  const { name, display_name, email, accounts, language, created_by } = record;
  const totp = await findTotp(db, name);
  const facts = {
    name,
    display_name,
    email,
    roles: record.roles as Role[],
    accounts,
    language,
    has_password: record.password_hash !== null,
    has_totp: (totp?.confirmed_at ?? null) !== null,
    passkeys: (await passkeysOf(db, name)).length,
    created_by,
    created_at: isoTime(record.created_at),
    disabled_at: isoOrNull(record.disabled_at),
  };
  return { ...facts, etag: entityTag(facts) };
}

/** The person with this name. Throws `USAGE` if there is none. */
export async function requireUser(db: Queryable, name: string): Promise<User> {
  const found = await findUser(db, name);
  if (found !== null) return found;
  throw new AirbatchError('USAGE', `there is no person "${name}"`, {
    reason: refusal('PERSON_UNKNOWN', { name }),
    hint: 'See the list of people for their names.',
  });
}

/** Refuses accounts that the configuration does not have. */
export function requireAccounts({ config }: Pick<Session, 'config'>, accounts: readonly string[]): void {
  for (const account of accounts) if (account !== sandboxAccountName) chooseAccount(config, account);
}

export function sorted<Text extends string>(texts: readonly Text[]): Text[] {
  return [...new Set(texts)].sort();
}

/** Makes a one-time link for a person, or (null) for the first administrator. */
export async function makeLink(
  { tx, at, person }: AccessChange,
  { random }: Pick<Session, 'random'>,
  name: string | null,
): Promise<z.output<typeof oneTimeLink>> {
  const token = random.hex(32);
  const expiresAt = at + linkValidMs;
  await insertLink(tx, { token_sha256: sha256(token), name, made_by: person, made_at: at, expires_at: expiresAt });
  return { token, expires_at: isoTime(expiresAt) };
}
