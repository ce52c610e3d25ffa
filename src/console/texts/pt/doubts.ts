import type { doubts as english } from '../en/doubts.ts';

export const doubts: Record<keyof typeof english, string> = {
  'doubts.sub': 'Linhas de que ainda não se sabe se foram pagas, e linhas que aguardam uma decisão.',
  'doubts.tab.doubts': 'Em dúvida',
  'doubts.tab.held': 'Retidas',
  'doubts.none': 'Nenhuma linha está em dúvida',
  'doubts.none_help': 'O resultado de cada pagamento é conhecido ou ainda está a ser seguido.',
  'doubts.rows': 'Linhas em dúvida',
  'doubts.sum': 'O seu total',
  'doubts.oldest': 'A mais antiga',
  'doubts.age': 'há {time}',
  'doubts.since': 'Em dúvida desde',
  'doubts.evidence': 'O que o serviço disse',
  'doubts.not_whole':
    '{count, plural, one {Só a primeira linha está listada e somada (#).} other {Só as primeiras # linhas estão listadas e somadas.}}',
  'doubts.next_lookup': 'Próxima consulta:',
  'doubts.left': 'Sem mais consultas: uma pessoa decide',
};
