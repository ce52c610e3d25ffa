import { AirbatchError } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Evidence, Gateway, RateHeaders, RequestClass, ServicePolicy } from '../contract/gateway.ts';
import { headerText, httpDate, makeEvidence, rateHeaders, type ServiceError } from './answers.ts';
import type { Transport, TransportResult } from './transport.ts';
import { parseAnswer, readText } from './wire.ts';

/** How a request ended, for statistics; what an answer means for a row is decided elsewhere. */
type RequestResult =
  | 'ok'
  | 'refused' // 4xx, except 429.
  | 'throttled' // 429.
  | 'server_error' // 5xx.
  | 'unreadable' // 2xx without JSON.
  | 'no_answer' // It is unknown whether the service has the request.
  | 'not_sent';

/** Called for each request that has ended. */
export type OnAnswered = (requestClass: RequestClass, result: RequestResult, tookMs: number) => void;

/** The dependencies that are injected into a gateway. */
export interface GatewayDeps {
  transport: Transport;
  clock: Clock;
  /** Called with the rate-limit headers of each answer that has them (spec section 8.1). */
  onRate?: ((requestClass: RequestClass, headers: RateHeaders) => void) | undefined;
  onAnswered?: OnAnswered | undefined;
}

/** The options that the gateways of both versions have. */
export interface GatewayOptions {
  policy: ServicePolicy;
  /** The deadline of a whole request, in milliseconds. */
  deadlineMs: number;
}

/** A request to the service and its raw result, before it is interpreted. */
export interface Called {
  result: TransportResult;
  /** The HTTP status of a complete answer, else 0. */
  status: number;
  /** The answer's JSON, or undefined. */
  json: unknown;
  /** The service's own error, if its envelope is intact. */
  error: ServiceError | null;
  evidence: Evidence;
}

export function isSuccess({ status }: Called): boolean {
  return status >= 200 && status < 300;
}

export interface ServiceCall {
  method?: 'GET' | 'POST';
  path: string;
  requestClass: RequestClass;
  /** JSON. */
  body?: string;
  /** For creations, if the version has idempotency keys. */
  idempotencyKey?: string;
  beforeWrite?: (() => void) | undefined;
}

/** Sends one request to the service, and returns what `read` makes of the result. */
export type CallService = <Outcome>(call: ServiceCall, read: (called: Called) => Outcome) => Promise<Outcome>;

/**
 * What the requests of one version have in common: the credentials, and where the error envelope and the request id
 * are.
 */
export interface ServiceDialect {
  credentials: Record<string, string>;
  secrets: readonly string[];
  readError: (json: unknown) => ServiceError | null;
  readRequestId: (json: unknown) => string | null;
}

/** Makes what a gateway uses to call its service, and the service's time. */
export function makeServiceCall(
  { transport, clock, onRate, onAnswered }: GatewayDeps,
  { deadlineMs }: Pick<GatewayOptions, 'deadlineMs'>,
  { credentials, secrets, readError, readRequestId }: ServiceDialect,
): { call: CallService; serviceTime: Gateway['serviceTime'] } {
  let timeAhead: number | null = null;
  const called = (requestClass: RequestClass, result: TransportResult, writtenAt: number | null): Called => {
    if (result.kind !== 'answer') {
      return {
        result,
        status: 0,
        json: undefined,
        error: null,
        evidence: makeEvidence(result, null, { requestId: null, secrets }),
      };
    }
    const date = httpDate(result.headers, 'date');
    if (date !== null) timeAhead = date - clock.uptime();
    const rate = rateHeaders(result.headers);
    if (rate) onRate?.(requestClass, writtenAt === null ? rate : { ...rate, tookMs: clock.monotonic() - writtenAt });
    const json = parseAnswer(result.text, secrets);
    const error = readError(json);
    const requestId = readRequestId(json) ?? readText(headerText(result.headers, 'x-request-id'));
    return {
      result,
      status: result.status,
      json,
      error,
      evidence: makeEvidence(result, error, { requestId, secrets }),
    };
  };
  const reading = { accept: 'application/json', ...credentials };
  const writing = { ...reading, 'content-type': 'application/json' };
  const call: CallService = (
    { method = 'GET', path, requestClass, body = null, idempotencyKey, beforeWrite },
    read,
  ) => {
    const common = body === null ? reading : writing;
    const headers = idempotencyKey === undefined ? common : { ...common, 'idempotency-key': idempotencyKey };
    const begunAt = clock.monotonic();
    let writtenAt: number | null = null;
    const noteWrite = () => {
      beforeWrite?.();
      writtenAt = clock.monotonic();
    };
    return transport.send({ method, path, headers, body, deadlineMs, beforeWrite: noteWrite }, (result) => {
      const answer = called(requestClass, result, writtenAt);
      onAnswered?.(requestClass, resultOf(answer), clock.monotonic() - (writtenAt ?? begunAt));
      return read(answer);
    });
  };
  return { call, serviceTime: () => (timeAhead === null ? null : Math.round(timeAhead + clock.uptime())) };
}

function resultOf({ result, status, json }: Called): RequestResult {
  if (result.kind !== 'answer') return result.kind === 'not_sent' ? 'not_sent' : 'no_answer';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'server_error';
  if (status >= 400) return 'refused';
  return json === undefined ? 'unreadable' : 'ok';
}

/** Checks a credential, which goes into a header unchanged. Throws `CONFIG_INVALID`, without repeating the secret. */
export function checkedCredential(name: string, value: string): string {
  const fault = credentialFault(value);
  if (fault === null) return value;
  throw new AirbatchError('CONFIG_INVALID', `the ${name} ${fault}`);
}

/** What is wrong with a credential, as a predicate; null if nothing is. */
export function credentialFault(value: string): string | null {
  return /^[\x21-\x7e]+$/.test(value) ? null : 'is empty, or has characters that no credential has';
}
