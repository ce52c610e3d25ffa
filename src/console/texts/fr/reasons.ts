import type { reasons as english } from '../en/reasons.ts';

export const reasons: Record<keyof typeof english, string> = {
  'draft.not_payable': 'Le fichier ne peut pas être payé tel quel',
  'reason.EMPTY': 'Le fichier est vide.',
  'reason.NO_ROWS': 'Le fichier a un en-tête, mais aucune ligne en dessous.',
  'reason.NOT_A_TABLE':
    'C’est {kind, select, pdf {un document PDF} old_excel {un ancien classeur Excel (.xls) ou un classeur protégé par un mot de passe} image {une image} page {une page web} spreadsheet {un tableur d’un autre programme} archive {un fichier compressé} other {un autre type de fichier}}, pas un tableau. Enregistrez le tableau comme classeur Excel (.xlsx) ou en « CSV UTF-8 ».',
  'reason.ENCODING':
    'Le texte du fichier est illisible : le fichier est endommagé ou son encodage est inconnu. Enregistrez-le de nouveau en « CSV UTF-8 ».',
  'reason.DAMAGED': 'Le fichier est endommagé ou incomplet. Enregistrez-le de nouveau, puis téléversez ce fichier.',
  'reason.PACKED_TWICE':
    'Le fichier est compressé deux fois. Décompressez-le une fois, puis téléversez le fichier obtenu.',
  'reason.TOO_LARGE':
    'Le fichier dépasse {bytes}. Divisez-le ou, si c’est un classeur, enregistrez-le en « CSV UTF-8 ».',
  'reason.TOO_MANY_ROWS': 'Le fichier a plus de {rows} lignes. Divisez-le.',
  'reason.TOO_WIDE': 'Le fichier a plus de {columns} colonnes. Supprimez celles dont personne n’a besoin.',
  'reason.QUOTE_OPEN':
    'Un guillemet (") n’est pas fermé dans la ligne qui commence à la ligne {line}. Corrigez-le ou enregistrez de nouveau le tableau.',
  'reason.ONE_COLUMN':
    'Tout le tableau se trouve dans une seule colonne. Dans un tableur, utilisez « Convertir », puis enregistrez-le de nouveau.',
  'reason.HEADER_LINE': 'La ligne {line} a été indiquée comme en-tête, mais elle est vide ou n’existe pas.',
  'reason.COLUMN_MISSING':
    'Aucune colonne trouvée pour : {fields}. La première ligne doit nommer les colonnes ; elle contient : {header}',
  'reason.COLUMN_UNCLEAR': 'Chacune des colonnes {columns} pourrait être : {field}.',
  'reason.COLUMN_TWICE':
    'Deux colonnes s’appellent « {column} ». Donnez à chacune son propre nom dans la première ligne.',
  'reason.COLUMN_HIDDEN':
    'La colonne « {column} » pourrait être : {field}. La feuille la masque : affichez-la et vérifiez son contenu.',
  'reason.COLUMN_UNKNOWN': 'La colonne « {column} » a été choisie pour {field}, mais le fichier n’a pas cette colonne.',
  'reason.COLUMN_NAME': 'Une colonne s’appelle « {column} », ce qui n’est pas autorisé. Donnez-lui un autre nom.',
  'reason.COLUMN_SHARED': 'La colonne « {column} » est lue de plusieurs façons : {fields}.',
  'reason.CURRENCY_UNREAD':
    'La devise se trouve peut-être dans la colonne {columns}, qui n’est pas lue. Indiquez le sens de cette colonne.',
  'reason.SHEET_UNKNOWN': 'Le classeur n’a pas de feuille « {sheet} ». Ses feuilles sont : {sheets}.',
  'reason.SHEET_UNCLEAR': 'Plusieurs feuilles ont des lignes à payer : {sheets}. Choisissez-en une.',
  'reason.SUM_TOO_LARGE': 'La somme des montants dépasse {amount} {currency}, le maximum d’un fichier. Divisez-le.',
  'reason.ROWS_EXPECTED':
    'Le fichier devrait avoir {expected} lignes, mais il en a {rows}. Il est peut-être tronqué : exportez-le de nouveau.',
  'reason.SUM_EXPECTED':
    'La somme des montants devrait être {amount} {currency}, mais elle est {sum} {currency}. Le fichier est peut-être tronqué : exportez-le de nouveau.',
  'reason.END_MISSING':
    'La dernière ligne du fichier ne commence pas par « {word} ». Le fichier est peut-être tronqué : exportez-le de nouveau.',
  'reason.END_ROWS':
    'La dernière ligne ({line}) indique le nombre de lignes : {stated}. Mais le fichier en a {rows}. Il est peut-être tronqué : exportez-le de nouveau.',
  'reason.END_SUM':
    'La dernière ligne ({line}) indique la somme {stated}, mais celle des montants est {written}. Le fichier est peut-être tronqué : exportez-le de nouveau.',
  'reason.TOTAL_UNREADABLE':
    'Le total de la ligne {line} ne peut pas être comparé : le montant de la ligne {other_line} est illisible.',
  'reason.TOTAL_CURRENCY':
    'Le total de la ligne {line} n’indique pas de devise, mais les lignes au-dessus sont en {currencies}.',
  'reason.TOTAL_WRONG': 'Le total de la ligne {line} est {stated}, mais la somme des lignes au-dessus est {written}.',
  'reason.TOTAL_PARTIAL':
    'Le dernier total, à la ligne {line}, ne compte pas toutes les lignes. Lignes avec un montant en dessous : {rows}.',
  'reason.ABOVE_HEADER': 'Les lignes au-dessus de l’en-tête, jusqu’à la ligne {line}, n’ont pas été lues : {texts}',
  'reason.SHEETS_UNREAD': 'Seule la feuille « {sheet} » a été lue. Non lues : {sheets}.',
  'reason.ROWS_HIDDEN':
    'Les lignes masquées dans la feuille sont lues comme les autres : {count}, la première à la ligne {line}. Supprimez ce qui ne doit pas être payé.',
  'reason.ROWS_STRUCK':
    'Les lignes barrées dans la feuille sont lues comme les autres : {count}, la première à la ligne {line}. Supprimez ce qui ne doit pas être payé.',
  'reason.DATES':
    'Les références enregistrées comme dates sont lues telles qu’affichées : {count}, la première à la ligne {line} (« {text} »). Les tableurs changent en dates des textes comme « 1-24 ».',
};
