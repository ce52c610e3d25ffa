import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemSandboxClock } from '../src/sandbox/parts/clock.ts';
import { makeLimits } from '../src/sandbox/parts/limits.ts';
import { type LimitName, type SandboxOptions, settingsOf } from '../src/sandbox/parts/options.ts';
import { makeSwiftAnswers, type SwiftAnswers } from './swift-answers.ts';

/** What one account asked of the service. Times are epoch milliseconds. */
export interface AccountRequests {
  creations: number;
  /** Everything but creations. */
  reads: number;
  balances: number;
  /** The reads until the last creation was accepted. */
  readsWhileSending: number;
  throttled: number;
  /** When each creation was accepted. */
  acceptedAt: number[];
}

/** `SwiftAnswers` and the service's limits for each account, behind one server in a process of its own. */
export interface AccountsService extends AsyncDisposable {
  /** The base URL of an account. */
  urlOf(account: string): string;
  requests(): Promise<Record<string, AccountRequests>>;
}

export async function startAccountsService(options: AccountsOptions): Promise<AccountsService> {
  const child = fork(import.meta.filename, ['serve', JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [number];
  const url = `http://127.0.0.1:${port}`;
  return {
    urlOf: (account) => `${url}/${account}`,
    async requests() {
      return (await (await fetch(`${url}/bench/requests`)).json()) as Record<string, AccountRequests>;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

export type AccountsOptions = Pick<SandboxOptions, 'rate' | 'limits' | 'windowMs' | 'settleMs'>;

interface Served {
  answers: SwiftAnswers;
  requests: AccountRequests;
}

function serve(options: AccountsOptions): void {
  const settings = settingsOf(options);
  const limits = makeLimits(systemSandboxClock, settings);
  const accounts = new Map<string, Served>();
  const servedOf = (account: string): Served => {
    const known = accounts.get(account);
    if (known) return known;
    const requests = { creations: 0, reads: 0, balances: 0, readsWhileSending: 0, throttled: 0, acceptedAt: [] };
    const made = { answers: makeSwiftAnswers(settings.settleMs), requests };
    accounts.set(account, made);
    return made;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [, account = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    if (account === 'bench') {
      const all = Object.fromEntries([...accounts].map(([name, { requests }]) => [name, requests]));
      response.end(JSON.stringify(all));
      return;
    }
    const { answers, requests } = servedOf(account);
    const { method = 'GET', headers } = request;
    const body = method === 'POST' ? await text(request) : '';
    const { admitted, limit, remaining, resetAt, retryAfter } = limits.admit(account, limitsOf(method, path));
    const status = statusOf(method, admitted);
    note(requests, { method, path, status });
    if (!admitted) response.setHeader('retry-after', retryAfter);
    response.writeHead(status, {
      ...{ 'content-type': 'application/json', 'x-ratelimit-limit': limit },
      ...{ 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': resetAt },
    });
    const create = () => answers.create(body, String(headers['idempotency-key']));
    response.end(admitted ? (method === 'POST' ? create() : answers.read(path)) : refusal);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', 8_192, () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit(0));
}

const refusal = '{"success":false,"error":{"code":"RATE_LIMITED","message":"Rate limit exceeded.","statusCode":429}}';

/** Spec section 8.1. */
function limitsOf(method: string, path: string): LimitName[] {
  if (method === 'POST') return ['creation', 'write'];
  return path.startsWith('/v2/catalog') ? ['catalog', 'read'] : ['read'];
}

function statusOf(method: string, admitted: boolean): number {
  if (!admitted) return 429;
  return method === 'POST' ? 201 : 200;
}

function note(
  requests: AccountRequests,
  { method, path, status }: { method: string; path: string; status: number },
): void {
  if (status === 429) requests.throttled += 1;
  if (method === 'POST') {
    requests.creations += 1;
    if (status < 300) {
      requests.acceptedAt.push(Date.now());
      requests.readsWhileSending = requests.reads;
    }
    return;
  }
  requests.reads += 1;
  if (path.includes('balance')) requests.balances += 1;
}

if (process.argv[1] === import.meta.filename && process.argv[2] === 'serve') serve(JSON.parse(process.argv[3] ?? '{}'));
