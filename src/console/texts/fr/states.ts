import type { states as english } from '../en/states.ts';

export const states: Record<keyof typeof english, string> = {
  'state.row.invalid': 'non valide',
  'state.row.skipped': 'ignorée',
  'state.row.held': 'retenue',
  'state.row.ready': 'pas encore envoyée',
  'state.row.sending': 'en cours d’envoi',
  'state.row.accepted': 'acceptée',
  'state.row.in_doubt': 'en doute',
  'state.row.completed': 'terminée',
  'state.row.failed': 'échouée',
  'state.row.cancelled': 'annulée',
  'state.batch.received': 'lecture en cours',
  'state.batch.rejected': 'illisible',
  'state.batch.validated': 'vérifié',
  'state.batch.awaiting_approval': 'en attente d’approbation',
  'state.batch.approved': 'approuvé',
  'state.batch.running': 'en cours',
  'state.batch.paused': 'en pause',
  'state.batch.completed': 'terminé',
  'state.rejected': 'rejeté',
  'state.batch.cancelled': 'annulé',
};
