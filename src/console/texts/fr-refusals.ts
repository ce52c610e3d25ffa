/** What went wrong, by the code of an error. */
const failures = {
  'failure.role': 'Votre rôle ne le permet pas.',
  'failure.changed': 'Quelqu’un a modifié ceci depuis que vous l’avez ouvert. Relisez avant de décider.',
  'failure.unfinished':
    'Le serveur a été interrompu pendant l’opération. Vérifiez si elle a été faite ; sinon, réessayez.',
  'failure.unknown': 'Il n’y a rien à cette adresse, ou cela appartient à un compte que vous ne pouvez pas voir.',
  'failure.too_large': 'C’est plus que ce que le serveur accepte en une fois. Divisez le fichier.',
  'failure.draft_state': 'Ce fichier ne peut plus être modifié ici. Téléversez-le de nouveau.',
  'failure.expired': 'Le lot a attendu trop longtemps. Rejetez-le, et soumettez le fichier de nouveau.',
  'failure.run_id':
    'L’identifiant de la série a de 1 à 64 lettres, chiffres, « . », « _ » ou « - », et commence par une lettre ou un chiffre.',
  'failure.busy': 'Un autre programme travaille pour ce compte. Réessayez plus tard.',
  'failure.service': 'Le service ne répond pas. Réessayez plus tard.',
  'failure.credentials': 'Le service n’accepte pas les identifiants du compte. Un administrateur doit les corriger.',
  'failure.state': 'L’état du lot ou de la ligne ne le permet pas. Regardez-le de nouveau.',
  'failure.refused': 'Le serveur ne l’a pas accepté. Vérifiez ce que vous avez saisi, puis réessayez.',
  'failure.config': 'La configuration du serveur est incorrecte. Un administrateur doit la corriger.',
  'failure.not_releasable':
    'Cette ligne ne peut pas être libérée ici : un autre lot a sa référence. Décidez-en là-bas, et ignorez-la ici.',
  'failure.second_person': 'Une autre personne doit le faire.',
  'failure.service_changed':
    'Le compte pointe maintenant vers un autre service que celui de ce lot. Un administrateur doit le corriger.',
  'failure.unreadable': 'Le fichier ou le dossier est illisible.',
  'failure.file': 'Le fichier ne peut pas être payé tel quel. Corrigez-le, puis téléversez-le de nouveau.',
  'failure.ledger': 'Le registre est inutilisable. Un administrateur doit l’examiner ; d’ici là, rien n’est envoyé.',
  'failure.ledger_full':
    'Le disque du registre est plein. Un administrateur doit libérer de la place ; rien de plus n’a été envoyé.',
  'failure.ledger_io': 'Le registre n’a pas pu être écrit. Un administrateur doit vérifier son disque.',
  'failure.ledger_busy': 'Un autre programme utilise le registre. Réessayez plus tard.',
  'failure.backup': 'Cette sauvegarde est inutilisable. Prenez-en une autre.',
  'failure.folder':
    'Le dossier n’est pas accessible en écriture. Un administrateur doit le corriger ; le registre contient tout.',
  'failure.fenced': 'Un autre processus a pris le relais. Réessayez.',
  'failure.session': 'Votre session ne correspond plus à cette page. Rechargez la page, puis connectez-vous.',
  'failure.provider': 'Le fournisseur d’identité ne répond pas. Réessayez plus tard.',
  'failure.factor':
    'Votre application à codes ne peut plus être vérifiée. Un administrateur doit réinitialiser votre accès.',
  'failure.shown_once': 'Cela n’a été affiché qu’une fois et ne peut plus l’être. Créez-en un nouveau.',
  'failure.details': 'Pour l’assistance, en anglais',
  'failure.system': 'Le système d’exploitation signale : {what}.',
  'system.full': 'le disque est plein ({code})',
  'system.forbidden': 'l’accès n’est pas autorisé ({code})',
  'system.read_only': 'le disque n’est pas accessible en écriture ({code})',
  'system.missing': 'cela n’existe pas ({code})',
  'system.exists': 'cela existe déjà ({code})',
  'system.busy': 'un autre programme l’utilise ({code})',
  'system.disk': 'le disque a une erreur ({code})',
  'system.network': 'il n’y a pas de connexion ({code})',
  'system.other': 'une erreur ({code})',
};

/** Why a person's request is refused, by code. */
const refusals = {
  'reason.BATCH_IS': 'L’état du lot est « {batch_status} », ce qui ne le permet pas.',
  'reason.BATCH_CHANGED': 'Le lot a changé entre-temps. Regardez-le de nouveau.',
  'reason.BATCH_PAUSED': 'Une personne a déjà mis le lot en pause.',
  'reason.BATCH_NOT_PAUSED': 'Mettez d’abord le lot en pause : ses lignes peuvent être envoyées à tout moment.',
  'reason.BATCH_FORGOTTEN':
    'Les noms et les numéros de ce lot ont été effacés : ses lignes ne peuvent pas être payées de nouveau.',
  'reason.NOT_SUBMITTER': 'Seule la personne qui a soumis le lot, {name}, peut le retirer.',
  'reason.ROW_IS': 'L’état de la ligne {row} est « {row_status} », et non « {wanted_status} ».',
  'reason.ROW_CHANGED': 'La ligne {row} a changé entre-temps. Regardez-la de nouveau.',
  'reason.ROW_LOOKED_UP':
    'La ligne {row} est encore en cours de vérification. Ne décidez que si les vérifications ne trouvent rien.',
  'reason.ROW_TOO_EARLY':
    'Le service a accepté la ligne {row} le {sent_at} et peut encore donner son résultat. Vous pouvez décider à partir du {from_at}.',
  'reason.ROW_UNANSWERED':
    'Le service ne dit pas où en est la ligne {row}. Réessayez plus tard ; à partir du {from_at}, vous pouvez décider sans sa réponse.',
  'reason.ROW_ANSWERED':
    '{why, select, own {Le service dit maintenant « {service_status} » de la ligne {row}. Elle est vérifiée de nouveau.} other {Le service a un autre paiement de la ligne {row} ({topup_id}) : « {service_status} ». Il a peut-être payé la ligne : interrogez le service.}}',
  'reason.ROW_LEFT_OUT': 'La ligne {row} est exclue du fichier. Remettez-la d’abord.',
  'reason.REPORTS_MISSING': 'Il n’y a pas encore de tels rapports du lot. Écrivez-les d’abord.',
  'reason.PERSON_EXISTS': 'Il y a déjà une personne du nom de {name} ou avec cette adresse e-mail.',
  'reason.PERSON_UNKNOWN': 'Il n’y a personne du nom de {name}.',
  'reason.EMAIL_TAKEN': 'Une autre personne a cette adresse e-mail.',
  'reason.LAST_ADMIN': '{name} est le seul administrateur. Donnez d’abord ce rôle à une autre personne.',
  'reason.NAME_MISSING': 'Choisissez un nom.',
  'reason.APP_EXISTS': 'Vous avez déjà une application à codes. Supprimez-la d’abord.',
  'reason.API_KEY_EXISTS': 'Il y a déjà une clé du nom de {name}. Choisissez un autre nom, ou révoquez cette clé.',
  'reason.API_KEY_UNKNOWN': 'Il n’y a pas de clé du nom de {name}, ou elle est déjà révoquée.',
  'reason.SESSION_ENDED': 'Cette session est déjà terminée.',
  'reason.OWNER_UNFIT':
    '{name} ne peut pas s’occuper de ces lignes. Choisissez une personne ayant le rôle « exploiter » ou « résoudre » pour ce compte.',
  'reason.NUMBER_UNPAYABLE': 'Ce n’est pas un numéro que l’on peut payer. Écrivez-le avec « + » et son indicatif.',
  'reason.ENDPOINTS_MAX': 'Le nombre maximal de destinations est atteint : {count}. Supprimez-en une d’abord.',
  'reason.ENDPOINT_LOCAL':
    'Cette adresse est celle du serveur lui-même. Un administrateur doit autoriser les adresses privées.',
  'reason.ENDPOINT_DISABLED': 'La destination est désactivée. Activez-la d’abord.',
  'reason.TIME_PAST': 'Cette heure est passée. Choisissez une heure à venir.',
  'reason.TIMES_BACKWARDS': 'La fin est avant le début. Choisissez d’abord la date la plus ancienne.',
  'reason.DAY_TO_COME': 'Ce jour est encore à venir. Choisissez un jour déjà commencé.',
  'reason.LINE_UNKNOWN': 'Cette ligne n’existe plus. Comparez de nouveau.',
  'reason.JOB_UNKNOWN': 'Il n’y a plus de tâche du nom de {job}.',
  'reason.FIX_UNFIT': 'Ces lignes ne peuvent pas être corrigées ainsi, ou avec cette valeur.',
  'reason.COLUMNS_UNCLEAR': 'Indiquez d’abord le sens de chaque colonne.',
  'reason.INPUT_REFUSED': 'Le serveur n’accepte pas ce que vous avez saisi. Vérifiez : {fields}.',
  'reason.DOUBT_OPEN': 'On ne sait pas si cela a été payé. airbatch vérifie de nouveau.',
  'reason.DOUBT_INTERRUPTED': 'Le programme s’est arrêté pendant l’envoi. airbatch vérifie si cela a été payé.',
  'reason.DOUBT_OTHER':
    'Une personne doit décider : sous la référence de la ligne {row} du lot {batch}, le service a {difference, select, reference {une autre référence} phone_number {un autre numéro de téléphone} product {un autre produit} currency {une autre devise} other {un autre montant}}.',
  'reason.DOUBT_SEVERAL':
    'Une personne doit décider : le service a plusieurs paiements sous la référence de la ligne {row} du lot {batch} : {count}.',
  'reason.DOUBT_UNFOUND': 'Une personne doit décider : la réponse du service se contredit.',
  'reason.DOUBT_SAME_ERROR':
    'Une personne doit décider : le service a répété la même erreur ({http_status}), {times, plural, one {# fois} other {# fois}}. C’est peut-être une réponse mise en mémoire.',
  'reason.DOUBT_NOT_FOUND':
    'Une personne doit décider : envoyée {times, plural, one {# fois} other {# fois}}, aucune vérification ne l’a trouvée.',
  'reason.DOUBT_KEY_OLD':
    'Une personne doit décider : elle est trop ancienne pour être renvoyée sans risque, et le service ne l’a pas.',
  'reason.DOUBT_REFUSED': 'Une personne doit décider : le service l’a refusée autant de fois qu’elle peut être tentée.',
  'reason.DOUBT_UNANSWERED':
    'Une personne doit décider : le service n’a répondu à aucune vérification pendant un jour ({code}).',
  'reason.DOUBT_RESTORED':
    'Une personne doit décider : le service a le paiement {topup_id}, absent du registre restauré.',
  'reason.DOUBT_EARLIER':
    'Une personne doit décider : le service dit « {service_status} » d’une tentative antérieure (numéro {generation}).',
  'reason.DOUBT_PAID_BEFORE':
    'Une personne doit décider : d’après ce que dit maintenant le service, la ligne {row} du lot {batch} a peut-être payé la même chose.',
  'reason.ROW_OVERDUE': 'Le service n’a pas donné de résultat dans le délai qu’il promet.',
  'reason.PAUSE_FAILURES':
    'Lignes en échec parmi les dernières ({rows}) : {failed}. Pas plus de {percent} % ne sont permis.',
  'reason.PAUSE_FIRST_ROWS':
    'Lignes en échec parmi les premières ({rows}) : {failed}. Elles sont d’abord envoyées seules, pour essai.',
  'reason.PAUSE_COST':
    'La ligne {row} a coûté {cost} {currency}, et la ligne {other_row} du même genre {other_cost} {currency}.',
  'reason.PAUSE_SPENT':
    'Dépensé : {spent} {currency}{why, select, products {, sans compter les produits} other {}} ; approuvé : {approved} {currency}.',
  'reason.PAUSE_OTHER':
    'Pour la ligne {row} du lot {batch}, le service a {difference, select, reference {une autre référence} phone_number {un autre numéro de téléphone} product {un autre produit} currency {une autre devise} amount {un autre montant} other {un autre paiement}}.',
  'reason.PAUSE_PAID_TWICE':
    'La ligne {row} du lot {batch} a peut-être été payée deux fois : le service a aussi le paiement {topup_id}.',
  'reason.PAUSE_MOVED': 'Le lot a été fait pour {service} ; le compte {account} est maintenant chez {other_service}.',
  'reason.PAUSE_SHORT':
    'Il manque {missing} pour le lot entier ; rien n’a été envoyé.{others, select, none {} other { D’autres lots ont encore besoin de {others}.}}',
  'reason.PAUSE_REFUSED': 'Le service répond : « {message} » ({service_code}).',
  'reason.APPROVAL_ALWAYS':
    'Selon les règles de cette installation, {approvers, plural, one {une autre personne doit l’approuver} other {# autres personnes doivent l’approuver}}.',
  'reason.APPROVAL_ROWS':
    'Lignes à payer : {rows}. Au-dessus de {most_rows}, {approvers, plural, one {une autre personne doit l’approuver} other {# autres personnes doivent l’approuver}}.',
  'reason.APPROVAL_SUM':
    'Il paie {amount} {currency}. Au-dessus de {most_amount} {currency}, {approvers, plural, one {une autre personne doit l’approuver} other {# autres personnes doivent l’approuver}}.',
  'reason.APPROVAL_PRODUCTS':
    'Il achète des produits dont seul le service connaît le prix : {approvers, plural, one {une autre personne doit l’approuver} other {# autres personnes doivent l’approuver}}.',
};

/** The texts of failures and refusals: loaded with those of the later pages, or with the first failure. */
export const refusalTexts = { ...failures, ...refusals };
