import { Client } from 'pg';
import { systemClock } from '../../../core/time/clock.ts';
import type { Notice, OnNotice } from '../database.ts';
import { connectMsMax } from './connections.ts';
import { connectionUrl } from './ledger-url.ts';

/** The channel on which connections announce work: `ledger_announce` in `dialect.ts`. */
export const noticesChannel = 'airbatch_work';
const reconnectMs = 1_000;

/** Listens on a connection of its own, since one of the pool would be busy for ever. Never rejects: it tries again. */
export function listenForNotices(url: string, onNotice: OnNotice): () => void {
  const ending = new AbortController();
  const listen = async () => {
    const client = new Client({
      connectionString: connectionUrl(url),
      connectionTimeoutMillis: connectMsMax,
      keepAlive: true,
      application_name: 'airbatch',
    });
    const ended = new Promise<void>((resolve) => {
      client.on('end', resolve);
      client.on('error', () => undefined);
      ending.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ payload = '' }) => {
      const [kind, account = ''] = payload.split(' ');
      onNotice({ kind: kind as Notice['kind'], account });
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${noticesChannel}`);
      // Nothing that was announced before arrives.
      onNotice(null);
      await ended;
    } catch {
      // Tried again below. Statements on other connections report what is wrong with the database.
    }
    await client.end().catch(() => undefined);
  };
  const keep = async () => {
    while (!ending.signal.aborted) {
      await listen();
      await systemClock.sleep(reconnectMs, ending.signal);
    }
  };
  void keep();
  return () => ending.abort();
}
