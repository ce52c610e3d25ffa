import { AirbatchError } from '../../core/basics/errors.ts';
import { clearTextFault } from '../../core/text/safe-url.ts';

/**
 * Carries one request to the service and its answer back. It never repeats a request and never throws for the network.
 */
export interface Transport {
  /**
   * Sends one request once, and returns what `read` makes of the result. `read` is called as soon as the result is
   * there, and nothing else keeps the result: an awaited promise would keep the whole answer in memory for longer.
   * Rejects only with an error of `beforeWrite`, in which case nothing was sent, or of `read`. Every fault of the
   * network is a result.
   */
  send<Read>(request: TransportRequest, read: (result: TransportResult) => Read): Promise<Read>;
  /** Waits for running requests, then closes the connections. */
  close(): Promise<void>;
}

export interface TransportRequest {
  method: 'GET' | 'POST';
  /** Relative to the base URL, with its query: "/v2/topups?page=1". */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Covers everything: waiting for a connection, connecting, sending, and the whole answer. */
  deadlineMs: number;
  /** Called right before the first byte is given to the socket. */
  beforeWrite?: (() => void) | undefined;
}

export type TransportResult =
  /** The complete answer, whatever its status; never a redirect. */
  | { kind: 'answer'; status: number; headers: AnswerHeaders; text: string }
  /** Proved: no byte of the request was given to a socket. */
  | TransportFailure<'not_sent'>
  /** The service may have received the request, or a part of it. */
  | TransportFailure<'unknown'>;

/** Names in lower case. A repeated header has all of its values. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TransportFailure<Kind> {
  kind: Kind;
  /** A code of ours: "timeout", "connection_refused", "connection_lost", "answer_too_large", "redirect_refused", ... */
  code: string;
  /** One line for people, without secrets. */
  message: string;
  /** The status of an answer that broke off. */
  status: number | null;
}

/** Checks the base URL of an account: https, or http to this machine (the sandbox). Throws `CONFIG_INVALID`. */
export function checkedBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const fault = url ? baseUrlFault(url) : 'is not a URL';
  // The text is not repeated: it may contain a password.
  if (!url || fault) throw new AirbatchError('CONFIG_INVALID', `the base URL ${fault}`);
  return url;
}

function baseUrlFault(url: URL): string | null {
  if (url.username || url.password) return 'must not carry a user name or password';
  if (url.search || url.hash) return 'must not have a query or a fragment';
  return clearTextFault(url);
}
