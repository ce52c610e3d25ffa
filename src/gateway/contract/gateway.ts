import type { Money } from '../../core/money/money.ts';

/**
 * The service, as the engine sees it. Each version of the service's interface has one implementation; neither engine
 * nor ledger knows which one an account uses. A gateway never retries, never waits for a limiter, and never throws for
 * a fault of the service or the network: every result is an outcome.
 */
export interface Gateway {
  /** For people and reports: "V2" or "V1". */
  readonly version: string;
  readonly policy: ServicePolicy;
  /** Whether the recipient gets the order's text message. V1 sends an SMS with its own text instead. */
  readonly sendsTexts: boolean;
  /**
   * A digest of the credentials, if the service may remember idempotency keys separately for each of them. Null if it
   * remembers keys for the account, whatever the credentials.
   */
  readonly keyScope: string | null;
  /** The time by the service's own clock (epoch ms), as its last answer showed; null before an answer has shown it. */
  serviceTime(): number | null;
  /** The exact bytes that will be sent for this order: the same order always gives the same text. */
  body(order: PaymentRequest): string;
  /**
   * Asks the service to create the payment. `beforeWrite` is called right before the first byte could leave. If it
   * throws, nothing is sent, and the caller gets its error.
   */
  create(request: CreateRequest): Promise<CreateOutcome>;
  /**
   * All payments that the service has under one reference. V2 answers with list entries (`full` is false), V1 in full.
   * If the service lists payments of other references only, the outcome is `unavailable`.
   */
  lookup(reference: string): Promise<LookupOutcome>;
  /** One payment in its full representation (V2 by id, V1 by reference). */
  read(payment: { topupId: string; reference: string }): Promise<LookupOutcome>;
  /**
   * A page of the account's own payments, the newest first, created at or after `fromMs`. Null if the service has no
   * list (V1). Entries may lack `failureReason` and `providerReference`: `read` has them.
   */
  readonly list: ((query: ListQuery) => Promise<ListOutcome>) | null;
  balance(): Promise<BalanceOutcome>;
  /** V1 cannot search by number or country: it always answers with all of its networks. */
  networks(query: { phoneNumber?: string; country?: string }): Promise<CatalogOutcome<Network>>;
  /** V1 lists products by network only: without one, `unavailable` with the code "network_needed". */
  products(query: { networkId?: number }): Promise<CatalogOutcome<Product>>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** What one payment asks of the service. */
export interface PaymentRequest {
  /** E.164 with its leading "+". */
  phoneNumber: string;
  networkId: number;
  /** Exactly one of `amount` and `productId` is given. */
  amount: Money | null;
  productId: string | null;
  smsMessage: string | null;
  reference: string;
  /** Where the service should send webhooks of this payment; null for nowhere. */
  callbackUrl: string | null;
}

export interface CreateRequest {
  body: string;
  idempotencyKey: string;
  beforeWrite?: () => void;
}

/**
 * What the service or the network answered, for the audit log and for people. It has no secrets and no phone numbers.
 */
export interface Evidence {
  httpStatus: number | null;
  /**
   * The service's own code, verbatim ("INSUFFICIENT_BALANCE", "90"), or ours in lower case ("timeout", "unparsable").
   */
  code: string;
  message: string;
  requestId: string | null;
}

/** A payment, as the service describes it. */
export interface ServicePayment {
  topupId: string;
  /** The service's status or state, verbatim. */
  serviceStatus: string;
  /** What that status means for airbatch. An unknown status is `open`, never success. */
  state: 'open' | 'completed' | 'failed';
  /** True if the spec does not list `serviceStatus`. The payment is tracked on, with a warning. */
  unknownStatus: boolean;
  reference: string | null;
  /** E.164 with its leading "+". */
  phoneNumber: string | null;
  amount: Money | null;
  cost: Money | null;
  productId: string | null;
  providerReference: string | null;
  failureCode: string | null;
  failureReason: string | null;
  /** Epoch milliseconds. */
  createdAt: number | null;
  completedAt: number | null;
  /** Whether this came from a full representation, or from a list entry that lacks the reasons. */
  full: boolean;
}

export type CreateOutcome =
  /** The service has the payment, in whatever state. */
  | { kind: 'accepted'; payment: ServicePayment; evidence: Evidence }
  /** The service refused this attempt for certain: the attempt created nothing. */
  | { kind: 'refused'; evidence: Evidence }
  /** The service says that the reference was used before (V1 code 90, or V2 a key with another body): look up. */
  | { kind: 'exists'; evidence: Evidence }
  /** The service allows no request of the account before `retryAfterMs` have passed (429). It created nothing. */
  | { kind: 'throttled'; retryAfterMs: number; evidence: Evidence }
  /**
   * The account cannot pay, or its credentials are refused. The service created nothing, and would refuse every other
   * payment.
   */
  | { kind: 'account_blocked'; reason: 'insufficient_balance' | 'credentials_rejected'; evidence: Evidence }
  /** The provider blocks another payment to this number for a while (V1 code 50). */
  | { kind: 'number_blocked'; evidence: Evidence }
  /** Proved: no byte of the request was written (connection refused, name not found). */
  | { kind: 'not_sent'; evidence: Evidence }
  /**
   * Anything else: time-out, reset, 5xx, an answer that does not parse. The service may have charged the payment.
   * `isInOrder`: the service works, and named what is wrong with this payment or its route, whatever the HTTP status.
   */
  | { kind: 'in_doubt'; evidence: Evidence; isInOrder?: true };

export type LookupOutcome =
  | { kind: 'found'; payments: ServicePayment[]; evidence: Evidence }
  /** The service says that it has no such payment. That does not prove that there will be none. */
  | { kind: 'not_found'; evidence: Evidence }
  | ReadProblem;

export type ListOutcome =
  | {
      kind: 'page';
      payments: ServicePayment[];
      /** Entries without the promised shape. They may be payments all the same. */
      unreadable: UnreadableEntry[];
      page: number;
      hasNext: boolean;
      total: number;
    }
  | ReadProblem;

/** The readable fields of a malformed entry of the list; null for each other field. */
export interface UnreadableEntry extends Pick<ServicePayment, 'reference' | 'phoneNumber' | 'createdAt'> {
  /** The service's id; if it cannot be read, a name derived from the entry's text. */
  topupId: string;
  /** Whether the entry says that the payment has failed. */
  hasFailed: boolean;
}

/** The most payments that the service lists on one page (spec section 8.2). */
export const paymentsPerPageMax = 100;

export interface ListQuery {
  page: number;
  /** At most `paymentsPerPageMax`. */
  perPage: number;
  fromMs: number | null;
  toMs: number | null;
  /** Default: the newest first. */
  oldestFirst?: boolean;
}

/** A read without an answer to its question. Reads change nothing, so the caller asks again later. */
export type ReadProblem =
  | { kind: 'throttled'; retryAfterMs: number; evidence: Evidence }
  | { kind: 'account_blocked'; reason: 'insufficient_balance' | 'credentials_rejected'; evidence: Evidence }
  | { kind: 'unavailable'; evidence: Evidence };

/** The money of an account, wallet by wallet, as exact decimals. */
export interface Balance {
  /** V2: the total in USD that the service computes; V1 has none. */
  total: Money | null;
  wallets: Wallet[];
  /** Epoch milliseconds by the caller's clock. */
  readAt: number;
}

export interface Wallet {
  walletId: string;
  name: string;
  /** Empty if the service does not say (V1: balances are by network, without a currency). */
  currency: string;
  balance: string;
  active: boolean;
}

export type BalanceOutcome = { kind: 'balance'; balance: Balance } | ReadProblem;

export interface Network {
  networkId: number;
  name: string;
  /** ISO 3166 two-letter code. It and the name are empty if the service does not say (V1). */
  countryCode: string;
  countryName: string;
  currency: string | null;
}

export interface Product {
  productId: string;
  name: string;
  networkId: number;
  networkName: string;
  /**
   * Fixed price in the destination currency; null if the amount is open. The currency is empty if the service does not
   * say (V1).
   */
  amount: Money | null;
}

export type CatalogOutcome<Item> = { kind: 'items'; items: Item[] } | ReadProblem;

/** How the versions differ for the algorithms of `engine/`. All delays are in milliseconds after the last send. */
export interface ServicePolicy {
  /** How old the first intent of a key may be when the key is sent again; older keys are only looked up. */
  resendAgeMsMax: number;
  /**
   * A key of this age is certainly forgotten by the service. If all of its attempts were refused, it can be used like a
   * new one.
   */
  forgottenAgeMsMin: number;
  /** How long after a send without a known outcome the payment is looked up. */
  lookupDelaysMs: readonly number[];
  /**
   * How long after its last send an unresolved payment that is still not found is sent again, with the same key and
   * bytes, right after one more lookup. The n-th delay is for the n-th repetition; the last one repeats up to
   * `resendsMax`.
   */
  resendDelaysMs: readonly number[];
  resendsMax: number;
  /**
   * With this code the service says that the route is down, and that the payment may be sent again after a few minutes.
   * After such an answer these delays apply, as often as the age of the key allows.
   */
  routeDown?: { code: string; resendDelaysMs: readonly number[] };
  /** When a key that is too old to be sent is looked up, before a person must decide. */
  agedLookupDelaysMs: readonly number[];
  /**
   * If the service answers with the same server error this often under one key, that may be a cached answer: a person
   * reviews the row.
   */
  sameErrorsMax: number;
  /** Payments to one number are at least this far apart; 0 if the service does not require it. */
  sameNumberSpacingMs: number;
  /** An accepted payment that is still open after this long raises an alert. Tracking continues. */
  settleAlertMs: number;
}

/** What a response's rate-limit headers said (spec section 8.1). */
export interface RateHeaders {
  limit: number;
  remaining: number;
  /** Epoch milliseconds by the server's clock. */
  resetAt: number;
  /** The answer's Date header (epoch ms, whole seconds), if any: it shows how far the clocks are apart. */
  date?: number;
  /** Milliseconds from before the request was written until its answer was read. */
  tookMs?: number;
}

/** The classes of airbatch's requests that the service counts separately (spec section 8.1). */
export const requestClasses = ['creation', 'read', 'balance', 'catalog'] as const;
export type RequestClass = (typeof requestClasses)[number];
