import type { doubts as english } from '../en/doubts.ts';

export const doubts: Record<keyof typeof english, string> = {
  'doubts.sub': 'Lignes dont on ne sait pas encore si elles ont été payées, et lignes qui attendent une décision.',
  'doubts.tab.doubts': 'En doute',
  'doubts.tab.held': 'Retenues',
  'doubts.none': 'Aucune ligne n’est en doute',
  'doubts.none_help': 'Le résultat de chaque paiement est connu ou encore suivi.',
  'doubts.rows': 'Lignes en doute',
  'doubts.sum': 'Leur total',
  'doubts.oldest': 'La plus ancienne',
  'doubts.age': 'il y a {time}',
  'doubts.since': 'En doute depuis',
  'doubts.evidence': 'Ce que le service a dit',
  'doubts.not_whole':
    '{count, plural, one {Seule la première ligne est listée et additionnée (#).} other {Seules les # premières lignes sont listées et additionnées.}}',
  'doubts.next_lookup': 'Prochaine vérification :',
  'doubts.left': 'Plus de vérification : une personne décide',
};
