import { loadPageTexts } from '../texts/i18n.ts';
import type { Reason } from '../texts/reason-text.ts';

/** An answer from 400 on, as RFC 9457 has it. */
export interface Problem {
  status: number;
  /** Stable: pages decide by it. */
  code: string;
  detail: string;
  /** What to do about it. */
  hint: string | null;
  /** With `STEP_UP_NEEDED`: what a second factor must be proved for. */
  purpose?: string;
  /** The same as the detail, for a text in another language. */
  reason?: Reason;
}

/** A request that the server refused. */
export class ApiProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server did not answer: the outcome of the request is unknown. */
export class Unreachable extends Error {}

/**
 * The problem of a refused request. Of another answer, such as a proxy's page, only the status is known. Loads the
 * texts of problems, which only some pages have; without them, a general text is shown.
 */
export async function problemOf(response: Response): Promise<Problem> {
  await loadPageTexts().catch(() => undefined);
  return problemIn(response, await response.json().catch(() => null));
}

/** The same of a body that was read already. */
export function problemIn({ status, statusText }: Response, body: unknown): Problem {
  const { code, detail, hint, purpose, reason } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Partial<Problem>;
  return {
    status,
    code: typeof code === 'string' ? code : 'UNREADABLE',
    detail: typeof detail === 'string' ? detail : `${status} ${statusText}`,
    hint: typeof hint === 'string' ? hint : null,
    ...(typeof purpose === 'string' ? { purpose } : {}),
    ...(typeof reason === 'object' ? { reason } : {}),
  };
}

/** The problem code of an error; null if it is not a problem of the API. */
export function codeOf(error: unknown): string | null {
  return error instanceof ApiProblem ? error.problem.code : null;
}
