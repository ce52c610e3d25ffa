import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { errorMessage } from '../core/basics/errors.ts';
import { addHealthRoutes, type HealthDeps } from './health.ts';
import { addWebhookRoutes, type WebhookDeps, webhookBytesMax } from './webhooks.ts';

/** What the server needs for its webhooks and its probes. */
export type ServerDeps = WebhookDeps & HealthDeps;

/** The whole of a request must have come within this time: the service gives a webhook 10 s (spec section 6). */
const requestTimeoutMs = 8_000;
/** How often connections are looked at for that. */
const timeoutCheckMs = 1_000;

/** The server of `airbatch serve`. It does not listen yet; `close` first ends what is under way. */
export function makeServer(deps: ServerDeps): FastifyInstance {
  const app = fastify({
    bodyLimit: webhookBytesMax,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: timeoutCheckMs },
    // Connections that are idle when the process ends have nothing to wait for.
    forceCloseConnections: 'idle',
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    // What is wrong with the request is its sender's to know; what is wrong with us is not.
    if (status < 500) return reply.code(status).send({ error: error.code?.toLowerCase() ?? 'bad_request' });
    deps.log.warn('a request met an error of the program', { error: errorMessage(error) });
    return reply.code(500).send({ error: 'internal' });
  });
  addHealthRoutes(app, deps);
  addWebhookRoutes(app, deps);
  return app;
}
