import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Reply } from './http/reply.ts';
import type { SandboxClock } from './parts/clock.ts';
import type { ServiceRequest } from './service.ts';

/** Larger bodies are refused: a top-up has a few hundred bytes. */
const bodyBytesMax = 64 * 1024;

/** The sandbox's HTTP server: Fastify receives the requests, and `handle` answers them. */
export function makeServer(
  clock: SandboxClock,
  handle: (request: ServiceRequest) => Promise<Reply>,
  desk: (app: FastifyInstance) => void,
): FastifyInstance {
  const answer = async (request: FastifyRequest, reply: FastifyReply, tooLarge = false) => {
    await send(clock, reply, await handle({ ...requestOf(request), tooLarge }));
    return reply;
  };
  const app = fastify({
    bodyLimit: bodyBytesMax,
    forceCloseConnections: true,
    // The service itself answers a path that Fastify cannot decode ("%zz"), in its own envelope.
    frameworkErrors: (_error, request, reply) => void answer(request, reply),
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return answer(request, reply, true);
    throw error;
  });
  app.removeAllContentTypeParsers();
  // The service itself parses bodies, so that numbers stay as they were written.
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  desk(app);
  app.all('/*', (request, reply) => answer(request, reply));
  return app;
}

function requestOf({ method, url, headers, body }: FastifyRequest): ServiceRequest {
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return { method, path: url, headers: Object.fromEntries(single), body: typeof body === 'string' ? body : '' };
}

async function send(clock: SandboxClock, reply: FastifyReply, made: Reply): Promise<void> {
  const { status, body, cut } = made;
  // By the sandbox's own clock, which may have been set forward: a client compares it with its own.
  const headers = { ...made.headers, date: new Date(clock.now()).toUTCString() };
  if (cut === undefined) {
    await reply.code(status).headers(headers).send(body);
    return;
  }
  reply.hijack();
  const { socket } = reply.raw;
  if (cut === 'in_the_middle') {
    const length = Buffer.byteLength(body);
    reply.raw.writeHead(status, { ...headers, 'content-length': length });
    reply.raw.write(Buffer.from(body).subarray(0, Math.floor(length / 2)));
    // Lets the first half arrive before the connection ends.
    await new Promise<void>((resolve) => clock.after(20, resolve));
  }
  socket?.destroy();
}
