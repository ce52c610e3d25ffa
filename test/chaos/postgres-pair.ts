import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Lifetime } from '../support/folder.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

/** A PostgreSQL that a second one follows by streaming, asynchronously: it may lack what was acknowledged last. */
export interface PostgresPair {
  /** The address of the primary. */
  url(): string;
  /**
   * Ends the primary and promotes the replica, which has not followed any more for the last `behindMs`. A new replica
   * follows it from then on.
   */
  failOver(behindMs: number): Promise<void>;
}

/** A fleet writes so much that the tables must be cleaned. */
const settings = ['autovacuum=on'];

export async function openPair(lifetime: Lifetime): Promise<PostgresPair> {
  const start = async (copyOf: PostgresServer | null) => {
    const server = await startPostgres(settings, copyOf);
    lifetime.after(() => server.stop());
    return server;
  };
  let primary = await start(null);
  let replica = await start(primary);
  return {
    url: () => primary.url,
    async failOver(behindMs) {
      const client = new Client({ connectionString: replica.url });
      await client.connect();
      if (behindMs > 0) {
        await client.query("ALTER SYSTEM SET primary_conninfo = ''");
        await client.query('SELECT pg_reload_conf()');
        await sleep(behindMs);
      }
      await primary.stop();
      await client.query('SELECT pg_promote()');
      await client.end();
      primary = replica;
      replica = await start(primary);
    },
  };
}
