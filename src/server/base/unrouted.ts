import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidRequest, problem, sendProblem } from './problem.ts';

/**
 * Answers a request for which there is no route: 405 with the header `Allow` if its address has other methods (RFC
 * 9110, section 15.5.6), otherwise 404. `answer` writes the body for that status. Must be called before the routes are
 * added.
 */
function answerUnrouted(
  app: FastifyInstance,
  answer: (status: 404 | 405, request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    // The page of the console is at every address.
    if (!url.includes('*')) methods.set(url, [...(methods.get(url) ?? []), method].flat());
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const allowed = [...methods].flatMap(([pattern, own]) => (isAt(path, pattern) ? own : []));
    if (allowed.length === 0) return answer(404, request, reply);
    return answer(405, request, reply.header('allow', [...new Set(allowed)].join(', ')));
  });
}

/** For the API, whose errors are problems. */
export function answerUnroutedByProblem(app: FastifyInstance): void {
  answerUnrouted(app, (status, { method, url }, reply) =>
    sendProblem(
      reply,
      status === 404
        ? problem('NOT_FOUND', `There is nothing at ${method} ${url}.`, 'GET /api/openapi.json lists every address.')
        : invalidRequest(
            405,
            `The address ${pathOf({ url })} has no method ${method}.`,
            'The header Allow names the methods of this address.',
          ),
    ),
  );
}

/** For the other ports, whose errors are codes. */
export function answerUnroutedByCode(app: FastifyInstance): void {
  answerUnrouted(app, (status, _request, reply) =>
    reply.code(status).send({ error: status === 404 ? 'not_found' : 'method_not_allowed' }),
  );
}

function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  return url.split('?')[0] ?? '';
}

/** Whether a path is one of a pattern such as `/batches/:batch_id`. */
function isAt(path: string, pattern: string): boolean {
  const [given, parts] = [path.split('/'), pattern.split('/')];
  return given.length === parts.length && parts.every((part, at) => part.startsWith(':') || part === given[at]);
}
