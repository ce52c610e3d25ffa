import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { invalidRequest, usualHeaders } from '../base/problem.ts';

/** The problem of a path that is not percent-encoded as it should be. */
export const unreadablePath = invalidRequest(
  400,
  'The path of the request is not a valid one.',
  'A "%" in a path begins two hexadecimal digits: write a plain one as %25.',
);

/** Answers bytes that are not a readable HTTP request with a problem, as the routes do. */
export function answerUnreadable(error: Pick<ConnectionError, 'code'> & Error, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const { status, ...problem } = problemFor(error.code);
    const body = JSON.stringify({ ...problem, status });
    const headers = {
      ...usualHeaders,
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroy(error);
}

function problemFor(code: string) {
  if (code === 'HPE_HEADER_OVERFLOW')
    return invalidRequest(431, 'The headers of the request are too large.', 'Send fewer headers, or shorter ones.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return invalidRequest(408, 'The headers arrive too slowly.', 'Send all headers at once.');
  return invalidRequest(
    400,
    'This is no valid HTTP request.',
    'Check whether the address begins with http:// or https://: a server with a certificate answers only https://.',
  );
}
