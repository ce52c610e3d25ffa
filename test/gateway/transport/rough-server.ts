import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that does on purpose what servers and networks do by accident. */
export interface RoughServer {
  url: URL;
  port: number;
  /** Every whole request that arrived, in order: its first line and its body. */
  requests: { line: string; body: string; text: string }[];
  connections: Socket[];
  /** Resolves when the given number of requests has arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server on loopback that calls `answer` with every whole HTTP/1.1 request, by its number (from 1). */
export async function startRoughServer(
  answer: (socket: Socket, number: number) => void,
  onPort = 0,
): Promise<RoughServer> {
  const requests: RoughServer['requests'] = [];
  const connections: Socket[] = [];
  const waiters: { count: number; wake: () => void }[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    let buffered = '';
    socket.on('data', (chunk) => {
      buffered += chunk.toString('utf8');
      for (let request = cutRequest(buffered); request; request = cutRequest(buffered)) {
        buffered = buffered.slice(request.text.length);
        requests.push(request);
        answer(socket, requests.length);
        for (const waiter of waiters) if (requests.length >= waiter.count) waiter.wake();
      }
    });
  });
  server.listen(onPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    port,
    requests,
    connections,
    arrived: (count) =>
      new Promise((wake) => {
        if (requests.length >= count) wake();
        else waiters.push({ count, wake });
      }),
    async close() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The first whole request in `text`, or null while it is incomplete. */
function cutRequest(text: string): { line: string; body: string; text: string } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
  const whole = text.slice(0, end + 4 + length);
  if (whole.length < end + 4 + length) return null;
  return { line: text.slice(0, text.indexOf('\r\n')), body: whole.slice(end + 4), text: whole };
}

/** A whole HTTP answer as it goes over the wire. */
export function httpAnswer(status: number, body: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
