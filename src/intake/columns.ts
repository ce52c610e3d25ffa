import { AirbatchError } from '../core/errors.ts';
import type { Field } from './settings.ts';
import { fields } from './settings.ts';

/** Where each meaning stands in the file: the index of its column. */
export type ColumnPlan = Partial<Record<Field, number>>;

/** How the header was understood, for people. */
export interface UnderstoodColumn {
  /** The file's own name. */
  column: string;
  /** What it was taken for; null: kept, and not read. */
  field: Field | null;
}

/** Columns that our own files add; they speak of an earlier reading. */
const ownColumns = new Set(['problem', 'suggestion']);

/** The names that people give the columns, in English, French, Spanish, Portuguese and Swahili, as `plainName` writes them. */
const aliases: Record<Field, readonly string[]> = {
  phone_number: [
    'phone number',
    'phone',
    'phone no',
    'phonenumber',
    'mobile',
    'mobile number',
    'mobile no',
    'mobile phone',
    'cell',
    'cell phone',
    'cell number',
    'cellphone',
    'msisdn',
    'telephone',
    'telephone number',
    'tel',
    'tel no',
    'recipient',
    'recipient number',
    'recipient phone',
    'beneficiary number',
    'phone e164',
    'numero de telephone',
    'numero telephone',
    'no de telephone',
    'no telephone',
    'portable',
    'numero portable',
    'numero mobile',
    'gsm',
    'numero gsm',
    'telefono',
    'numero de telefono',
    'no de telefono',
    'movil',
    'numero movil',
    'numero de movil',
    'celular',
    'numero de celular',
    'numero celular',
    'telefone',
    'numero de telefone',
    'telemovel',
    'numero de telemovel',
    'simu',
    'namba ya simu',
    'nambari ya simu',
    'simu ya mkononi',
  ],
  country: [
    'country',
    'country code',
    'country iso',
    'iso country',
    'pays',
    'code pays',
    'pais',
    'codigo de pais',
    'codigo pais',
    'codigo do pais',
    'nchi',
  ],
  network_id: [
    'network id',
    'networkid',
    'network',
    'network name',
    'operator',
    'operator id',
    'operator name',
    'carrier',
    'telco',
    'provider',
    'mobile network',
    'reseau',
    'nom du reseau',
    'operateur',
    'red',
    'operador',
    'operadora',
    'rede',
    'mtandao',
    'mtandao wa simu',
  ],
  amount: [
    'amount',
    'value',
    'sum',
    'airtime',
    'airtime amount',
    'topup amount',
    'top up amount',
    'top up',
    'amt',
    'montant',
    'somme',
    'valeur',
    'monto',
    'importe',
    'cantidad',
    'valor',
    'montante',
    'quantia',
    'kiasi',
    'kiasi cha fedha',
    'kiwango',
  ],
  currency: ['currency', 'currency code', 'ccy', 'devise', 'monnaie', 'moneda', 'divisa', 'moeda', 'sarafu'],
  product_id: [
    'product id',
    'productid',
    'product',
    'product code',
    'bundle',
    'bundle id',
    'bundle code',
    'produit',
    'id produit',
    'code produit',
    'forfait',
    'producto',
    'id producto',
    'id de producto',
    'paquete',
    'produto',
    'id do produto',
    'pacote',
    'bidhaa',
    'kifurushi',
  ],
  reference: [
    'reference',
    'ref',
    'reference number',
    'reference no',
    'ref no',
    'payment reference',
    'external reference',
    'external id',
    'transaction reference',
    'numero de reference',
    'referencia',
    'numero de referencia',
    'kumbukumbu',
    'nambari ya kumbukumbu',
    'namba ya kumbukumbu',
    'rejea',
  ],
  sms_message: [
    'sms message',
    'sms',
    'message',
    'sms text',
    'text',
    'text message',
    'texte',
    'texte sms',
    'message sms',
    'mensaje',
    'mensaje sms',
    'texto',
    'texto sms',
    'mensagem',
    'mensagem sms',
    'ujumbe',
    'ujumbe wa sms',
  ],
};

const fieldByAlias = new Map<string, Field>(
  fields.flatMap((field) => aliases[field].map((alias) => [alias, field] as const)),
);

/** A header without case, accents, punctuation and doubled spaces: "Numéro  de téléphone:" is "numero de telephone". */
export function plainName(header: string): string {
  return header
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/n[º°]/g, 'no ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** What a header means by its name alone, or null. */
export function fieldOf(header: string): Field | null {
  return fieldByAlias.get(plainName(header)) ?? null;
}

/** Names that are a trap in every program that makes objects of rows. */
const trapNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Finds what each column means. `mapping` is the explicit one, by the file's own names, and goes before all names.
 * Throws `FILE_REJECTED` where the header is none, has a name twice, could be meant in two ways, or lacks what is needed.
 */
export function planColumns(
  header: readonly string[],
  mapping: Partial<Record<Field, string>>,
  defaults: { currency: string | null; networkId: number | null },
): { plan: ColumnPlan; understood: UnderstoodColumn[] } {
  refuseBadHeader(header);
  const plan: ColumnPlan = {};
  for (const field of fields) {
    const name = mapping[field];
    if (name === undefined) continue;
    plan[field] = findMapped(header, field, name);
  }
  const taken = new Set<number | undefined>(Object.values(plan));
  const candidates = new Map<Field, number[]>();
  for (const [index, name] of header.entries()) {
    const field = taken.has(index) ? null : fieldOf(name);
    if (field && plan[field] === undefined) candidates.set(field, [...(candidates.get(field) ?? []), index]);
  }
  for (const [field, indexes] of candidates) plan[field] = chooseColumn(header, field, indexes);
  refuseMissing(header, plan, defaults);
  const meaning = new Map(
    fields.flatMap((field) => (plan[field] === undefined ? [] : [[plan[field], field] as const])),
  );
  return { plan, understood: header.map((column, index) => ({ column, field: meaning.get(index) ?? null })) };
}

function refuseBadHeader(header: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of header) {
    const key = name.trim().toLowerCase();
    if (trapNames.has(key)) throw rejected(`a column is named "${name}", which is refused by name`);
    if (key !== '' && seen.has(key)) throw rejected(`two columns are named "${name.trim()}"`);
    seen.add(key);
  }
}

function findMapped(header: readonly string[], field: Field, name: string): number {
  const exact = header.indexOf(name);
  if (exact >= 0) return exact;
  const alike = header.flatMap((own, index) => (plainName(own) === plainName(name) ? [index] : []));
  if (alike.length === 1 && alike[0] !== undefined) return alike[0];
  throw rejected(`the mapping reads ${field} from the column "${name}", and the file has no such column`);
}

/** Our own name goes before its aliases: a file with `phone_number` and `phone` has been made for us. */
function chooseColumn(header: readonly string[], field: Field, indexes: readonly number[]): number {
  const [only] = indexes;
  if (indexes.length === 1 && only !== undefined) return only;
  const own = indexes.filter((index) => header[index]?.trim().toLowerCase() === field);
  if (own.length === 1 && own[0] !== undefined) return own[0];
  const names = indexes.map((index) => `"${header[index]?.trim()}"`).join(' and ');
  throw new AirbatchError('FILE_REJECTED', `the columns ${names} could each be the ${field}`, {
    hint: `Say which one is meant: set intake.columns.${field} in the configuration, or rename the other. Nothing was sent.`,
  });
}

function refuseMissing(
  header: readonly string[],
  plan: ColumnPlan,
  defaults: { currency: string | null; networkId: number | null },
): void {
  const missing: string[] = [];
  if (plan.phone_number === undefined) missing.push('phone_number');
  if (plan.network_id === undefined && defaults.networkId === null) missing.push('network_id');
  if (plan.amount === undefined && plan.product_id === undefined) missing.push('amount (or product_id)');
  if (missing.length === 0) return;
  const found = header.filter((name) => name.trim() !== '' && !ownColumns.has(name.trim()));
  const names = found.slice(0, 12).map((name) => `"${name.trim()}"`);
  const list = found.length > 12 ? `${names.join(', ')}, ...` : names.join(', ');
  throw rejected(
    `the file has no column ${missing.join(', nor one ')}; its first line reads ${list === '' ? 'empty' : list}`,
  );
}

function rejected(message: string): AirbatchError {
  return new AirbatchError('FILE_REJECTED', message);
}
