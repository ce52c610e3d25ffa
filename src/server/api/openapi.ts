import { z } from 'zod';
import { version } from '../../runtime/settings/version.ts';
import { problemCodes } from '../base/problem.ts';
import type { SessionRoute } from '../sign-in/session-route.ts';
import { sessionRoutes } from '../sign-in/session-routes.ts';
import { componentsOf } from './components.ts';
import { inputSchema, isInQuery, type JsonSchema, pathFields } from './route-input.ts';
import { type Route, routes } from './route-table.ts';

const text = { type: 'string' };

const problemSchema = {
  type: 'object',
  description: 'A problem as RFC 9457 has it.',
  required: ['type', 'title', 'status', 'code', 'detail', 'hint'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    code: { type: 'string', enum: problemCodes },
    detail: text,
    hint: { type: ['string', 'null'], description: 'What to do about it.' },
    purpose: { type: 'string', description: 'With STEP_UP_NEEDED: what the second factor must be proved for.' },
    retry_after_s: { type: 'integer', description: 'With SIGN_IN_THROTTLED: for how long nothing is tried.' },
    reason: {
      type: 'object',
      description: 'Of some problems: why, by a stable code, with what a text about it names.',
      required: ['code', 'values'],
      properties: { code: text, values: { type: 'object', additionalProperties: text } },
    },
  },
};

const problemResponse = {
  description: 'A problem.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const aProblem = { $ref: '#/components/responses/Problem' };

/** The OpenAPI document of the HTTP API: its schemas are those of the operations. */
export function openApiDocument(all: readonly Route[] = routes()) {
  const paths: Record<string, Record<string, unknown>> = {};
  const { schemas, refTo } = componentsOf([
    ...all.flatMap(({ operation: { name, result }, isDownload }) => (isDownload ? [] : [[name, result] as const])),
    ...sessionRoutes.map(({ name, result }) => [name, result] as const),
  ]);
  for (const route of all) {
    const path = `/api/v1${route.path.replace(/:([a-z_]+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: pathItem(route, refTo(route.operation.result)) };
  }
  for (const route of sessionRoutes) {
    const path = `/api/v1/session${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: sessionItem(route, refTo(route.result)) };
  }
  paths['/api/v1/batches/{batch_id}/events'] = { get: eventStream };
  paths['/api/v1/batches/{batch_id}/report-files/{name}'] = { get: reportFile };
  return {
    openapi: '3.1.0',
    info: {
      title: 'airbatch',
      version,
      description:
        'A request needs an API key as a bearer token, or the cookie of a person who is signed in, and then X-CSRF-Token where it changes something. A request that changes something also needs an Idempotency-Key: sent again under the same key, it gets the first answer.',
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }, { person: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        person: { type: 'apiKey', in: 'cookie', name: '__Host-airbatch' },
      },
      responses: { Problem: problemResponse },
      schemas: { Problem: problemSchema, ...schemas },
    },
  };
}

/** A route of signing in. It is for browsers: it needs no key and no Idempotency-Key. */
function sessionItem({ method, name, description, input, isForSignedIn }: SessionRoute, result: object) {
  const { $schema: _draft, ...body } = z.toJSONSchema(input, { io: 'input' });
  return {
    operationId: name,
    description,
    security: isForSignedIn ? [{ person: [] }] : [],
    parameters: [],
    ...(method === 'POST' ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      200: { description: 'Done.', content: json(result) },
      default: aProblem,
    },
  };
}

/** Not the answer of an operation, but a stream of those of `list-events`. */
const eventStream = {
  operationId: 'stream-events',
  description:
    'The events of a batch as server-sent events, and those that come. Needs the role `audit`. `data` is an event as `list-events` has it.',
  parameters: [
    { name: 'batch_id', in: 'path', required: true, schema: text },
    {
      ...{ name: 'Last-Event-ID', in: 'header', required: false },
      description: 'The id after which the stream begins; `latest` for only those that come.',
      schema: { anyOf: [{ type: 'integer' }, { type: 'string', const: 'latest' }] },
    },
  ],
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': {} } },
    default: aProblem,
  },
};

/** Not the answer of an operation, but a file that `list-report-files` names. */
const reportFile = {
  operationId: 'read-report-file',
  description:
    'A file of the reports of a batch. Needs the role `audit`; files that are not masked need another role as well, and the log of access keeps who has read them.',
  parameters: [
    { name: 'batch_id', in: 'path', required: true, schema: text },
    { name: 'name', in: 'path', required: true, schema: text },
    { name: 'version', in: 'query', required: false, schema: { type: 'integer' } },
    { name: 'masked', in: 'query', required: false, schema: { type: 'boolean' } },
  ],
  responses: {
    200: { description: 'The file.', content: { 'application/octet-stream': {} } },
    default: aProblem,
  },
};

function pathItem(route: Route, result: object) {
  const { operation, method, path, isDownload = false, changesNothing = false } = route;
  const isChange = method === 'POST' && !changesNothing;
  const schema = inputSchema(route);
  const inPath = pathFields(path);
  const rest = Object.entries(schema.properties ?? {}).filter(([name]) => !inPath.includes(name));
  const required = (schema.required ?? []).filter((name) => !inPath.includes(name));
  return {
    operationId: route.id,
    description: `Needs the role \`${operation.role}\`${operation.mayAudit === true ? ', or `audit`' : ''}.`,
    parameters: [
      ...inPath.map((name) => parameter(name, 'path', schema.properties?.[name], true)),
      ...(isInQuery(route) ? rest.map(([name, of]) => parameter(name, 'query', of, required.includes(name))) : []),
      ...(isChange ? [parameter('Idempotency-Key', 'header', { type: 'string' }, true)] : []),
      ...(isChange && /:(batch|draft)_id/.test(path) ? [parameter('If-Match', 'header')] : []),
    ],
    ...requestBody(route, rest, required),
    responses: {
      200: isDownload
        ? { description: 'The file.', content: { 'application/octet-stream': {} } }
        : { description: 'Done.', content: json(result) },
      default: aProblem,
    },
  };
}

function parameter(name: string, place: string, schema: JsonSchema = text, required = false) {
  // An object in a query is JSON.
  const shape = place === 'query' && schema.type === 'object' ? { content: json(schema) } : { schema };
  return { name, in: place, required, ...shape };
}

function requestBody(
  { method, isUpload = false }: Route,
  fields: readonly (readonly [string, JsonSchema])[],
  required: readonly string[],
) {
  if (isUpload)
    return {
      requestBody: {
        description: 'The file: a CSV, plain or gzipped, or an Excel workbook. Its name is in Content-Disposition.',
        required: true,
        content: { 'application/octet-stream': {} },
      },
    };
  if (method === 'GET' || fields.length === 0) return {};
  const schema = { type: 'object', properties: Object.fromEntries(fields), required, additionalProperties: false };
  return { requestBody: { required: required.length > 0, content: json(schema) } };
}

function json(schema: object) {
  return { 'application/json': { schema } };
}
