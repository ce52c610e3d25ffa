import type { RowState } from './row-state.ts';

/**
 * What an accepted row bears as its `failure_code` once the service has had it for longer than it promises: it is
 * followed on, and a person may decide what became of it.
 */
export const overdueCode = 'overdue';

export function isOverdue({ status, failure_code }: { status: RowState; failure_code: string | null }): boolean {
  return status === 'accepted' && failure_code === overdueCode;
}

/**
 * What a row bears as its `failure_code` that a person has ended, so that nobody takes it for the service's own word.
 */
export const resolvedCodes = { paid: 'RESOLVED_PAID', 'not-paid': 'RESOLVED_NOT_PAID' } as const;

export function isResolved({ failure_code }: { failure_code: string | null }): boolean {
  return failure_code === resolvedCodes.paid || failure_code === resolvedCodes['not-paid'];
}
