import type { FastifyInstance } from 'fastify';
import { invalidRequest, problem, sendProblem } from '../base/problem.ts';

/**
 * Answers a request for which there is no route: 405 with the header `Allow` if its address has other methods (RFC
 * 9110, section 15.5.6), otherwise 404. Must be called before the routes are added.
 */
export function answerUnrouted(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    // The page of the console is at every address.
    if (!url.includes('*')) methods.set(url, [...(methods.get(url) ?? []), method].flat());
  });
  app.setNotFoundHandler((request, reply) => {
    const { method, url } = request;
    const [path = ''] = url.split('?');
    const allowed = [...methods].flatMap(([pattern, own]) => (isAt(path, pattern) ? own : []));
    if (allowed.length === 0) return sendProblem(reply, problem('NOT_FOUND', `There is nothing at ${method} ${url}.`));
    reply.header('allow', [...new Set(allowed)].join(', '));
    return sendProblem(reply, invalidRequest(405, `The address ${path} has no method ${method}.`));
  });
}

/** Whether a path is one of a pattern such as `/batches/:batch_id`. */
function isAt(path: string, pattern: string): boolean {
  const [given, parts] = [path.split('/'), pattern.split('/')];
  return given.length === parts.length && parts.every((part, at) => part.startsWith(':') || part === given[at]);
}
