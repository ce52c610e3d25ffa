import type { z } from 'zod';
import type { Permission } from './companies.ts';
import type { LimitName } from './options.ts';
import type { Reply } from './reply.ts';

/** A request as the routes see it: validated, and known whose it is. */
export interface Call {
  company: string;
  /** Version 2: the API key that was used. */
  apiKey: string | null;
  headers: Readonly<Record<string, string | undefined>>;
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
}

/** Who may call a route: with an API key, with the two headers of Version 1, with an access token, or anybody. */
export type Access =
  | { kind: 'api_key'; permission: Permission }
  | { kind: 'service_headers' }
  | { kind: 'access_token' }
  | { kind: 'public' };

/** One endpoint of the service: everything that the server and the OpenAPI document need to know. */
export interface Route {
  method: 'GET' | 'POST';
  /** With `:name` for parameters. */
  path: string;
  /** The section of the spec. */
  section: string;
  summary: string;
  access: Access;
  /** The limits that it counts against; the first is the one that the headers speak of. */
  limits: readonly LimitName[];
  query?: z.ZodType;
  body?: z.ZodType;
  answer: { status: number; shape: z.ZodType };
  handle(call: Call): Reply;
}

/** Gives a route's handler the types of its shapes. */
export function route<Query = unknown, Body = unknown>(
  definition: Omit<Route, 'handle' | 'query' | 'body'> & {
    query?: z.ZodType<Query>;
    body?: z.ZodType<Body>;
    handle(call: Call & { query: Query; body: Body }): Reply;
  },
): Route {
  return definition as unknown as Route;
}

/** The route of a path, and its parameters. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | null {
  const parts = path.split('/');
  for (const candidate of routes) {
    if (candidate.method !== method) continue;
    const params = paramsOf(candidate.path.split('/'), parts);
    if (params) return { route: candidate, params };
  }
  return null;
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (expected.startsWith(':')) params[expected.slice(1)] = decoded(part);
    else if (expected !== part) return null;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
