import type { z } from 'zod';
import type { Permission } from '../money/companies.ts';
import type { LimitName } from '../parts/options.ts';
import type { Reply } from './reply.ts';

/** A validated request of a known caller. */
export interface Call {
  company: string;
  /** Version 2: the API key of the request. */
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
  /** The limits that count it; the headers describe the first. */
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

/** The route of a path, and its parameters; null if a parameter cannot be decoded ("%zz"). */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> | null } | null {
  const parts = path.split('/');
  for (const candidate of routes) {
    const pattern = candidate.path.split('/');
    if (candidate.method === method && isOf(pattern, parts))
      return { route: candidate, params: paramsOf(pattern, parts) };
  }
  return null;
}

function isOf(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length && pattern.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  try {
    for (const [index, part] of pattern.entries())
      if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(parts[index] ?? '');
    return params;
  } catch {
    return null;
  }
}
