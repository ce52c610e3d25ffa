import type { jobs as english } from '../en/jobs.ts';

export const jobs: Record<keyof typeof english, string> = {
  'jobs.sub': 'Ficheiros que o airbatch recolhe e paga segundo um calendário.',
  'jobs.none': 'Não há tarefas',
  'jobs.none_help': 'As tarefas são ficheiros nesta pasta:',
  'jobs.job': 'Tarefa',
  'jobs.schedule': 'Horário',
  'jobs.next': 'Próxima execução',
  'jobs.last': 'Última execução',
  'jobs.open': 'Agora',
  'jobs.unprocessed': 'Ficheiros restantes',
  'slot.due': 'devida',
  'slot.running': 'em curso',
  'slot.done': 'concluída',
  'slot.skipped': 'ignorada',
  'slot.failed': 'falhada',
  'jobs.run': 'Executar agora',
  'jobs.run_title': 'Executar {job} agora?',
  'jobs.run_help': 'É executada como no horário previsto, e as mesmas pessoas são notificadas.',
  'jobs.run_done': 'A tarefa foi executada.',
};
