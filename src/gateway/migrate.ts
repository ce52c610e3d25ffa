import { z } from 'zod';
import { rowRefProblem } from '../core/identity/ids.ts';
import type { Network, Product } from './contract/gateway.ts';
import { exactDecimal } from './transport/exact-json.ts';

/** A row of a file for Version 1, as written there (spec section 4.9); null for a missing value. */
export interface V1Row {
  msisdn: string | null;
  amount: string | null;
  currency: string | null;
  productId: string | null;
  extRefId: string | null;
  sendSMS: string | null;
  processingMode: string | null;
}

/** What both versions know about one row; null for a question that could not be asked. */
export interface MigrationFacts {
  /** The networks that Version 2 finds for the number. */
  networks: readonly Network[] | null;
  /** What Version 1 sells under the row's product id. */
  product: Product | null;
  /** What Version 2 sells on the networks found. */
  products: readonly Product[] | null;
}

/** What becomes of one field of the row in Version 2. */
export const migrationNote = z.strictObject({
  /** The column in a file for Version 2. */
  field: z.enum([
    ...(['phone_number', 'network_id', 'amount', 'currency', 'product_id', 'reference'] as const),
    ...(['sms_message', 'processing'] as const),
  ]),
  /** `changes`: the new value is known. `needed`: a person must fill it in. `dropped`: Version 2 has no such field. */
  effect: z.enum(['changes', 'needed', 'dropped']),
  from: z.string().nullable(),
  to: z.string().nullable(),
  why: z.string(),
});
type MigrationNote = z.output<typeof migrationNote>;

/** What applies to every row of such a file, for the top of the report (spec section 9). */
export const migrationRules: readonly string[] = [
  'Phone numbers begin with "+" and the country code. Version 1 has no "+".',
  'Every row has the id of its network. Version 1 finds the network from the phone number.',
  'An amount has a currency. A row has an amount or a product, never both.',
  'Version 2 has other product ids than Version 1.',
  'Version 1 pays from one balance for each network. Version 2 pays from wallets: add money to them before the first batch.',
  'Neither version knows what the other one has paid: never send the same file to both.',
];

/** What must change in one row of a Version 1 file before it can be sent through Version 2. Empty if nothing must. */
export function migrateRow(row: V1Row, facts: MigrationFacts): MigrationNote[] {
  const steps = [numberNote, networkNote, amountNote, currencyNote, productNote, referenceNote, smsNote, modeNote];
  return steps.map((step) => step(row, facts)).filter((note) => note !== null);
}

type Step = (row: V1Row, facts: MigrationFacts) => MigrationNote | null;

const numberNote: Step = ({ msisdn }) => {
  const from = msisdn;
  const digits = msisdn?.trim() ?? '';
  if (/^\+[1-9][0-9]{6,14}$/.test(digits)) return null;
  if (/^[1-9][0-9]{6,14}$/.test(digits)) {
    return { field: 'phone_number', effect: 'changes', from, to: `+${digits}`, why: 'Version 2 wants a leading "+"' };
  }
  const why = 'is no number in international format; write it with "+" and its country code';
  return { field: 'phone_number', effect: 'needed', from, to: null, why };
};

const networkNote: Step = (row, facts) => {
  const { networks } = facts;
  const [only] = networks ?? [];
  if (only && networks?.length === 1) {
    const why = `Version 2 wants the network's id: ${named(only)}`;
    return { field: 'network_id', effect: 'changes', from: null, to: String(only.networkId), why };
  }
  // The network depends on the number. Without a number, its note already says what to do first.
  const isNumber = numberNote(row, facts)?.effect !== 'needed';
  const why = isNumber ? networkChoice(networks) : 'is found by the number, once that is corrected';
  return { field: 'network_id', effect: 'needed', from: null, to: null, why };
};

function networkChoice(networks: readonly Network[] | null): string {
  if (networks === null) return 'the catalog could not be asked for the network of this number';
  if (networks.length === 0) return 'Version 2 knows no network for this number';
  return `several networks are possible: ${networks.map((one) => `${one.networkId} (${named(one)})`).join(', ')}`;
}

function named({ name, countryName }: Network): string {
  return countryName === '' ? name : `${name}, ${countryName}`;
}

const amountNote: Step = ({ amount: from, productId }, { product }) => {
  if (productId === null) {
    if (from !== null && exactDecimal(from) !== null) return null;
    const why =
      from === null
        ? 'the row has neither an amount nor a product'
        : 'is no plain number: write it with digits and a decimal point alone, such as 1250.50';
    return { field: 'amount', effect: 'needed', from, to: null, why };
  }
  if (from === null) return null;
  // Version 1 ignored the amount of a fixed product; for an open product, the amount was paid (spec section 4.9).
  if (product?.amount) {
    return {
      field: 'amount',
      effect: 'dropped',
      from,
      to: null,
      why: 'the product has a fixed price; Version 1 ignored it',
    };
  }
  if (product) return null;
  const why = 'a row has an amount or a product, not both, and it is not known whether the product has a fixed price';
  return { field: 'amount', effect: 'needed', from, to: null, why };
};

const currencyNote: Step = ({ currency: from, productId, amount }, { networks, product }) => {
  const paysAmount = productId === null || (amount !== null && product !== null && product.amount === null);
  const currencies = [...new Set((networks ?? []).map(({ currency }) => currency))];
  const [only] = currencies;
  if (!paysAmount || (from !== null && (currencies.length !== 1 || only === from))) return null;
  if (currencies.length !== 1 || !only) {
    if (from !== null) return null;
    return { field: 'currency', effect: 'needed', from, to: null, why: 'an amount of Version 2 names its currency' };
  }
  if (from !== null) {
    return {
      field: 'currency',
      effect: 'needed',
      from,
      to: only,
      why: `the network pays in ${only}: check the amount`,
    };
  }
  return { field: 'currency', effect: 'changes', from, to: only, why: 'an amount of Version 2 names its currency' };
};

const productNote: Step = ({ productId: from }, { networks, product, products }) => {
  if (from === null) return null;
  if (product && product.amount === null) {
    const why = 'an open product is paid by its amount alone in Version 2';
    return { field: 'product_id', effect: 'dropped', from, to: null, why };
  }
  const ids = new Set((networks ?? []).map(({ networkId }) => networkId));
  const twins = (products ?? []).filter(
    (one) => product && ids.has(one.networkId) && one.name.toLowerCase() === product.name.toLowerCase(),
  );
  const [twin] = twins;
  if (twin && twins.length === 1) {
    const why = `it has the same name on this network: check its price${twin.amount ? ` (${twin.amount.value} ${twin.amount.currency})` : ''}`;
    return { field: 'product_id', effect: 'changes', from, to: twin.productId, why };
  }
  const why = 'Version 2 has other product ids: choose one from "airbatch products"';
  return { field: 'product_id', effect: 'needed', from, to: null, why };
};

const referenceNote: Step = ({ extRefId: from }) => {
  const problem = from === null ? null : rowRefProblem(from);
  if (problem === null) return null;
  return { field: 'reference', effect: 'needed', from, to: null, why: `the extRefId ${problem}` };
};

const smsNote: Step = ({ sendSMS: from }) => {
  if (!/^(true|yes|1)$/i.test(from?.trim() ?? '')) return null;
  const why = 'write the text of the SMS here: without one none is sent';
  return { field: 'sms_message', effect: 'needed', from, to: null, why };
};

const modeNote: Step = ({ processingMode: from }) => {
  if (from === null || from.trim() === '') return null;
  const why = 'Version 2 has no modes: it accepts every top-up first, and delivers it later';
  return { field: 'processing', effect: 'dropped', from, to: null, why };
};
