import type { FastifyInstance } from 'fastify';
import { type DeskRoute, type DeskRouteParts, deskRoutes } from './desk-routes.ts';
import type { Route } from './http/routes.ts';
import { faultsIn, withoutNulls } from './http/shapes.ts';
import { openApiDocument } from './openapi.ts';
import { type PageParts, page, pageHeaders } from './page.ts';
import { parseExact } from './parts/exact.ts';

export interface DeskParts extends PageParts, DeskRouteParts {
  routes: readonly Route[];
}

/** Adds what the real service does not have: the page, the OpenAPI document, and the routes under `/_sandbox`. */
export function addDesk(app: FastifyInstance, parts: DeskParts): void {
  const own = deskRoutes(parts);
  app.get('/', async (_request, reply) => {
    parts.settle();
    return reply.headers(pageHeaders).send(page(parts));
  });
  app.get('/openapi.json', async () => openApiDocument(parts.routes, own));
  for (const route of own) {
    app.route<{ Params: Record<string, string>; Body: string | undefined }>({
      method: route.method,
      url: route.path,
      handler: async ({ params, body }, reply) => {
        const { status, answer } = answerOf(route, params, body);
        return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
      },
    });
  }
}

function answerOf(
  { body: shape, handle }: DeskRoute,
  params: Record<string, string>,
  text: string | undefined,
): { status: number; answer: object } {
  let body: unknown;
  if (shape) {
    const parsed = shape.safeParse(withoutNulls(jsonOf(text)));
    if (!parsed.success) return { status: 400, answer: { message: `${faultsIn(parsed.error)}.` } };
    body = parsed.data;
  }
  const answer = handle(params, body);
  return answer === null
    ? { status: 404, answer: { message: 'There is no such thing here.' } }
    : { status: 200, answer };
}

/** Undefined if the text is not JSON. The content type does not matter here. */
function jsonOf(text: string | undefined): unknown {
  try {
    return parseExact(text ?? '');
  } catch {
    return undefined;
  }
}
