import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorMessage } from '../../core/basics/errors.ts';
import type { ApiAnswer } from '../../ledger/access/api-requests.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import { listEvents } from '../../operations/audit/list-events.ts';
import { performIn, requireAllowed, type WithAccount } from '../../operations/base/operation.ts';
import type { Session } from '../../runtime/session/session.ts';
import { type Caller, callerOf } from './caller.ts';
import { makeEventHub, streamEvents } from './event-stream.ts';
import { type ChangingRequest, once } from './once.ts';
import { openApiDocument } from './openapi.ts';
import { type Problem, problem, problemOf, sendProblem } from './problem.ts';
import { inputReader } from './route-input.ts';
import { type Route, routes } from './route-table.ts';
import { receiveUpload } from './upload.ts';

export interface ApiDeps {
  session: Session;
  /** Works with an account as the program has it open: a second limiter would not know of the first one's requests. */
  withAccount: WithAccount;
  /** Called when something of an account was changed, so that its runner looks at once. */
  onChange: (account: string) => void;
}

/** The most that the body of a request may weigh. */
const bodyBytesMax = 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request; null until that is known. */
    caller: Caller | null;
  }
}

/** The server of the HTTP API: a route an operation, and its OpenAPI document. It does not listen yet. */
export function makeApiServer(deps: ApiDeps): FastifyInstance {
  const { session } = deps;
  const app = fastify({ bodyLimit: bodyBytesMax, forceCloseConnections: 'idle' });
  app.decorateRequest('caller', null);
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, problem('NOT_FOUND', `There is nothing at ${request.method} ${request.url}.`)),
  );
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, shown(deps, error)));
  const document = openApiDocument();
  app.get('/api/openapi.json', async () => document);
  app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        const { authorization } = request.headers;
        if (authorization === undefined)
          return sendProblem(reply, problem('KEY_MISSING', 'The request has no API key (Authorization: Bearer ...).'));
        request.caller = await callerOf(session, authorization);
        if (request.caller === null)
          return sendProblem(reply, problem('KEY_REFUSED', 'The API key is unknown, expired or revoked.'));
        return undefined;
      });
      addEventStream(scope, deps);
      for (const route of routes().filter(({ isUpload = false }) => !isUpload)) addRoute(scope, deps, route);
      scope.register(async (uploads) => {
        // The body is read by the route itself, piece by piece.
        uploads.removeAllContentTypeParsers();
        uploads.addContentTypeParser('*', (_request, _payload, done) => done(null));
        for (const route of routes().filter(({ isUpload = false }) => isUpload)) addUploadRoute(uploads, deps, route);
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
    async handler(request, reply) {
      if (route.isForPeople === true && callerIn(request).through === 'api')
        return sendProblem(
          reply,
          problem('PERSON_NEEDED', 'Only a person may do this, who is signed in to the console.'),
        );
      const work = () => answerOf(deps, route, callerIn(request), readInput(request));
      const { body } = request;
      return send(
        reply,
        method === 'GET'
          ? await work()
          : await once(
              deps.session,
              { ...changingRequest(request, body), isShownOnce: route.isShownOnce === true },
              work,
            ),
      );
    },
  });
}

/** The events of a batch as a stream: it goes on after the one that `Last-Event-ID` names. */
function addEventStream(scope: FastifyInstance, { session }: ApiDeps): void {
  const { db, clock } = session;
  const hub = makeEventHub(session);
  const stopping = new AbortController();
  // A stream has no end of its own that the server could wait for.
  scope.addHook('preClose', async () => stopping.abort());
  scope.get<{ Params: { batch_id: string } }>('/batches/:batch_id/events', async (request, reply) => {
    const { batch_id: batchId } = request.params;
    const { authorization = '', 'last-event-id': lastId = '' } = request.headers;
    await requireAllowed(sessionOf(session, callerIn(request)), listEvents, { batch_id: batchId });
    await requireBatch(db, batchId);
    const after = /^[0-9]{1,15}$/.test(String(lastId)) ? Number(lastId) : 0;
    const isAllowed = async () => (await callerOf(session, authorization)) !== null;
    reply.hijack();
    await streamEvents({ db, clock, hub }, reply.raw, { batchId, after, signal: stopping.signal, isAllowed });
  });
}

/** A route whose body is a file: its digest stands for it, so that a file that is sent again is the same request. */
function addUploadRoute(scope: FastifyInstance, deps: ApiDeps, route: Route): void {
  const { session } = deps;
  const readInput = inputReader(route);
  scope.post(route.path, async (request, reply) => {
    const input = readInput(request) as object;
    // Whoever may not do this sends nothing that is kept, not even for a moment.
    await requireAllowed(sessionOf(session, callerIn(request)), route.operation, input);
    const upload = await receiveUpload(session, request.raw);
    const work = () => answerOf(deps, route, callerIn(request), { ...input, file: upload.path });
    const answer = once(session, changingRequest(request, upload.sha256), work).finally(upload.remove);
    return send(reply, await answer);
  });
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

/** Carries an operation out, and tells the runner of the account. */
async function answerOf(deps: ApiDeps, { operation, method }: Route, caller: Caller, input: unknown) {
  const { session, withAccount, onChange } = deps;
  const door = { nameOf: (field: string) => field, withAccount, leavesWork: true };
  try {
    const result = await performIn(sessionOf(session, caller), operation, door, input);
    if (method === 'POST') await noteChange(session, onChange, input);
    return { status: 200, body: JSON.stringify(result) };
  } catch (error) {
    const answer = shown(deps, error);
    return { status: answer.status, body: JSON.stringify(answer) };
  }
}

function sessionOf(session: Session, { name, through, grant }: Caller): Session {
  return { ...session, person: name, through, grant };
}

async function noteChange({ db }: Session, onChange: ApiDeps['onChange'], input: unknown): Promise<void> {
  const { batch_id: id } = input as { batch_id?: unknown };
  const batch = typeof id === 'string' ? await findBatch(db, id) : null;
  if (batch) onChange(batch.account);
}

/** What the caller is shown of an error; one of the program itself goes into the log. */
function shown({ session }: ApiDeps, error: unknown): Problem {
  const found = problemOf(error);
  if (found !== null) return found;
  session.log.warn('a request to the API met an error of the program', { error: errorMessage(error) });
  return problem('INTERNAL', 'The program met an error of its own. Its log says which.');
}

function send(reply: FastifyReply, answer: ApiAnswer | Problem): FastifyReply {
  if (!('body' in answer)) return sendProblem(reply, answer);
  const { status, body } = answer;
  return reply
    .code(status)
    .type(status < 400 ? 'application/json' : 'application/problem+json')
    .send(body);
}
