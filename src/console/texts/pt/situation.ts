import type { situation as english } from '../en/situation.ts';

export const situation: Record<keyof typeof english, string> = {
  'doing.reading': 'O ficheiro está a ser lido e verificado',
  'doing.unreadable': 'Não foi possível ler o ficheiro',
  'doing.unanswered': 'Ninguém decidiu ainda se é enviado',
  'doing.awaiting_approval': 'Aguarda uma segunda pessoa',
  'doing.starting': 'Começa quando chegar a sua vez',
  'doing.sending': 'Está a ser enviado',
  'doing.following': 'Tudo foi enviado; aguardam-se os resultados',
  'doing.interrupted': 'Está interrompido',
  'doing.waiting': 'Aguarda uma pessoa',
  'doing.paused': 'Está em pausa',
  'doing.finished': 'Está concluído',
  'doing.cancelled': 'Está cancelado',
  'hold.service_changed': 'A conta aponta para outro serviço',
  'hold.service_mismatch': 'O serviço respondeu sobre outro pagamento',
  'hold.credentials_rejected': 'O serviço não aceita as credenciais',
  'hold.guard_tripped': 'Foi atingido um limite de segurança',
  'hold.insufficient_balance': 'O saldo não chega',
  'hold.by_person': 'Uma pessoa pausou-o',
  'hold.throttled': 'O serviço faz a conta esperar: demasiados pedidos',
  'hold.unreachable': 'O serviço não responde',
  'hold.list_unread': 'Depois de um restauro, a lista do serviço é lida primeiro',
  'hold.first_rows': 'Só as primeiras linhas são enviadas, como ensaio',
  'hold.no_program': 'Nenhum programa o processa',
  'need.answer': 'uma pessoa decide se é enviado',
  'need.approve': 'uma segunda pessoa aprova-o ou rejeita-o',
  'need.resume': 'uma pessoa retoma-o',
  'need.fund': 'alguém põe dinheiro na carteira',
  'need.release':
    '{rows, plural, one {uma pessoa decide sobre # linha retida} other {uma pessoa decide sobre # linhas retidas}}',
  'need.resolve':
    '{rows, plural, one {uma pessoa decide se # linha em dúvida foi paga} other {uma pessoa decide se # linhas em dúvida foram pagas}}',
  'need.end_overdue':
    '{rows, plural, one {o serviço comunica o resultado de # linha em atraso, ou uma pessoa decide-o} other {o serviço comunica os resultados de # linhas em atraso, ou uma pessoa decide-os}}',
  'need.end_throttle': 'o serviço volta a aceitar pedidos',
  'need.answer_again': 'o serviço volta a responder',
  'need.read_list': 'o airbatch leu a lista do serviço com o que foi pago desde a cópia restaurada',
  'need.end_first_rows': 'as primeiras linhas têm resultado',
  'need.end_rows':
    '{rows, plural, one {o serviço comunica o resultado de # linha} other {o serviço comunica os resultados de # linhas}}',
  'need.look_up': '{rows, plural, one {# linha em dúvida é consultada} other {# linhas em dúvida são consultadas}}',
  'need.work': 'um programa processa-o (“airbatch serve”)',
  'need.reverse': 'pedir ao serviço que reverta um dos dois pagamentos',
  'need.correct':
    '{rows, plural, one {# linha não paga é corrigida e enviada de novo} other {# linhas não pagas são corrigidas e enviadas de novo}}',
  'need.reject': 'o prazo de aprovação passou: rejeite-o, e submeta o ficheiro de novo',
};
