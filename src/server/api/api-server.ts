import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorMessage } from '../../core/basics/errors.ts';
import type { ApiAnswer } from '../../ledger/access/api-requests.ts';
import { chainHead } from '../../ledger/audit/events.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { listEvents } from '../../operations/audit/list-events.ts';
import { performIn, requireAllowed, requireRoleFor, type WithAccount } from '../../operations/base/operation.ts';
import type { Session } from '../../runtime/session/session.ts';
import { readCertificate } from '../../runtime/settings/console-config.ts';
import { readJsonBodies } from '../base/json-body.ts';
import { type Problem, problem, problemOf, Refused, sendProblem, withHeaders } from '../base/problem.ts';
import { answerUnroutedByProblem } from '../base/unrouted.ts';
import { requireCsrfToken, requireOwnOrigin, tokenIn } from '../sign-in/request-guard.ts';
import { signInNeeded } from '../sign-in/session-route.ts';
import { addSessionRoutes } from '../sign-in/session-routes.ts';
import type { SignInDeps } from '../sign-in/sessions.ts';
import { purposeOf, requireStepUp } from '../sign-in/step-up.ts';
import { sealEarlierTotp } from '../sign-in/totp.ts';
import { type Caller, callerOf, personOf, sessionAs } from './caller.ts';
import { addConsole, consoleFolder } from './console-files.ts';
import { sendFile } from './download.ts';
import { matchingLedger, requireMatch, tagFinder } from './etag.ts';
import { makeEventHub, streamEvents } from './event-stream.ts';
import { type ChangingRequest, once } from './once.ts';
import { openApiDocument } from './openapi.ts';
import { addReportFiles } from './report-files.ts';
import { inputReader } from './route-input.ts';
import { type Route, routes } from './route-table.ts';
import { type BodyPace, cutSlowBodies } from './slow-bodies.ts';
import { answerUnreadable, unreadablePath } from './unreadable.ts';
import { receiveUpload } from './upload.ts';

export interface ApiDeps extends SignInDeps {
  /** Uses the account that the program already has open: a second limiter would not know the first one's requests. */
  withAccount: WithAccount;
  /** Called after a change in an account, so that its runner acts at once. */
  onChange: (account: string) => void;
  /** Where the console is built, if not in its usual place. */
  consoleFolder?: string;
  /** How slowly bodies may arrive, if not as usual. */
  bodyPace?: BodyPace;
}

/** The largest body of a request (bytes). */
const bodyBytesMax = 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request; null until that is known. */
    caller: Caller | null;
  }
}

/** Makes the server of the HTTP API: one route for each operation, and the OpenAPI document. It does not listen yet. */
export function makeApiServer(deps: ApiDeps): FastifyInstance {
  const { trustedProxies } = deps.session.config.console;
  const https = readCertificate(deps.session.config.console);
  const app = fastify({
    bodyLimit: bodyBytesMax,
    forceCloseConnections: 'idle',
    trustProxy: [...trustedProxies],
    clientErrorHandler: answerUnreadable,
    // A path that is not encoded as it should be never reaches the handlers below.
    frameworkErrors: (_error, _request, reply) => void sendProblem(withHeaders(reply), unreadablePath),
    ...(https === null ? {} : { https }),
  }) as unknown as FastifyInstance;
  app.decorateRequest('caller', null);
  readJsonBodies(app);
  cutSlowBodies(app, deps.bodyPace);
  app.addHook('onReady', () => sealEarlierTotp(deps.session));
  app.addHook('onSend', async (_request, reply) => void withHeaders(reply));
  answerUnroutedByProblem(app);
  app.setErrorHandler((error, { headers }, reply) => sendProblem(reply, shown(deps, error, headers['content-type'])));
  const all = routes();
  // Made for the first who asks: it takes longer than the rest of the server.
  let document: ReturnType<typeof openApiDocument> | null = null;
  app.get('/api/openapi.json', async () => {
    document ??= openApiDocument(all);
    return document;
  });
  addConsole(app, deps.consoleFolder ?? consoleFolder());
  app.register(async (scope) => addSessionRoutes(scope, deps), { prefix: '/api/v1' });
  app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request) => {
        request.caller = await requireCaller(deps, request, true);
      });
      addEventStream(scope, deps);
      addReportFiles(scope, (request) => sessionAs(deps.session, callerIn(request)));
      for (const route of all.filter(({ isUpload = false }) => !isUpload)) addRoute(scope, deps, route);
      scope.register(async (uploads) => {
        // The route reads the body itself, piece by piece.
        uploads.removeAllContentTypeParsers();
        uploads.addContentTypeParser('*', (_request, _payload, done) => done(null));
        for (const route of all.filter(({ isUpload = false }) => isUpload)) addUploadRoute(uploads, deps, route);
      });
    },
    { prefix: '/api/v1' },
  );
  return app;
}

function addRoute(scope: FastifyInstance, deps: ApiDeps, route: Route): void {
  const { method, path } = route;
  const readInput = inputReader(route);
  scope.route({
    method,
    url: path,
    onRequest: roleCheck(deps, route),
    async handler(request, reply) {
      const input = readInput(request);
      await requireProof(deps, route, callerIn(request), input);
      // The tag is read before its content, so that it is never of a later state.
      const etag = method === 'GET' ? await tagFinder(route, input)(deps.session.db) : null;
      if (etag !== null) reply.header('etag', etag);
      const work = () => answerOf(deps, route, callerIn(request), input, request.headers['if-match']);
      if (method === 'GET' || route.changesNothing === true) {
        const answer = await work();
        const isFile = route.isDownload === true && answer.status < 400;
        return isFile ? sendFile(deps.session, reply, answer.body) : send(reply, answer);
      }
      const changing = { ...changingRequest(request, request.body), isShownOnce: route.isShownOnce === true };
      return send(reply, await once(deps.session, changing, work));
    },
  });
}

/** The events of a batch as a stream, which continues after `Last-Event-ID`. */
function addEventStream(scope: FastifyInstance, deps: ApiDeps): void {
  const { session } = deps;
  const { db, clock } = session;
  const hub = makeEventHub(session);
  const stopping = new AbortController();
  // A stream never ends by itself, so the server must not wait for it.
  scope.addHook('preClose', async () => stopping.abort());
  // The answer to HEAD would wait for the end of the stream, which never comes.
  const own = { exposeHeadRoute: false };
  scope.get<{ Params: { batch_id: string } }>('/batches/:batch_id/events', own, async (request, reply) => {
    const { batch_id: batchId } = request.params;
    const { 'last-event-id': lastId = '' } = request.headers;
    const requireVisible = (caller: Caller) =>
      requireAllowed(sessionAs(session, caller), listEvents, { batch_id: batchId });
    await requireVisible(callerIn(request));
    await requireBatch(db, batchId);
    const after = await startOf(db, batchId, String(lastId));
    // An open stream does not keep a person signed in, and ends when the person may no longer see the batch.
    const isAllowed = () =>
      requireCaller(deps, request, false)
        .then(requireVisible)
        .then(
          () => true,
          () => false,
        );
    reply.hijack();
    await streamEvents({ db, clock, hub }, reply.raw, { batchId, after, signal: stopping.signal, isAllowed });
  });
}

/** The number after which a stream begins. `latest` sends only new events, if a page has already read the batch. */
async function startOf(db: Session['db'], batchId: string, lastId: string): Promise<number> {
  if (lastId === 'latest') return (await chainHead(db, batchId))?.seq ?? 0;
  return /^[0-9]{1,15}$/.test(lastId) ? Number(lastId) : 0;
}

/** A route whose body is a file. The file's digest identifies the request, so a repeated upload is the same request. */
function addUploadRoute(scope: FastifyInstance, deps: ApiDeps, route: Route): void {
  const { session } = deps;
  const readInput = inputReader(route);
  scope.post(route.path, { onRequest: roleCheck(deps, route) }, async (request, reply) => {
    const input = readInput(request) as object;
    // A file of a caller without the role is not stored, not even for a moment.
    await requireAllowed(sessionAs(session, callerIn(request)), route.operation, input);
    const upload = await receiveUpload(session, request.raw);
    const work = () => answerOf(deps, route, callerIn(request), { ...input, file: upload.path });
    const changing = changingRequest(request, upload.sha256);
    const answer = route.changesNothing === true ? work() : once(session, changing, work);
    return send(reply, await answer.finally(upload.remove));
  });
}

/**
 * Who sends the request: a program by its key, or a person by the cookie. Throws `KEY_MISSING`, `KEY_REFUSED` or
 * `SIGN_IN_NEEDED`; and `CROSS_ORIGIN` if a foreign page lets a person's browser change something.
 */
async function requireCaller(
  { session, publicUrl }: ApiDeps,
  request: FastifyRequest,
  isUse: boolean,
): Promise<Caller> {
  const { headers, method } = request;
  if (headers.authorization !== undefined) {
    const caller = await callerOf(session, headers.authorization);
    if (caller !== null) return caller;
    throw new Refused('KEY_REFUSED', 'The API key is unknown, expired or revoked.');
  }
  const token = tokenIn(headers, publicUrl());
  // Browsers send this header: the answer asks their users to sign in. Other callers need an API key.
  if (token === null && headers['sec-fetch-mode'] === undefined)
    throw new Refused('KEY_MISSING', 'The request has no API key (Authorization: Bearer ...).');
  const person = await personOf(session, token, isUse);
  if (person === null || token === null) throw signInNeeded();
  if (method !== 'GET') {
    requireOwnOrigin(headers, publicUrl());
    requireCsrfToken(headers, token);
  }
  return person;
}

/** Checks the role before the body is read: who lacks it learns nothing about the input. */
function roleCheck({ session }: ApiDeps, { operation }: Route) {
  return async (request: FastifyRequest) => requireRoleFor(sessionAs(session, callerIn(request)), operation);
}

/** Checks what an operation needs in addition to its role: a person, or a fresh second factor of the person. */
async function requireProof({ session }: ApiDeps, { operation, ...route }: Route, caller: Caller, input: unknown) {
  if (caller.session === undefined) {
    if (route.isForPeople !== true) return;
    throw new Refused('PERSON_NEEDED', 'Only a person may do this, who is signed in to the console.');
  }
  if (route.stepUp === undefined) return;
  await requireAllowed(sessionAs(session, caller), operation, Object(input));
  await requireStepUp(session, caller.session, purposeOf(route.stepUp, operation.name, input));
}

function callerIn({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('a request was let in without a key');
  return caller;
}

function changingRequest(request: FastifyRequest, body: unknown): ChangingRequest {
  const { method, url, headers } = request;
  const key = headers['idempotency-key'];
  const { name, through } = callerIn(request);
  // A person and a program may have the same name.
  const caller = through === 'api' ? name : `person ${name}`;
  return { caller, key: typeof key === 'string' ? key : undefined, method, url, body };
}

/** Runs an operation, and wakes the runner of the account. */
async function answerOf(
  deps: ApiDeps,
  route: Route,
  caller: Caller,
  input: unknown,
  ifMatch?: string,
): Promise<ApiAnswer> {
  const { operation, method } = route;
  const { session, withAccount, onChange } = deps;
  const door = { nameOf: (field: string) => field, withAccount, leavesWork: true };
  try {
    const own = sessionAs(session, caller);
    if (method !== 'GET' && ifMatch !== undefined) {
      await requireAllowed(own, operation, Object(input));
      const find = tagFinder(route, input);
      await requireMatch(own.db, ifMatch, find);
      own.db = matchingLedger(own.db, ifMatch, find);
    }
    const result = await performIn(own, operation, door, input);
    if (method === 'POST' && route.changesNothing !== true) await noteChange(session, onChange, input);
    return { status: 200, body: JSON.stringify(result), about: namedIn(input) ?? namedIn(result) };
  } catch (error) {
    const answer = shown(deps, error);
    return { status: answer.status, body: JSON.stringify(answer), about: namedIn(input) };
  }
}

/** The draft or the batch that an input or a result names. */
function namedIn(given: unknown): string | null {
  const { draft_id, batch_id } = Object(given) as { draft_id?: unknown; batch_id?: unknown };
  const named = draft_id ?? batch_id;
  return typeof named === 'string' ? named : null;
}

async function noteChange({ db }: Session, onChange: ApiDeps['onChange'], input: unknown): Promise<void> {
  const { batch_id: id } = input as { batch_id?: unknown };
  const batch = typeof id === 'string' ? await findBatch(db, id) : null;
  if (batch) onChange(batch.account);
}

/** The problem that the caller sees for an error. An internal error goes into the log. */
function shown({ session }: ApiDeps, error: unknown, type?: string): Problem {
  const found = problemOf(error, type);
  if (found !== null) return found;
  session.log.warn('the program failed while it answered a request to the API', { error: errorMessage(error) });
  return problem('INTERNAL', 'The program has an internal error. Its log has the details.');
}

function send(reply: FastifyReply, answer: ApiAnswer | Problem): FastifyReply {
  if (!('body' in answer)) return sendProblem(reply, answer);
  const { status, body } = answer;
  // A caller must not learn from a tag that something exists.
  if (status >= 400) reply.removeHeader('etag');
  return reply
    .code(status)
    .type(status < 400 ? 'application/json' : 'application/problem+json')
    .send(body);
}
