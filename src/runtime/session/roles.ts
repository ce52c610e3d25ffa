import { AirbatchError } from '../../core/basics/errors.ts';
import type { Role } from '../settings/config-shape.ts';
import type { Session } from './session.ts';

const doing: Record<Role, string> = { submit: 'submit files', approve: 'approve batches', run: 'have batches sent' };

/** Fails with `ROLE_MISSING` where the configuration names who has a role, and this person is not among them. */
export function requireRole({ config, person }: Pick<Session, 'config' | 'person'>, role: Role): void {
  const named = config.people[role];
  if (named === undefined || named.includes(person)) return;
  throw new AirbatchError('ROLE_MISSING', `${person} may not ${doing[role]}`);
}
