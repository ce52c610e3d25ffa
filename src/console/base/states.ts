import type { TextId } from '../texts/i18n.ts';

/** The colours of states: in progress, done, needs a person, failed, in doubt. */
export type Tone = 'neutral' | 'moving' | 'good' | 'attention' | 'bad' | 'doubt';

export const rowTones = {
  completed: 'good',
  accepted: 'moving',
  sending: 'moving',
  ready: 'neutral',
  in_doubt: 'doubt',
  held: 'attention',
  failed: 'bad',
  invalid: 'bad',
  skipped: 'neutral',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;
/** In the order in which a bar shows them: from paid to not paid. */
export const rowStates = Object.keys(rowTones) as (keyof typeof rowTones)[];
export type RowState = keyof typeof rowTones;

export const batchTones = {
  received: 'moving',
  validated: 'attention',
  awaiting_approval: 'attention',
  approved: 'moving',
  running: 'moving',
  paused: 'attention',
  completed: 'good',
  rejected: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;
export const batchStates = Object.keys(batchTones) as (keyof typeof batchTones)[];
export type BatchState = keyof typeof batchTones;

export function rowStateText(state: RowState): TextId {
  return `state.row.${state}`;
}

export function batchStateText(state: BatchState): TextId {
  return `state.batch.${state}`;
}
