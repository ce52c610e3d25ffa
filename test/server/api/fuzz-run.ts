import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sha256 } from '../../../src/core/identity/ids.ts';
import { findSession, noteStepUp } from '../../../src/ledger/access/user-sessions.ts';
import { openApiDocument } from '../../../src/server/api/openapi.ts';
import { csrfTokenOf } from '../../../src/server/sign-in/sessions.ts';
import { makeSeededRandom, type SeededRandom } from '../../simulation/seeded-random.ts';
import { addSessionOf } from '../../support/user-session.ts';
import { consoleOf } from '../sign-in/browser.ts';
import { allRoles } from './api-fixture.ts';
import { bentUrl, bodyOf, encoded, fileOf, oddHeaders, type Schema, valueFor } from './fuzz-values.ts';

interface Item {
  operationId: string;
  parameters: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

interface Operation {
  path: string;
  method: string;
  item: Item;
}

type Installation = Awaited<ReturnType<typeof consoleOf>>;

/** Gives the headers of a caller. */
type Caller = () => Promise<Record<string, string>>;

const uploadType = 'application/octet-stream';
const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'] as const;

/** All operations of the document but the stream, which has no end. */
function operationsOf(): Operation[] {
  const paths = openApiDocument().paths as Record<string, Record<string, Item>>;
  return Object.entries(paths)
    .flatMap(([path, items]) => Object.entries(items).map(([method, item]) => ({ path, method, item })))
    .filter(({ item }) => item.operationId !== 'stream-events');
}

/** A person with this role, who is signed in whatever the requests before have done, and has proved a second factor. */
async function personWith(
  { db, clock, addUser, origin }: Installation,
  role: (typeof allRoles)[number],
): Promise<Caller> {
  const name = `${role}-person`;
  await addUser(name, { roles: [role] });
  const token = sha256(name);
  const steps = operationsOf().map(({ item }) => item.operationId);
  return async () => {
    await db.execute('UPDATE users SET disabled_at = NULL WHERE name = ?', [name]);
    const found = await findSession(db, sha256(token));
    if (found === null) {
      await addSessionOf(db, name, token, clock.now());
      for (const purpose of steps) await noteStepUp(db, { sessionId: name, purpose, at: clock.now() });
    }
    return { cookie: `airbatch=${token}`, origin, 'x-csrf-token': csrfTokenOf(token), 'sec-fetch-mode': 'cors' };
  };
}

/** Everybody who may send a request: programs and people of each role, of one account, and nobody. */
async function callersOf(installation: Installation): Promise<Caller[]> {
  const { admin, makeKey } = installation;
  const byKey =
    (key: string): Caller =>
    async () => ({ authorization: `Bearer ${key}` });
  const keys: string[] = [];
  for (const role of allRoles) keys.push(await makeKey(`${role}-program`, [role]));
  keys.push(await makeKey('one-account', allRoles, { accounts: ['default'] }));
  const people: Caller[] = [];
  for (const role of allRoles) people.push(await personWith(installation, role));
  const odd: Caller[] = ['', 'Bearer', 'Bearer x', 'Basic YTpi', `Bearer ${admin} x`].map(
    (authorization) => async () => ({ authorization }),
  );
  return [...Array(10).fill(byKey(admin)), ...keys.map(byKey), ...people, ...people, ...odd, async () => ({})];
}

/** One request for the operation, mostly as the document describes it. */
function requestFor({ path, method, item }: Operation, random: SeededRandom, cursors: readonly unknown[]) {
  const of = (place: string) => item.parameters.filter((parameter) => parameter.in === place);
  const text = (schema: Schema = {}) => encoded(valueFor(schema, random), random);
  const filled = of('path').reduce((url, { name, schema }) => url.replace(`{${name}}`, text(schema)), path);
  const query = of('query')
    .filter(() => random.percent(60))
    .map(({ name, schema }) =>
      name === 'after' && cursors.length > 0 && random.percent(60)
        ? `after=${encodeURIComponent(String(random.pick(cursors)))}`
        : `${name}=${text(schema)}`,
    );
  const url = bentUrl(query.length === 0 ? filled : `${filled}?${query.join('&')}`, random);
  const content = item.requestBody?.content ?? {};
  const isUpload = uploadType in content;
  const schema = content['application/json']?.schema;
  const payload = isUpload ? fileOf(random) : schema && bodyOf(valueFor(schema, random), random);
  const types = [
    'text/plain',
    'application/json; charset=utf-16',
    'application/xml',
    'multipart/form-data',
    'x',
    uploadType,
  ];
  const type = random.percent(5) ? random.pick(types) : isUpload ? uploadType : 'application/json';
  return {
    method: random.percent(3) ? random.pick(methods) : (method.toUpperCase() as (typeof methods)[number]),
    url,
    headers: {
      ...(payload === undefined ? {} : { 'content-type': type }),
      ...(isUpload ? { 'content-disposition': 'attachment; filename="a.csv"' } : {}),
    },
    ...(payload === undefined ? {} : { payload }),
  };
}

/**
 * Sends requests that are made from the OpenAPI document, in the name of everybody, with what clients and attackers do
 * wrong. None may meet an error of the program. Returns how many had which status.
 */
export async function fuzzApi(
  t: Pick<TestContext, 'after'>,
  { requests, seed }: { requests: number; seed: number },
): Promise<ReadonlyMap<number, number>> {
  const installation = await consoleOf(t as TestContext);
  const { server, logged, db, clock } = installation;
  const random = makeSeededRandom(seed);
  const callers = await callersOf(installation);
  const all = operationsOf();
  const statuses = new Map<number, number>();
  const cursors: unknown[] = [];
  for (let count = 0; count < requests; count++) {
    const operation = all[count % all.length] as Operation;
    const { headers, ...request } = requestFor(operation, random, cursors);
    const own = await random.pick(callers)();
    const once = random.percent(95) ? `fuzz-${count}` : random.pick(['', 'fuzz-1', 'x'.repeat(300), 'ä']);
    const sent = { ...request, headers: { 'idempotency-key': once, ...headers, ...own, ...oddHeaders(random) } };
    let answer = await server.inject(sent);
    const { purpose } = answer.statusCode === 403 && sent.method !== 'HEAD' ? answer.json() : {};
    if (typeof purpose === 'string' && 'cookie' in own) {
      const session = await findSession(db, sha256((own.cookie ?? '').slice('airbatch='.length)));
      await noteStepUp(db, { sessionId: session?.session_id ?? '', purpose, at: clock.now() });
      answer = await server.inject(sent);
    }
    const { statusCode: status } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const what = () =>
      JSON.stringify({ seed, count, sent, answer: answer.body, logged: logged.at(-1) }).slice(0, 3_000);
    assert.notEqual(status, 500, what());
    const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json');
    if (status >= 400 && sent.method !== 'HEAD') assert.ok(isProblem && answer.json().code, what());
    if (status === 200 && String(answer.headers['content-type']).startsWith('application/json')) {
      const next = sent.method === 'HEAD' ? undefined : answer.json().next;
      if (next !== null && next !== undefined) cursors.push(next);
    }
  }
  return statuses;
}
