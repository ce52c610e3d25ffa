import type { reports as english } from '../en/reports.ts';

export const reports: Record<keyof typeof english, string> = {
  'reports.sub':
    'Les fichiers qui prouvent ce qui a été payé. Chacun peut les vérifier sans faire confiance à ce programme.',
  'reports.none': 'Aucun lot n’est encore clos',
  'reports.none_help': 'Les rapports d’un lot sont écrits quand il se termine.',
  'reports.done_at': 'Clos',
  'reports.title': 'Rapports de {run}',
  'reports.no_files': 'Il n’y a pas encore de fichiers',
  'reports.no_files_help': 'Ils sont écrits à la fin du lot, ou avec les boutons ci-dessus.',
  'reports.write': 'Les écrire maintenant',
  'reports.write_masked': 'Les écrire masqués',
  'reports.written': 'Les rapports sont écrits.',
  'reports.unchanged': 'Rien n’a changé depuis ces rapports.',
  'reports.version': 'Version {version}',
  'reports.unfinished': 'D’avant la fin du lot',
  'reports.current': 'actuelle',
  'reports.masked': 'masqué',
  'reports.as_of': 'État au',
  'verify.start': 'Vérifier dans ce navigateur',
  'verify.help':
    'Votre navigateur vérifie lui-même les empreintes, la signature et la chaîne d’audit. Il n’interroge pas le serveur.',
  'verify.running': '{events, plural, one {# événement vérifié} other {# événements vérifiés}}',
  'verify.impossible': 'Ces rapports ne peuvent pas être vérifiés : {file} manque ou est illisible.',
  'verify.whole': 'Les rapports sont complets et inchangés',
  'verify.broken': 'Les rapports ont été modifiés',
  'verify.right': 'correct',
  'verify.wrong': 'incorrect',
  'verify.signature': 'La signature correspond au manifeste et à sa clé',
  'verify.files': 'Chaque fichier a l’empreinte signée',
  'verify.chain':
    '{events, plural, one {Le seul événement commence la chaîne} other {Chacun des # événements découle du précédent}}',
  'verify.head': 'Le dernier événement est celui qui a été signé',
  'verify.fingerprint': 'Empreinte de la clé qui a signé :',
  'verify.expected': 'Empreinte que le propriétaire de la clé vous a donnée',
  'verify.expected_help':
    'Demandez-la au propriétaire de la clé : « airbatch key » l’affiche. Ne la copiez pas depuis cette page.',
  'verify.other_key': 'Une autre clé a signé ces rapports.',
  'verify.own_key': 'C’est bien la clé',
  'pack.title': 'Pour un auditeur',
  'pack.help':
    'Un fichier avec toutes les versions des rapports, la clé publique, les têtes ancrées de la chaîne d’audit, et la façon de les vérifier sans ce programme.',
  'pack.whole': 'Télécharger le dossier',
  'pack.masked': 'Le télécharger masqué',
  'pack.done': 'Le dossier est en cours de téléchargement.',
};
