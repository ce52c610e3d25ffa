import { assertCallable } from '../http/callable.ts';
import { type Replies, type Reply, V2Error } from '../http/reply.ts';
import { type Call, type Route, route } from '../http/routes.ts';
import type { Topup } from '../money/topup.ts';
import type { Topups } from '../money/topups.ts';
import type { Wallets } from '../money/wallets.ts';
import type { SandboxClock } from '../parts/clock.ts';
import { magicOf } from '../parts/magic.ts';
import type { Settings } from '../parts/options.ts';
import type { Store, StoredValue } from '../parts/store.ts';
import { checkOrder, chooseWallet, keptParts } from './v2-create.ts';
import { type CreateTopup, createTopup, type ListTopups, listTopups, v2Answers } from './v2-shapes.ts';
import { createdView, listView, singleView } from './v2-views.ts';

export interface V2Parts {
  store: Store;
  clock: SandboxClock;
  settings: Settings;
  replies: Replies;
  topups: Topups;
  wallets: Wallets;
}

/** Spec section 4.1 rule 4. */
const idempotencyMs = 24 * 60 * 60_000;
/** Spec section 4.1 rule 5. */
const duplicateMs = 5 * 60_000;

/** Top-ups of Version 2: spec sections 4.1 to 4.3. */
export function v2TopupRoutes(parts: V2Parts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v2/topups',
      section: '4.1',
      summary: 'Creates a top-up',
      access: { kind: 'api_key', permission: 'airtime.write' },
      limits: ['creation', 'write'],
      body: createTopup,
      answer: { status: 201, shape: v2Answers.created },
      handle: (call) => create(parts, call),
    }),
    route({
      method: 'GET',
      path: '/v2/topups',
      section: '4.2',
      summary: 'Lists top-ups',
      access: { kind: 'api_key', permission: 'airtime.transactions.read' },
      limits: ['read'],
      query: listTopups,
      answer: { status: 200, shape: v2Answers.list },
      handle: (call) => list(parts, call.company, call.query),
    }),
    route({
      method: 'GET',
      path: '/v2/topups/:id',
      section: '4.3',
      summary: 'Returns one top-up',
      access: { kind: 'api_key', permission: 'airtime.transactions.read' },
      limits: ['read'],
      answer: { status: 200, shape: v2Answers.single },
      handle({ company, params }) {
        const topup = parts.topups.find(params.id ?? '');
        if (topup?.company !== company || topup.version !== 'v2') {
          throw new V2Error(404, 'TOPUP_NOT_FOUND', 'There is no such top-up.');
        }
        return parts.replies.v2(200, singleView(topup, parts.clock.now()));
      },
    }),
  ];
}

function create(parts: V2Parts, call: Call & { body: CreateTopup }): Reply {
  const { store, clock, settings, replies, topups } = parts;
  const { company, body } = call;
  const apiKey = call.apiKey ?? '';
  assertCallable('callback_url', body.callback_url, settings);
  const key = idempotencyKey(call);
  const now = clock.now();
  if (key !== null) {
    const cached = store.one<{ status: number; body: string }>(
      'SELECT status, body FROM kept_answers WHERE company = ? AND idempotency_key = ? AND at > ?',
      company,
      key,
      now - idempotencyMs,
    );
    if (cached)
      return {
        status: cached.status,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: cached.body,
      };
  }
  const order = checkOrder(body);
  if (key === null) {
    const duplicate = findDuplicate(store, { company, body, amount: order.amount, since: now - duplicateMs });
    if (duplicate) return replies.v2(201, createdView(duplicate, now));
  }
  if (magicOf(body.phone_number) === 'poor') {
    throw new V2Error(402, 'INSUFFICIENT_BALANCE', 'The wallet balance is too low.');
  }
  const payer = chooseWallet(parts, company, { ...order, mode: body.wallet_mode });
  return store.atomically(() => {
    const topup = topups.create({
      version: 'v2',
      company,
      apiKey,
      idempotencyKey: key,
      phoneNumber: body.phone_number,
      ...order,
      ...payer,
      ...keptParts(body),
    });
    const reply = replies.v2(201, createdView(topup, now));
    // Only creations are remembered: a refused request can be corrected and sent again with the same key.
    if (key !== null) {
      store.run('DELETE FROM kept_answers WHERE company = ? AND idempotency_key = ?', company, key);
      store.insert('kept_answers', {
        company,
        idempotency_key: key,
        status: reply.status,
        body: reply.body,
        at: now,
      });
    }
    return reply;
  });
}

function idempotencyKey({ headers }: Call): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (key.length >= 1 && key.length <= 255) return key;
  throw new V2Error(400, 'VALIDATION_ERROR', 'Idempotency-Key must have 1 to 255 characters.');
}

/** Rule 5: the same number, network and amount (or product) within five minutes, without a key. */
function findDuplicate(
  store: Store,
  { company, body, amount, since }: { company: string; body: CreateTopup; amount: string; since: number },
): Topup | null {
  return store.one<Topup>(
    `SELECT * FROM topups WHERE company = ? AND phone_number = ? AND created_at > ? AND version = 'v2' AND network_id = ?
       AND amount = ? AND product_id IS ? ORDER BY created_at LIMIT 1`,
    company,
    body.phone_number,
    since,
    body.network_id.integer(),
    amount,
    body.product_id === undefined ? null : Number(body.product_id),
  );
}

/**
 * The values to sort by, as an entry shows them now: an open top-up has no time of completion, and a failed one cost
 * nothing.
 */
const orders: Readonly<Record<string, string>> = {
  created_at: 'created_at',
  completed_at: "CASE WHEN outcome = 'completed' AND booked = 1 THEN ends_at END",
  status: `CASE WHEN booked = 1 AND outcome = 'completed' THEN 'completed' WHEN booked = 1 THEN 'failed'
    WHEN announced = 1 THEN 'processing' ELSE 'pending' END`,
  total_usd: "CASE WHEN refunded = 1 OR (booked = 1 AND outcome <> 'completed') THEN 0 ELSE CAST(cost_usd AS REAL) END",
};

function list({ store, clock, settings, replies }: V2Parts, company: string, query: ListTopups): Reply {
  const now = clock.now();
  const { where, values } = conditions(company, query, now);
  if (settings.listLagMs > 0) {
    where.push('created_at <= ?');
    values.push(now - settings.listLagMs);
  }
  const page = Number(query.page);
  const perPage = Number(query.per_page);
  const condition = where.join(' AND ');
  const total =
    store.one<{ total: number }>(`SELECT count(*) AS total FROM topups WHERE ${condition}`, ...values)?.total ?? 0;
  const field = query.sort.replace(/^-/, '');
  const direction = query.sort.startsWith('-') ? 'DESC' : 'ASC';
  const topups = store.all<Topup>(
    `SELECT * FROM topups WHERE ${condition} ORDER BY ${orders[field]} ${direction}, rowid ${direction} LIMIT ? OFFSET ?`,
    ...values,
    perPage,
    (page - 1) * perPage,
  );
  const pages = Math.ceil(total / perPage);
  const pagination = { page, per_page: perPage, total, total_pages: pages, has_next: page < pages, has_prev: page > 1 };
  return replies.v2(
    200,
    topups.map((topup) => listView(topup, now)),
    { pagination },
  );
}

function conditions(company: string, query: ListTopups, now: number): { where: string[]; values: StoredValue[] } {
  const where = ['company = ?', "version = 'v2'"];
  const values: StoredValue[] = [company];
  const add = (condition: string, ...more: StoredValue[]) => {
    where.push(condition);
    values.push(...more);
  };
  // An unescaped "+" in a query means a space: the digits suffice.
  if (query.phone_number !== undefined) add('instr(phone_number, ?) > 0', query.phone_number.trim());
  if (query.reference !== undefined) add('reference = ?', query.reference);
  if (query.from !== undefined) add('created_at >= ?', query.from);
  if (query.to !== undefined) add('created_at <= ?', query.to);
  if (query.status === 'pending') add('processing_at > ?', now);
  if (query.status === 'processing') add('processing_at <= ? AND booked = 0', now);
  if (query.status === 'completed') add("booked = 1 AND outcome = 'completed'");
  if (query.status === 'failed') add("booked = 1 AND outcome <> 'completed'");
  return { where, values };
}
