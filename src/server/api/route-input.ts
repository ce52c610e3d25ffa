import { z } from 'zod';
import { refuseUnreadable } from '../../operations/base/operation.ts';
import { parseMembersOnce } from '../base/json-body.ts';
import { Refused } from '../base/problem.ts';
import type { Route } from './route-table.ts';

/** A JSON schema, as far as it is looked at here. */
export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

/** The schema of the input that a caller may send. */
export function inputSchema({ operation, without = [], isUpload = false }: Route): JsonSchema {
  const { $schema: _draft, ...schema } = z.toJSONSchema(operation.input, { io: 'input' }) as JsonSchema & {
    $schema?: string;
  };
  const hidden = isUpload ? [...without, 'file'] : without;
  const shown = (name: string) => !hidden.includes(name);
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => shown(name));
  return { ...schema, properties: Object.fromEntries(properties), required: (schema.required ?? []).filter(shown) };
}

/** The fields that are in the path. */
export function pathFields(path: string): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name);
}

/** Whether the other fields are in the query; otherwise they are in the body. */
export function isInQuery({ method, isUpload = false }: Pick<Route, 'method' | 'isUpload'>): boolean {
  return method === 'GET' || isUpload;
}

/**
 * Makes the function that reads the operation's input from the path, and from the query or the body. What stands in a
 * path or a query is text; it is read as the type that the schema asks for.
 */
export function inputReader(route: Route): (request: { params: unknown; query: unknown; body: unknown }) => unknown {
  let properties: Record<string, JsonSchema> | null = null;
  const { path, without = [], isUpload = false } = route;
  const foreign = [...without, ...pathFields(path), ...(isUpload ? ['file'] : [])];
  return ({ params, query, body }) => {
    // Made for the first request: a hundred schemas would double the time in which the server starts.
    properties ??= inputSchema(route).properties ?? {};
    const given = isInQuery(route) ? read(query as Record<string, unknown>, properties) : (body ?? {});
    if (typeof given !== 'object' || Array.isArray(given)) {
      refuseUnreadable({ body: given });
      return given;
    }
    // A field that is not offered, or that is already in the path, is refused like an unknown one.
    const named = Object.entries(given).map(([name, value]) => [foreign.includes(name) ? `${name} ` : name, value]);
    const input = { ...Object.fromEntries(named), ...read(params as Record<string, unknown>, properties) };
    // Before the operation: entity tags and the answers to repeated requests are kept by what the input names.
    refuseUnreadable(input);
    return input;
  };
}

function read(texts: Record<string, unknown>, properties: Record<string, JsonSchema>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, readValue(text, properties[name] ?? {})] as const),
  );
}

function readValue(text: unknown, schema: JsonSchema): unknown {
  // A field that may be null is null if it is left out.
  const { type, items } = schema.anyOf?.find((one) => one.type !== 'null') ?? schema;
  if (type === 'array') return (Array.isArray(text) ? text : [text]).map((one) => readValue(one, items ?? {}));
  if (typeof text !== 'string') return text;
  if ((type === 'integer' || type === 'number') && /^-?[0-9]{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'object' ? readObject(text) : text;
}

/** An object in a query is JSON. The schema refuses other text. */
function readObject(text: string): unknown {
  try {
    return parseMembersOnce(text);
  } catch (error) {
    if (error instanceof Refused) throw error;
    return text;
  }
}
