import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { errorMessage } from '../core/basics/errors.ts';
import { answerUnroutedByCode } from './base/unrouted.ts';
import { addHealthRoutes, type HealthDeps } from './health.ts';
import { addWebhookRoutes, type WebhookDeps, webhookBytesMax } from './webhooks.ts';

/** What the server needs for webhooks and health checks. */
export type ServerDeps = WebhookDeps & HealthDeps;

/**
 * A request must have arrived completely within this time: the service waits 10 s for the answer to a webhook (spec
 * section 6).
 */
const requestTimeoutMs = 8_000;
/** How often that limit is checked on open connections. */
const timeoutCheckMs = 1_000;

/** Makes the server of `airbatch serve`. It does not listen yet. `close` lets running requests finish first. */
export function makeServer(deps: ServerDeps): FastifyInstance {
  const app = fastify({
    bodyLimit: webhookBytesMax,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: timeoutCheckMs },
    // When the process ends, idle connections are closed at once.
    forceCloseConnections: 'idle',
  });
  answerUnroutedByCode(app);
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    // The sender learns what is wrong with its request, but not what is wrong with this server.
    if (status < 500) return reply.code(status).send({ error: error.code?.toLowerCase() ?? 'bad_request' });
    deps.log.warn('the program failed while it answered a request', { error: errorMessage(error) });
    return reply.code(500).send({ error: 'internal' });
  });
  addHealthRoutes(app, deps);
  addWebhookRoutes(app, deps);
  return app;
}
