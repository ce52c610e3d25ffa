import type { BatchResult } from '../../operations/working/batch-result.ts';
import { grouped } from '../../reports/text/counted-text.ts';

/** Failed and invalid rows that a later batch of the run has paid. They need no further work. */
export function correctedLines(since: BatchResult['paid_since']): string[] {
  return since.map(
    ({ batch_id, rows }) =>
      `Corrected  ${grouped(rows)} of the failed and invalid rows ${rows === 1 ? 'was' : 'were'} paid since, in batch ${batch_id}`,
  );
}
