import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { invalidRequest, usualHeaders } from '../base/problem.ts';

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
  if (code === 'HPE_HEADER_OVERFLOW') return invalidRequest(431, 'The headers of the request are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return invalidRequest(408, 'The headers arrive too slowly.');
  return invalidRequest(400, 'This is no valid HTTP request.');
}
