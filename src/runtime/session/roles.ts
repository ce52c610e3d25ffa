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

const roleHint = 'Make a key that has the role.';

/** If the configuration names nobody for the role on the left, the people of the role on the right have it. */
const instead: Partial<Record<Role, Role>> = { resolve: 'operate', admin: 'approve' };

/** The roles of a job: a person who starts `airbatch serve` may operate, and job files are code. */
const rolesOfJobs: readonly Role[] = ['prepare', 'operate', 'audit'];

/**
 * Throws `ROLE_MISSING` if the person does not have the role. The caller's grant decides, else the configuration's
 * `people`. If these name nobody for a role, everybody has it.
 */
export function requireRole(
  { config, person, through, grant }: Pick<Session, 'config' | 'person' | 'through' | 'grant'>,
  role: Role,
): void {
  // People who decide about batches must see them.
  if (grant?.roles.includes(role) || (grant && role === 'audit')) return;
  if (grant) throw new AirbatchError('ROLE_MISSING', `${person} may not ${doing[role]}`, { hint: roleHint });
  if (jobOf({ through }) !== null && rolesOfJobs.includes(role)) return;
  const { people } = config;
  const other = instead[role];
  const named = people[role] ?? (other && people[other]);
  if (named === undefined || named.includes(person)) return;
  // People who decide about batches must see them.
  if (role === 'audit' && Object.values(people).some((those) => those.includes(person))) return;
  throw new AirbatchError('ROLE_MISSING', `${person} may not ${doing[role]}`);
}
