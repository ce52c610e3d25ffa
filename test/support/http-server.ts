import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from './folder.ts';

/** Answers one request, whose body has arrived. */
export type Handle = (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown;

/** Starts a server on this machine, which ends with the test. Its URL has no slash at the end. */
export async function httpServer(lifetime: Lifetime, handle: Handle): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    // Whoever hangs up in the middle of a body wants no answer. Without this, that would be an error beside the test.
    const pieces: Buffer[] | null = await request.toArray().catch(() => null);
    if (pieces !== null) await handle(request, Buffer.concat(pieces), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  lifetime.after(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
