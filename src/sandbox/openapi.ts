import { z } from 'zod';
import type { DeskRoute } from './desk-routes.ts';
import type { Access, Route } from './http/routes.ts';
import { parameterExamples, requestExamples } from './openapi-examples.ts';
import { defaultLimits } from './parts/options.ts';
import { v1Answers } from './v1/v1-shapes.ts';
import { v2Answers } from './v2/v2-shapes.ts';
import { type WebhookShape, webhookShapes } from './v2/webhook-shapes.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of the service, made from the shapes that validate its requests, and of the sandbox's own
 * routes.
 */
export function openApiDocument(routes: readonly Route[], own: readonly DeskRoute[]): Json {
  const paths: Record<string, Json> = {};
  const add = ({ path, method }: { path: string; method: string }, described: Json) => {
    const place = path.replace(/:(\w+)/g, '{$1}');
    paths[place] = { ...paths[place], [method.toLowerCase()]: described };
  };
  for (const route of routes) add(route, operation(route));
  for (const route of own) add(route, deskOperation(route));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Airtime top-up service (sandbox)',
      version: '2.0.0',
      description:
        'Version 2 (`/v2`, `/enterprise`) and Version 1 (`/adp`) of the service, as the sandbox of airbatch implements them. What lies under `/_sandbox` is the sandbox alone.',
    },
    servers: [
      {
        url: 'http://{host}:{port}',
        description: 'A sandbox: `airbatch sandbox --port 8080`',
        variables: { host: { default: '127.0.0.1' }, port: { default: '8080' } },
      },
    ],
    tags: ['Version 2', 'Version 1', 'Enterprise', 'Sandbox'].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(webhookShapes.map((shape) => [shape.event, { post: webhook(shape) }])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `sandbox-key`.' },
        accessToken: { type: 'http', scheme: 'bearer', description: 'A token from `POST /enterprise/auth/login`.' },
        companyId: { type: 'apiKey', in: 'header', name: 'X-Company-ID' },
        serviceEmail: { type: 'apiKey', in: 'header', name: 'X-Service-Email' },
        serviceToken: { type: 'apiKey', in: 'header', name: 'X-Service-Token' },
      },
    },
  };
}

/** "GET /v2/topups/:id" becomes `getV2TopupsById`. */
function operationId({ method, path }: { method: string; path: string }): string {
  const words = path.split(/[/_]/).filter((word) => word !== '');
  const name = words.map((word) => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word))).join('');
  return method.toLowerCase() + name;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function operation(route: Route): Json {
  const { section, summary, access, answer, limits, body, path, method } = route;
  const isV1 = access.kind === 'service_headers';
  const errorShape = isV1 ? v1Answers.error : v2Answers.error;
  const [limit] = limits;
  const headers = isV1 || !limit ? {} : { headers: rateHeaders };
  return {
    operationId: operationId(route),
    tags: [isV1 ? 'Version 1' : path.startsWith('/enterprise') ? 'Enterprise' : 'Version 2'],
    summary,
    description: `Section ${section} of the specification.${limit ? ` At most ${defaultLimits[limit]} requests a minute.` : ''}`,
    security: security(access),
    parameters: parameters(route, path === '/v2/topups' && method === 'POST'),
    ...requestBody(route, body),
    responses: {
      [answer.status]: { description: 'Success', ...headers, ...jsonContent(answer.shape) },
      ...(limit
        ? {
            429: {
              description: 'The rate limit is exceeded',
              headers: { ...headers.headers, 'Retry-After': retryAfter },
              ...jsonContent(errorShape),
            },
          }
        : {}),
      default: { description: 'Error', ...headers, ...jsonContent(errorShape) },
    },
  };
}

function deskOperation(route: DeskRoute): Json {
  const { summary, answer, body } = route;
  return {
    operationId: operationId(route),
    tags: ['Sandbox'],
    summary,
    security: [],
    parameters: parameters(route, false),
    ...requestBody(route, body),
    responses: {
      200: { description: 'Success', ...jsonContent(answer) },
      default: { description: 'Error', ...jsonContent(z.object({ message: z.string() })) },
    },
  };
}

function requestBody({ method, path }: { method: string; path: string }, body: z.ZodType | undefined): Json {
  if (!body) return {};
  const example = requestExamples[`${method} ${path}`];
  const content = { schema: schemaOf(body, 'input'), ...(example ? { example } : {}) };
  return { requestBody: { required: true, content: { 'application/json': content } } };
}

const jsonContent = (shape: z.ZodType): Json => ({
  content: { 'application/json': { schema: schemaOf(shape, 'output') } },
});

const header = (description: string): Json => ({ description, schema: { type: 'integer' } });
const retryAfter = header('Seconds to wait');

/** Spec section 8.1. */
const rateHeaders: Json = {
  'X-RateLimit-Limit': header('Requests in the window'),
  'X-RateLimit-Remaining': header('Requests left in the window'),
  'X-RateLimit-Reset': header('When the window ends, Unix seconds'),
};

/** A request that the service makes (spec section 6). */
function webhook({ scheme, summary, body, event }: WebhookShape): Json {
  const names =
    scheme === 'callback'
      ? {
          'X-Webhook-Event': `Always ${event}`,
          'X-Webhook-Timestamp': 'Unix seconds of the sending',
          'X-Webhook-Signature': 'Hex HMAC-SHA256 of "<timestamp>.<raw body>", keyed with the API key',
        }
      : { 'X-Service-Signature': 'Hex HMAC-SHA256 of the raw body, keyed with the secret of the webhook' };
  return {
    operationId: `on${event.split(/[._]/).map(capital).join('')}`,
    summary,
    description: scheme === 'callback' ? 'Goes to the `callback_url` of the top-up.' : 'Goes to registered webhooks.',
    security: [],
    parameters: Object.entries(names).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, ...jsonContent(body) },
    responses: { '2XX': { description: 'Acknowledged. Anything else, or nothing within 10 seconds, is tried again.' } },
  };
}

function security(access: Access): Json[] {
  switch (access.kind) {
    case 'api_key':
      return [{ apiKey: [] }];
    case 'access_token':
      return [{ accessToken: [], companyId: [] }];
    case 'service_headers':
      return [{ serviceEmail: [], serviceToken: [] }];
    case 'public':
      return [];
  }
}

function parameters({ path, query }: { path: string; query?: z.ZodType }, takesKey: boolean): Json[] {
  const example = (name: string) => (name in parameterExamples ? { example: parameterExamples[name] } : {});
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...example(name),
  }));
  const shape = query ? (schemaOf(query, 'input') as { properties?: Record<string, Json>; required?: string[] }) : {};
  const inQuery = Object.entries(shape.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: shape.required?.includes(name) ?? false,
    schema,
    ...example(name),
  }));
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'A repeated one within 24 hours brings the first answer, and charges nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '7e2b0f8e-5c3e-4a8c-9d6f-1f0d6f3b2a11',
  };
  return [...inPath, ...inQuery, ...(takesKey ? [key] : [])];
}

/** Shapes that only code can check carry their JSON schema as metadata. */
function schemaOf(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Json;
  return schema;
}
