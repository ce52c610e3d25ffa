import { isAscii } from 'node:buffer';
import { type Dispatcher, Pool } from 'undici';
import { errorMessage } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Deadlines, makeDeadlines } from './deadlines.ts';
import { skippingContinue } from './skip-continue.ts';
import type { AnswerHeaders, Transport, TransportRequest, TransportResult } from './transport.ts';

/** Longer answers are refused: a page of 100 top-ups has about 100 KiB, so no honest answer comes near this. */
export const answerBytesMax = 1024 * 1024;

export interface UndiciTransportOptions {
  baseUrl: URL;
  /**
   * The most open connections; each carries one request at a time. 64 suffice for 60 creations a second that take a
   * second each.
   */
  connectionsMax?: number;
  /** How long opening a connection may take. After that, every request that waits for it fails as `not_sent`. */
  connectTimeoutMs?: number;
}

export interface BreakableTransport extends Transport {
  /** Closes all connections now: what became of a request that was written is unknown. Nothing can be sent any more. */
  breakOff(): void;
}

/**
 * The transport over HTTP/1.1: one pool of keep-alive connections for one account.
 *
 * Undici gives a request to the socket only after it has called `onRequestStart`, and drops the request if that throws.
 * This alone proves `not_sent`: until `onRequestStart` is called, no byte is written, whatever the error says; after
 * that, every failure is `unknown`. HTTP/2 stays off, because a session that goes away moves its streams to another
 * one. Pipelining stays at 1, because undici moves requests that are queued behind a broken one to a new connection.
 * Answers are not compressed, since `accept-encoding` is not sent. Redirects are not followed.
 */
export function makeUndiciTransport({ clock }: { clock: Clock }, options: UndiciTransportOptions): BreakableTransport {
  const { baseUrl, connectionsMax = 64, connectTimeoutMs = 10_000 } = options;
  const pool = new Pool(baseUrl.origin, {
    connections: connectionsMax,
    pipelining: 1,
    allowH2: false,
    connect: skippingContinue(connectTimeoutMs),
    // One deadline of ours covers the whole request; undici's own timers would only race with it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const deadlines = makeDeadlines(clock);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  let closed: Promise<void> | null = null;
  return {
    send(request, read) {
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof read>>();
      sendOnce(pool, deadlines, `${prefix}${request.path}`, request, {
        end(result) {
          try {
            resolve(read(result));
          } catch (error) {
            reject(error);
          }
        },
        refuse: reject,
      });
      return promise;
    },
    breakOff() {
      closed ??= pool.destroy();
    },
    close() {
      closed ??= pool.close();
      return closed;
    },
  };
}

function sendOnce(
  pool: Pool,
  deadlines: Deadlines,
  path: string,
  { method, headers, body, deadlineMs, beforeWrite }: TransportRequest,
  ends: ExchangeEnds,
): void {
  const exchange: Exchange = new Exchange(
    beforeWrite,
    ends,
    deadlines.set(deadlineMs, () => exchange.cancel('timeout', `no complete answer within ${deadlineMs} ms`)),
  );
  pool.dispatch({ path, method, headers, body, idempotent: false }, exchange);
}

const noHeaders: AnswerHeaders = {};

interface ExchangeEnds {
  end: (result: TransportResult) => void;
  refuse: (error: unknown) => void;
}

/**
 * One request and its answer, as undici reports them. It ends exactly once: with an answer, a failure, or an error of
 * `beforeWrite`.
 *
 * A waiting exchange, and undici's objects for it, move into V8's old generation. Old objects keep what they refer to
 * alive in every collection of young garbage, even when they are garbage themselves. So the exchange drops all parts of
 * the answer when it ends.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #beforeWrite: (() => void) | undefined;
  readonly #ends: ExchangeEnds;
  readonly #forgetDeadline: () => void;
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;
  #status: number | null = null;
  #headers: AnswerHeaders = noHeaders;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(beforeWrite: (() => void) | undefined, ends: ExchangeEnds, forgetDeadline: () => void) {
    this.#beforeWrite = beforeWrite;
    this.#ends = ends;
    this.#forgetDeadline = forgetDeadline;
  }

  /** Ends the exchange now, if it has not ended: nothing more is written, and the connection is closed. */
  cancel(code: string, message: string): void {
    if (this.#ended) return;
    this.#fail(code, message);
    this.#controller?.abort(new Error(message));
  }

  onRequestStart(given: Dispatcher.DispatchController): void {
    // If this throws, undici writes nothing. That stops a request that was cancelled while it queued, and one that
    // undici would write a second time (it does not do so for our requests today, and must never start to).
    if (this.#controller !== null) this.#fail('repeated', 'the connection was lost, and the request was not repeated');
    if (this.#ended) throw new Error('this request is not to be written');
    try {
      this.#beforeWrite?.();
    } catch (error) {
      if (this.#endsNow()) this.#ends.refuse(error);
      throw error;
    }
    this.#controller = given;
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, given: AnswerHeaders): void {
    controller.rawHeaders = null;
    // 102 and 103 are interim answers.
    if (statusCode < 200) return;
    this.#status = statusCode;
    this.#headers = given;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= answerBytesMax) this.#chunks.push(chunk);
    else this.cancel('answer_too_large', `the answer is longer than ${answerBytesMax} bytes`);
  }

  onResponseEnd(): void {
    if (!this.#endsNow()) return;
    const answer = readAnswer(this.#status ?? 0, this.#headers, this.#chunks);
    this.#headers = noHeaders;
    this.#chunks = [];
    this.#ends.end(answer);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(failureCode(error), failureMessage(error));
  }

  #fail(code: string, message: string): void {
    const kind = this.#controller === null ? 'not_sent' : 'unknown';
    if (this.#endsNow()) this.#ends.end({ kind, code, message, status: this.#status });
  }

  /** Whether this event ends the exchange. Later events are ignored. */
  #endsNow(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#forgetDeadline();
    return true;
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true });

function readAnswer(status: number, headers: AnswerHeaders, chunks: readonly Buffer[]): TransportResult {
  if (status >= 300 && status < 400) {
    // Following the redirect would send credentials, and a payment, to any address that the answer names.
    const message = `the service answered with a redirect (HTTP ${status}), which is not followed`;
    return { kind: 'unknown', code: 'redirect_refused', message, status };
  }
  // Nearly every answer is one chunk of plain ASCII, which needs neither a copy nor the slower decoder.
  const [first] = chunks;
  const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
  try {
    return {
      kind: 'answer',
      status,
      headers,
      text: isAscii(bytes) ? bytes.toString('latin1') : strictText.decode(bytes),
    };
  } catch {
    return { kind: 'unknown', code: 'unparsable', message: 'the answer is not UTF-8 text', status };
  }
}

/** Our codes for faults of connections. They name the fault, and decide nothing. */
const failureCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_CLOSED: 'closed',
  UND_ERR_DESTROYED: 'closed',
};

function failureCode(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'connection_failed';
  return failureCodes[code] ?? code.toLowerCase();
}

function failureMessage(error: Error): string {
  // If several addresses were tried and all failed, Node leaves the error's own message empty.
  if (error instanceof AggregateError && error.message === '') return errorMessage(error.errors[0]);
  return errorMessage(error);
}
