import type { jobs as english } from '../en/jobs.ts';

export const jobs: Record<keyof typeof english, string> = {
  'jobs.sub': 'Les fichiers qu’airbatch récupère et paie selon un calendrier.',
  'jobs.none': 'Il n’y a pas de tâches',
  'jobs.none_help': 'Les tâches sont des fichiers dans ce dossier :',
  'jobs.job': 'Tâche',
  'jobs.schedule': 'Horaire',
  'jobs.next': 'Prochaine exécution',
  'jobs.last': 'Dernière exécution',
  'jobs.open': 'Maintenant',
  'jobs.unprocessed': 'Fichiers restants',
  'slot.due': 'due',
  'slot.running': 'en cours',
  'slot.done': 'terminée',
  'slot.skipped': 'ignorée',
  'slot.failed': 'échouée',
  'jobs.run': 'Exécuter maintenant',
  'jobs.run_title': 'Exécuter {job} maintenant ?',
  'jobs.run_help': 'Elle s’exécute comme à l’heure prévue, et les mêmes personnes sont prévenues.',
  'jobs.run_done': 'La tâche a été exécutée.',
};
