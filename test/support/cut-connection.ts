import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The statement with the end of its message: `READ COMMITTED` is another one. */
const commitMessage = 'COMMIT\0';

/**
 * Before the server receives the commit; when it answers; or then with an error in place of the answer, such as that of
 * a disk.
 */
export type CommitFault = 'before' | 'answer' | 'error';

/** What a server says that cannot go on. */
function panic(): Buffer {
  const fields = Buffer.from('SPANIC\0VPANIC\0C58030\0Mcould not fsync file: Input/output error\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** A connection to a server that a test can cut at a commit. */
export interface CutConnection {
  /** The address of the server by way of this connection. */
  url: string;
  /** Cuts the connection at the client's next commit. */
  cutAtCommit(when: CommitFault): void;
  /** The client's next message that contains `text` arrives up to there; the rest, and all that follows, is lost. */
  loseAfter(text: string): void;
  /** Cuts all connections. Until `mend`, it lets no new one through. */
  sever(): void;
  mend(): void;
  /** From now on, whatever is sent arrives so much later (ms), in both directions. */
  slow(delayMs: number): void;
  /** From now on, whatever clients at this address send is lost, and so is whatever is sent to them. */
  silence(address: string): void;
  /** New connections lead to the server at `url`, as fail-over software moves the name of a primary. */
  lead(url: string): void;
  close(): Promise<void>;
}

/** Stands between a client and the server at `url`. New connections are let through, also after a cut. */
export async function openCutConnection(url: string): Promise<CutConnection> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  let next: CommitFault | null = null;
  let lostAfter: string | null = null;
  let isSevered = false;
  let delayMs = 0;
  const silenced = new Set<string | undefined>();
  /** Passes on what arrives, in its order. */
  const passOnTo = (socket: Socket) => {
    let waiting = 0;
    let earlier = Promise.resolve();
    return (bytes: Buffer) => {
      if (delayMs === 0 && waiting === 0) return void socket.write(bytes);
      waiting += 1;
      const arrived = sleep(delayMs);
      earlier = earlier.then(async () => {
        await arrived;
        waiting -= 1;
        socket.write(bytes);
      });
    };
  };
  const server = createServer((client) => {
    if (isSevered) return void client.destroy();
    const upstream = createConnection(Number(target.port), target.hostname);
    const [toServer, toClient] = [passOnTo(upstream), passOnTo(client)];
    let cutAtAnswer: CommitFault | null = null;
    // The server does not learn of the end of such a connection.
    let isLost = false;
    const cut = () => {
      client.destroy();
      if (!isLost) upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (bytes) => {
      if (isLost || silenced.has(client.remoteAddress)) return undefined;
      const place = lostAfter === null ? -1 : bytes.indexOf(lostAfter);
      if (lostAfter !== null && place >= 0) {
        const arriving = bytes.subarray(0, place + lostAfter.length);
        isLost = true;
        lostAfter = null;
        return toServer(arriving);
      }
      if (next !== null && bytes.includes(commitMessage)) {
        const when = next;
        next = null;
        if (when === 'before') return cut();
        cutAtAnswer = when;
      }
      return toServer(bytes);
    });
    upstream.on('data', (bytes) => {
      if (silenced.has(client.remoteAddress)) return;
      if (cutAtAnswer === 'error') client.end(panic(), cut);
      else if (cutAtAnswer !== null) cut();
      else toClient(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    cutAtCommit(when) {
      next = when;
    },
    loseAfter(text) {
      lostAfter = text;
    },
    sever() {
      isSevered = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isSevered = false;
    },
    slow(ms) {
      delayMs = ms;
    },
    silence: (address) => void silenced.add(address),
    lead(to) {
      target = new URL(to);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
