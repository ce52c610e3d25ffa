import type { ErrorCode } from '../../core/basics/errors.ts';
import { sha256 } from '../../core/identity/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  answerApiRequest,
  beginApiRequest,
  dropApiRequest,
} from '../../ledger/access/api-requests.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { type Problem, problem } from '../base/problem.ts';

/** Refusals that end as soon as the other program has finished, or the caller has read the batch again. */
const passing: readonly ErrorCode[] = ['CHANGED_MEANWHILE', 'ACCOUNT_BUSY'];

/** Whether a request may succeed when it is repeated. Its answer is not stored then. */
function isPassing({ status, body }: ApiAnswer): boolean {
  return status >= 500 || (status >= 400 && passing.includes(JSON.parse(body).code));
}

/** A request that changes something. */
export interface ChangingRequest {
  caller: string;
  /** The header `Idempotency-Key`. */
  key: string | undefined;
  method: string;
  url: string;
  body: unknown;
  /** Whether the answer has a secret. The ledger does not store it, and a repeated request is refused. */
  isShownOnce?: boolean;
}

/**
 * Carries a request out once: one that comes again under its `Idempotency-Key` gets the answer of the first. Returns a
 * problem for a request without a key, for a key that was used for another request, and for a request whose first
 * answer is not known yet.
 */
export async function once(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  { caller, key, method, url, body, isShownOnce = false }: ChangingRequest,
  work: () => Promise<ApiAnswer>,
): Promise<ApiAnswer | Problem> {
  if (key === undefined || !/^[\x21-\x7e]{1,255}$/.test(key))
    return problem(
      'IDEMPOTENCY_KEY_MISSING',
      'A request that changes something needs the header Idempotency-Key, of 1 to 255 visible ASCII characters.',
      'Send a new UUID for each change, and the same one when you send that request again.',
    );
  const request: ApiRequest = { caller, key, digest: sha256(JSON.stringify([method, url, body ?? null])) };
  const known = await beginApiRequest(db, request, clock.now());
  if (known.kind === 'answered') return known.answer;
  if (known.kind === 'other')
    return problem('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request.');
  if (known.kind === 'open')
    return problem(
      'REQUEST_UNFINISHED',
      'The same request was received before and has no answer yet.',
      'Look at the batch: the change may have been made. Send it again under a new key if it was not.',
    );
  const answer = await work();
  const kept = isShownOnce && answer.status < 400 ? { ...answer, ...shownOnce() } : answer;
  if (!isPassing(answer)) await answerApiRequest(db, request, kept);
  else await dropApiRequest(db, request);
  return answer;
}

function shownOnce(): Pick<ApiAnswer, 'status' | 'body'> {
  const detail = 'This was done before. Its answer held a secret, which is shown once.';
  const body = problem(
    'SHOWN_ONCE',
    detail,
    'If the secret is lost, revoke or reset what it is for, and make another.',
  );
  return { status: body.status, body: JSON.stringify(body) };
}
