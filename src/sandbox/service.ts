import type { z } from 'zod';
import { callerOf } from './access.ts';
import { type Replies, type Reply, V1Error, V2Error } from './http/reply.ts';
import { type Call, findRoute, type Route } from './http/routes.ts';
import { faultsIn, withoutNulls } from './http/shapes.ts';
import type { Topups } from './money/topups.ts';
import type { SandboxClock } from './parts/clock.ts';
import { parseExact } from './parts/exact.ts';
import type { Faults, RequestFault } from './parts/faults.ts';
import type { Limits } from './parts/limits.ts';
import { magicOf } from './parts/magic.ts';
import type { LimitName } from './parts/options.ts';
import type { Store } from './parts/store.ts';
import type { Strikes } from './parts/strikes.ts';

export interface ServiceRequest {
  method: string;
  /** With its query. */
  path: string;
  /** By name in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
  /** The body was too long, and was not read. */
  tooLarge?: boolean;
}

export interface ServiceParts {
  store: Store;
  clock: SandboxClock;
  replies: Replies;
  limits: Limits;
  topups: Topups;
  strikes: Strikes;
  faults: Faults;
  routes: readonly Route[];
}

/** The service without sockets: it takes a request and returns an answer, which is stored before. */
export function perform(parts: ServiceParts, request: ServiceRequest): Reply {
  const fault = parts.faults.ofRequest();
  const early = beforeAll(parts, request, fault);
  if (early) return early;
  if (fault === 'duplicated') answer(parts, request);
  return afterAll(parts, request, answer(parts, request), fault);
}

function beforeAll({ replies }: ServiceParts, request: ServiceRequest, fault: RequestFault | null): Reply | null {
  switch (fault) {
    case 'request_lost':
      return { status: 0, headers: {}, body: '', cut: 'instead' };
    case 'error_500_before':
      return broken(replies, isOfV1(request));
    case 'error_503':
      return unavailable;
    case 'rate_limited': {
      const reply = tooMany(replies, isOfV1(request), 1);
      return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } };
    }
    default:
      return null;
  }
}

/** Each version has its own envelopes, also for errors (spec sections 2.1 and 2.4). */
function isOfV1({ path }: ServiceRequest): boolean {
  return /^\/adp(?:[/?]|$)/.test(path);
}

function broken(replies: Replies, isV1: boolean): Reply {
  const message = 'Something went wrong.';
  return isV1 ? replies.v1(500, null, message) : replies.v2Error(new V2Error(500, 'INTERNAL_ERROR', message));
}

function tooMany(replies: Replies, isV1: boolean, seconds: number): Reply {
  const message = `Rate limit exceeded. Retry in ${seconds} seconds.`;
  return isV1 ? replies.v1(429, null, message) : replies.v2Error(new V2Error(429, 'RATE_LIMITED', message));
}

/** A 503 comes from a proxy in front of the service: it has no envelope. */
const unavailable: Reply = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>',
};

const html = { 'content-type': 'text/html' };
const unreadable = '<html><body>Welcome to the airport wifi.</body></html>';

function afterAll(
  { replies, faults }: ServiceParts,
  request: ServiceRequest,
  reply: Reply,
  fault: RequestFault | null,
): Reply {
  switch (fault) {
    case 'response_lost':
      return { ...reply, cut: 'instead' };
    case 'error_500_after':
      return broken(replies, isOfV1(request));
    case 'malformed':
      return { status: 200, headers: html, body: unreadable };
    case 'cut_body':
      return { ...reply, cut: 'in_the_middle' };
    case 'slow':
      return { ...reply, later: { ...reply.later, ms: (reply.later?.ms ?? 0) + faults.slowMs } };
    default:
      return reply;
  }
}

/** Handles one request, from its credentials to its answer. */
function answer(parts: ServiceParts, request: ServiceRequest): Reply {
  const { replies } = parts;
  const [path = '', ...queries] = request.path.split('?');
  const isV1 = isOfV1(request);
  let rateHeaders: Record<string, string> = {};
  try {
    const found = findRoute(parts.routes, request.method, path);
    parts.topups.settleDue();
    const { company, apiKey, refusal } = callerOf(parts, found?.route.access ?? null, request.headers);
    const limits =
      found?.route.limits ?? (isV1 ? [] : [request.method === 'GET' ? ('read' as const) : ('write' as const)]);
    // Every answer of Version 2 has the headers of its limit (spec section 8.1), also a refusal.
    rateHeaders = admit(parts, limits, company ?? nobody, isV1);
    if (!found) throw failed(isV1, 404, 'NOT_FOUND', 'There is no such endpoint.');
    if (refusal !== null || company === null) throw refusal;
    if (request.tooLarge) throw failed(isV1, 413, 'PAYLOAD_TOO_LARGE', 'The body is too large.');
    if (found.params === null) throw failed(isV1, 400, 'VALIDATION_ERROR', 'The path is not valid.');
    if (found.route.body && !isJson(request.headers['content-type'])) {
      // Version 1 has no other status for it than that of wrong parameters (spec section 7.2).
      throw failed(isV1, isV1 ? 400 : 415, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json.');
    }
    const call: Call = {
      company,
      apiKey,
      headers: request.headers,
      params: found.params,
      query: found.route.query ? read(found.route.query, queryOf(queries.join('?')), isV1) : {},
      body: found.route.body ? read(found.route.body, bodyOf(request.body, isV1), isV1) : undefined,
    };
    const number = recipientOf(call.body);
    if (number !== null && magicOf(number) === 'unavailable' && !parts.strikes.isOver('unavailable', number, 2))
      return unavailable;
    const reply = spoilt(parts, found.route.handle(call), number, isV1);
    return { ...reply, headers: { ...reply.headers, ...rateHeaders } };
  } catch (error) {
    if (error instanceof RateLimited) return error.reply;
    if (error instanceof V1Error) return replies.v1(error.status, error.code, error.message);
    if (!(error instanceof V2Error)) throw error;
    const reply = replies.v2Error(error);
    return { ...reply, headers: { ...reply.headers, ...rateHeaders } };
  }
}

class RateLimited extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('rate limited');
    this.reply = reply;
  }
}

/** All callers without valid credentials share one limit. */
const nobody = 'nobody';

const failed = (isV1: boolean, status: number, code: string, message: string) =>
  isV1 ? new V1Error(status, null, message.replace(/\.$/, '')) : new V2Error(status, code, message);

const isJson = (contentType: string | undefined): boolean => /^\s*application\/json\s*(;|$)/i.test(contentType ?? '');

/** Counts the request. Version 2 has headers (spec section 8.1); Version 1 only `Retry-After`. */
function admit(
  { limits, replies }: ServiceParts,
  names: readonly LimitName[],
  company: string,
  isV1: boolean,
): Record<string, string> {
  if (names.length === 0) return {};
  const { admitted, limit, remaining, resetAt, retryAfter } = limits.admit(company, names);
  const headers: Record<string, string> = isV1
    ? {}
    : {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(resetAt),
      };
  if (admitted) return headers;
  const reply = tooMany(replies, isV1, retryAfter);
  throw new RateLimited({ ...reply, headers: { ...reply.headers, ...headers, 'retry-after': String(retryAfter) } });
}

/** Changes the answer of a charged top-up to a magic number, once for each number. */
function spoilt({ strikes, replies }: ServiceParts, reply: Reply, number: string | null, isV1: boolean): Reply {
  const magic = number === null ? null : magicOf(number);
  if (number === null || magic === null || strikes.isOver(magic, number, 1)) return reply;
  if (magic === 'answer_lost') return { ...reply, cut: 'instead' };
  if (magic === 'broken_after_charge') return broken(replies, isV1);
  if (magic === 'unreadable_after_charge') return { ...reply, status: 200, headers: html, body: unreadable };
  return reply;
}

/** The recipient's number in a body, E.164. */
function recipientOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  if ('phone_number' in body) return String(body.phone_number);
  return 'msisdn' in body ? `+${String(body.msisdn)}` : null;
}

function queryOf(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

function bodyOf(text: string, isV1: boolean): unknown {
  try {
    return parseExact(text);
  } catch {
    if (isV1) throw new V1Error(400, null, 'The body is not JSON');
    throw new V2Error(400, 'VALIDATION_ERROR', 'The body is not JSON.');
  }
}

function read(shape: z.ZodType, value: unknown, isV1: boolean): unknown {
  const parsed = shape.safeParse(withoutNulls(value));
  if (parsed.success) return parsed.data;
  const message = faultsIn(parsed.error);
  if (isV1) throw new V1Error(400, null, `Missing or invalid parameters: ${message}`);
  throw new V2Error(400, 'VALIDATION_ERROR', `${message}.`);
}
