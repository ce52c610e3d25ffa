import type { states as english } from '../en/states.ts';

export const states: Record<keyof typeof english, string> = {
  'state.row.invalid': 'si sahihi',
  'state.row.skipped': 'imerukwa',
  'state.row.held': 'imezuiliwa',
  'state.row.ready': 'bado haijatumwa',
  'state.row.sending': 'inatumwa',
  'state.row.accepted': 'imepokelewa',
  'state.row.in_doubt': 'ina shaka',
  'state.row.completed': 'imekamilika',
  'state.row.failed': 'imeshindwa',
  'state.row.cancelled': 'imeghairiwa',
  'state.batch.received': 'linasomwa',
  'state.batch.rejected': 'halikuweza kusomwa',
  'state.batch.validated': 'limekaguliwa',
  'state.batch.awaiting_approval': 'linasubiri idhini',
  'state.batch.approved': 'limeidhinishwa',
  'state.batch.running': 'linaendelea',
  'state.batch.paused': 'limesitishwa',
  'state.batch.completed': 'limekamilika',
  'state.rejected': 'limekataliwa',
  'state.batch.cancelled': 'limeghairiwa',
};
