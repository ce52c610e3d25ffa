import type { ResultOf } from '../../api/client.ts';
import type { Tone } from '../../base/states.ts';

export type Bucket = ResultOf<'/api/v1/reconciliations'>['open_items'][number]['bucket'];

/** What agrees, what only another program explains, and what is wrong. */
export const tones: Record<Bucket, Tone> = {
  matched: 'good',
  no_payment: 'good',
  service_only_other_program: 'neutral',
  status_differs: 'bad',
  amount_differs: 'bad',
  cost_differs: 'bad',
  refunded_later: 'attention',
  duplicated: 'bad',
  ledger_only: 'bad',
  service_only_unknown: 'bad',
  unreadable: 'attention',
};
export const buckets = Object.keys(tones) as Bucket[];
