/**
 * The answers of the service as far as a run needs it (spec sections 4.1 to 4.6), put together from texts: they take a
 * small part of what the sandbox's take, so that what is measured is the client, which has the machine for itself at
 * its users'.
 */
export interface SwiftAnswers {
  /** Creates a top-up; a key that was seen before creates no other. Returns the body of the answer. */
  create(body: string, key: string | null): string;
  /** Answers a read. `path`: without the base URL, with its query. */
  read(path: string): string;
  /** How many top-ups were created. */
  count(): number;
}

interface Topup {
  phone: string;
  amount: string;
  currency: string;
  reference: string;
  createdAt: number;
}

const idPrefix = '00000000-0000-4000-8000-';
/** The amount as it was written: a number of JavaScript could write it in another way. */
const amountText = /"amount":\{"value":([0-9.]+)/;
const balance =
  '{"success":true,"data":{"available_balance":{"amount":100000000,"currency":"USD"},"wallets":[{"id":"wallet-usd","currency":"USD","balance":100000000,"type":"global","status":"active","allowed_countries":["*"]}]}}';
const catalog =
  '{"success":true,"data":{"networks":[{"id":1,"name":"Safaricom","country":"Kenya","country_code":"KE","currency":"KES"}],"products":[]}}';

const iso = (ms: number): string => new Date(ms).toISOString();

/** A top-up is answered as `processing`, and is found `completed` after `settleMs`. */
export function makeSwiftAnswers(settleMs: number): SwiftAnswers {
  const topups: Topup[] = [];
  const numbersByKey = new Map<string, number>();
  return {
    create(body, key) {
      const known = key === null ? undefined : numbersByKey.get(key);
      const number = known ?? topups.push(topupOf(body)) - 1;
      if (key !== null) numbersByKey.set(key, number);
      const shown = view(topups[number] as Topup, number, null);
      return `{"success":true,"data":${shown},"product_id":null,"product_name":null,"provider_reference":null,"failure_reason":null,"metadata":{},"sms":{"enabled":false,"message":""}}}`;
    },
    read(path) {
      if (path.startsWith('/v2/topups?')) return list(topups, settleMs, new URLSearchParams(path.slice(11)));
      if (path.startsWith('/v2/topups/')) return single(topups, settleMs, path.slice(11));
      return path.startsWith('/v2/catalog') ? catalog : balance;
    },
    count: () => topups.length,
  };
}

function topupOf(body: string): Topup {
  const order = JSON.parse(body) as { phone_number: string; reference: string; amount: { currency: string } };
  const amount = amountText.exec(body)?.[1] ?? '0';
  const { phone_number: phone, reference } = order;
  return { phone, amount, currency: order.amount.currency, reference, createdAt: Date.now() };
}

/** The fields that every answer about a top-up has. `settleMs`: completed after that, if it has passed; null: not yet. */
function view(
  { phone, amount, currency, reference, createdAt }: Topup,
  number: number,
  settleMs: number | null,
): string {
  const completedAt = settleMs === null || Date.now() < createdAt + settleMs ? null : createdAt + settleMs;
  const status = completedAt === null ? 'processing' : 'completed';
  const ended = completedAt === null ? 'null' : `"${iso(completedAt)}"`;
  return `{"id":"${idPrefix}${String(number).padStart(12, '0')}","status":"${status}","phone_number":"${phone}","network":{"id":1,"name":"Safaricom","country":"Kenya","country_code":"KE"},"amount":{"value":${amount},"currency":"${currency}"},"cost":{"value":0.0814,"currency":"USD"},"wallet":{"id":"wallet-usd","type":"global","currency":"USD","strategy":"AUTO_USD_PRIMARY"},"reference":"${reference}","created_at":"${iso(createdAt)}","completed_at":${ended}`;
}

/** The first top-up that was created at `fromMs` or later: they stand in the order of their creation. */
function firstSince(topups: readonly Topup[], fromMs: number): number {
  let low = 0;
  let high = topups.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((topups[middle] as Topup).createdAt < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function list(topups: readonly Topup[], settleMs: number, query: URLSearchParams): string {
  const from = query.get('from');
  const perPage = Number(query.get('per_page') ?? 20);
  const page = Number(query.get('page') ?? 1);
  const reference = query.get('reference');
  const since = from === null ? 0 : firstSince(topups, Date.parse(from));
  const found =
    reference === null
      ? Array.from({ length: Math.min(perPage, topups.length - since - (page - 1) * perPage) }, (_, index) => {
          return since + (page - 1) * perPage + index;
        })
      : topups.flatMap((topup, number) => (topup.reference === reference ? [number] : []));
  const total = reference === null ? topups.length - since : found.length;
  const hasNext = page * perPage < total;
  const entries = found.map((number) => `${view(topups[number] as Topup, number, settleMs)}}`);
  return `{"success":true,"data":[${entries.join(',')}],"meta":{"request_id":"r","pagination":{"page":${page},"per_page":${perPage},"total":${total},"total_pages":${Math.ceil(total / perPage)},"has_next":${hasNext},"has_prev":${page > 1}}}}`;
}

function single(topups: readonly Topup[], settleMs: number, id: string): string {
  const number = Number(id.slice(idPrefix.length));
  const shown = view(topups[number] as Topup, number, settleMs);
  return `{"success":true,"data":${shown},"product_id":null,"product_name":null,"provider_reference":"OP${number}","failure_reason":null,"metadata":{}}}`;
}
