import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { type Deadlines, makeDeadlines } from './deadlines.ts';
import type { Transport, TransportRequest, TransportResult } from './transport.ts';

/** Answers are cut here: a page of 100 top-ups is about 100 KiB, so nothing honest comes near it. */
export const answerBytesMax = 1024 * 1024;

export interface UndiciTransportOptions {
  baseUrl: URL;
  /** Connections open at once; each carries one request at a time. 64 carry 60 creations a second that take a second each. */
  connectionsMax?: number;
  /** How long opening a connection may take before every request that waits for it is told that nothing was sent. */
  connectTimeoutMs?: number;
}

/**
 * The transport over HTTP/1.1: one pool of keep-alive connections, for one account.
 *
 * Undici gives a request to the socket only after it called `onRequestStart`, and gives up on it when that throws. This is
 * the whole proof behind `not_sent`: as long as `onRequestStart` was not called, no byte was written, whatever the error is
 * called; from then on everything is `unknown`. HTTP/2 stays off, because a session that goes away moves its streams to
 * another one. Pipelining stays at 1, because undici puts what is queued behind a broken request on a new connection.
 * Nothing is compressed, since `accept-encoding` is not sent, and redirects are not followed.
 */
export function makeUndiciTransport({ clock }: { clock: Clock }, options: UndiciTransportOptions): Transport {
  const { baseUrl, connectionsMax = 64, connectTimeoutMs = 10_000 } = options;
  const pool = new Pool(baseUrl.origin, {
    connections: connectionsMax,
    pipelining: 1,
    allowH2: false,
    connectTimeout: connectTimeoutMs,
    // One deadline of ours covers the whole request; undici's own timers would only race with it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const deadlines = makeDeadlines(clock);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  let closed: Promise<void> | null = null;
  return {
    send: (request) => sendOnce(pool, deadlines, { ...request, path: `${prefix}${request.path}` }),
    close() {
      closed ??= pool.close();
      return closed;
    },
  };
}

function sendOnce(pool: Pool, deadlines: Deadlines, request: TransportRequest): Promise<TransportResult> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportResult>();
  const { deadlineMs } = request;
  let forgetDeadline: (() => void) | null = null;
  const exchange = makeExchange(request, {
    end(result) {
      forgetDeadline?.();
      resolve(result);
    },
    refuse(error) {
      forgetDeadline?.();
      reject(error);
    },
  });
  forgetDeadline = deadlines.set(deadlineMs, () => {
    exchange.cancel('timeout', `no complete answer within ${deadlineMs} ms`);
  });
  pool.dispatch(
    { path: request.path, method: request.method, headers: request.headers, body: request.body, idempotent: false },
    exchange.handler,
  );
  return promise;
}

interface Exchange {
  handler: Dispatcher.DispatchHandler;
  /** Ends the exchange now, if it has not ended: nothing is written after this, and a connection in use is closed. */
  cancel(code: string, message: string): void;
}

/** One request and its answer, as undici reports them. It ends exactly once: by an answer, a failure, or `beforeWrite`. */
function makeExchange(
  { beforeWrite }: TransportRequest,
  { end, refuse }: { end: (result: TransportResult) => void; refuse: (error: unknown) => void },
): Exchange {
  let controller: Dispatcher.DispatchController | null = null;
  let ended = false;
  let status: number | null = null;
  let headers: Record<string, string> = {};
  const chunks: Buffer[] = [];
  let bytes = 0;

  const endOnce = (act: () => void) => {
    if (ended) return;
    ended = true;
    act();
  };
  const fail = (code: string, message: string) =>
    endOnce(() => end({ kind: controller === null ? 'not_sent' : 'unknown', code, message, status }));
  const cancel = (code: string, message: string) => {
    if (ended) return;
    fail(code, message);
    controller?.abort(new Error(message));
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      // What throws here is not written: a request that was given up on while it queued, or one that undici would write
      // a second time (it does so for no request of ours today, and must never start to).
      if (controller !== null) fail('repeated', 'the connection was lost, and the request was not repeated');
      if (ended) throw new Error('this request is not to be written');
      try {
        beforeWrite?.();
      } catch (error) {
        endOnce(() => refuse(error));
        throw error;
      }
      controller = given;
    },
    onResponseStart(_controller, statusCode, given) {
      status = statusCode;
      headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value ?? '')]));
    },
    onResponseData(_controller, chunk) {
      bytes += chunk.byteLength;
      if (bytes > answerBytesMax) cancel('answer_too_large', `the answer is longer than ${answerBytesMax} bytes`);
      else chunks.push(chunk);
    },
    onResponseEnd() {
      const answer = readAnswer(status ?? 0, headers, Buffer.concat(chunks, bytes));
      endOnce(() => end(answer));
    },
    onResponseError(_controller, error) {
      fail(failureCode(error), failureMessage(error));
    },
  };
  return { handler, cancel };
}

const strictText = new TextDecoder('utf-8', { fatal: true });

function readAnswer(status: number, headers: Record<string, string>, bytes: Buffer): TransportResult {
  if (status >= 300 && status < 400) {
    // Following it would send credentials, and a payment, to wherever the answer says.
    const message = `the service answered with a redirect (HTTP ${status}), which is not followed`;
    return { kind: 'unknown', code: 'redirect_refused', message, status };
  }
  try {
    return { kind: 'answer', status, headers, text: strictText.decode(bytes) };
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
