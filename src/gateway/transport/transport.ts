import { AirbatchError } from '../../core/basics/errors.ts';
import { clearTextFault } from '../../core/text/safe-url.ts';

/**
 * Carries one request to the service and its answer back. It never repeats a request and never throws for the network.
 */
export interface Transport {
  /**
   * Sends one request once, and brings what `read` makes of the result. `read` is called as soon as the result is
   * there, and nothing else holds that: a promise that was waited for would keep the whole answer beyond its time.
   * Rejects only with what `beforeWrite` throws, and then nothing was sent, or with what `read` throws; everything
   * that the network can do is a result.
   */
  send<Read>(request: TransportRequest, read: (result: TransportResult) => Read): Promise<Read>;
  /** Waits for requests under way, then closes the connections. */
  close(): Promise<void>;
}

export interface TransportRequest {
  method: 'GET' | 'POST';
  /** Below the base URL, with its query: "/v2/topups?page=1". */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** For everything together: waiting for a connection, connecting, sending, and the whole answer. */
  deadlineMs: number;
  /** Called right before the first byte is given to the socket. */
  beforeWrite?: (() => void) | undefined;
}

export type TransportResult =
  /** The whole answer, whatever its status; never a redirect. */
  | { kind: 'answer'; status: number; headers: AnswerHeaders; text: string }
  /** Proved: not one byte of the request was given to a socket. */
  | TransportFailure<'not_sent'>
  /** The request, or a part of it, may have reached the service. */
  | TransportFailure<'unknown'>;

/** Names in lower case; a header that came more than once has all of its values. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TransportFailure<Kind> {
  kind: Kind;
  /** A word of ours: "timeout", "connection_refused", "connection_lost", "answer_too_large", "redirect_refused", ... */
  code: string;
  /** One line for people, without secrets. */
  message: string;
  /** Where an answer had begun before it broke off. */
  status: number | null;
}

/** The base URL of an account: https, or http to this very machine (the sandbox). Throws `CONFIG_INVALID`. */
export function checkedBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const fault = url ? baseUrlFault(url) : 'is not a URL';
  // The text itself is not repeated: somebody may have put a password into it.
  if (!url || fault) throw new AirbatchError('CONFIG_INVALID', `the base URL ${fault}`);
  return url;
}

function baseUrlFault(url: URL): string | null {
  if (url.username || url.password) return 'must not carry a user name or password';
  if (url.search || url.hash) return 'must not have a query or a fragment';
  return clearTextFault(url);
}
