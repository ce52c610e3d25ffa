import type { FastifyInstance } from 'fastify';
import type { Database } from '../ledger/database.ts';
import { highestClock } from '../ledger/facts.ts';

/** How many accounts this process works for, and how many it waits for because another process has them. */
export interface Health {
  stopping: boolean;
  accounts: { working: number; waiting: number };
}

export interface HealthDeps {
  db: Database;
  health: () => Health;
}

/**
 * `GET /live`: the process answers. `GET /ready`: webhooks can be kept, since the ledger answers and the process is not
 * ending; a process that waits for its accounts is ready, since webhooks need only the ledger. Neither names an account.
 */
export function addHealthRoutes(app: FastifyInstance, { db, health }: HealthDeps): void {
  app.get('/live', async () => ({ live: true }));
  app.get('/ready', async (_request, reply) => {
    const { stopping, accounts } = health();
    const ledger = await highestClock(db).then(
      () => true,
      () => false,
    );
    const ready = ledger && !stopping;
    return reply.code(ready ? 200 : 503).send({ ready, ledger, stopping, accounts });
  });
}
