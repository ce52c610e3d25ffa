import type { doubts as english } from '../en/doubts.ts';

export const doubts: Record<keyof typeof english, string> = {
  'doubts.sub': 'Lignes dont on ne sait pas encore si elles ont été payées, et lignes qui attendent une décision.',
  'doubts.tab.doubts': 'En doute',
  'doubts.tab.held': 'Retenues',
  'doubts.none': 'Aucune ligne n’est en doute',
  'doubts.none_of': 'Aucune de ces lignes n’est en doute',
  'doubts.none_help': 'Le résultat de chaque paiement est connu ou encore suivi.',
  'doubts.rows': 'Lignes en doute',
  'doubts.sum': 'Leur total',
  'doubts.oldest': 'La plus ancienne',
  'doubts.age': 'il y a {time}',
  'doubts.since': 'En doute depuis',
  'doubts.evidence': 'Ce que le service a dit',
  'doubts.next_lookup': 'Prochaine vérification :',
  'doubts.left': 'Plus de vérification : une personne décide',
  'doubts.more': 'Afficher plus',
  'doubts.attempts': '{count, plural, one {envoyée # fois} other {envoyée # fois}}',
  'doubts.owner': 'Responsable',
  'doubts.whose': 'De qui',
  'doubts.whose.all': 'de tous',
  'doubts.whose.nobody': 'de personne',
  'doubts.whose.mine': 'les miennes',
  'doubts.pick': 'Choisir',
  'doubts.pick_one': 'Choisir la ligne {row} de {batch}',
  'doubts.assign': 'Responsable des lignes choisies',
  'doubts.assign_count': '{count, plural, one {Attribuer # ligne} other {Attribuer # lignes}}',
  'doubts.to_me': 'à moi',
  'doubts.to_nobody': 'à personne',
  'doubts.assigned': '{count, plural, one {{owner} s’occupe de # ligne.} other {{owner} s’occupe de # lignes.}}',
  'doubts.unassigned':
    '{count, plural, one {Personne ne s’occupe plus de # ligne.} other {Personne ne s’occupe plus de # lignes.}}',
  'doubts.look_up': 'Vérifier maintenant',
  'doubts.look_up_all': 'Tout vérifier maintenant',
  'doubts.look_up_count': '{count, plural, one {Vérifier # ligne maintenant} other {Vérifier # lignes maintenant}}',
  'doubts.looking': 'Le service est interrogé…',
  'doubts.looked.none': 'Aucune ligne n’est plus en doute.',
  'doubts.looked.adopted':
    '{count, plural, one {Le service connaît # paiement : sa ligne n’est plus en doute.} other {Le service connaît # paiements : leurs lignes ne sont plus en doute.}}',
  'doubts.looked.found':
    '{count, plural, one {# paiement a été refusé par le service.} other {# paiements ont été refusés par le service.}}',
  'doubts.looked.halted':
    '{count, plural, one {Le service a un autre paiement sous la référence de # ligne : le compte est en pause.} other {Le service a d’autres paiements sous les références de # lignes : le compte est en pause.}}',
  'doubts.looked.not_found':
    '{count, plural, one {# paiement est inconnu du service.} other {# paiements sont inconnus du service.}}',
  'doubts.looked.unanswered':
    '{count, plural, one {# vérification est restée sans réponse.} other {# vérifications sont restées sans réponse.}}',
  'doubts.looked.changed':
    '{count, plural, one {# ligne a changé entre-temps.} other {# lignes ont changé entre-temps.}}',
  'doubts.asked': '{person} l’a vérifiée : {outcome},',
  'doubts.outcome.found': 'refusée',
  'doubts.outcome.halted': 'un autre paiement existe',
  'doubts.outcome.not_found': 'introuvable',
  'doubts.outcome.unanswered': 'pas de réponse',
};
