import { buildConnector } from 'undici';

const statusLine = /^HTTP\/1\.[01] 100[ \r]/;
const statusLineBytes = 'HTTP/1.1 100 '.length;
/** The first digit of the status. Compared alone first: of nearly every answer it is another one. */
const digitAt = 'HTTP/1.1 '.length;
const digitOne = '1'.charCodeAt(0);
const endOfHeaders = '\r\n\r\n';
const nothing: Buffer = Buffer.alloc(0);

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
      let begun = nothing;
      socket.read = (size) => {
        const piece: Buffer | null = read(size);
        if (piece === null) return null;
        const { rest, isWhole } = afterContinue(begun.length === 0 ? piece : Buffer.concat([begun, piece]));
        begun = isWhole ? nothing : rest;
        return isWhole ? rest : nothing;
      };
      return done(null, socket);
    });
}

/** What follows "100 Continue" at the start of `data`. `isWhole` is false if its headers have not ended yet. */
function afterContinue(data: Buffer): { rest: Buffer; isWhole: boolean } {
  let rest = data;
  while (rest[digitAt] === digitOne && statusLine.test(rest.toString('latin1', 0, statusLineBytes))) {
    const end = rest.indexOf(endOfHeaders);
    if (end < 0) return { rest, isWhole: false };
    rest = rest.subarray(end + endOfHeaders.length);
  }
  return { rest, isWhole: true };
}
