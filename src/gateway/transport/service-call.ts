import { AirbatchError } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Evidence, RateHeaders, RequestClass, ServicePolicy } from '../contract/gateway.ts';
import { headerText, makeEvidence, rateHeaders, type ServiceError } from './answers.ts';
import type { Transport, TransportResult } from './transport.ts';
import { parseAnswer, readText } from './wire.ts';

/** What is injected into a gateway. */
export interface GatewayDeps {
  transport: Transport;
  clock: Clock;
  /** Told whatever the rate-limit headers of an answer say (spec section 8.1). */
  onRate?: ((requestClass: RequestClass, headers: RateHeaders) => void) | undefined;
}

/** What both versions' gateways are told. */
export interface GatewayOptions {
  policy: ServicePolicy;
  /** One deadline for a whole request, in milliseconds. */
  deadlineMs: number;
}

/** A request to the service and how it came out, before anything is read into it. */
export interface Called {
  result: TransportResult;
  /** The HTTP status of a whole answer, else 0. */
  status: number;
  /** The answer's JSON, or undefined. */
  json: unknown;
  /** The service's own error, where its envelope is intact. */
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
  /** Of a creation, where the version has one. */
  idempotencyKey?: string;
  beforeWrite?: (() => void) | undefined;
}

/** Asks the service once, and brings what `read` makes of how it came out. */
export type CallService = <Outcome>(call: ServiceCall, read: (called: Called) => Outcome) => Promise<Outcome>;

/** What a version's requests have in common: its credentials, and where its error envelope and request id stand. */
export interface ServiceDialect {
  credentials: Record<string, string>;
  secrets: readonly string[];
  readError: (json: unknown) => ServiceError | null;
  readRequestId: (json: unknown) => string | null;
}

/** Makes the one function through which a gateway speaks to its service. */
export function makeServiceCall(
  { transport, clock, onRate }: GatewayDeps,
  { deadlineMs }: Pick<GatewayOptions, 'deadlineMs'>,
  { credentials, secrets, readError, readRequestId }: ServiceDialect,
): CallService {
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
  return ({ method = 'GET', path, requestClass, body = null, idempotencyKey, beforeWrite }, read) => {
    const common = body === null ? reading : writing;
    const headers = idempotencyKey === undefined ? common : { ...common, 'idempotency-key': idempotencyKey };
    let writtenAt: number | null = null;
    const noteWrite = () => {
      beforeWrite?.();
      writtenAt = clock.monotonic();
    };
    return transport.send({ method, path, headers, body, deadlineMs, beforeWrite: noteWrite }, (result) =>
      read(called(requestClass, result, writtenAt)),
    );
  };
}

/** A credential goes into a header as it is. Throws `CONFIG_INVALID`, without repeating the secret. */
export function checkedCredential(name: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new AirbatchError('CONFIG_INVALID', `the ${name} is empty, or has characters that no credential has`);
}
