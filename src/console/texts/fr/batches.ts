import type { batches as english } from '../en/batches.ts';

export const batches: Record<keyof typeof english, string> = {
  'batches.filter.all': 'tous les lots',
  'batches.filter.needs': 'ce qui attend une personne',
  'batches.filter.open': 'en cours',
  'batches.filter.ended': 'clos',
  'batches.search': 'Chercher par série, fichier ou personne',
  'batches.column.batch': 'Lot',
  'batches.column.rows': 'Lignes',
  'batches.column.progress': 'Avancement',
  'batches.column.charged': 'Débité',
  'batches.column.account': 'Compte',
  'batches.column.created': 'Soumis',
  'batches.by': 'par {person}',
  'batches.finish_by': 'à terminer avant {time}',
  'batches.late': 'sera en retard',
  'batches.in_doubt': '{count, plural, one {# ligne en doute} other {# lignes en doute}}',
  'batches.held': '{count, plural, one {# ligne retenue} other {# lignes retenues}}',
  'batches.failed': '{count, plural, one {# ligne échouée} other {# lignes échouées}}',
  'batches.none': 'Aucun lot pour l’instant',
  'batches.none_help':
    'Un lot se crée à partir d’un fichier de destinataires et de montants, qu’une personne ayant le rôle « {role} » téléverse.',
  'batches.none_match': 'Aucun lot ne correspond',
  'batches.more': 'Afficher des lots plus anciens',
};
