import { sha256 } from '../../core/identity/ids.ts';
import { type Clock, isoTime } from '../../core/time/clock.ts';
import {
  type BalanceOutcome,
  type CatalogOutcome,
  type CreateOutcome,
  type CreateRequest,
  type Evidence,
  type Gateway,
  type ListOutcome,
  type ListQuery,
  type LookupOutcome,
  type Network,
  type Product,
  paymentsPerPageMax,
  type ReadProblem,
  type ServicePayment,
} from '../contract/gateway.ts';
import { cutShort } from '../contract/list-pages.ts';
import { createOutcome, eachOnce, okEvidence, readProblem } from '../transport/answers.ts';
import type { Verdict } from '../transport/outcome-class.ts';
import {
  type Called,
  type CallService,
  checkedCredential,
  type GatewayDeps,
  type GatewayOptions,
  isSuccess,
  makeServiceCall,
} from '../transport/service-call.ts';
import { read } from '../transport/wire.ts';
import { v2Verdict } from './v2-outcomes.ts';
import {
  type V2Page,
  v2BalanceShape,
  v2Body,
  v2CatalogShape,
  v2Data,
  v2Error,
  v2HidesPaymentOf,
  v2Page,
  v2Payment,
  v2RequestId,
  v2ShowsPayment,
  v2Unreadable,
  type WalletMode,
} from './v2-wire.ts';

export interface V2GatewayOptions extends GatewayOptions {
  credentials: { apiKey: string };
  /** Which wallet pays (spec section 4.1): part of every body. */
  walletMode: WalletMode;
}

/** Enough digits to distinguish API keys, and too few to guess one from them. */
const keyScopeLength = 12;

/** What the requests of one account have in common. */
interface V2Session {
  call: CallService;
  clock: Clock;
}

/** The client of Version 2 of the service (spec sections 2.1 to 2.3, 4.1 to 4.6). */
export function makeV2Gateway(deps: GatewayDeps, options: V2GatewayOptions): Gateway {
  const apiKey = checkedCredential('API key', options.credentials.apiKey);
  const { call, serviceTime } = makeServiceCall(deps, options, {
    credentials: { authorization: `Bearer ${apiKey}` },
    secrets: [apiKey],
    readError: v2Error,
    readRequestId: v2RequestId,
  });
  const session: V2Session = { call, clock: deps.clock };
  return {
    version: 'V2',
    sendsTexts: true,
    keyScope: sha256(`key scope of ${apiKey}`).slice(0, keyScopeLength),
    policy: options.policy,
    serviceTime,
    body: (order) => v2Body(order, options.walletMode),
    create: (request) => create(session, request),
    lookup: (reference) => lookup(session, reference),
    read: (payment) => readOne(session, payment),
    list: (query) => list(session, query),
    balance: () => balance(session),
    networks: (query) => networks(session, query),
    products: (query) => products(session, query),
    close: () => deps.transport.close(),
  };
}

function create(session: V2Session, { body, idempotencyKey, beforeWrite }: CreateRequest): Promise<CreateOutcome> {
  return session.call(
    {
      method: 'POST',
      path: '/v2/topups',
      requestClass: 'creation',
      body,
      idempotencyKey,
      beforeWrite,
    },
    (called) => {
      const payment = isSuccess(called) ? v2Payment(v2Data(called.json), true) : null;
      // The answer must name what was requested, so that it can be checked.
      if (payment?.reference) return { kind: 'accepted', payment, evidence: okEvidence(called.evidence) };
      const no = v2Verdict(called.status, called.error?.code ?? null, v2ShowsPayment(called.json));
      return createOutcome(no, called.result, called.evidence, session.clock.now());
    },
  );
}

async function lookup(session: V2Session, reference: string): Promise<LookupOutcome> {
  const outcome = await listUnder(session, reference);
  return outcome.kind === 'unnamed' ? nameByRead(session, reference, outcome) : outcome;
}

/** Entries without a reference: only a read by id shows whose payment it is. */
interface Unnamed {
  kind: 'unnamed';
  topupId: string;
  /** The entries that the list shows under the reference as well. */
  named: ServicePayment[];
  evidence: Evidence;
}

/** The list shows one payment without its reference: `GET /v2/topups/:id` carries it (spec section 2.2). */
async function nameByRead(
  session: V2Session,
  reference: string,
  { topupId, named, evidence }: Unnamed,
): Promise<LookupOutcome> {
  const single = await readOne(session, { topupId, reference });
  if (single.kind === 'not_found') return { kind: 'unavailable', evidence: { ...evidence, ...unnamedEntries } };
  if (single.kind !== 'found') return single;
  const [payment] = single.payments;
  if (payment?.reference === reference) return { ...single, payments: [...named, payment] };
  if (payment?.reference == null) return { kind: 'unavailable', evidence: { ...evidence, ...unnamedEntries } };
  if (named.length > 0) return { kind: 'found', payments: named, evidence };
  return { kind: 'unavailable', evidence: { ...evidence, ...filterIgnored } };
}

/** The list shows other references than the requested one, so it says nothing about ours. */
const filterIgnored = { code: 'filter_ignored', message: 'the list holds other references than the one asked for' };
const unnamedEntries = {
  code: 'reference_missing',
  message: 'the list shows payments without their reference, and perhaps the one asked for is among them',
};

function listUnder(session: V2Session, reference: string): Promise<LookupOutcome | Unnamed> {
  const query = new URLSearchParams({ reference, per_page: String(paymentsPerPageMax) });
  return session.call({ path: `/v2/topups?${query}`, requestClass: 'read' }, (called) => {
    const listed = isSuccess(called) ? v2Page(called.json) : null;
    if (!listed) return problem(session, called);
    if (listed.entries.some((entry) => v2HidesPaymentOf(entry, reference))) {
      const message = 'an entry of the list, perhaps of this reference, does not have the promised shape';
      return { kind: 'unavailable', evidence: { ...called.evidence, code: 'unparsable', message } };
    }
    const all = eachOnce(paymentsOf(listed));
    const payments = all.filter((payment) => payment.reference === reference);
    const isPaid = payments.some(({ state }) => state !== 'failed');
    // A missing entry may be the one that was paid.
    if (!isPaid && (listed.hasNext || listed.total > listed.entries.length))
      return { kind: 'unavailable', evidence: { ...called.evidence, ...cutShort } };
    const [unnamed, ...more] = all.filter((payment) => payment.reference === null);
    if (more.length > 0) return { kind: 'unavailable', evidence: { ...called.evidence, ...unnamedEntries } };
    if (unnamed)
      return { kind: 'unnamed', topupId: unnamed.topupId, named: payments, evidence: okEvidence(called.evidence) };
    if (payments.length > 0) return { kind: 'found', payments, evidence: okEvidence(called.evidence) };
    if (listed.entries.length === 0) return { kind: 'not_found', evidence: okEvidence(called.evidence) };
    return { kind: 'unavailable', evidence: { ...called.evidence, ...filterIgnored } };
  });
}

/**
 * `async`, so that an id that cannot be part of a path (half a surrogate pair) gives a rejection, like any other fault.
 */
async function readOne(
  session: V2Session,
  { topupId, reference }: { topupId: string; reference: string },
): Promise<LookupOutcome> {
  if (topupId === '') return lookup(session, reference);
  return session.call({ path: `/v2/topups/${encodeURIComponent(topupId)}`, requestClass: 'read' }, (called) => {
    const payment = isSuccess(called) ? v2Payment(v2Data(called.json), true) : null;
    if (payment) return { kind: 'found', payments: [payment], evidence: okEvidence(called.evidence) };
    // Only the service itself can say that it has no payment: any other 404 comes from a proxy in between.
    if (called.status === 404 && called.error) return { kind: 'not_found', evidence: called.evidence };
    return problem(session, called);
  });
}

function list(
  session: V2Session,
  { page, perPage, fromMs, toMs, oldestFirst = false }: ListQuery,
): Promise<ListOutcome> {
  const query = new URLSearchParams({
    page: String(page),
    per_page: String(perPage),
    sort: oldestFirst ? 'created_at' : '-created_at',
    ...(fromMs === null ? {} : { from: isoTime(fromMs) }),
    ...(toMs === null ? {} : { to: isoTime(toMs) }),
  });
  return session.call({ path: `/v2/topups?${query}`, requestClass: 'read' }, (called) => {
    const listed = isSuccess(called) ? v2Page(called.json) : null;
    if (!listed) return problem(session, called);
    const { entries, hasNext, total } = listed;
    const payments = paymentsOf(listed);
    const unreadable = payments.length === entries.length ? [] : entries.flatMap((entry) => v2Unreadable(entry) ?? []);
    return { kind: 'page', payments, unreadable, page, hasNext, total };
  });
}

function balance(session: V2Session): Promise<BalanceOutcome> {
  return session.call({ path: '/v2/balance', requestClass: 'balance' }, (called) => {
    const parsed = isSuccess(called) ? read(v2BalanceShape, called.json) : null;
    if (!parsed) return problem(session, called);
    const { available_balance: total, wallets } = parsed.data;
    return {
      kind: 'balance',
      balance: {
        total: { value: total.amount, currency: total.currency },
        wallets: wallets.map(({ id, type, currency, balance, status }) => ({
          walletId: id,
          name: `${type} ${currency}`,
          currency,
          balance,
          active: status === 'active',
        })),
        readAt: session.clock.now(),
      },
    };
  });
}

function catalog(
  session: V2Session,
  query: Record<string, string>,
): Promise<{ networks: Network[]; products: Product[] } | ReadProblem> {
  return session.call(
    {
      path: `/v2/catalog/lookup?${new URLSearchParams(query)}`,
      requestClass: 'catalog',
    },
    (called) => {
      const parsed = isSuccess(called) ? read(v2CatalogShape, called.json) : null;
      return parsed ? parsed.data : problem(session, called);
    },
  );
}

async function networks(
  session: V2Session,
  {
    phoneNumber,
    country,
  }: {
    phoneNumber?: string;
    country?: string;
  },
): Promise<CatalogOutcome<Network>> {
  const found = await catalog(session, {
    ...(phoneNumber === undefined ? {} : { phone_number: phoneNumber }),
    ...(country === undefined ? {} : { country_code: country }),
  });
  return 'kind' in found ? found : { kind: 'items', items: found.networks };
}

async function products(session: V2Session, { networkId }: { networkId?: number }): Promise<CatalogOutcome<Product>> {
  const found = await catalog(session, networkId === undefined ? {} : { network_id: String(networkId) });
  return 'kind' in found ? found : { kind: 'items', items: found.products };
}

function paymentsOf({ entries }: V2Page): ServicePayment[] {
  return entries.map((entry) => v2Payment(entry, false)).filter((payment) => payment !== null);
}

function verdict({ status, error }: Called): Verdict {
  return v2Verdict(status, error?.code ?? null);
}

function problem({ clock }: V2Session, called: Called): ReadProblem {
  return readProblem(called.result, called.evidence, verdict(called), clock.now());
}
