import { withoutNumbers, withoutSecrets } from '../../core/text/redact.ts';
import type { CreateOutcome, Evidence, RateHeaders, ReadProblem, ServicePayment } from '../contract/gateway.ts';
import type { Verdict } from './outcome-class.ts';
import type { AnswerHeaders, TransportResult } from './transport.ts';
import { textLengthMax } from './wire.ts';

/** The wait after a 429 that does not say how long: the service counts by the minute (spec section 8.1). */
const retryAfterDefaultMs = 60_000;
/** If a 429 asks for no wait at all (0, or a date in the past), the next request would get a 429 at once. */
const retryAfterMsMin = 1_000;

/** A header's text, or null if it is missing. */
export function headerText(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : String(value);
}

/** How long a 429 asks to wait: `Retry-After` in seconds or as an HTTP date. */
function retryAfterMs(headers: AnswerHeaders, now: number): number {
  const text = headerText(headers, 'retry-after')?.trim() ?? '';
  const at = httpDate(headers, 'retry-after');
  // The date is by the service's clock, so it is measured from the answer's Date header, if there is one.
  const wait = at === null ? retryAfterDefaultMs : at - (httpDate(headers, 'date') ?? now);
  const ms = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : wait;
  return Math.min(Math.max(ms, retryAfterMsMin), Number.MAX_SAFE_INTEGER);
}

/** A header's date (epoch ms), or null if it is not a date. */
export function httpDate(headers: AnswerHeaders, name: string): number | null {
  const text = headerText(headers, name)?.trim() ?? '';
  // `Date.parse` finds a date in almost anything; an HTTP date always ends in GMT.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** The rate-limit headers of an answer (spec section 8.1), or null if they are incomplete. */
export function rateHeaders(headers: AnswerHeaders): RateHeaders | null {
  const limit = rateNumber(headers, 'x-ratelimit-limit');
  const remaining = rateNumber(headers, 'x-ratelimit-remaining');
  const reset = rateNumber(headers, 'x-ratelimit-reset');
  if (limit === null || remaining === null || reset === null || limit === 0) return null;
  const date = httpDate(headers, 'date');
  // The reset is a Unix timestamp in seconds. Some services write milliseconds, which as seconds would be past the year
  // 33,000.
  const rate = { limit, remaining, resetAt: reset > 1e12 ? reset : reset * 1_000 };
  return date === null ? rate : { ...rate, date };
}

function rateNumber(headers: AnswerHeaders, name: string): number | null {
  const text = headerText(headers, name)?.trim() ?? '';
  return /^[0-9]{1,15}(\.[0-9]+)?$/.test(text) ? Number(text) : null;
}

/** A text of the service for people: on one line, without phone numbers and secrets, and shortened. */
function safeMessage(text: string, secrets: readonly string[]): string {
  const oneLine = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return withoutNumbers(withoutSecrets(oneLine, secrets)).slice(0, textLengthMax);
}

/** The error that the service itself reports, in an intact error envelope. */
export interface ServiceError {
  code: string;
  message: string;
}

/** The evidence of any result of the transport. */
export function makeEvidence(
  result: TransportResult,
  error: ServiceError | null,
  { requestId, secrets }: { requestId: string | null; secrets: readonly string[] },
): Evidence {
  const { code, message } = errorText(result, error, secrets);
  return { httpStatus: result.status, code, message, requestId };
}

type ErrorText = Pick<Evidence, 'code' | 'message'>;

function errorText(result: TransportResult, error: ServiceError | null, secrets: readonly string[]): ErrorText {
  if (error) return safeError(error, secrets);
  return result.kind === 'answer' ? ourMessage(result.status) : safeError(result, secrets);
}

function safeError({ code, message }: ErrorText, secrets: readonly string[]): ErrorText {
  return { code: safeMessage(code, secrets), message: safeMessage(message, secrets) };
}

const unparsable: ErrorText = { code: 'unparsable', message: 'the answer does not have the promised shape' };

/** Our own texts contain neither secrets nor numbers, so nothing has to be redacted. */
function ourMessage(status: number): ErrorText {
  if (status >= 200 && status < 300) return unparsable;
  const message = `HTTP ${status} came without an error of the service: perhaps a proxy or a firewall sent it`;
  return { code: `http_${status}`, message };
}

/**
 * The text for people if the service cannot be reached or does not answer properly. An HTML page with status 200 shows
 * that something was reached.
 */
export function unusableText({
  httpStatus,
}: Evidence):
  | 'the service cannot be reached, or does not answer'
  | 'another program seems to answer at the address of the service' {
  return httpStatus === null
    ? 'the service cannot be reached, or does not answer'
    : 'another program seems to answer at the address of the service';
}

/** The evidence of an answer that was understood. */
export function okEvidence({ httpStatus, requestId }: Evidence): Evidence {
  return { httpStatus, code: 'ok', message: '', requestId };
}

/**
 * The payments that a lookup found. An entry that is listed twice with identical content is one payment, not a second
 * one.
 */
export function eachOnce(payments: readonly ServicePayment[]): ServicePayment[] {
  return [...new Map(payments.map((payment) => [JSON.stringify(payment), payment])).values()];
}

/** Turns the verdict on an answer to a creation into an outcome for the engine. */
export function createOutcome(
  verdict: Verdict,
  result: TransportResult,
  evidence: Evidence,
  now: number,
): CreateOutcome {
  if (result.kind === 'not_sent') return { kind: 'not_sent', evidence };
  if (result.kind === 'unknown') return { kind: 'in_doubt', evidence };
  switch (verdict.kind) {
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: retryAfterMs(result.headers, now), evidence };
    case 'account_blocked':
      return { kind: 'account_blocked', reason: verdict.reason, evidence };
    case 'in_doubt':
      return {
        kind: 'in_doubt',
        evidence,
        ...((verdict.isInOrder || isNamed(result.status, evidence)) && { isInOrder: true }),
      };
    default:
      return { kind: verdict.kind, evidence };
  }
}

/**
 * Our own codes, for answers without one: the HTTP status alone, or the status that an envelope of Version 1 repeats.
 */
const isOurs = /^(?:unparsable|http_[0-9]+)$/;

/**
 * Whether the service itself says what is wrong. Below HTTP 500 any code of its own does; a proxy between us and the
 * service sends no code.
 */
function isNamed(status: number, { code }: Evidence): boolean {
  return status < 500 && !isOurs.test(code);
}

/** Turns an unanswered read into a problem for the engine. */
export function readProblem(result: TransportResult, evidence: Evidence, verdict: Verdict, now: number): ReadProblem {
  if (result.kind !== 'answer') return { kind: 'unavailable', evidence };
  if (verdict.kind === 'throttled') {
    return { kind: 'throttled', retryAfterMs: retryAfterMs(result.headers, now), evidence };
  }
  if (verdict.kind === 'account_blocked' && verdict.reason === 'credentials_rejected') {
    return { kind: 'account_blocked', reason: verdict.reason, evidence };
  }
  return { kind: 'unavailable', evidence };
}
