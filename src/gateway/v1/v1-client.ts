import type { Clock } from '../../core/time/clock.ts';
import type {
  BalanceOutcome,
  CatalogOutcome,
  CreateOutcome,
  CreateRequest,
  Gateway,
  LookupOutcome,
  Network,
  Product,
  ReadProblem,
  ServicePayment,
} from '../contract/gateway.ts';
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
import { isTakenCode, v1State, v1Verdict } from './v1-outcomes.ts';
import {
  type V1Transaction,
  v1AnyPaymentShape,
  v1BalancesShape,
  v1Body,
  v1CreatedShape,
  v1EnvelopeShape,
  v1ProductsShape,
  v1ServicesShape,
  v1TransactionsShape,
} from './v1-wire.ts';

export interface V1GatewayOptions extends GatewayOptions {
  credentials: { email: string; token: string };
}

/** The codes of a lookup that succeeded, and of one that found nothing (spec section 7.2). */
const successCode = 1;
const notFoundCode = 235;

/** What the requests of one account have in common. */
interface V1Session {
  call: CallService;
  clock: Clock;
}

/** The client of Version 1 of the service (spec sections 2.4 to 2.6, 4.9 to 4.13). */
export function makeV1Gateway(deps: GatewayDeps, options: V1GatewayOptions): Gateway {
  const email = checkedCredential('e-mail', options.credentials.email);
  const token = checkedCredential('token', options.credentials.token);
  const { call, serviceTime } = makeServiceCall(deps, options, {
    credentials: { 'x-service-email': email, 'x-service-token': token },
    secrets: [token, email],
    readError(json) {
      const envelope = read(v1EnvelopeShape, json);
      if (!envelope) return null;
      return { code: String(envelope.code ?? `http_${envelope.statusCode}`), message: envelope.message };
    },
    readRequestId: () => null,
  });
  const session: V1Session = { call, clock: deps.clock };
  return {
    version: 'V1',
    sendsTexts: false,
    keyScope: null,
    policy: options.policy,
    serviceTime,
    body: v1Body,
    create: (request) => create(session, request),
    lookup: (reference) => lookup(session, reference),
    read: ({ reference }) => lookup(session, reference),
    list: null,
    balance: () => balance(session),
    // Version 1 names no countries and does not know the network of a number: it returns the whole catalog.
    networks: () => networks(session),
    products: (query) => products(session, query),
    close: () => deps.transport.close(),
  };
}

function create(session: V1Session, { body, beforeWrite }: CreateRequest): Promise<CreateOutcome> {
  return session.call(
    {
      method: 'POST',
      path: '/adp',
      requestClass: 'creation',
      body,
      beforeWrite,
    },
    (called) => {
      const taken = isSuccess(called) && isTakenCode(codeOf(called));
      const created = taken ? read(v1CreatedShape, called.json) : null;
      if (created)
        return { kind: 'accepted', payment: toPayment(created.data, null), evidence: okEvidence(called.evidence) };
      return createOutcome(verdict(called), called.result, called.evidence, session.clock.now());
    },
  );
}

function lookup(session: V1Session, reference: string): Promise<LookupOutcome> {
  const query = new URLSearchParams({ extRefId: reference });
  return session.call({ path: `/adp/transactions?${query}`, requestClass: 'read' }, (called) => {
    const code = codeOf(called);
    if (isNotFound(called, code)) return { kind: 'not_found', evidence: called.evidence };
    const found = isSuccess(called) ? read(v1TransactionsShape, called.json)?.data : null;
    // An error may carry an empty list. Only a success with an empty list says that there is no payment.
    if (!found || (found.length === 0 && code !== successCode)) return problem(session, called);
    if (found.length === 0) return { kind: 'not_found', evidence: okEvidence(called.evidence) };
    const ours = found.filter(({ extRefId }) => extRefId == null || extRefId === reference);
    if (ours.length === 0) {
      const message = 'the answer holds other references than the one asked for';
      return { kind: 'unavailable', evidence: { ...called.evidence, code: 'filter_ignored', message } };
    }
    // With one record, the envelope's code describes it; with several, it says nothing (spec section 4.13).
    const reason = found.length === 1 && called.error ? called.evidence.message : null;
    return {
      kind: 'found',
      payments: eachOnce(ours.map((transaction) => toPayment(transaction, reason))),
      evidence: okEvidence(called.evidence),
    };
  });
}

/**
 * Only the service's own envelope can say that it has no payment: any other 404 comes from a proxy in between. If the
 * envelope has a code, the code decides (spec section 7.2): 190, for example, means that the customer's account is not
 * found, and says nothing about a payment.
 */
function isNotFound(called: Called, code: number | null): boolean {
  if (!called.error) return false;
  if (code === notFoundCode) return called.status === 404 || isSuccess(called);
  return code === null && called.status === 404;
}

function balance(session: V1Session): Promise<BalanceOutcome> {
  return session.call({ path: '/adp/balances', requestClass: 'balance' }, (called) => {
    const parsed = isSuccess(called) ? read(v1BalancesShape, called.json) : null;
    if (!parsed) return problem(session, called);
    const wallets = parsed.data.map(({ accountId, serviceName, serviceCountry, balance }) => ({
      walletId: accountId,
      name: serviceCountry ? `${serviceName} (${serviceCountry})` : serviceName,
      currency: '',
      balance,
      active: true,
    }));
    return { kind: 'balance', balance: { total: null, wallets, readAt: session.clock.now() } };
  });
}

function networks(session: V1Session): Promise<CatalogOutcome<Network>> {
  return session.call({ path: '/adp/product-catalog', requestClass: 'catalog' }, (called) => {
    const parsed = isSuccess(called) ? read(v1ServicesShape, called.json) : null;
    if (!parsed) return problem(session, called);
    const items = parsed.data.map(({ serviceId, providerName }) => ({
      networkId: serviceId,
      name: providerName,
      countryCode: '',
      countryName: '',
      currency: null,
    }));
    return { kind: 'items', items };
  });
}

async function products(session: V1Session, { networkId }: { networkId?: number }): Promise<CatalogOutcome<Product>> {
  if (networkId === undefined) {
    const message = 'products are listed by network: name one';
    return { kind: 'unavailable', evidence: { httpStatus: null, code: 'network_needed', message, requestId: null } };
  }
  return session.call({ path: `/adp/products?serviceId=${networkId}`, requestClass: 'catalog' }, (called) => {
    const parsed = isSuccess(called) ? read(v1ProductsShape, called.json) : null;
    if (!parsed) return problem(session, called);
    const items = parsed.data.map(({ productId, product_name, provider_name, product_type, amount }) => ({
      productId: String(productId),
      name: product_name,
      networkId,
      networkName: provider_name ?? '',
      amount: product_type === 'FIXED_PRODUCT' && amount != null ? { value: amount, currency: '' } : null,
    }));
    return { kind: 'items', items };
  });
}

function verdict({ status, json }: Called): Verdict {
  const envelope = read(v1EnvelopeShape, json);
  const hasPayment = read(v1AnyPaymentShape, json) !== null;
  return v1Verdict({ status, envelope: envelope && { code: envelope.code ?? null, hasPayment } });
}

function problem({ clock }: V1Session, called: Called): ReadProblem {
  return readProblem(called.result, called.evidence, verdict(called), clock.now());
}

function codeOf({ json }: Called): number | null {
  return read(v1EnvelopeShape, json)?.code ?? null;
}

function toPayment(transaction: V1Transaction, reason: string | null): ServicePayment {
  const { transactionId, state: status, amount, currency, wallet, effectiveAmount, provider } = transaction;
  const state = v1State(status);
  const failed = state.state === 'failed';
  // A top-up that fails at the provider is not deducted (spec section 3.2), whatever it would have cost. For other
  // failed states, the service says what was charged.
  const debited = status === 'FAILED' ? '0' : (wallet?.amount ?? effectiveAmount ?? null);
  return {
    topupId: transactionId,
    serviceStatus: status,
    ...state,
    reference: transaction.extRefId ?? null,
    phoneNumber: transaction.msisdn ?? null,
    amount: { value: amount, currency },
    cost: wallet && debited !== null ? { value: debited, currency: wallet.currency } : null,
    // The service does not say which product was bought.
    productId: null,
    providerReference: provider?.transaction_id ?? provider?.reference_code ?? null,
    failureCode: failed ? status : null,
    failureReason: failed ? reason : null,
    createdAt: null,
    completedAt: null,
    full: true,
  };
}
