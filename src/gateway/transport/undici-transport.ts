import { isAscii } from 'node:buffer';
import { type Dispatcher, Pool } from 'undici';
import { errorMessage } from '../../core/basics/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { type Deadlines, makeDeadlines } from './deadlines.ts';
import { skippingContinue } from './skip-continue.ts';
import type { AnswerHeaders, Transport, TransportRequest, TransportResult } from './transport.ts';

/** Answers are cut here: a page of 100 top-ups is about 100 KiB, so nothing honest comes near it. */
export const answerBytesMax = 1024 * 1024;

export interface UndiciTransportOptions {
  baseUrl: URL;
  /**
   * Connections open at once; each carries one request at a time. 64 carry 60 creations a second that take a second
   * each.
   */
  connectionsMax?: number;
  /** How long opening a connection may take before every request that waits for it is told that nothing was sent. */
  connectTimeoutMs?: number;
}

/**
 * The transport over HTTP/1.1: one pool of keep-alive connections, for one account.
 *
 * Undici gives a request to the socket only after it called `onRequestStart`, and gives up on it when that throws.
 * This is the whole proof behind `not_sent`: as long as `onRequestStart` was not called, no byte was written, whatever
 * the error is called; from then on everything is `unknown`. HTTP/2 stays off, because a session that goes away moves
 * its streams to another one. Pipelining stays at 1, because undici puts what is queued behind a broken request on a
 * new connection. Nothing is compressed, since `accept-encoding` is not sent, and redirects are not followed.
 */
export function makeUndiciTransport({ clock }: { clock: Clock }, options: UndiciTransportOptions): Transport {
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
 * One request and its answer, as undici reports them. It ends exactly once: by an answer, a failure, or `beforeWrite`.
 *
 * While it waits it grows old, with undici's objects for it. What old objects hold is kept by every collection of
 * young garbage, even when they are garbage themselves: so whatever is of the answer is let go here when it ends.
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

  /** Ends the exchange now, if it has not ended: nothing is written after this, and a connection in use is closed. */
  cancel(code: string, message: string): void {
    if (this.#ended) return;
    this.#fail(code, message);
    this.#controller?.abort(new Error(message));
  }

  onRequestStart(given: Dispatcher.DispatchController): void {
    // What throws here is not written: a request that was given up on while it queued, or one that undici would write
    // a second time (it does so for no request of ours today, and must never start to).
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
    // 102 and 103 come before an answer, and are none.
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

  /** Whether it ends by what is happening now; whatever else is reported of it after that is of no consequence. */
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
    // Following it would send credentials, and a payment, to wherever the answer says.
    const message = `the service answered with a redirect (HTTP ${status}), which is not followed`;
    return { kind: 'unknown', code: 'redirect_refused', message, status };
  }
  // Nearly every answer is one chunk of plain ASCII, for which neither a copy nor the slower decoder is needed.
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

/** Our words for what happens to connections; they name the trouble, and decide nothing. */
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
  // Several addresses were tried, and all failed: Node leaves the message of the whole empty.
  if (error instanceof AggregateError && error.message === '') return errorMessage(error.errors[0]);
  return errorMessage(error);
}
