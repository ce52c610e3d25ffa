import type { Money } from '../../core/money/money.ts';

/**
 * The service, as the engine sees it. Each version of the service's interface has one implementation; neither engine
 * nor ledger knows which one an account uses. A gateway never retries, never waits for a limiter, and never throws for
 * what the service or the network does: everything that can happen is an outcome.
 */
export interface Gateway {
  /** For people and reports: "V2" or "V1". */
  readonly version: string;
  readonly policy: ServicePolicy;
  /** Whether the text message of an order is what the person gets; V1 sends an SMS in words of its own instead. */
  readonly sendsTexts: boolean;
  /**
   * Tells the credentials from others (a digest), where the service may remember idempotency keys for each of them
   * alone; null where it remembers what it was sent whoever asks.
   */
  readonly keyScope: string | null;
  /** The exact bytes that will be sent for this order: the same order always gives the same text. */
  body(order: PaymentRequest): string;
  /**
   * Asks the service to create the payment. `beforeWrite` is called right before the first byte could leave; when it
   * throws, nothing is sent and the rejection reaches the caller.
   */
  create(request: CreateRequest): Promise<CreateOutcome>;
  /**
   * Everything that the service has under one reference; V2 answers with list entries (`full` is false), V1 in full.
   * What the service lists under other references is no answer: `unavailable`.
   */
  lookup(reference: string): Promise<LookupOutcome>;
  /** One payment in its full representation (V2 by id, V1 by reference). */
  read(payment: { topupId: string; reference: string }): Promise<LookupOutcome>;
  /**
   * A page of the account's own list of payments, the newest first, created at or after `fromMs`; null where the
   * service has no list (V1). Entries may lack `failureReason` and `providerReference`: `read` has them.
   */
  readonly list: ((query: ListQuery) => Promise<ListOutcome>) | null;
  balance(): Promise<BalanceOutcome>;
  /** V1 knows no network by a number or country: it answers with all of its networks, whatever is asked. */
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
  /** Where the service should send webhooks of this payment, if anywhere. */
  callbackUrl: string | null;
}

export interface CreateRequest {
  body: string;
  idempotencyKey: string;
  beforeWrite?: () => void;
}

/** What was seen on the wire, for the audit log and for people: no secrets, no phone numbers. */
export interface Evidence {
  httpStatus: number | null;
  /**
   * The service's own code, verbatim ("INSUFFICIENT_BALANCE", "90"), or ours in lower case ("timeout", "unparsable").
   */
  code: string;
  message: string;
  requestId: string | null;
}

/** The service's word on one payment. */
export interface ServicePayment {
  topupId: string;
  /** The service's status or state, verbatim. */
  serviceStatus: string;
  /** What that means here; an unknown status is `open`, never success. */
  state: 'open' | 'completed' | 'failed';
  /** True where `serviceStatus` is none of those the spec names: tracked on, with a warning. */
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
  /** A definitive no to this attempt: nothing was created by it. */
  | { kind: 'refused'; evidence: Evidence }
  /** The service says that the reference was used before (V1 code 90, or V2 a key with another body): look up. */
  | { kind: 'exists'; evidence: Evidence }
  /**
   * Told to wait (for so long as the service says) before anything else is sent for the account; nothing was created.
   */
  | { kind: 'throttled'; retryAfterMs: number; evidence: Evidence }
  /** The account cannot pay or may not ask; nothing was created, and nothing else of it would be. */
  | { kind: 'account_blocked'; reason: 'insufficient_balance' | 'credentials_rejected'; evidence: Evidence }
  /** The provider blocks another payment to this number for a while (V1 code 50). */
  | { kind: 'number_blocked'; evidence: Evidence }
  /** Proved that not one byte of the request was written (connection refused, name not found). */
  | { kind: 'not_sent'; evidence: Evidence }
  /**
   * Anything else: time-out, reset, 5xx, an answer that does not parse. It may have been charged. `isInOrder`:
   * whatever the HTTP status, the service named what is wrong with this payment or its route, and has not broken down.
   */
  | { kind: 'in_doubt'; evidence: Evidence; isInOrder?: true };

export type LookupOutcome =
  | { kind: 'found'; payments: ServicePayment[]; evidence: Evidence }
  /** The service says it has none: not evidence that there will be none. */
  | { kind: 'not_found'; evidence: Evidence }
  | ReadProblem;

export type ListOutcome =
  | {
      kind: 'page';
      payments: ServicePayment[];
      /** The entries that do not have the promised shape, and may be payments all the same. */
      unreadable: UnreadableEntry[];
      page: number;
      hasNext: boolean;
      total: number;
    }
  | ReadProblem;

/** What can be read of an entry of the list that is not as promised; null for what cannot. */
export interface UnreadableEntry extends Pick<ServicePayment, 'reference' | 'phoneNumber' | 'createdAt'> {
  /** The service's id; where that cannot be read, a name made of the entry's own text. */
  topupId: string;
  /** Whether it says of itself that it has failed. */
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

/** A read that gave no answer to its question. Reads change nothing, so they are simply asked again later. */
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
  /** Empty where the service does not say (V1: balances are per network, in no named currency). */
  currency: string;
  balance: string;
  active: boolean;
}

export type BalanceOutcome = { kind: 'balance'; balance: Balance } | ReadProblem;

export interface Network {
  networkId: number;
  name: string;
  /** ISO 3166 two-letter code; empty, as the name, where the service does not say (V1). */
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
   * Fixed price in the destination currency, which is empty where the service does not say (V1); null: the amount is
   * open.
   */
  amount: Money | null;
}

export type CatalogOutcome<Item> = { kind: 'items'; items: Item[] } | ReadProblem;

/**
 * What differs between the versions for the algorithms of `engine/`; all delays in milliseconds, counted from the last
 * send.
 */
export interface ServicePolicy {
  /** How old the first intent of a key may be when the key is sent again; older keys are only looked up. */
  resendAgeMsMax: number;
  /**
   * From this age of a key on, the service has surely forgotten it: if all of its attempts were refused, the key is as
   * good as new.
   */
  forgottenAgeMsMin: number;
  /** After each send without a known outcome, the payment is looked up when this much time has gone by. */
  lookupDelaysMs: readonly number[];
  /**
   * How long after its last send an unresolved payment that is still not found is sent again, with the same key and
   * bytes, right after one more look-up: the first again, the second, ...; the last delay repeats up to `resendsMax`.
   */
  resendDelaysMs: readonly number[];
  resendsMax: number;
  /**
   * Where the last answer has this code, the service says itself that the route is down and that the payment may be
   * sent again after a few minutes: then these delays apply, as often as the age of the key allows.
   */
  routeDown?: { code: string; resendDelaysMs: readonly number[] };
  /** When a key that is too old to be sent is looked up before a person must decide. */
  agedLookupDelaysMs: readonly number[];
  /** The same server error this many times under one key may be a cached answer: stop and review. */
  sameErrorsMax: number;
  /** Payments to one number are this far apart; 0 where the service does not mind. */
  sameNumberSpacingMs: number;
  /** An accepted payment that is still open after this long raises an alert; it is tracked on. */
  settleAlertMs: number;
}

/** What a response's rate-limit headers said (spec section 8.1). */
export interface RateHeaders {
  limit: number;
  remaining: number;
  /** Epoch milliseconds by the server's clock. */
  resetAt: number;
  /** The answer's Date header (epoch ms, whole seconds), where there was one: shows how far the clocks are apart. */
  date?: number;
  /** Milliseconds from before the request was written until its answer was read. */
  tookMs?: number;
}

/** The classes of requests that the service counts separately (spec section 8.1). */
export const requestClasses = ['creation', 'write', 'read', 'balance', 'catalog', 'auth'] as const;
export type RequestClass = (typeof requestClasses)[number];
