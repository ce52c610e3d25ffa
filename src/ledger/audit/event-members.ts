/**
 * The members that the body of an event may have, besides those of earlier versions. The console has a text for each in
 * the reader's language, unless it hides it.
 */
export const eventMembers = [
  // A batch.
  ...(['account', 'run_id', 'service', 'file_sha256', 'created_by', 'finish_by', 'from', 'to', 'through'] as const),
  ...(['content_sha256', 'stored_sha256', 'rows', 'valid', 'invalid', 'held', 'skipped'] as const),
  ...(['amount_column', 'decimal_sign', 'delimiter'] as const),
  ...(['draft_id', 'original_sha256', 'steps', 'undone', 'cells', 'history_sha256'] as const),
  ...(['line', 'column', 'step', 'by', 'changed_at', 'change_sha256'] as const),
  ...(['why', 'why_reason', 'approvals_needed', 'products', 'sums', 'balance', 'balance_read_at'] as const),
  ...(['reason', 'detail', 'detail_reason', 'rejected', 'withdrawn', 'holder', 'version'] as const),
  ...(['priority', 'before_priority', 'before_finish_by'] as const),
  // A row.
  ...(['key', 'attempt', 'generation', 'next_generation', 'topup_id', 'service_status', 'status'] as const),
  ...(['cost', 'cost_currency', 'amount', 'currency', 'charged_at', 'charged_from', 'refunded_at'] as const),
  ...(['completed_at', 'first_sent_at', 'failure_code', 'failure_reason', 'as', 'evidence'] as const),
  ...(['look_up', 'look_ups', 'outcome', 'says', 'age_ms', 'owner', 'before'] as const),
  ...(['contradicted', 'second_topup_id', 'other_batch', 'other_row', 'other_payment'] as const),
  ...(['http_status', 'code', 'message', 'request_id'] as const),
  // People and access.
  ...(['name', 'roles', 'before_roles', 'accounts', 'before_accounts', 'email_changed'] as const),
  ...(['disabled', 'before_disabled', 'session_id', 'how', 'address', 'kind'] as const),
  ...(['endpoint', 'url', 'enabled', 'delivery', 'overlap_hours', 'backup_of', 'move_id'] as const),
  ...(['batch_id', 'row', 'file', 'what', 'reconciliation_id', 'item_no', 'bucket', 'note'] as const),
] as const;

export type EventMember = (typeof eventMembers)[number];
