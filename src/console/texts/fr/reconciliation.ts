import type { reconciliation as english } from '../en/reconciliation.ts';

export const reconciliation: Record<keyof typeof english, string> = {
  'reconciliation.sub': 'Le registre, la liste du service et les portefeuilles côte à côte.',
  'reconciliation.from': 'Du',
  'reconciliation.to': 'Jusqu’au (inclus)',
  'reconciliation.backwards': 'Choisissez deux jours, le plus ancien d’abord.',
  'reconciliation.zone': 'Les jours sont ceux de votre fuseau horaire : {zone}.',
  'reconciliation.compare': 'Comparer',
  'reconciliation.comparing': 'La liste du service est lue. Cela peut prendre quelques minutes.',
  'reconciliation.settled': 'Tout concorde',
  'reconciliation.open': 'Quelqu’un doit s’en occuper',
  'reconciliation.wallet': 'Inexpliqué en {currency}',
  'reconciliation.count': 'Nombre',
  'reconciliation.items': 'En suspens : {shown} sur {all}',
  'reconciliation.wrong': 'Incorrect',
  'reconciliation.waiting': 'En attente',
  'reconciliation.notes': 'Notes',
  'reconciliation.note': 'Ajouter une note',
  'reconciliation.note_text': 'Note',
  'reconciliation.note_help':
    'Conservée avec cette ligne, aussi dans les rapprochements suivants. Le journal d’audit la garde.',
  'reconciliation.note_missing': 'Écrivez la note.',
  'reconciliation.next': 'Que faire',
  'reconciliation.none_open': 'Rien n’est en suspens',
  'reconciliation.other_days': 'Choisissez d’autres jours ci-dessus.',
  'reconciliation.payment': 'Paiement',
  'reconciliation.here': 'Dans le registre',
  'reconciliation.there': 'Auprès du service',
  'reconciliation.sides': 'Côte à côte',
  'reconciliation.between': 'débité entre les lectures :',
  'reconciliation.unexplained': 'Inexpliqué',
  'reconciliation.readings': 'Les portefeuilles ont été lus deux fois :',
  'reconciliation.no_wallets':
    'Les portefeuilles n’ont pas été comparés : leur solde n’a pas été lu deux fois dans cette période, le service ne liste pas ses paiements (version 1), ou un seul lot a été comparé.',
  'reconciliation.nothing_charged': 'Rien n’a été débité dans cette période.',
  'reconciliation.earlier': 'Comparaisons précédentes',
  'reconciliation.earlier_help':
    'Celles des personnes et des tâches. Chacune est telle qu’elle était ; les notes ajoutées depuis sont aussi affichées.',
  'reconciliation.none_yet': 'Rien n’a encore été comparé',
  'reconciliation.none_yet_help':
    'Choisissez les jours ci-dessus. Une tâche peut comparer chaque nuit : voir docs/jobs.md.',
  'reconciliation.more': 'Afficher les précédentes',
  'reconciliation.made': 'Comparé',
  'reconciliation.period': 'Période',
  'reconciliation.open_lines': 'Lignes en suspens',
  'reconciliation.other': 'Toutes les comparaisons',
  'reconciliation.files': 'Fichiers',
  'reconciliation.files_help':
    'Toutes les lignes, y compris celles qui concordent. Les fichiers sont signés : « airbatch verify » contrôle leur dossier.',
  'reconciliation.files_part':
    'Dans les copies masquées, ce qui peut être un numéro de téléphone dans une référence est caché. Les personnes qui ont aussi un autre rôle peuvent télécharger les fichiers complets ; le journal d’audit garde qui le fait.',
  'reconciliation.files_gone':
    'Les fichiers ne sont pas avec les rapports : ils ont été écrits ailleurs, ou quelqu’un les a supprimés. Les lignes en suspens ci-dessus sont conservées.',
  'reconciliation.none_open_help': 'Il n’y a rien à faire. Toutes les lignes sont dans les fichiers ci-dessous.',
  'reconciliation.lines_agree': 'Toutes les lignes concordent',
  'reconciliation.lines_agree_help':
    'Seuls les portefeuilles ne tombent pas juste : ce qu’il faut faire est ci-dessus. Toutes les lignes sont dans les fichiers ci-dessous.',
  'reconciliation.rest': 'Ce qui peut expliquer le reste en {currency}',
  'reconciliation.rest_none':
    'Aucune ligne en suspens ne l’explique. Cherchez dans le relevé du service les dépôts, les frais et les remboursements de cette période, et qui d’autre paie depuis ce compte.',
  'reconciliation.rest_shorter':
    'Si beaucoup de lignes ont été payées, comparez des périodes plus courtes : airbatch vérifie alors chaque ligne payée.',
  'reconciliation.rest_files': 'Les fichiers payés',
  'reconciliation.rest_part':
    'Seules les {shown} premières lignes en suspens ont été examinées. Toutes sont dans les fichiers.',
  'bucket.matched': 'les deux concordent',
  'bucket.no_payment': 'aucun paiement d’aucun côté',
  'bucket.status_differs': 'résultat différent',
  'bucket.amount_differs': 'montant ou numéro différent',
  'bucket.cost_differs': 'débit différent',
  'bucket.refunded_later': 'remboursé plus tard',
  'bucket.duplicated': 'payé plus d’une fois',
  'bucket.ledger_only': 'seulement dans le registre',
  'bucket.service_only_other_program': 'payé par un autre programme',
  'bucket.service_only_unknown': 'inconnu de ce registre',
  'bucket.unreadable': 'illisible',
};
