import type { batches as english } from '../en/batches.ts';

export const batches: Record<keyof typeof english, string> = {
  'batches.filter.all': 'todos os lotes',
  'batches.filter.needs': 'o que precisa de uma pessoa',
  'batches.filter.open': 'em curso',
  'batches.filter.ended': 'encerrados',
  'batches.search': 'Procurar por série, ficheiro ou pessoa',
  'batches.column.batch': 'Lote',
  'batches.column.rows': 'Linhas',
  'batches.column.progress': 'Progresso',
  'batches.column.charged': 'Debitado',
  'batches.column.account': 'Conta',
  'batches.column.created': 'Submetido',
  'batches.by': 'por {person}',
  'batches.finish_by': 'a concluir até {time}',
  'batches.late': 'vai atrasar-se',
  'batches.in_doubt': '{count, plural, one {# linha em dúvida} other {# linhas em dúvida}}',
  'batches.held': '{count, plural, one {# linha retida} other {# linhas retidas}}',
  'batches.failed': '{count, plural, one {# linha falhada} other {# linhas falhadas}}',
  'batches.none': 'Ainda não há lotes',
  'batches.none_help':
    'Um lote faz-se de um ficheiro de destinatários e montantes, que alguém com a função “{role}” carrega.',
  'batches.none_match': 'Nenhum lote corresponde',
  'batches.more': 'Mostrar lotes mais antigos',
};
