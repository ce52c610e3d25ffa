import { grouped } from '../../reports/text/counted-text.ts';

/** Rows that failed or were invalid in a batch, and that a later batch of its run has paid. */
export interface PaidSince {
  batch_id: string;
  rows: number;
}

/** Failed and invalid rows that a later batch of the run has paid: nobody need look for them any more. */
export function correctedLines(since: readonly PaidSince[]): string[] {
  return since.map(
    ({ batch_id, rows }) =>
      `Corrected  ${grouped(rows)} of the failed and invalid rows ${rows === 1 ? 'was' : 'were'} paid since, in batch ${batch_id}`,
  );
}
