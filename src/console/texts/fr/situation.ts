import type { situation as english } from '../en/situation.ts';

export const situation: Record<keyof typeof english, string> = {
  'doing.reading': 'Le fichier est lu et vérifié',
  'doing.unreadable': 'Le fichier n’a pas pu être lu',
  'doing.unanswered': 'Personne n’a encore décidé de l’envoi',
  'doing.awaiting_approval': 'Il attend une deuxième personne',
  'doing.starting': 'Il commence quand vient son tour',
  'doing.sending': 'Il est en cours d’envoi',
  'doing.following': 'Tout est envoyé ; les résultats sont attendus',
  'doing.interrupted': 'Il est interrompu',
  'doing.waiting': 'Il attend une personne',
  'doing.paused': 'Il est en pause',
  'doing.finished': 'Il est terminé',
  'doing.cancelled': 'Il est annulé',
  'hold.service_changed': 'Le compte pointe vers un autre service',
  'hold.service_mismatch': 'Le service a répondu au sujet d’un autre paiement',
  'hold.credentials_rejected': 'Le service n’accepte pas les identifiants',
  'hold.guard_tripped': 'Une limite de sécurité est atteinte',
  'hold.insufficient_balance': 'Le solde ne suffit pas',
  'hold.by_person': 'Une personne l’a mis en pause',
  'hold.throttled': 'Le service fait attendre le compte : trop de requêtes',
  'hold.unreachable': 'Le service ne répond pas',
  'hold.list_unread': 'Après une restauration, la liste du service est d’abord lue',
  'hold.first_rows': 'Seules les premières lignes sont envoyées, comme essai',
  'hold.no_program': 'Aucun programme ne le traite',
  'need.answer': 'une personne décide si on l’envoie',
  'need.approve': 'une deuxième personne l’approuve ou le rejette',
  'need.resume': 'une personne le reprend',
  'need.fund': 'quelqu’un ajoute de l’argent au portefeuille',
  'need.release':
    '{rows, plural, one {une personne décide de # ligne retenue} other {une personne décide de # lignes retenues}}',
  'need.resolve':
    '{rows, plural, one {une personne décide si # ligne en doute a été payée} other {une personne décide si # lignes en doute ont été payées}}',
  'need.end_overdue':
    '{rows, plural, one {le service donne le résultat de # ligne en retard, ou une personne en décide} other {le service donne les résultats de # lignes en retard, ou une personne en décide}}',
  'need.end_throttle': 'le service accepte de nouveau les requêtes',
  'need.answer_again': 'le service répond de nouveau',
  'need.read_list': 'airbatch a lu la liste du service des paiements faits depuis la copie restaurée',
  'need.end_first_rows': 'les premières lignes ont un résultat',
  'need.end_rows':
    '{rows, plural, one {le service donne le résultat de # ligne} other {le service donne les résultats de # lignes}}',
  'need.look_up': '{rows, plural, one {# ligne en doute est vérifiée} other {# lignes en doute sont vérifiées}}',
  'need.work': 'un programme le traite (« airbatch serve »)',
  'need.reverse': 'demander au service d’annuler l’un des deux paiements',
  'need.correct':
    '{rows, plural, one {# ligne non payée est corrigée et renvoyée} other {# lignes non payées sont corrigées et renvoyées}}',
  'need.reject': 'le délai d’approbation est passé : rejetez-le, et soumettez son fichier de nouveau',
};
