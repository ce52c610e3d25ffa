import createClient from 'openapi-fetch';
import { noteOnline } from './connection.ts';
import { passed } from './gates.ts';
import { ApiProblem, problemIn, problemOf, Unreachable } from './problem.ts';
import type { paths } from './schema.ts';

let csrfToken: string | null = null;
let person: string | null = null;

/** The token of the session: every change needs it. `of`: whose session it is, if that may have changed. */
export function setCsrfToken(token: string | null, of = person): void {
  csrfToken = token;
  person = of;
}

export function csrfTokenNow(): string | null {
  return csrfToken;
}

let isOver = false;

/** Sends no more changes: another person has signed in, and changes of the page that is left would count as theirs. */
export function stopChanges(): void {
  isOver = true;
}

export function areChangesStopped(): boolean {
  return isOver;
}

/** Keys of changes whose outcome is not known yet: the same change sent again, or twice, must be done once. */
const unsettledKeys = new Map<string, string>();

/** How long a change waits while the server still works on the same one, and how often. */
const unfinishedMs = 1_000;
const unfinishedMax = 3;

/**
 * Sends a request as the console sends all of them: a change has a key and the session's token, and a request that
 * needs a sign-in or a second factor is sent again after it. Throws `Unreachable`.
 */
export async function send(request: Request): Promise<Response> {
  const isChange = request.method !== 'GET';
  const change = isChange ? await changeOf(request) : null;
  const key = (change === null ? undefined : unsettledKeys.get(change)) ?? crypto.randomUUID();
  if (change !== null) unsettledKeys.set(change, key);
  for (let unfinished = 0; ; ) {
    if (isChange && isOver) throw new Error('another person has signed in');
    const attempt = request.clone();
    const token = csrfToken;
    if (isChange) {
      if (!attempt.headers.has('idempotency-key')) attempt.headers.set('idempotency-key', key);
      if (token !== null) attempt.headers.set('x-csrf-token', token);
    }
    const response = await fetch(attempt).catch((error: unknown) => error);
    if (!(response instanceof Response)) {
      if (request.signal.aborted) throw response;
      noteOnline(false);
      throw new Unreachable();
    }
    noteOnline(true);
    const problem = response.ok ? null : await problemOf(response.clone());
    if (problem !== null && ((await isRenewed(problem, token)) || (await passed(problem)))) continue;
    const isUnfinished = problem?.code === 'REQUEST_UNFINISHED' && !request.headers.has('idempotency-key');
    if (isUnfinished && unfinished < unfinishedMax) {
      unfinished += 1;
      await new Promise((resolve) => setTimeout(resolve, unfinishedMs));
      continue;
    }
    // After a server error the outcome is unknown. What a killed server has begun is never answered under its key: the
    // person looks whether it was done, and may send it under a new one.
    if (change !== null && response.status < 500) unsettledKeys.delete(change);
    return response;
  }
}

/** Problems of a request with a token that its session had before. */
const ofEarlierToken = new Set(['CROSS_ORIGIN', 'SIGN_IN_NEEDED']);

/**
 * Whether the session got another token after a request was made with this one, as it does when the same person signs
 * in, or proves a second factor, in another window. The request is then sent again.
 */
async function isRenewed({ code }: { code: string }, token: string | null): Promise<boolean> {
  if (person === null || !ofEarlierToken.has(code)) return false;
  const response = await fetch(new Request(new URL('/api/v1/session', location.origin))).catch(() => null);
  const session = response?.ok ? ((await response.json()) as { person: string; csrf_token: string }) : null;
  if (session === null || session.person !== person || session.csrf_token === token) return false;
  csrfToken = session.csrf_token;
  return true;
}

/** Two changes are equal if address and body are. Null for a file, which is not read for that. */
async function changeOf(request: Request): Promise<string | null> {
  const type = request.headers.get('content-type');
  if (type !== null && !type.startsWith('application/json')) return null;
  return `${request.method} ${request.url} ${type === null ? '' : await request.clone().text()}`;
}

/** Every route of the API, typed by `schema.ts`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

/** The body of an answer. Throws `ApiProblem` and `Unreachable`. */
async function answered<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call;
  if (data !== undefined && response.ok) return data;
  throw new ApiProblem(problemIn(response, error));
}

/** The same with the entity tag: what a change of it names, so that it is refused if others were first. */
export async function answeredWithTag<Data extends object>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data & { etag: string }> {
  return { ...(await answered(call)), etag: (await call).response.headers.get('etag') ?? '*' };
}

/** A request outside the schema, such as those of the session. Returns its JSON, or null if there is none. */
export async function requestJson<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await send(new Request(new URL(`/api/v1${path}`, location.origin), init));
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return (await response.json().catch(() => null)) as Data;
}

/** What a route answers to GET. */
export type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

type Get<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Operation : never;
type GetPath = { [Path in keyof paths]: Get<Path> extends { responses: object } ? Path : never }[keyof paths];
/** A field that a query may leave out may be null, too. */
type QueryOf<Path extends GetPath> =
  Get<Path> extends { parameters: { query?: infer Query extends object } }
    ? { query?: { [Name in keyof Query]: object extends Pick<Query, Name> ? Query[Name] | null : Query[Name] } }
    : { query?: undefined };
type Asked<Path extends GetPath> = PathOf<Get<Path>> & QueryOf<Path>;

/** Reads something. Throws `ApiProblem` and `Unreachable`. */
export function get<Path extends GetPath>(
  route: Path,
  ...[params]: object extends Asked<Path> ? [Asked<Path>?] : [Asked<Path>]
): Promise<Answer<Path>> {
  const { GET } = api as unknown as {
    GET: (route: string, init: object) => Promise<{ data?: Answer<Path>; response: Response }>;
  };
  return answered(GET(route, { params }));
}

type Post<Path extends keyof paths> = paths[Path] extends { post: infer Operation } ? Operation : never;
type PostPath = { [Path in keyof paths]: Post<Path> extends { responses: object } ? Path : never }[keyof paths];
type PathOf<Operation> = Operation extends { parameters: { path: infer Fields extends object } }
  ? { path: Fields }
  : { path?: undefined };
export type BodyOf<Path extends PostPath> =
  Post<Path> extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body: Body }
    : { body?: undefined };
/** What a route answers to POST. */
export type ResultOf<Path extends PostPath> =
  Post<Path> extends { responses: { 200: { content: { 'application/json': infer Result } } } } ? Result : never;

/**
 * Changes something: the key of the request is added when it is sent, if none is given. Throws `ApiProblem` and
 * `Unreachable`.
 */
export function change<Path extends PostPath>(
  route: Path,
  { path, body, etag, key }: PathOf<Post<Path>> & BodyOf<Path> & { etag?: string; key?: string },
): Promise<ResultOf<Path>> {
  const { POST } = api as unknown as {
    POST: (route: string, init: object) => Promise<{ data?: ResultOf<Path>; response: Response }>;
  };
  const headers = {
    ...(etag === undefined ? {} : { 'if-match': etag }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  return answered(POST(route, { params: { path }, headers, body: body ?? {} }));
}
