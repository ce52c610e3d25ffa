import { z } from 'zod';
import { plainDecimal, rest, sameDecimal } from '../input/decimal.ts';
import { unguarded, withoutInnerGuards } from '../input/guards.ts';
import type { ResultRow } from '../input/rows.ts';

const text = z.string().nullish();
/** Numbers stay as they are written: a binary float would change some amounts. */
const number = z.string().transform(plainDecimal).nullish();
const money = z.object({ value: number, currency: text }).nullish();

const entryShape = z.object({
  id: z.string(),
  status: z.string(),
  reference: text,
  phone_number: text,
  network: z.object({ id: number }).nullish(),
  amount: money,
  cost: money,
  completed_at: text,
});

/** One payment of the service's own list. */
export type ListedPayment = z.infer<typeof entryShape>;

/** `JSON.parse` with source text access (ES2026), which the type library does not know yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/** Reads one line of the list. Throws if it is not an entry of `GET /v2/topups`. */
export function listedPayment(line: string): ListedPayment {
  const value = (JSON.parse as ParseWithSource)(line, (_key, member, { source }) =>
    typeof member === 'number' ? source : member,
  );
  if (typeof value === 'object' && value !== null && 'data' in value)
    throw new Error("a line is a whole answer; each line must be one of its payments (jq -c '.data[]')");
  return entryShape.parse(value);
}

/** A field that a row shares with the service's list. `same` is called only if both have a value. */
interface Compared {
  name: string;
  row: string;
  service: string | null | undefined;
  same: (row: string, service: string) => boolean;
}

const exact = (row: string, service: string) => row === service;

/**
 * The differences between a row of the results and its payment in the service's list, one sentence each. A field that
 * only one of the two has is not compared: results omit what is masked or forgotten, and the amount of a product.
 */
export function differencesOf(row: ResultRow, entry: ListedPayment, masked: boolean): string[] {
  const { amount, cost } = entry;
  const same = masked ? fitsMask : exact;
  const fields: Compared[] = [
    { name: 'payment', row: plain(row.topup_id), service: entry.id, same: exact },
    { name: 'reference', row: row.reference ?? '', service: entry.reference, same: sameReference(same) },
    { name: 'phone number', row: plain(row.phone_number), service: entry.phone_number, same },
    { name: 'network', row: plain(row.network_id), service: entry.network?.id, same: sameDecimal },
    { name: 'amount', row: plain(row.amount), service: amount?.value, same: sameDecimal },
    { name: 'currency', row: row.amount ? plain(row.currency) : '', service: amount?.currency, same: exact },
    { name: 'cost', row: plain(row.cost), service: cost?.value, same: sameCost(row) },
    {
      name: 'currency of the cost',
      row: row.cost ? plain(row.cost_currency) : '',
      service: cost?.currency,
      same: exact,
    },
    { name: 'time of completion', row: timeFromService(row), service: entry.completed_at, same: sameTime },
  ];
  const differences = fields.flatMap(({ name, row: own, service, same: agrees }) =>
    own === '' || service === null || service === undefined || agrees(own, service)
      ? []
      : [
          `has the ${name} ${own}; the service has ${agrees === same && masked ? 'another' : service} (payment ${entry.id}).`,
        ],
  );
  // The results may already say that the service contradicts a failure.
  if (statesDiffer(row.status ?? '', entry.status) && plain(row.contradicted) !== entry.status)
    differences.unshift(`is ${row.status}; the service has payment ${entry.id} as ${entry.status}.`);
  return differences;
}

/** The service's final states of a payment; any other state is still open. */
const endsAtService = ['completed', 'failed'];

function statesDiffer(row: string, service: string): boolean {
  if (endsAtService.includes(row) || endsAtService.includes(service)) return row !== service;
  return !['sending', 'accepted', 'in_doubt'].includes(row);
}

function plain(cell: string | undefined): string {
  return unguarded(cell) ?? '';
}

/** A reference in a cell may have apostrophes that the program added, while one in the row ref itself is original. */
function sameReference(same: typeof exact): typeof exact {
  return (row, service) => [row, withoutInnerGuards(row), plain(row)].some((reference) => same(reference, service));
}

/** A refund lowers the cost at the service. */
function sameCost({ cost = '', cost_currency, refund_amount = '', refund_currency, refunded_at }: ResultRow) {
  return (row: string, service: string): boolean => {
    if (sameDecimal(row, service)) return true;
    if (!refunded_at) return false;
    return refund_amount === '' || refund_currency !== cost_currency || sameDecimal(rest(cost, refund_amount), service);
  };
}

/**
 * When the payment was completed, if the service said so. Other ends have our own time, or that of a person's decision.
 */
function timeFromService({ status, service_status, failure_code, completed_at = '' }: ResultRow): string {
  return status === 'completed' && service_status === 'completed' && !failure_code ? completed_at : '';
}

function sameTime(row: string, service: string): boolean {
  return Date.parse(row) === Date.parse(service);
}

/** Whether a masked text may stand for this one: a star is any digit, and a masked number has lost its plus. */
function fitsMask(row: string, service: string): boolean {
  const pattern = row.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&').replaceAll('*', '\\p{Nd}');
  const masked = new RegExp(`^${pattern}$`, 'u');
  return masked.test(service) || masked.test(service.replace(/[+\uFF0B]/g, ''));
}
