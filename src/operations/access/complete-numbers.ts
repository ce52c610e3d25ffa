import { AirbatchError } from '../../core/basics/errors.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { noteNumbersSeen } from '../../ledger/access/number-views.ts';
import type { EventData } from '../../ledger/audit/events.ts';
import type { Session } from '../../runtime/session/session.ts';

/** Whether the caller may see complete phone numbers: people who work on batches may, those who only audit may not. */
export function maySeeCompleteNumbers({ grant }: Pick<Session, 'grant'>): boolean {
  return !grant?.roles.every((role) => role === 'audit');
}

/** Notes in the log of access that somebody who is signed in has looked for rows by a phone number that they know. */
export async function noteNumberSearch(session: Session, subject: EventData): Promise<void> {
  if (session.grant !== undefined) await noteNumbersSeen(session, { subject, what: 'search by number' });
}

/**
 * Notes in the log of access that the caller gets complete phone numbers in a file of a report. Fails with
 * `ROLE_MISSING` if the caller only audits.
 */
export async function noteCompleteNumbers(session: Session, seen: EventData): Promise<void> {
  if (!maySeeCompleteNumbers(session))
    throw new AirbatchError('ROLE_MISSING', `${session.person} sees masked numbers only`);
  await changeAccess(session, ({ note }) => note('report.read', seen));
}
