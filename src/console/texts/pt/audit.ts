import type { audit as english } from '../en/audit.ts';

export const audit: Record<keyof typeof english, string> = {
  'audit.sub': 'Quem fez o quê, pelas cadeias que nenhum programa pode alterar sem se ver.',
  'audit.tab.batches': 'Lotes',
  'audit.tab.access': 'Pessoas e acesso',
  'audit.search': 'Procurar por pessoa, evento ou detalhe',
  'audit.batch': 'Todos os eventos do lote',
  'audit.show': 'Mostrar',
  'audit.more': 'Mostram-se os primeiros 1 000 eventos. A página do lote tem-nos todos.',
  'audit.none': 'Nenhum evento corresponde',
  'audit.check': 'Verificar todas as cadeias',
  'audit.whole': 'Íntegro: {batches} lotes, {events} eventos',
  'audit.broken_at': 'Este registo foi alterado: o evento {seq} não decorre do anterior.',
};
