import { AirbatchError } from '../../core/basics/errors.ts';
import { jobOf } from '../../ledger/actor.ts';
import type { Role } from '../settings/config-shape.ts';
import type { Session } from './session.ts';

const doing: Record<Role, string> = {
  prepare: 'submit files',
  approve: 'approve batches',
  operate: 'have batches sent',
  resolve: 'decide what became of a payment',
  audit: 'read the ledger',
  admin: 'look after the ledger',
};

/** The role whose people have another one as well, where the configuration names nobody for that. */
const instead: Partial<Record<Role, Role>> = { resolve: 'operate', admin: 'approve' };

/** What a job may do: whoever starts `airbatch serve` may operate, and job files are code. */
const rolesOfJobs: readonly Role[] = ['prepare', 'operate'];

/** Fails with `ROLE_MISSING` where the configuration names who has a role, and this person is not among them. */
export function requireRole(
  { config, person, through }: Pick<Session, 'config' | 'person' | 'through'>,
  role: Role,
): void {
  if (jobOf({ through }) !== null && rolesOfJobs.includes(role)) return;
  const { people } = config;
  const other = instead[role];
  const named = people[role] ?? (other && people[other]);
  if (named === undefined || named.includes(person)) return;
  // Who decides about batches has to see them.
  if (role === 'audit' && Object.values(people).some((those) => those.includes(person))) return;
  throw new AirbatchError('ROLE_MISSING', `${person} may not ${doing[role]}`);
}
