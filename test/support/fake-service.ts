import { createHash } from 'node:crypto';
import type { Clock } from '../../src/core/time/clock.ts';
import type {
  CreateOutcome,
  CreateRequest,
  Evidence,
  Gateway,
  ListQuery,
  PaymentRequest,
  ServicePayment,
  ServicePolicy,
} from '../../src/gateway/contract/gateway.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The delays of the reliability rules for V2. */
export const v2Policy: ServicePolicy = {
  resendAgeMsMax: 23 * hour,
  forgottenAgeMsMin: 25 * hour,
  lookupDelaysMs: [90_000],
  resendDelaysMs: [2 * minute, 5 * minute, 15 * minute, 60 * minute],
  resendsMax: Number.MAX_SAFE_INTEGER,
  agedLookupDelaysMs: [0, hour, 6 * hour, 24 * hour],
  sameErrorsMax: 3,
  sameNumberSpacingMs: 0,
  settleAlertMs: 15 * minute,
};

export const v1Policy: ServicePolicy = {
  ...v2Policy,
  lookupDelaysMs: [15_000, minute, 5 * minute, 12 * minute, 15 * minute],
  resendDelaysMs: [15 * minute],
  resendsMax: 3,
  sameNumberSpacingMs: 65_000,
};

/** What happens to one request to create: `charge` and then the answer, or something else altogether. */
export type Behaviour =
  | 'accept'
  | 'lose_answer'
  | 'lose_request'
  | 'refuse'
  | 'throttle'
  /** The same answer, word for word, as to every other request that meets it. */
  | 'throttle_kept'
  | 'cannot_pay'
  | 'unreachable'
  | 'error_500'
  | 'exists'
  | 'number_blocked'
  | 'wrong_answer';

export interface FakeService extends Gateway {
  /** Every charge, in order: the judge. */
  charges: { reference: string; key: string; at: number }[];
  creates: { reference: string; key: string; at: number; body: string }[];
  lookUps: string[];
  /** The pages that were asked for. */
  lists: ListQuery[];
  /** What the next requests for a reference meet; when used up, `accept`. */
  script(reference: string, ...behaviours: Behaviour[]): void;
  /** How a payment ends; `open`: it does not. */
  ends(reference: string, state: 'completed' | 'failed' | 'open'): void;
  payments: Map<string, ServicePayment & { key: string }>;
  /** Makes the look-up of this reference find nothing, for as long as it is set: a list that lags. */
  hidden: Set<string>;
  /** What the wallet held at first; each charge takes 1 of it. Without any left, nothing more is charged. */
  purse: { opening: number };
  /** What it does not let the credentials do. */
  refuses: { creations: boolean; reads: boolean };
}

const evidence = (code: string, httpStatus: number | null = 200): Evidence => ({
  httpStatus,
  code,
  message: code,
  requestId: 'r-1',
});

/**
 * A service in memory that keeps idempotency keys for ever and ends every payment `settleMs` (2 seconds) after
 * accepting it.
 */
export function makeFakeService(
  clock: Clock,
  options: { policy?: ServicePolicy; list?: boolean; settleMs?: number } = {},
): FakeService {
  const scripts = new Map<string, Behaviour[]>();
  const endings = new Map<string, 'completed' | 'failed' | 'open'>();
  const payments: FakeService['payments'] = new Map();
  const charges: FakeService['charges'] = [];
  const creates: FakeService['creates'] = [];
  const lookUps: string[] = [];
  const hidden = new Set<string>();
  const purse = { opening: 1_000 };
  const lists: ListQuery[] = [];
  const refuses = { creations: false, reads: false };
  const refusal = {
    kind: 'account_blocked',
    reason: 'credentials_rejected',
    evidence: evidence('UNAUTHORIZED', 401),
  } as const;
  const { settleMs = 2_000 } = options;

  const now = (payment: ServicePayment): ServicePayment => {
    const ended = clock.now() - (payment.createdAt ?? 0) >= settleMs;
    if (!ended) return payment;
    const state = endings.get(payment.reference ?? '') ?? 'completed';
    if (state === 'open') return payment;
    return state === 'completed'
      ? {
          ...payment,
          state,
          serviceStatus: 'completed',
          providerReference: 'p-1',
          completedAt: (payment.createdAt ?? 0) + settleMs,
        }
      : {
          ...payment,
          state,
          serviceStatus: 'failed',
          cost: { value: '0', currency: 'USD' },
          failureCode: 'DECLINED',
          failureReason: 'declined',
        };
  };

  const charge = (order: PaymentRequest, key: string): ServicePayment => {
    const known = [...payments.values()].find((payment) => payment.key === key);
    if (known) return known;
    charges.push({ reference: order.reference, key, at: clock.now() });
    const id = createHash('sha256').update(key).digest('hex').slice(0, 12);
    const payment: ServicePayment & { key: string } = {
      key,
      topupId: id,
      serviceStatus: 'pending',
      state: 'open',
      unknownStatus: false,
      reference: order.reference,
      phoneNumber: order.phoneNumber,
      amount: order.amount,
      cost: { value: '1', currency: 'USD' },
      productId: order.productId,
      providerReference: null,
      failureCode: null,
      failureReason: null,
      createdAt: clock.now(),
      completedAt: null,
      full: true,
    };
    payments.set(id, payment);
    return payment;
  };

  const answer = (behaviour: Behaviour, order: PaymentRequest, key: string): CreateOutcome => {
    switch (behaviour) {
      case 'accept':
        return { kind: 'accepted', payment: charge(order, key), evidence: evidence('created', 201) };
      case 'wrong_answer':
        return {
          kind: 'accepted',
          payment: { ...charge(order, key), phoneNumber: '+15550000000' },
          evidence: evidence('created', 201),
        };
      case 'lose_answer':
        charge(order, key);
        return { kind: 'in_doubt', evidence: evidence('timeout', null) };
      case 'lose_request':
        return { kind: 'in_doubt', evidence: evidence('timeout', null) };
      case 'error_500':
        return { kind: 'in_doubt', evidence: evidence('http_500', 500) };
      case 'refuse':
        return { kind: 'refused', evidence: evidence('INVALID_PHONE_NUMBER', 400) };
      case 'throttle':
        return {
          kind: 'throttled',
          retryAfterMs: 30_000,
          evidence: { ...evidence('RATE_LIMITED', 429), requestId: `r-${creates.length}` },
        };
      case 'throttle_kept':
        return { kind: 'throttled', retryAfterMs: 30_000, evidence: evidence('RATE_LIMITED', 429) };
      case 'cannot_pay':
        return {
          kind: 'account_blocked',
          reason: 'insufficient_balance',
          evidence: evidence('INSUFFICIENT_BALANCE', 402),
        };
      case 'unreachable':
        return { kind: 'not_sent', evidence: evidence('ECONNREFUSED', null) };
      case 'exists':
        return { kind: 'exists', evidence: evidence('90', 403) };
      case 'number_blocked':
        return { kind: 'number_blocked', evidence: evidence('50', 403) };
    }
  };

  return {
    version: 'fake',
    sendsTexts: true,
    keyScope: null,
    serviceTime: () => null,
    policy: options.policy ?? v2Policy,
    payments,
    charges,
    creates,
    lookUps,
    hidden,
    purse,
    refuses,
    lists,
    script: (reference, ...behaviours) => void scripts.set(reference, behaviours),
    ends: (reference, state) => void endings.set(reference, state),
    body: (order) => JSON.stringify(order),
    async create({ body, idempotencyKey, beforeWrite }: CreateRequest) {
      beforeWrite?.();
      const order = JSON.parse(body) as PaymentRequest;
      creates.push({ reference: order.reference, key: idempotencyKey, at: clock.now(), body });
      await clock.sleep(20);
      if (refuses.creations) return refusal;
      const isEmpty = charges.length >= purse.opening;
      return answer(
        scripts.get(order.reference)?.shift() ?? (isEmpty ? 'cannot_pay' : 'accept'),
        order,
        idempotencyKey,
      );
    },
    async lookup(reference) {
      lookUps.push(reference);
      await clock.sleep(10);
      if (refuses.reads) return refusal;
      const found = [...payments.values()].filter((payment) => payment.reference === reference).map(now);
      if (found.length === 0 || hidden.has(reference))
        return { kind: 'not_found', evidence: evidence('not_found', 404) };
      return { kind: 'found', payments: found, evidence: evidence('found') };
    },
    async read({ topupId }) {
      await clock.sleep(10);
      if (refuses.reads) return refusal;
      const found = payments.get(topupId);
      return found
        ? { kind: 'found', payments: [now(found)], evidence: evidence('found') }
        : { kind: 'not_found', evidence: evidence('not_found', 404) };
    },
    list:
      options.list === false
        ? null
        : async (query: ListQuery) => {
            const { page, perPage, fromMs, oldestFirst } = query;
            lists.push(query);
            await clock.sleep(10);
            if (refuses.reads) return refusal;
            const all = [...payments.values()].filter(({ createdAt }) => (createdAt ?? 0) >= (fromMs ?? 0)).map(now);
            const ordered = oldestFirst ? all : all.toReversed();
            const slice = ordered.slice((page - 1) * perPage, page * perPage);
            const entries = slice.map((payment) => ({
              ...payment,
              providerReference: null,
              failureReason: null,
              full: false,
            }));
            return {
              kind: 'page',
              payments: entries,
              unreadable: [],
              page,
              hasNext: page * perPage < all.length,
              total: all.length,
            };
          },
    async balance() {
      if (refuses.reads) return refusal;
      const balance = String(purse.opening - charges.length);
      return {
        kind: 'balance',
        balance: {
          total: { value: balance, currency: 'USD' },
          wallets: [{ walletId: 'w', name: 'global', currency: 'USD', balance, active: true }],
          readAt: clock.now(),
        },
      };
    },
    networks: async () => ({ kind: 'items', items: [] }),
    products: async () => ({ kind: 'items', items: [] }),
    close: async () => undefined,
  };
}
