import { approval } from './fr/approval.ts';
import { audit } from './fr/audit.ts';
import { batch } from './fr/batch.ts';
import { doubts } from './fr/doubts.ts';
import { draft } from './fr/draft.ts';
import { events } from './fr/events.ts';
import { jobs } from './fr/jobs.ts';
import { reconciliation } from './fr/reconciliation.ts';
import { reports } from './fr/reports.ts';
import { rows } from './fr/rows.ts';
import { settings } from './fr/settings.ts';
import { situation } from './fr/situation.ts';
import { wallets } from './fr/wallets.ts';
import { refusalTexts } from './fr-refusals.ts';

/** What can be wrong with a row, by the code of the problem: in one sentence, and with what the row shows. */
const problems = {
  'problem.ROW_TOO_LONG': 'La ligne a plus de cellules que l’en-tête',
  'problem.ROW_TOO_LONG.more':
    'Elle a {cells} cellules ; le fichier a {columns, plural, one {# colonne} other {# colonnes}} : des valeurs peuvent être dans la mauvaise.',
  'problem.ROW_CUT_SHORT': 'Le fichier s’arrête au milieu de la ligne',
  'problem.ROW_CUT_SHORT.more':
    'Elle a {cells} cellules sur {columns}. Exportez à nouveau le fichier : d’autres lignes peuvent manquer.',
  'problem.ROW_SWALLOWED': 'Une cellule semble contenir d’autres lignes du fichier',
  'problem.ROW_SWALLOWED.more': 'Supprimez le guillemet qui n’est pas fermé.',
  'problem.QUOTE_STRAY': 'Un guillemet isolé rend la fin d’une cellule incertaine',
  'problem.FORMULA_WITHOUT_VALUE': 'Une cellule contient une formule au lieu de sa valeur',
  'problem.FORMULA_WITHOUT_VALUE.more': 'Écrivez la valeur que montre le tableur.',
  'problem.PHONE_MISSING': 'Le numéro de téléphone manque',
  'problem.PHONE_NOT_A_NUMBER': 'Le numéro de téléphone contient autre chose que des chiffres',
  'problem.PHONE_NOT_A_NUMBER.more':
    'Écrivez-le avec son indicatif et des chiffres seulement, par exemple +254712345678.',
  'problem.PHONE_DIGITS_LOST': 'Un tableur a détruit des chiffres du numéro',
  'problem.PHONE_DIGITS_LOST.more': 'Reprenez le numéro à sa source : les chiffres perdus ne peuvent être retrouvés.',
  'problem.PHONE_ROUNDED': 'Un tableur a peut-être arrondi le numéro',
  'problem.PHONE_ROUNDED.more': 'Comparez-le avec sa source.',
  'problem.PHONE_SEVERAL': 'La cellule contient plusieurs numéros',
  'problem.PHONE_SEVERAL.more': 'Donnez à chaque numéro sa propre ligne.',
  'problem.PHONE_NEEDS_COUNTRY': 'Le numéro n’a pas d’indicatif et son pays n’est pas connu',
  'problem.PHONE_NEEDS_COUNTRY.more': 'Ajoutez l’indicatif ou choisissez le pays pour tout le fichier.',
  'problem.PHONE_AMBIGUOUS': 'Le numéro peut être lu de deux façons',
  'problem.PHONE_AMBIGUOUS.more': 'Ce peut être {one} ou {other}.',
  'problem.PHONE_INVALID': 'Ce numéro de téléphone n’existe pas',
  'problem.PHONE_INVALID.more':
    '{why, select, short {Il est trop court : un chiffre manque peut-être.} long {Il est trop long : il a peut-être un chiffre de trop.} nowhere {Aucun pays n’a de tels numéros.} other {Ses premiers chiffres n’appartiennent à aucun réseau.}}',
  'problem.PHONE_NOT_MOBILE': 'Ce n’est pas un numéro de mobile',
  'problem.PHONE_NOT_MOBILE.more': 'Le crédit ne va qu’aux téléphones mobiles.',
  'problem.PHONE_OTHER_COUNTRY': 'Le numéro appartient à un autre pays que celui de la ligne',
  'problem.PHONE_OTHER_COUNTRY.more': 'Il appartient à : {country} ; la ligne dit : {row_country}.',
  'problem.COUNTRY_UNKNOWN': 'Ce pays n’existe pas',
  'problem.COUNTRY_UNKNOWN.more': 'Écrivez le code à deux lettres, par exemple KE pour le Kenya.',
  'problem.COUNTRY_NOT_ALLOWED': 'Le pays ne fait pas partie de ceux autorisés',
  'problem.COUNTRY_NOT_ALLOWED.more': '{country} : les paiements n’y sont pas autorisés ici.',
  'problem.NETWORK_MISSING': 'Le réseau manque',
  'problem.NETWORK_MISSING.more': 'Indiquez-le ou choisissez-le pour tout le fichier.',
  'problem.NETWORK_UNKNOWN': 'Ce réseau n’existe pas dans le pays du numéro',
  'problem.NETWORK_UNKNOWN.more': '{country} : {networks}.',
  'problem.NETWORK_AMBIGUOUS': 'Le nom convient à plusieurs réseaux',
  'problem.NETWORK_AMBIGUOUS.more': 'Écrivez l’identifiant du bon : {networks}.',
  'problem.NETWORK_UNRESOLVED': 'Le réseau est donné par son nom, et le service n’a pas donné sa liste',
  'problem.NETWORK_UNRESOLVED.more': 'Réessayez plus tard ou écrivez son identifiant.',
  'problem.NOTHING_TO_PAY': 'La ligne n’a ni montant ni produit',
  'problem.AMOUNT_AND_PRODUCT': 'La ligne a à la fois un montant et un produit',
  'problem.AMOUNT_AND_PRODUCT.more': 'Laissez l’une des deux cellules vide.',
  'problem.AMOUNT_NOT_A_NUMBER': 'Le montant n’est pas un nombre',
  'problem.AMOUNT_NOT_A_NUMBER.more':
    '{why, select, shortened {Un tableur l’a abrégé : des chiffres sont peut-être perdus.} date {C’est une date : un tableur a peut-être transformé un nombre.} space {Un caractère a été perdu à l’enregistrement, peut-être une espace entre les milliers. Enregistrez le fichier en « CSV UTF-8 », ou écrivez le montant sans lui.} percent {C’est un pourcentage.} format {La feuille montre un autre nombre que celui de la cellule.} other {Écrivez-le en chiffres avec un point décimal, par exemple 1250.50.}}',
  'problem.AMOUNT_AMBIGUOUS': 'Le montant peut être lu de deux façons',
  'problem.AMOUNT_AMBIGUOUS.more':
    '{why, select, split {Ce peut être {one}, ou {other} coupé en deux cellules.} other {Ce peut être {one} ou {other}. Choisissez le signe décimal.}}',
  'problem.AMOUNT_DECIMALS': 'Le montant a plus de décimales que sa devise n’en permet',
  'problem.AMOUNT_DECIMALS.more':
    '{currency} a {decimals, plural, one {# décimale} other {# décimales}} : arrondissez le montant.',
  'problem.AMOUNT_NOT_POSITIVE': 'Le montant est nul ou négatif',
  'problem.AMOUNT_TOO_SMALL': 'Le montant est inférieur au minimum fixé',
  'problem.AMOUNT_TOO_SMALL.more': 'Une ligne doit recevoir au moins {amount} {currency}.',
  'problem.AMOUNT_TOO_LARGE': 'Le montant dépasse le maximum',
  'problem.AMOUNT_TOO_LARGE.more':
    '{why, select, limit {Une ligne peut recevoir au plus {amount} {currency}.} other {Il dépasse toute recharge : vérifiez qu’il est dans la bonne colonne.}}',
  'problem.CURRENCY_MISSING': 'La devise manque',
  'problem.CURRENCY_MISSING.more':
    '{why, select, franc {Ce peut être XOF (Afrique de l’Ouest) ou XAF (Afrique centrale).} other {Écrivez le code à trois lettres, par exemple {example}, ou choisissez-le pour tout le fichier.}}',
  'problem.CURRENCY_UNKNOWN': 'Cette devise n’existe pas',
  'problem.CURRENCY_CONFLICT': 'Deux devises sont nommées pour un montant',
  'problem.CURRENCY_CONFLICT.more': 'La devise est {currency}, et le montant est écrit avec {written}.',
  'problem.CURRENCY_OF_OTHER_COUNTRY': 'Le réseau est payé dans une autre devise',
  'problem.CURRENCY_OF_OTHER_COUNTRY.more': 'Il est payé en {network_currency}, et le montant est en {currency}.',
  'problem.PRODUCT_INVALID': 'Ce ne peut être l’identifiant d’un produit',
  'problem.PRODUCT_UNKNOWN': 'Le réseau n’a pas ce produit',
  'problem.REFERENCE_INVALID': 'La référence ne peut être utilisée',
  'problem.REFERENCE_INVALID.more': 'Donnez-en une autre à la ligne ou laissez la cellule vide.',
  'problem.REFERENCE_TWICE': 'Plusieurs lignes ont la même référence',
  'problem.REFERENCE_TWICE.more':
    'La ligne {other_line} du fichier l’a aussi : donnez à chaque ligne la sienne ou excluez-en une.',
  'problem.SMS_NOT_A_TEXT': 'Le message n’est qu’un oui ou un non',
  'problem.SMS_NOT_A_TEXT.more': 'C’est la cellule qui serait envoyée : écrivez le texte ou laissez-la vide.',
  'problem.SMS_TOO_LONG': 'Le message est trop long',
  'problem.SMS_TOO_LONG.more': 'Il a {length} caractères, et {most} peuvent être envoyés.',
  'problem.TOTAL_LINE': 'La ligne est le total des autres',
  'problem.DUPLICATE': 'Le même numéro reçoit deux fois le même paiement',
  'problem.DUPLICATE.more':
    'La ligne {other_line} du fichier paie la même chose : excluez-en une ou faites-la libérer après l’approbation.',
  'problem.NUMBER_MAXIMUM': 'Un numéro reçoit plus que le maximum fixé',
  'problem.NUMBER_MAXIMUM.more': 'Un numéro peut recevoir {amount} {currency} d’un fichier.',
  'problem.ALREADY_PAID': 'Un lot antérieur de la série a payé cette ligne',
  'problem.ALREADY_PAID.more':
    'Dans le lot {batch}, {earlier_line, select, none {ligne {row}} other {ligne {earlier_line} de son fichier}}.',
  'problem.ALREADY_SENT': 'Un lot antérieur de la série a envoyé cette ligne, et elle n’est pas terminée',
  'problem.FAILED_BEFORE': 'Un lot antérieur de la série a tenté cette ligne, et elle a échoué',
  'problem.MAY_BE_PAID': 'La ligne avait échoué, mais le service dit maintenant qu’elle est peut-être payée',
  'problem.NOT_LOOKED_UP': 'Le service n’a pas dit si cette ligne était déjà payée',
  'problem.REFERENCE_REUSED': 'Un lot antérieur de la série a utilisé la référence pour un autre paiement',
  'problem.SENT_LATELY': 'Un autre lot a récemment envoyé le même paiement à ce numéro',
  'problem.SENT_LATELY.more':
    '{why, select, sent {Le {day}, dans le lot {batch}, {earlier_line, select, none {ligne {row}} other {ligne {earlier_line} de son fichier}}.} lost {Le {day}, par un paiement que seul le service connaît.} other {La liste du service n’a pu être lue.}}',
  'problem.PAID_OTHERWISE': 'La série a déjà envoyé à ce numéro un autre paiement, absent de ce fichier',
  'problem.RECIPIENT_MAXIMUM': 'Avec cette ligne, le numéro dépasserait le maximum de tous les lots',
  'problem.RECIPIENT_MAXIMUM.more':
    'Il recevrait {sum} {currency} en {days, plural, one {# jour} other {# jours}} ; le maximum est de {amount} {currency}.',
  'problem.SKIPPED_BY_PERSON': 'Une personne a décidé de ne pas payer cette ligne',
};

/** Why a whole file cannot be paid, and what a person should know about one, by code. */
const reasons = {
  'draft.not_payable': 'Le fichier ne peut pas être payé tel quel',
  'reason.EMPTY': 'Le fichier est vide.',
  'reason.NO_ROWS': 'Le fichier a un en-tête, mais aucune ligne en dessous.',
  'reason.NOT_A_TABLE':
    'C’est {kind, select, pdf {un document PDF} old_excel {un ancien classeur Excel (.xls) ou un classeur protégé par un mot de passe} image {une image} page {une page web} spreadsheet {un tableur d’un autre programme} archive {un fichier compressé} other {un autre type de fichier}}, pas un tableau. Enregistrez le tableau comme classeur Excel (.xlsx) ou en « CSV UTF-8 ».',
  'reason.ENCODING':
    'Le texte du fichier est illisible : le fichier est endommagé ou son encodage est inconnu. Enregistrez-le de nouveau en « CSV UTF-8 ».',
  'reason.DAMAGED': 'Le fichier est endommagé ou incomplet. Enregistrez-le de nouveau, puis téléversez ce fichier.',
  'reason.PACKED_TWICE':
    'Le fichier est compressé deux fois. Décompressez-le une fois, puis téléversez le fichier obtenu.',
  'reason.TOO_LARGE':
    'Le fichier dépasse {bytes}. Divisez-le ou, si c’est un classeur, enregistrez-le en « CSV UTF-8 ».',
  'reason.TOO_MANY_ROWS': 'Le fichier a plus de {rows} lignes. Divisez-le.',
  'reason.TOO_WIDE': 'Le fichier a plus de {columns} colonnes. Supprimez celles dont personne n’a besoin.',
  'reason.QUOTE_OPEN':
    'Un guillemet (") n’est pas fermé dans la ligne du tableau qui commence à la ligne {line} du fichier. Corrigez-le ou enregistrez de nouveau le tableau.',
  'reason.ONE_COLUMN':
    'Tout le tableau se trouve dans une seule colonne. Dans un tableur, utilisez « Convertir », puis enregistrez-le de nouveau.',
  'reason.HEADER_LINE': 'La ligne {line} a été indiquée comme en-tête, mais elle est vide ou n’existe pas.',
  'reason.COLUMN_MISSING': 'Aucune colonne trouvée pour : {fields}. La ligne des noms de colonnes contient : {header}',
  'reason.COLUMN_UNCLEAR': 'Chacune des colonnes {columns} pourrait être : {field}.',
  'reason.COLUMN_TWICE': 'Deux colonnes s’appellent « {column} ». Donnez à chacune son propre nom.',
  'reason.COLUMN_HIDDEN':
    'La colonne « {column} » pourrait être : {field}. La feuille la masque : affichez-la et vérifiez son contenu.',
  'reason.COLUMN_UNKNOWN': 'La colonne « {column} » a été choisie pour {field}, mais le fichier n’a pas cette colonne.',
  'reason.COLUMN_NAME': 'Une colonne s’appelle « {column} », ce qui n’est pas autorisé. Donnez-lui un autre nom.',
  'reason.COLUMN_SHARED': 'La colonne « {column} » est lue de plusieurs façons : {fields}.',
  'reason.OWN_RESULTS':
    'Ce sont les résultats d’un lot, avec des lignes déjà payées : ce n’est pas un fichier à payer. Pour corriger des lignes, utilisez une copie de failed.csv ou de failed.xlsx.',
  'reason.CURRENCY_UNREAD':
    'La devise se trouve peut-être dans la colonne {columns}, qui n’est pas lue. Indiquez le sens de cette colonne.',
  'reason.SHEET_UNKNOWN': 'Le classeur n’a pas de feuille « {sheet} ». Ses feuilles sont : {sheets}.',
  'reason.SHEET_UNCLEAR': 'Plusieurs feuilles ont des lignes à payer : {sheets}. Choisissez-en une.',
  'reason.SUM_TOO_LARGE': 'La somme des montants dépasse {amount} {currency}, le maximum d’un fichier. Divisez-le.',
  'reason.ROWS_EXPECTED':
    'Le fichier devrait avoir {expected} lignes, mais il en a {rows}. Il est peut-être tronqué : exportez-le de nouveau.',
  'reason.SUM_EXPECTED':
    'La somme des montants devrait être {amount} {currency}, mais elle est {sum} {currency}. Le fichier est peut-être tronqué : exportez-le de nouveau.',
  'reason.END_MISSING':
    'La dernière ligne du fichier ne commence pas par « {word} ». Le fichier est peut-être tronqué : exportez-le de nouveau.',
  'reason.END_ROWS':
    'La dernière ligne ({line}) indique le nombre de lignes : {stated}. Mais le fichier en a {rows}. Il est peut-être tronqué : exportez-le de nouveau.',
  'reason.END_SUM':
    'La dernière ligne ({line}) indique la somme {stated}, mais celle des montants est {written}. Le fichier est peut-être tronqué : exportez-le de nouveau.',
  'reason.TOTAL_UNREADABLE':
    'Le total de la ligne {line} ne peut pas être comparé : le montant de la ligne {other_line} ou sa devise est illisible.',
  'reason.TOTAL_CURRENCY':
    'Le total de la ligne {line} n’indique pas de devise, mais les lignes au-dessus sont en {currencies}.',
  'reason.TOTAL_WRONG': 'Le total de la ligne {line} est {stated}, mais la somme des lignes au-dessus est {written}.',
  'reason.TOTAL_PARTIAL':
    'Le dernier total, à la ligne {line}, ne compte pas toutes les lignes. Lignes avec un montant en dessous : {rows}.',
  'reason.ABOVE_HEADER': 'Les lignes au-dessus de l’en-tête, jusqu’à la ligne {line}, n’ont pas été lues : {texts}',
  'reason.SHEETS_UNREAD': 'Seule la feuille « {sheet} » a été lue. Non lues : {sheets}.',
  'reason.ROWS_HIDDEN':
    'Les lignes masquées dans la feuille sont lues comme les autres : {count}, la première à la ligne {line}. Supprimez ce qui ne doit pas être payé.',
  'reason.ROWS_STRUCK':
    'Les lignes barrées dans la feuille sont lues comme les autres : {count}, la première à la ligne {line}. Supprimez ce qui ne doit pas être payé.',
  'reason.DATES':
    'Les références enregistrées comme dates sont lues telles qu’affichées : {count}, la première à la ligne {line} (« {text} »). Les tableurs changent en dates des textes comme « 1-24 ».',
  'reason.OWN_BATCH':
    '{did, select, prepared {Vous avez préparé ce lot} other {Vous avez soumis ce lot}} (sous le nom {name}) : une autre personne doit décider.',
  'reason.OWN_RELEASE':
    'Avec ces lignes, le lot doit être approuvé, et {did, select, prepared {vous l’avez préparé} other {vous l’avez soumis}} (sous le nom {name}) : une autre personne doit les libérer.',
  'reason.TIER_RELEASE':
    'Avec ces lignes, le lot doit être approuvé par {approvers} personnes. Libérez-en moins, ou ignorez-les et soumettez à nouveau le fichier.',
  'reason.APPROVED_ALREADY':
    'Vous avez déjà approuvé ce lot (sous le nom {name}) : une autre personne doit maintenant l’approuver.',
  'reason.APPROVAL_NEEDED': 'Ce lot doit être approuvé par une autre personne.',
  'reason.NEXT_COMPARE': 'Comparez-le à la main, et interrogez le service avec l’identifiant du paiement.',
  'reason.NEXT_AMOUNT': 'Ne payez plus depuis ce compte, et interrogez le service avec l’identifiant du paiement.',
  'reason.NEXT_COST': 'Demandez au service ce qui est juste : un débit a pu être corrigé après coup.',
  'reason.NEXT_REFUNDED':
    'Le destinataire n’a peut-être pas reçu le crédit. Dans ce cas, payez-le de nouveau sous une nouvelle référence.',
  'reason.NEXT_DUPLICATED':
    'La ligne est peut-être payée deux fois : ne payez plus depuis ce compte, et demandez au service d’annuler un des paiements.',
  'reason.NEXT_REFERENCE': 'Interrogez le service avec la référence.',
  'reason.NEXT_OTHER_PROGRAM': 'Cherchez qui d’autre utilise ce compte.',
  'reason.NEXT_OTHER_LEDGER':
    'Cherchez un autre de vos registres qui paie depuis ce compte : une seconde installation, ou une sauvegarde restaurée.',
  'reason.NEXT_UNREADABLE': 'Demandez au service ce que c’est, avec l’identifiant du paiement.',
  'reason.NEXT_EARLIER':
    'Un paiement antérieur de cette ligne comptait comme échoué, et la ligne a été envoyée de nouveau : elle est peut-être payée deux fois. Demandez au service d’annuler un des paiements.',
  'reason.NEXT_UNPAID': 'Le service ne dit plus qu’elle a été payée : interrogez-le avec l’identifiant du paiement.',
  'reason.NEXT_MAYBE_PAID':
    'Le service l’a peut-être payée : ne la payez pas de nouveau, et interrogez le service avec l’identifiant du paiement.',
  'reason.NEXT_RESOLVE': 'Une personne décide de la ligne {row} : ouvrez-la.',
  'reason.NEXT_LOOK_UP':
    'Cela peut encore changer. Pour revérifier maintenant la ligne {row}, ouvrez-la ou reprenez son lot.',
};

/** What a slot of a job has brought, why it has not, or what it waits for, by code. */
const slots = {
  'reason.FILE_MISSING': 'Il n’y a pas de fichier {file} dans {folder}.',
  'reason.FILE_FOLDER': '{file} est un dossier, pas un fichier.',
  'reason.UNREADABLE': 'Le fichier n’a pas pu être lu : {error}.',
  'reason.READING_ABANDONED': 'Le programme s’est arrêté pendant la lecture du fichier. Soumettez-le de nouveau.',
  'reason.SLOT_BATCH':
    '{why, select, waits {{file} est le lot {batch}, qui attend une approbation. Lignes à payer : {rows}.} other {{file} est le lot {batch}. Lignes à payer : {rows}.}}',
  'reason.SLOT_SAME_ROWS':
    'Lignes qui sont aussi dans le lot {batch} de la même série : {rows}. Chacune est payée une seule fois.',
  'reason.SLOT_TEXTS_LOST': 'Lignes dont le message n’est pas envoyé, car la version 1 envoie le sien : {rows}.',
  'reason.SLOT_LATE': 'Il sera terminé vers {done_at}, donc en retard : il était prévu pour {due_at}.',
  'reason.SLOT_LATE_UNKNOWN': 'Il devrait être terminé avant {due_at} ; on ne sait pas s’il le sera.',
  'reason.SLOT_MAKES_LATE':
    'Il met en retard le lot {batch}, qui sera terminé vers {done_at} et était prévu pour {due_at}.',
  'reason.SLOT_REJECTED': '{file} n’a pas pu être lu.',
  'reason.SLOT_CORRECT': 'Corrigez le fichier et déposez-le dans « inbox » avant d’exécuter de nouveau la tâche.',
  'reason.SLOT_NOT_ARCHIVED': '{file} n’a pas pu être déplacé : {error}.',
  'reason.SLOT_NOT_TAKEN':
    '{file} ne peut pas être importé : {why, select, link {c’est un lien. Déposez le fichier lui-même.} name {son nom est illisible. Donnez-lui un autre nom.} other {{error}.}}',
  'reason.SLOT_NOT_BROUGHT': 'Ces fichiers n’ont pas été importés et sont encore dans « working » : {files}.',
  'reason.SLOT_NO_FILE': 'Il n’y a pas de fichier.',
  'reason.SLOT_WRITING': 'Ces fichiers sont encore en cours d’écriture : {files}.',
  'reason.SLOT_OTHER_NAMES':
    'Le dossier « inbox » a des fichiers dont le nom ne correspond pas à « {pattern} » : {files}.',
  'reason.SLOT_NOT_FILES':
    'Ces éléments du dossier « inbox » ne sont pas payés, car ce ne sont pas des fichiers : {files}.',
  'reason.SLOT_BEFORE': 'Ses fichiers ont été importés auparavant.',
  'reason.SLOT_PARTIAL':
    '{file} était encore en cours d’écriture quand il a été lu, et le lot {batch} n’en a qu’une partie. Déposez le fichier entier dans « inbox » et exécutez de nouveau la tâche : ce qui a été payé est ignoré.',
  'reason.SLOT_COMMAND':
    'La commande {program} n’a pas donné de fichier : {why, select, exit {elle a échoué avec le code {end}.} exit_said {elle a échoué avec le code {end} et a dit « {error} ».} size {elle a écrit plus de {limit} Mio et a été arrêtée.} time {elle a duré plus de {limit} s et a été arrêtée.} stopped {elle a été arrêtée avec airbatch.} other {{error}.}}',
  'reason.SLOT_FOLDER':
    'Le dossier {folder} est inutilisable : {why, select, gone {il n’existe plus.} inbox {son dossier « inbox » n’existe plus.} other {{error}.}}',
  'reason.SLOT_RECONCILED':
    'Paiements comparés : {count}. {why, select, agrees {Tout concorde.} no_wallets {Le registre et le service concordent ; les portefeuilles n’ont pas été comparés.} open {Une personne doit en examiner certains.} other {Les portefeuilles ne concordent pas.}} Rapport : {folder}',
  'reason.SLOT_BACKUP':
    'La sauvegarde {file} est faite ; anciennes sauvegardes supprimées : {count}. {why, select, made {Elle n’a pas été essayée.} good {Elle peut être restaurée.} other {Son registre ne concorde pas avec ses chaînes d’audit.}}',
  'reason.SLOT_MISSED': 'Manquée parce qu’aucun programme ne tournait, et non exécutée ensuite.',
  'reason.SLOT_STOPPED': 'L’exécution a été arrêtée avec airbatch et continue au prochain démarrage.',
  'reason.SLOT_RETRIED': 'L’exécution a été réessayée pendant {minutes, plural, one {# minute} other {# minutes}}.',
  'reason.SLOT_TROUBLE':
    '{code, select, ACCOUNT_BUSY {Un autre programme travaille pour ce compte.} CREDENTIALS_REJECTED {Le service refuse les identifiants du compte.} FENCED {Un autre processus a pris le relais.} LEDGER_BUSY {Un autre programme utilise le registre.} LEDGER_FULL {Le disque du registre est plein.} LEDGER_IO {Le registre n’a pas pu être écrit.} SERVICE_UNREACHABLE {Le service ne répond pas.} other {{error}}}',
};

/** The texts of failures, and of pages that are not opened first: such a page loads them (`pages.ts`). */
export const texts = {
  ...wallets,
  ...situation,
  ...rows,
  ...jobs,
  ...events,
  ...doubts,
  ...batch,
  ...approval,
  ...audit,
  ...draft,
  ...reconciliation,
  ...reports,
  ...settings,
  ...problems,
  ...reasons,
  ...slots,
  ...refusalTexts,
};
