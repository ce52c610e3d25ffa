import type { audit as english } from '../en/audit.ts';

export const audit: Record<keyof typeof english, string> = {
  'audit.sub':
    'Quem fez o quê. Uma alteração deste registo não passa despercebida: cada evento está encadeado no anterior.',
  'audit.tab.batches': 'Lotes',
  'audit.tab.access': 'Pessoas e acesso',
  'audit.tab.numbers': 'Números completos',
  'audit.numbers_help':
    'Quem viu números de telefone completos, de que lote ou rascunho: um evento por pessoa, lugar e quarto de hora.',
  'audit.search': 'Procurar por pessoa, evento ou detalhe',
  'audit.batch': 'Todos os eventos do lote',
  'audit.more': 'Mostram-se os primeiros 1 000 eventos. A página do lote tem-nos todos.',
  'audit.none': 'Nenhum evento corresponde',
  'audit.check': 'Verificar todas as cadeias',
  'audit.whole':
    'Completo e inalterado: {batches, plural, one {# lote} other {# lotes}}, {events, plural, one {# evento} other {# eventos}}',
  'audit.edited': 'Alguém alterou os registos destes lotes: {batches}. “airbatch audit” diz quais.',
  'audit.broken_at': 'Este registo foi alterado: o evento {seq} não decorre do anterior.',
};
