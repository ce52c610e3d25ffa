import type { states as english } from '../en/states.ts';

export const states: Record<keyof typeof english, string> = {
  'state.row.invalid': 'inválida',
  'state.row.skipped': 'ignorada',
  'state.row.held': 'retida',
  'state.row.ready': 'por enviar',
  'state.row.sending': 'a ser enviada',
  'state.row.accepted': 'aceite',
  'state.row.in_doubt': 'em dúvida',
  'state.row.completed': 'concluída',
  'state.row.failed': 'falhada',
  'state.row.cancelled': 'cancelada',
  'state.batch.received': 'a ser lido',
  'state.batch.rejected': 'ilegível',
  'state.batch.validated': 'verificado',
  'state.batch.awaiting_approval': 'aguarda aprovação',
  'state.batch.approved': 'aprovado',
  'state.batch.running': 'em curso',
  'state.batch.paused': 'em pausa',
  'state.batch.completed': 'concluído',
  'state.rejected': 'rejeitado',
  'state.batch.cancelled': 'cancelado',
};
