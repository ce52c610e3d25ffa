import { z } from 'zod';
import { defaultLimits } from './options.ts';
import type { Access, Route } from './routes.ts';
import { v1Answers } from './v1-shapes.ts';
import { v2Answers } from './v2-shapes.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the service, made of the shapes that validate its requests. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Airtime top-up service (sandbox)',
      version: '2.0.0',
      description:
        'Version 2 (`/v2`, `/enterprise`) and Version 1 (`/adp`) of the service, as the sandbox of airbatch implements them.',
    },
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        accessToken: { type: 'http', scheme: 'bearer', description: 'A token from `POST /enterprise/auth/login`.' },
        companyId: { type: 'apiKey', in: 'header', name: 'X-Company-ID' },
        serviceEmail: { type: 'apiKey', in: 'header', name: 'X-Service-Email' },
        serviceToken: { type: 'apiKey', in: 'header', name: 'X-Service-Token' },
      },
    },
  };
}

function operation(route: Route): Json {
  const { section, summary, access, answer, limits, body, path } = route;
  const isV1 = access.kind === 'service_headers';
  const errorShape = isV1 ? v1Answers.error : v2Answers.error;
  const [limit] = limits;
  return {
    summary,
    description: `Section ${section} of the specification.${limit ? ` At most ${defaultLimits[limit]} requests a minute.` : ''}`,
    security: security(access),
    parameters: parameters(route, path === '/v2/topups' && route.method === 'POST'),
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }
      : {}),
    responses: {
      [answer.status]: {
        description: 'Success',
        content: { 'application/json': { schema: schemaOf(answer.shape, 'output') } },
      },
      default: { description: 'Error', content: { 'application/json': { schema: schemaOf(errorShape, 'output') } } },
    },
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

function parameters({ path, query }: Route, takesKey: boolean): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const shape = query ? (schemaOf(query, 'input') as { properties?: Record<string, Json>; required?: string[] }) : {};
  const inQuery = Object.entries(shape.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: shape.required?.includes(name) ?? false,
    schema,
  }));
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  return [...inPath, ...inQuery, ...(takesKey ? [key] : [])];
}

/** Shapes that only code can check carry their JSON schema as metadata. */
function schemaOf(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Json;
  return schema;
}
