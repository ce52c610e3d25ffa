import { type Replies, type Reply, V1Error } from '../http/reply.ts';
import { type Call, type Route, route } from '../http/routes.ts';
import { networks, products } from '../money/catalog.ts';
import { phaseOf, type Topup } from '../money/topup.ts';
import type { Topups } from '../money/topups.ts';
import type { Wallets } from '../money/wallets.ts';
import type { SandboxClock } from '../parts/clock.ts';
import { passingCodes } from '../parts/magic.ts';
import type { Store } from '../parts/store.ts';
import type { Strikes } from '../parts/strikes.ts';
import { checkV1Order, refusal } from './v1-create.ts';
import {
  type FindTransactions,
  findTransactions,
  listProducts,
  type SendTopup,
  sendTopup,
  v1Answers,
} from './v1-shapes.ts';
import { accountView, lookupCodes, productView, sentView, transactionView } from './v1-views.ts';

export interface V1Parts {
  store: Store;
  clock: SandboxClock;
  replies: Replies;
  topups: Topups;
  wallets: Wallets;
  strikes: Strikes;
}

/** A SYNC answer has a final state within about ten seconds, or says that the top-up is pending (spec section 3.2). */
const syncMsMax = 10_000;
/** The most records of one lookup; the spec shows no pages. */
const recordsMax = 200;

const access = { kind: 'service_headers' } as const;

/** Version 1: spec sections 4.9 to 4.13. */
export function v1Routes(parts: V1Parts): Route[] {
  const { replies, wallets } = parts;
  return [
    route({
      method: 'POST',
      path: '/adp',
      section: '4.9',
      summary: 'Sends a top-up',
      access,
      limits: ['v1_topups'],
      body: sendTopup,
      answer: { status: 200, shape: v1Answers.created },
      handle: (call) => send(parts, call),
    }),
    route({
      method: 'GET',
      path: '/adp/balances',
      section: '4.10',
      summary: 'Lists the balances, one for each network',
      access,
      limits: ['v1_balances'],
      answer: { status: 200, shape: v1Answers.balances },
      handle: ({ company }) => replies.v1(200, null, 'Success', wallets.list(company, 'v1').map(accountView)),
    }),
    route({
      method: 'GET',
      path: '/adp/balances/:account_id',
      section: '4.11',
      summary: 'Returns one balance',
      access,
      limits: ['v1_balances'],
      answer: { status: 200, shape: v1Answers.balance },
      handle({ company, params }) {
        const wallet = wallets.find(params.account_id ?? '');
        if (wallet?.company !== company || wallet.version !== 'v1') throw new V1Error(404, null, 'Account not found');
        return replies.v1(200, null, 'Success', accountView(wallet));
      },
    }),
    ...catalogRoutes(parts),
    route({
      method: 'GET',
      path: '/adp/transactions',
      section: '4.13',
      summary: 'Looks transactions up',
      access,
      limits: ['v1_transactions'],
      query: findTransactions,
      answer: { status: 200, shape: v1Answers.transactions },
      handle: ({ company, query }) => lookup(parts, company, query),
    }),
  ];
}

/** Lists only what is on sale (spec section 2.6). */
function catalogRoutes({ replies }: V1Parts): Route[] {
  const available = products.filter(({ discontinued }) => !discontinued);
  return [
    route({
      method: 'GET',
      path: '/adp/product-catalog',
      section: '4.12',
      summary: 'Lists the services',
      access,
      limits: [],
      answer: { status: 200, shape: v1Answers.services },
      handle: () =>
        replies.v1(
          200,
          1,
          'Success',
          networks.map(({ id, name }) => ({ serviceId: id, providerName: name })),
        ),
    }),
    route({
      method: 'GET',
      path: '/adp/products',
      section: '4.12',
      summary: 'Lists the products of a service',
      access,
      limits: [],
      query: listProducts,
      answer: { status: 200, shape: v1Answers.products },
      handle({ query }) {
        const own = available.filter(({ network }) => network.id === Number(query.serviceId));
        return replies.v1(200, 1, 'Success', own.map(productView));
      },
    }),
    route({
      method: 'GET',
      path: '/adp/products/:id',
      section: '4.12',
      summary: 'Returns one product',
      access,
      limits: [],
      answer: { status: 200, shape: v1Answers.product },
      handle({ params }) {
        const product = available.find(({ id }) => String(id) === params.id);
        if (!product) throw new V1Error(404, null, 'Product not found');
        return replies.v1(200, 1, 'Success', productView(product));
      },
    }),
  ];
}

function send(parts: V1Parts, { company, body }: Call & { body: SendTopup }): Reply {
  const { topups, strikes, clock, replies } = parts;
  const passes = (code: number, phoneNumber: string) => strikes.isOver(`code_${code}`, phoneNumber, passingCodes[code]);
  const order = checkV1Order(parts, company, body, passes);
  const topup = topups.create({
    version: 'v1',
    company,
    apiKey: null,
    idempotencyKey: null,
    phoneNumber: `+${body.msisdn}`,
    ...order,
    strategy: '',
    sms: body.sendSMS ? JSON.stringify({ enabled: true, message: '' }) : null,
    reference: body.extRefId ?? null,
    callbackUrl: null,
    metadata: '{}',
  });
  const now = clock.now();
  if (body.processingMode === 'ASYNC') return replies.v1(200, 232, 'Request queued', sentView(topup, now));
  const waitMs = Math.min(syncMsMax, Math.max(0, (topup.ends_at ?? Infinity) - now));
  const make = () => syncReply(parts, topup.id);
  return { ...replies.v1(200, 10, ''), later: { ms: waitMs, make } };
}

/** The answer to a SYNC request, after the operator has answered or ten seconds have passed. */
function syncReply({ topups, clock, replies }: V1Parts, id: string): Reply {
  const topup = topups.find(id);
  if (!topup) return replies.v1(500, null, 'The sandbox was reset meanwhile');
  const phase = phaseOf(topup, clock.now());
  if (phase === 'failed' || phase === 'canceled') {
    const { status, code, message } = refusal(topup.product_id === null ? 5 : 221);
    return replies.v1(status, code, message);
  }
  const { code, message } = lookupCodes[phase];
  return replies.v1(200, code, message, sentView(topup, clock.now()));
}

function lookup({ store, clock, replies }: V1Parts, company: string, query: FindTransactions): Reply {
  const { transaction_Id: id, msisdn, extRefId } = query;
  if (id === undefined && msisdn === undefined && extRefId === undefined) {
    throw new V1Error(400, null, 'At least one search parameter is required');
  }
  const found = store.all<Topup>(
    `SELECT * FROM topups WHERE company = ? AND version = 'v1' AND (? IS NULL OR id = ?) AND (? IS NULL OR phone_number = ?)
       AND (? IS NULL OR reference = ?) ORDER BY created_at DESC, rowid DESC LIMIT ?`,
    company,
    ...twice(id ?? null),
    ...twice(msisdn === undefined ? null : `+${msisdn.replace(/\D/g, '')}`),
    ...twice(extRefId ?? null),
    recordsMax,
  );
  const [first] = found;
  // Section 7.2 has two answers: code 235, and a message without a code. The code is for lookups by the service's own
  // id.
  if (!first) throw new V1Error(404, id === undefined ? null : 235, 'No transactions found');
  const now = clock.now();
  const { code, message } = found.length === 1 ? lookupCodes[phaseOf(first, now)] : { code: 1, message: 'Success' };
  return replies.v1(
    200,
    code,
    message,
    found.map((topup) => transactionView(topup, now)),
  );
}

const twice = <Value>(value: Value): [Value, Value] => [value, value];
