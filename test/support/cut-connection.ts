import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The statement with the end of its message: `READ COMMITTED` is another one. */
const commitMessage = 'COMMIT\0';

/** A connection to a server that a test can cut at a commit. */
export interface CutConnection {
  /** The address of the server by way of this connection. */
  url: string;
  /** Cuts the connection at the client's next commit: before the server receives it, or when the server answers. */
  cutAtCommit(when: 'before' | 'answer'): void;
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
  let next: 'before' | 'answer' | null = null;
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
    let isCutAtAnswer = false;
    const cut = () => {
      client.destroy();
      upstream.destroy();
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
      if (silenced.has(client.remoteAddress)) return undefined;
      if (next !== null && bytes.includes(commitMessage)) {
        const when = next;
        next = null;
        if (when === 'before') return cut();
        isCutAtAnswer = true;
      }
      return toServer(bytes);
    });
    upstream.on('data', (bytes) => {
      if (silenced.has(client.remoteAddress)) return;
      if (isCutAtAnswer) cut();
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
