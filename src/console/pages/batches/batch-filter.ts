import type { Answer } from '../../api/client.ts';
import { type BatchState, batchStates } from '../../base/states.ts';

type Listed = Answer<'/api/v1/batches'>;
export type Batch = Listed['batches'][number];

export const filters = ['all', 'needs', 'open', 'ended'] as const;
export type Kind = (typeof filters)[number];

const open: readonly BatchState[] = ['received', 'validated', 'awaiting_approval', 'approved', 'running', 'paused'];

/** The states that are requested from the server; null for all. */
export function statesOf(kind: Kind): BatchState[] | null {
  if (kind === 'all') return null;
  return kind === 'ended' ? batchStates.filter((state) => !open.includes(state)) : [...open];
}

/** Whether a batch matches the filter. */
export function fits(batch: Batch, kind: Kind, search: string): boolean {
  const { needs_person, run_id, file_name, created_by, batch_id, account } = batch;
  if (kind === 'needs' && !needs_person) return false;
  const text = [run_id, file_name, created_by, batch_id, account].join('\n').toLowerCase();
  return text.includes(search.trim().toLowerCase());
}
