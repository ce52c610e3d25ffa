import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemRandom } from '../../src/core/basics/random.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../src/ledger/schema/schema.ts';
import { createApiKey } from '../../src/operations/access/create-api-key.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { withAccount } from '../../src/runtime/accounts/with-account.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { loadConfig } from '../../src/runtime/settings/config.ts';
import { makeApiServer } from '../../src/server/api/api-server.ts';
import { addBatch } from '../support/ledger.ts';
import { addSamples, moveRow, sampleBatch, sampleRow, samples, ways } from './samples.ts';

/** What the browser tests and the pictures look at. */
export interface Installation {
  url: string;
  /** A key with all roles. The browser sends it: signing in has tests of its own. */
  key: string;
  session: Session;
  /** Something happens to a row of the batch that is being sent: it completes. */
  completeRow(rowNo: number): Promise<void>;
  /** Adds a batch that waits for approval, with so many rows. */
  addLong(rows: number): Promise<string>;
  /** The server ends, and is started again at the same address after the work. */
  whileStopped(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The API and the console over a ledger in a folder, with the sandbox as the account and a batch of every kind. */
export async function makeInstallation(folder: string, consoleFolder: string): Promise<Installation> {
  mkdirSync(join(folder, '.airbatch'), { recursive: true, mode: 0o700 });
  // Every batch needs a second person.
  writeFileSync(
    join(folder, 'airbatch.config.json'),
    '{"policy":{"approval":{"needed":"always"}},"webhooks":{"allowPrivateAddresses":true}}',
  );
  const db = openSqlite(join(folder, '.airbatch/ledger.db'));
  await migrate(db);
  const config = await loadConfig({ cwd: folder, env: {}, configPath: undefined });
  const ignored = () => undefined;
  const session: Session = {
    ...{ db, clock: systemClock, config, random: systemRandom, log: { info: ignored, warn: ignored } },
    ...{ ledgerPath: join(folder, '.airbatch/ledger.db'), ledgerUrl: null, person: 'njeri', through: 'serve' as const },
  };
  await addSamples(session);
  const roles = ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin'] as const;
  const door = { nameOf: (field: string) => field };
  const { secret } = await performIn(session, createApiKey, door, { name: 'wanjiru', roles: [...roles] });
  const listen = async (wanted: number) => {
    const made = makeApiServer({
      ...{ session, consoleFolder, onChange: ignored },
      withAccount: (name, work) => withAccount(session, name, work),
      // Nobody signs in by a password here.
      hasher: { hash: async () => '', isRight: async () => false },
      publicUrl: () => new URL('http://127.0.0.1'),
    });
    await made.listen({ host: '127.0.0.1', port: wanted });
    return made;
  };
  let server = await listen(0);
  const { port } = server.server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, key: secret, session },
    completeRow: (rowNo) => moveRow(session, samples.running, rowNo, ways.complete(rowNo)),
    async addLong(rows) {
      const batch_id = `long-${rows}`;
      const batch = sampleBatch(batch_id, { run_id: batch_id, file_name: 'long.csv', status: 'approved' });
      await addBatch(
        db,
        systemClock,
        batch,
        Array.from({ length: rows }, (_, index) => sampleRow(batch_id, index + 1)),
      );
      return batch_id;
    },
    async whileStopped(work) {
      server.server.closeAllConnections();
      await server.close();
      await work().finally(async () => {
        server = await listen(port);
      });
    },
    async close() {
      await server.close();
      await db.close();
    },
  };
}
