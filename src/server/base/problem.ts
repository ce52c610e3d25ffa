import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply } from 'fastify';
import { AirbatchError, type ErrorCode, type ErrorReason, hintForPrograms } from '../../core/basics/errors.ts';

/** The HTTP status of each error of the program. */
const statusOf: Readonly<Record<ErrorCode, number>> = {
  USAGE: 400,
  CONFIG_INVALID: 500,
  ACCOUNT_UNKNOWN: 404,
  CONFIRMATION_NEEDED: 400,
  BATCH_UNKNOWN: 404,
  DRAFT_UNKNOWN: 404,
  DRAFT_STATE: 409,
  CHANGED_MEANWHILE: 412,
  WEBHOOK_UNKNOWN: 404,
  ROW_UNKNOWN: 404,
  BATCH_STATE: 409,
  ROW_NOT_RELEASABLE: 409,
  ROLE_MISSING: 403,
  SECOND_PERSON_NEEDED: 403,
  APPROVAL_EXPIRED: 409,
  CONTENT_CHANGED: 409,
  SERVICE_CHANGED: 409,
  RUN_ID_INVALID: 400,
  FILE_UNREADABLE: 400,
  FILE_REJECTED: 422,
  ACCOUNT_BUSY: 409,
  SERVICE_UNREACHABLE: 502,
  CREDENTIALS_REJECTED: 502,
  LEDGER_MISSING: 503,
  LEDGER_FULL: 503,
  LEDGER_IO: 503,
  LEDGER_SYNC: 503,
  LEDGER_BUSY: 503,
  LEDGER_DAMAGED: 503,
  LEDGER_RESTORED: 503,
  LEDGER_REPLACED: 503,
  LEDGER_MOVED: 503,
  LEDGER_EXISTS: 409,
  BACKUP_UNUSABLE: 422,
  LEDGER_VERSION: 503,
  FOLDER_UNWRITABLE: 503,
  FENCED: 503,
};

/** Errors that only the HTTP API has, with their statuses. */
const requestErrors = {
  KEY_MISSING: 401,
  KEY_REFUSED: 401,
  PERSON_NEEDED: 403,
  SIGN_IN_NEEDED: 401,
  SIGN_IN_REFUSED: 401,
  SIGN_IN_THROTTLED: 429,
  LINK_REFUSED: 403,
  PROVIDER_UNREACHABLE: 502,
  CODE_REFUSED: 403,
  FACTOR_UNREADABLE: 409,
  CROSS_ORIGIN: 403,
  STEP_UP_NEEDED: 403,
  SHOWN_ONCE: 409,
  NOT_FOUND: 404,
  REQUEST_INVALID: 400,
  REQUEST_TOO_LARGE: 413,
  IDEMPOTENCY_KEY_MISSING: 400,
  IDEMPOTENCY_KEY_REUSED: 409,
  REQUEST_UNFINISHED: 409,
  INTERNAL: 500,
} as const;

export type RequestErrorCode = keyof typeof requestErrors;

/** All codes that a problem can have. */
export const problemCodes: readonly string[] = [...Object.keys(requestErrors), ...Object.keys(statusOf)];

/** A problem of RFC 9457, with the code of the error and what to do. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  hint: string | null;
  /** With `STEP_UP_NEEDED`: the purpose for which the second factor must be proved. */
  purpose?: string;
  /** With `SIGN_IN_THROTTLED`: how many seconds to wait. */
  retry_after_s?: number;
  /** Of some problems: why, by a stable code, with what a text about it names. */
  reason?: ErrorReason;
}

/** A request that is refused while it runs. */
export class Refused extends Error {
  readonly problem: Problem;

  constructor(
    code: RequestErrorCode,
    detail: string,
    { hint = null, ...more }: { hint?: string | null } & Pick<Problem, 'purpose' | 'retry_after_s' | 'reason'> = {},
  ) {
    super(detail);
    this.problem = { ...problem(code, detail, hint), ...more };
  }
}

export function problem(code: RequestErrorCode, detail: string, hint: string | null = null): Problem {
  return problemWith(code, requestErrors[code], detail, hint);
}

/** The problem for an invalid request. */
export function invalidRequest(status: 400 | 405 | 408 | 415 | 431, detail: string, hint: string): Problem {
  return problemWith('REQUEST_INVALID', status, detail, hint);
}

/** The problems of bodies that fastify refuses before a route sees them, by the codes of its errors. */
const bodyProblems: Readonly<Record<string, (type: string | undefined) => Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (type) =>
    invalidRequest(
      415,
      type === undefined
        ? 'The body has no Content-Type, but it must be JSON.'
        : `The Content-Type is ${JSON.stringify(type)}, but the body must be JSON.`,
      'Send the body as JSON, with the header "Content-Type: application/json".',
    ),
  FST_ERR_CTP_INVALID_JSON_BODY: () =>
    invalidRequest(
      400,
      'The body is not valid JSON.',
      'Send one JSON object: names in double quotes, no comma after the last member.',
    ),
  FST_ERR_CTP_EMPTY_JSON_BODY: () =>
    invalidRequest(
      400,
      'The body is empty, but its Content-Type is JSON.',
      'Send a JSON object, such as {}, or leave the Content-Type out.',
    ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    invalidRequest(400, 'The body has another length than Content-Length says.', 'Send the whole request again.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    problem('REQUEST_TOO_LARGE', 'The body of the request is larger than 1 MiB.', 'Send less in one request.'),
};

/**
 * The problem that a caller sees for an error; null for an internal error, which goes into the log. `type`: the
 * Content-Type of the request.
 */
export function problemOf(error: unknown, type?: string): Problem | null {
  if (error instanceof Refused) return error.problem;
  if (error instanceof AirbatchError)
    return {
      ...problemWith(
        error.code,
        statusOf[error.code],
        error.faults.join('; '),
        hintForPrograms(error, (field) => field),
      ),
      ...(error.reason === null ? {} : { reason: error.reason }),
    };
  const { code, statusCode = 500, message } = error as FastifyError;
  const known = bodyProblems[code]?.(type);
  if (known !== undefined) return known;
  return statusCode < 500 ? problemWith('REQUEST_INVALID', statusCode, message, null) : null;
}

function problemWith(code: string, status: number, detail: string, hint: string | null): Problem {
  return { type: `urn:airbatch:problem:${code}`, title: STATUS_CODES[status] ?? 'Error', status, code, detail, hint };
}

/** What every answer has: nothing is kept by caches, and no browser guesses what it is. */
export const usualHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function withHeaders(reply: FastifyReply): FastifyReply {
  const cached = reply.getHeader('cache-control');
  return reply.headers(cached === undefined ? usualHeaders : { ...usualHeaders, 'cache-control': cached });
}

export function sendProblem(reply: FastifyReply, body: Problem): FastifyReply {
  if (body.status === 401) reply.header('www-authenticate', 'Bearer');
  if (body.retry_after_s !== undefined) reply.header('retry-after', String(body.retry_after_s));
  // The rest of the body is not read.
  if (body.status === 413) reply.header('connection', 'close');
  return reply.code(body.status).type('application/problem+json').send(JSON.stringify(body));
}
