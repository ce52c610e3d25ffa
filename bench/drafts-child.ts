import { join } from 'node:path';
import { systemRandom } from '../src/core/basics/random.ts';
import { systemClock } from '../src/core/time/clock.ts';
import { openSqlite } from '../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../src/ledger/schema/schema.ts';
import { createApiKey } from '../src/operations/access/create-api-key.ts';
import { performIn } from '../src/operations/base/operation.ts';
import { withAccount } from '../src/runtime/accounts/with-account.ts';
import type { Session } from '../src/runtime/session/session.ts';
import { loadConfig } from '../src/runtime/settings/config.ts';
import { makeApiServer } from '../src/server/api/api-server.ts';
import { peakMiB } from './memory.ts';

/** What the server of the bench answers to its parent. */
export type FromServer = { kind: 'ready'; url: string; key: string } | { kind: 'peak'; peakMiB: number; cpuMs: number };

/**
 * The HTTP API (with a second folder, the console too) over a ledger of its own in the folder that is named, with the
 * sandbox as the account: a process of its own, so that its memory is its own.
 */
const [folder = '', consoleFolder] = process.argv.slice(2);
const ledgerPath = join(folder, 'ledger.db');
const db = openSqlite(ledgerPath);
await migrate(db);
const ignored = () => undefined;
const session: Session = {
  ...{ db, clock: systemClock, random: systemRandom, log: { info: ignored, warn: console.error } },
  config: await loadConfig({ cwd: folder, env: {}, configPath: undefined }),
  ...{ ledgerPath, ledgerUrl: null, person: 'bench', through: 'serve' as const },
};
const door = { nameOf: (field: string) => field };
const { secret } = await performIn(session, createApiKey, door, { name: 'clerk', roles: ['prepare', 'audit'] });
const server = makeApiServer({
  ...{ session, onChange: ignored, ...(consoleFolder === undefined ? {} : { consoleFolder }) },
  withAccount: (name, work) => withAccount(session, name, work),
  hasher: { hash: async () => '', isRight: async () => false },
  publicUrl: () => new URL('http://127.0.0.1'),
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });
const tell = (message: FromServer) => process.send?.(message);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  tell({ kind: 'peak', peakMiB: peakMiB(), cpuMs: (user + system) / 1_000 });
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'ready', url, key: secret });
