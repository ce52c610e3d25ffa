import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { createApiKey } from '../../../src/operations/access/create-api-key.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { withAccount } from '../../../src/runtime/accounts/with-account.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import type { Role } from '../../../src/runtime/settings/config-shape.ts';
import { makeApiServer } from '../../../src/server/api/api-server.ts';
import { makePasswordHasher } from '../../../src/server/sign-in/password.ts';
import { folderOf } from '../../support/folder.ts';
import { memoryLedger } from '../../support/ledger.ts';

interface Send {
  key?: string;
  body?: unknown;
  ifMatch?: string;
  /** The bytes of a file, and its name. */
  file?: { name: string; bytes: string | Buffer };
  headers?: Record<string, string>;
}

/**
 * The API of an installation without a configured account: the embedded sandbox answers. `ledger`: that of another
 * machine.
 */
export async function draftsApi(
  t: TestContext,
  config: object = {},
  {
    env = {},
    ledger,
    clerkName = 'clerk',
  }: { env?: Record<string, string>; ledger?: Database; clerkName?: string } = {},
) {
  const folder = folderOf(t);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  const db = ledger ? { ...ledger } : await memoryLedger();
  if (!ledger) t.after(() => db.close());
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const session: Session = {
    ...{ db, clock: systemClock, log: { info: note, warn: note }, random: systemRandom },
    config: await loadConfig({ cwd: folder, env, configPath: undefined }),
    ledgerPath: join(folder, 'ledger.db'),
    ledgerUrl: null,
    person: 'root',
    through: 'serve',
  };
  const server = makeApiServer({
    session,
    hasher: makePasswordHasher(systemRandom, async (password) => Buffer.from(password)),
    publicUrl: () => new URL('http://localhost:8788'),
    withAccount: (name, work) => withAccount({ ...session, ledgerPath: ':memory:' }, name, work),
    onChange: () => undefined,
  });
  t.after(() => server.close());
  const door = { nameOf: (field: string) => field };
  const makeKey = async (name: string, roles: Role[], more: { accounts?: string[] } = {}) =>
    (await performIn(session, createApiKey, door, { name, roles, ...more })).secret;
  const clerk = await makeKey(clerkName, ['prepare']);
  let requests = 0;
  const send = async (
    method: 'GET' | 'POST',
    url: string,
    { key = clerk, body, file, ifMatch, headers = {} }: Send = {},
  ) => {
    requests += 1;
    const answer = await server.inject({
      method,
      url,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(method === 'POST' ? { 'idempotency-key': `request-${requests}` } : {}),
        ...(ifMatch ? { 'if-match': ifMatch } : {}),
        ...(file
          ? {
              'content-type': 'application/octet-stream',
              'content-disposition': `attachment; filename="${file.name}"`,
            }
          : {}),
      },
      ...(file ? { payload: file.bytes } : body === undefined ? {} : { payload: body as object }),
    });
    const isJson = String(answer.headers['content-type']).includes('json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson ? answer.json() : null,
    };
  };
  /** Uploads a file, and returns the id of its draft. */
  const upload = async (bytes: string | Buffer, { name = 'november.csv', query = '' } = {}) => {
    const made = await send('POST', `/api/v1/drafts${query}`, { file: { name, bytes } });
    return { ...made, id: String(made.body?.draft_id) };
  };
  const download = async (url: string) => {
    const { headers, rawPayload: bytes } = await server.inject({ url, headers: { authorization: `Bearer ${clerk}` } });
    return { headers, bytes };
  };
  return { db, session, server, logged, makeKey, send, upload, download };
}
