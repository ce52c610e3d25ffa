/** What results tell of how a row ended, besides when: empty texts where they tell nothing. */
export interface Failure {
  code: string;
  /** As the chain has it: without phone numbers. */
  reason: string;
}

/** What the end of a row has as its failure, by the event that tells of it; null where that does not say. */
export function failureIn(kind: string, actor: string, data: Record<string, unknown>): Failure | null {
  const { as, evidence, code, message, failure_code, failure_reason } = data;
  // A person's decision is never told as the service's own word.
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
 * The letters of a reason alone: where results have a number the chain has a mark, and a cell may be guarded against
 * spreadsheets.
 */
export function messagesOf(reason: string): string {
  return reason.replaceAll('[number]', '').replace(/[^\p{L}]+/gu, '');
}
