import type { SandboxClock } from '../parts/clock.ts';
import type { SandboxRandom } from '../parts/random.ts';

/** The answer to a request. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Cuts the connection: instead of answering, or in the middle of the answer. */
  cut?: 'instead' | 'in_the_middle';
  /** Answers after this many milliseconds. `make` then makes the answer, since its content may have changed. */
  later?: { ms: number; make?: () => Reply };
}

/** An error of Version 2 (spec section 7.1). */
export class V2Error extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An error of Version 1 (spec section 7.2): with a code, or with a message alone. */
export class V1Error extends Error {
  readonly status: number;
  readonly code: number | null;

  constructor(status: number, code: number | null, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type Meta = { request_id: string; timestamp: string };

export interface Replies {
  v2(status: number, data: unknown, more?: object): Reply;
  v2Error(error: V2Error): Reply;
  v1(status: number, code: number | null, message: string, data?: unknown): Reply;
  meta(): Meta;
}

const json = { 'content-type': 'application/json; charset=utf-8' };

export function makeReplies(clock: SandboxClock, random: SandboxRandom): Replies {
  const meta = () => ({ request_id: `req_${random.uuid()}`, timestamp: new Date(clock.now()).toISOString() });
  return {
    meta,
    v2: (status, data, more = {}) => ({
      status,
      headers: { ...json },
      body: JSON.stringify({ success: true, data, meta: { ...meta(), ...more } }),
    }),
    v2Error: ({ status, code, message }) => ({
      status,
      headers: { ...json },
      body: JSON.stringify({ success: false, error: { code, message, statusCode: status }, meta: meta() }),
    }),
    v1: (status, code, message, data) => ({
      status,
      headers: { ...json },
      body: JSON.stringify({
        message,
        statusCode: status,
        ...(code === null ? {} : { code }),
        ...(data === undefined ? {} : { data }),
      }),
    }),
  };
}
