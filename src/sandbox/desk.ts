import type { FastifyInstance } from 'fastify';
import { setRevoked } from './access.ts';
import type { ChargeLog } from './charges.ts';
import { openApiDocument } from './openapi.ts';
import { type PageParts, page, pageHeaders } from './page.ts';
import type { Route } from './routes.ts';

export interface DeskParts extends PageParts {
  routes: readonly Route[];
  charges: ChargeLog;
  /** Books what has come to pass, before it is shown. */
  settle(): void;
  wake(): void;
}

/** What the service itself does not have: the page, the document, and a look into the sandbox's books. */
export function addDesk(app: FastifyInstance, parts: DeskParts): void {
  const { routes, charges, wallets, deliveries } = parts;
  app.get('/', async (_request, reply) => {
    parts.settle();
    return reply.headers(pageHeaders).send(page(parts));
  });
  app.get('/openapi.json', async () => openApiDocument(routes));
  app.get('/_sandbox/charges', async () => {
    parts.settle();
    return { charges: charges.entries() };
  });
  app.get<{ Params: { wallet_id: string } }>('/_sandbox/statement/:wallet_id', async ({ params }) => {
    parts.settle();
    return { statement: wallets.statement(params.wallet_id) };
  });
  for (const act of ['revoke', 'restore'] as const)
    app.post<{ Params: { key: string } }>(`/_sandbox/keys/:key/${act}`, async ({ params: { key } }, reply) => {
      if (setRevoked(parts.store, key, act === 'revoke')) return { revoked: act === 'revoke' };
      return reply.code(404).send({ message: 'There is no such key.' });
    });
  app.get('/_sandbox/deliveries', async () => ({
    deliveries: deliveries.log().map(({ signing_key: _secret, ...shown }) => shown),
  }));
  app.post<{ Params: { id: string } }>('/_sandbox/deliveries/:id/retry', async ({ params }, reply) => {
    if (!deliveries.retry(params.id)) return reply.code(404).send({ message: 'There is no such delivery.' });
    parts.wake();
    return { id: params.id };
  });
}
