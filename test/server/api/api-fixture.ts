import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { systemRandom } from '../../../src/core/basics/random.ts';
import { findBatch } from '../../../src/ledger/batches/batches.ts';
import { insertDraft } from '../../../src/ledger/drafts/drafts.ts';
import { createApiKey } from '../../../src/operations/access/create-api-key.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import type { Role } from '../../../src/runtime/settings/config-shape.ts';
import type { OpenId } from '../../../src/runtime/settings/console-config.ts';
import { makeApiServer } from '../../../src/server/api/api-server.ts';
import type { BodyPace } from '../../../src/server/api/slow-bodies.ts';
import { makePasswordHasher } from '../../../src/server/sign-in/password.ts';
import { aDraft } from '../../support/drafts.ts';
import { folderOf } from '../../support/folder.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../../support/ledger.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

/** What a request of a test has besides its method and its path. `once`: its `Idempotency-Key`. */
export interface Send {
  key?: string | null;
  body?: unknown;
  once?: string | null;
}

export const allRoles: Role[] = ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin'];

/**
 * The API of an installation with the accounts `default` and `other`, and a batch that waits for approval in each. No
 * service answers.
 */
export async function api(
  t: TestContext,
  {
    publicUrl = 'http://localhost:8788',
    openid = null,
    trustedProxies = [],
    otherNames = new Map(),
    bodyPace,
  }: {
    publicUrl?: string;
    openid?: OpenId | null;
    trustedProxies?: readonly string[];
    otherNames?: ReadonlyMap<string, string>;
    bodyPace?: BodyPace;
  } = {},
) {
  const folder = folderOf(t);
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  t.after(() => db.close());
  const env = { AIRBATCH_BASE_URL: 'http://127.0.0.1:1', AIRBATCH_API_KEY: 'service-key' };
  const loaded = await loadConfig({ cwd: folder, env, configPath: undefined });
  const config = { ...loaded, otherNames, console: { ...loaded.console, openid, trustedProxies } };
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const session: Session = {
    ...{ db, clock, config, log: { info: note, warn: note }, random: systemRandom },
    ledgerPath: join(folder, 'ledger.db'),
    ledgerUrl: null,
    person: 'root',
    through: 'serve',
    otherNames,
  };
  for (const account of ['default', 'other']) {
    const batch_id = `B-${account}`;
    await addBatch(db, clock, aBatch({ batch_id, account, run_id: account, status: 'awaiting_approval' }), [
      aRow(1, { batch_id }),
    ]);
  }
  await db.transact((tx) => insertDraft(tx, aDraft({ draft_id: 'D-other', account: 'other' })));
  const changed: string[] = [];
  const hashed: string[] = [];
  const server = makeApiServer({
    session,
    // What argon2id does has a test of its own: here it is counted.
    hasher: makePasswordHasher(systemRandom, async (password, salt) => {
      hashed.push(password);
      return createHash('sha256').update(password).update(salt).digest();
    }),
    publicUrl: () => new URL(publicUrl),
    withAccount: () => Promise.reject(new AirbatchError('SERVICE_UNREACHABLE', 'the service gave no answer')),
    onChange: (account) => void changed.push(account),
    ...(bodyPace && { bodyPace }),
  });
  t.after(() => server.close());
  const door = { nameOf: (field: string) => field };
  const makeKey = async (name: string, roles: Role[], more: { accounts?: string[]; expires?: string } = {}) =>
    (await performIn(session, createApiKey, door, { name, roles, ...more })).secret;
  const admin = await makeKey('all', allRoles);
  const send = async (method: 'GET' | 'POST', url: string, { key = admin, body: sent, once = 'once-1' }: Send = {}) => {
    const answer = await server.inject({
      method,
      url,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(method === 'POST' && once !== null ? { 'idempotency-key': once } : {}),
      },
      ...(sent === undefined ? {} : { payload: sent as object }),
    });
    // A zip file has no JSON.
    const body = answer.headers['content-type'] === 'application/zip' ? null : answer.json();
    return { status: answer.statusCode, headers: answer.headers, body };
  };
  const statusOf = async (id: string) => (await findBatch(db, id))?.status;
  return { db, clock, session, server, hashed, logged, changed, makeKey, admin, send, statusOf };
}
