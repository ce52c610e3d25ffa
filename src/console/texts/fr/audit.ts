import type { audit as english } from '../en/audit.ts';

export const audit: Record<keyof typeof english, string> = {
  'audit.sub':
    'Qui a fait quoi. Une modification de ce journal ne peut pas passer inaperçue : chaque événement est enchaîné au précédent.',
  'audit.tab.batches': 'Lots',
  'audit.tab.access': 'Personnes et accès',
  'audit.tab.numbers': 'Numéros entiers',
  'audit.numbers_help':
    'Qui a vu des numéros de téléphone entiers, de quel lot ou brouillon : un événement par personne, endroit et quart d’heure.',
  'audit.search': 'Chercher par personne, événement ou détail',
  'audit.batch': 'Tous les événements du lot',
  'audit.more': 'Les 1 000 premiers événements sont affichés. La page du lot les a tous.',
  'audit.none': 'Aucun événement ne correspond',
  'audit.check': 'Vérifier toutes les chaînes',
  'audit.whole':
    'Complet et inchangé : {batches, plural, one {# lot} other {# lots}}, {events, plural, one {# événement} other {# événements}}',
  'audit.edited': 'Quelqu’un a modifié les enregistrements de ces lots : {batches}. « airbatch audit » dit lesquels.',
  'audit.broken_at': 'Ce journal a été modifié : l’événement {seq} ne suit pas le précédent.',
};
