import type { RowState } from './row-state.ts';

/**
 * The `failure_code` of an accepted row that the service has not ended within the time it promises. airbatch still
 * follows the row, and a person may decide what happened to it.
 */
export const overdueCode = 'overdue';

export function isOverdue({ status, failure_code }: { status: RowState; failure_code: string | null }): boolean {
  return status === 'accepted' && failure_code === overdueCode;
}

/** The `failure_code` of a row that a person has ended, so that nobody mistakes it for the service's own code. */
export const resolvedCodes = { paid: 'RESOLVED_PAID', 'not-paid': 'RESOLVED_NOT_PAID' } as const;

export function isResolved({ failure_code }: { failure_code: string | null }): boolean {
  return failure_code === resolvedCodes.paid || failure_code === resolvedCodes['not-paid'];
}
