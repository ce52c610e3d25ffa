import assert from 'node:assert/strict';
import type { z } from 'zod';
import {
  type ManualClock,
  makeManualClock,
  makeSandbox,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/index.ts';
import { v1Answers } from '../../src/sandbox/v1/v1-shapes.ts';
import { v2Answers } from '../../src/sandbox/v2/v2-shapes.ts';

/** An answer over HTTP. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers whose shapes they check.
  body: any;
}

/** A sandbox that listens, on a clock that the test moves, and what a client asks it. */
export interface Client extends AsyncDisposable {
  sandbox: Sandbox;
  clock: ManualClock;
  url: string;
  /** A request of Version 2; every answer is held against its shape. */
  v2(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** A request of Version 1. */
  v1(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** The API key, or none. */
  key?: string | null;
  shape?: z.ZodType;
}

export const v1Headers = { 'x-service-email': 'sandbox@airbatch.test', 'x-service-token': 'sandbox-token' };

export async function openClient(
  options: SandboxOptions = {},
  deps: Parameters<typeof makeSandbox>[1] = {},
): Promise<Client> {
  const clock = makeManualClock();
  const sandbox = await makeSandbox({ clock, seed: 1, ...options }, deps);
  const url = await sandbox.listen({ port: 0 });
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Answer> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: isJson ? JSON.parse(answer) : null,
    };
  };
  return {
    sandbox,
    clock,
    url,
    async v2(method, path, { body, headers = {}, key = 'sandbox-key', shape } = {}) {
      const answer = await send(
        method,
        path,
        { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
        body,
      );
      if (answer.body) check(answer.status < 400 ? shape : v2Answers.error, answer);
      return answer;
    },
    async v1(method, path, { body, headers = v1Headers, shape } = {}) {
      const answer = await send(method, path, headers, body);
      if (answer.body) check(answer.status < 400 ? shape : v1Answers.error, answer);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close();
    },
  };
}

function check(shape: z.ZodType | undefined, { body, text }: Answer): void {
  if (!shape) return;
  const parsed = shape.safeParse(body);
  assert.ok(parsed.success, `${text} is not of its shape: ${parsed.error?.message}`);
  // Shapes are tolerant of more; the service is not to say more than its specification shows.
  assert.deepEqual(Object.keys(body).sort(), Object.keys(parsed.data as object).sort());
}

let lastNumber = 0;

/** A number of Safaricom Kenya that no test has used, and that means nothing special. */
export function freshNumber(): string {
  lastNumber += 1;
  return `+25471${String(2_000_000 + lastNumber * 10 + 5).padStart(7, '0')}`;
}

/** The body of a good creation. */
export const order = (fields: object = {}) => ({
  phone_number: freshNumber(),
  network_id: 1,
  amount: { value: 100, currency: 'KES' },
  ...fields,
});
