import { buildConnector } from 'undici';

const statusLine = /^HTTP\/1\.[01] 100[ \r]/;
const statusLineBytes = 'HTTP/1.1 100 '.length;
const endOfHeaders = '\r\n\r\n';

/**
 * Opens connections on which "100 Continue" is passed over. A server may send it before any answer (RFC 9110, section
 * 15.2), and undici ends the connection for it, so that a payment which was answered would be a doubt. What starts a
 * piece of data with that status line and is no interim answer is passed over, too: that answer is then not read,
 * which leaves the payment in doubt.
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

/** What follows "100 Continue" at the start of `data`; not whole where its headers have not ended yet. */
function afterContinue(data: Buffer): { rest: Buffer; isWhole: boolean } {
  let rest = data;
  while (statusLine.test(rest.toString('latin1', 0, statusLineBytes))) {
    const end = rest.indexOf(endOfHeaders);
    if (end < 0) return { rest, isWhole: false };
    rest = rest.subarray(end + endOfHeaders.length);
  }
  return { rest, isWhole: true };
}
