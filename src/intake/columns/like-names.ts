import { similarName } from '../../core/text/similar-name.ts';
import type { Field } from '../cells/fields.ts';

/**
 * Words that show that a column may contain a field, whatever else its name says; one line a language, in the form of
 * `plainName`.
 */
const words: Partial<Record<Field, readonly string[]>> = {
  amount: [
    'amount amounts amt value sum total gross net balance salary wage wages pay payable payout airtime topup',
    'montant montants somme total brut net solde salaire paie paye valeur verser',
    'monto importe cantidad total bruto neto saldo salario sueldo valor pago pagar',
    'montante quantia total bruto liquido saldo salario valor pagamento pagar',
    'kiasi jumla salio mshahara malipo',
    'betrag summe gesamt brutto netto saldo gehalt lohn auszahlung wert',
  ],
  phone_number: [
    'phone phones mobile cell cellphone cellular msisdn tel telephone gsm whatsapp whats mpesa momo',
    'telephone portable mobile',
    'telefono movil celular',
    'telefone movel telemovel celular',
    'simu',
    'telefon handy mobil rufnummer handynummer telefonnummer mobilnummer',
  ],
  network_id: [
    'network networks operator carrier telco provider',
    'reseau operateur',
    'red operador operadora',
    'rede operadora',
    'mtandao',
    'netz netzwerk netzbetreiber anbieter betreiber',
  ],
  reference: ['reference ref references', 'reference', 'referencia', 'referencia', 'kumbukumbu rejea', 'referenz'],
};

/** German joins words: "Bruttobetrag", "Nettolohn". */
const within: Partial<Record<Field, RegExp>> = {
  amount: /betrag|summe|brutto|netto|gehalt|lohn/,
  phone_number: /telefon|handy/,
};

/** Words that show that a column has no amounts: "pay date", "total hours", "pay grade". */
const noAmounts = new Set(
  [
    'number no num nr nummer id code date day days month year period hours grade point method mode type status count rate percent name',
    'jour jours mois annee heures taux nombre nom numero',
    'dia dias mes ano horas fecha tasa numero nombre',
    'data hora taxa nome',
    'tarehe siku mwezi saa idadi jina namba nambari',
    'datum tag tage monat jahr stunden anzahl prozent',
  ].flatMap((line) => line.split(' ')),
);

const byField = new Map(
  (Object.entries(words) as [Field, readonly string[]][]).map(([field, lines]) => [
    field,
    new Set(lines.flatMap((line) => line.split(' '))),
  ]),
);

/** Whether a part of a column's plain name shows that it may contain a field. */
export function hasWordOf(plainName: string, field: Field): boolean {
  const parts = plainName.split(' ');
  if (field === 'amount' && parts.some((part) => noAmounts.has(part))) return false;
  return parts.some((part) => byField.get(field)?.has(part) || within[field]?.test(part));
}

/** Shorter words are similar to too many others. */
const nearLengthMin = 5;

/** Whether a part of a plain name is such a word with one typing error: "phnoe", "amout". */
export function hasWordNear(plainName: string, field: Field): boolean {
  const known = [...(byField.get(field) ?? [])].filter((word) => word.length >= nearLengthMin);
  return plainName.split(' ').some((part) => similarName(part, known, 1) !== null);
}
