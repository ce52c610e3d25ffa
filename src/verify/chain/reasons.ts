/** What results say about how a row ended, without the time; empty texts if they say nothing. */
export interface Failure {
  code: string;
  /** As in the chain: without phone numbers. */
  reason: string;
}

/** The failure of a row according to the event that ended it; null if the event does not say. */
export function failureIn(kind: string, actor: string, data: Record<string, unknown>): Failure | null {
  const { as, evidence, code, message, failure_code, failure_reason } = data;
  // A person's decision is never shown as an answer of the service.
  if (as === 'paid' || as === 'not-paid')
    return { code: as === 'paid' ? 'RESOLVED_PAID' : 'RESOLVED_NOT_PAID', reason: `${actor}: ${text(evidence)}` };
  if (kind === 'row.complete') return { code: '', reason: '' };
  if (failure_code !== undefined) return { code: text(failure_code), reason: text(failure_reason) };
  return code === undefined ? null : { code: text(code), reason: text(message) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * The letters of a reason alone. Its numbers are replaced in the chain, and a cell may have an apostrophe against
 * formulas.
 */
export function messagesOf(reason: string): string {
  return reason.replaceAll('[number]', '').replace(/[^\p{L}]+/gu, '');
}
