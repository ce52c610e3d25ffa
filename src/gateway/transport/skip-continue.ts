import { buildConnector } from 'undici';

const statusLine = /^HTTP\/1\.[01] 100[ \r]/;
const statusLineBytes = 'HTTP/1.1 100 '.length;
const endOfHeaders = '\r\n\r\n';

/**
 * Opens connections that skip "100 Continue". A server may send it before any answer (RFC 9110, section 15.2), and
 * undici then closes the connection, so that a payment that was answered would be in doubt. If a chunk of an answer
 * begins with the same bytes but is not an interim answer, that part is skipped, too: the answer cannot be read, and
 * the payment is in doubt.
 */
export function skippingContinue(connectTimeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
  return (options, done) =>
    connect(options, (error, socket) => {
      if (error || !socket) return done(error ?? new Error('no connection'), null);
      const read = socket.read.bind(socket);
      let begun: Buffer = Buffer.alloc(0);
      socket.read = (size) => {
        const piece: Buffer | null = read(size);
        if (piece === null) return null;
        const { rest, isWhole } = afterContinue(Buffer.concat([begun, piece]));
        begun = isWhole ? Buffer.alloc(0) : rest;
        return isWhole ? rest : Buffer.alloc(0);
      };
      return done(null, socket);
    });
}

/** What follows "100 Continue" at the start of `data`. `isWhole` is false if its headers have not ended yet. */
function afterContinue(data: Buffer): { rest: Buffer; isWhole: boolean } {
  let rest = data;
  while (statusLine.test(rest.toString('latin1', 0, statusLineBytes))) {
    const end = rest.indexOf(endOfHeaders);
    if (end < 0) return { rest, isWhole: false };
    rest = rest.subarray(end + endOfHeaders.length);
  }
  return { rest, isWhole: true };
}
