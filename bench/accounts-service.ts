import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeSandbox, type Sandbox, type SandboxOptions } from '../src/sandbox/index.ts';

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

/** One sandbox for each account, behind one server in a process of its own. */
export interface AccountsService extends AsyncDisposable {
  /** The base URL of an account. */
  urlOf(account: string): string;
  requests(): Promise<Record<string, AccountRequests>>;
}

export async function startAccountsService(options: SandboxOptions): Promise<AccountsService> {
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

interface Served {
  sandbox: Promise<Sandbox>;
  requests: AccountRequests;
}

function serve(options: SandboxOptions): void {
  const accounts = new Map<string, Served>();
  const servedOf = (account: string): Served => {
    const known = accounts.get(account);
    if (known) return known;
    const requests = { creations: 0, reads: 0, balances: 0, readsWhileSending: 0, throttled: 0, acceptedAt: [] };
    const made = { sandbox: makeSandbox(options), requests };
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
    const { sandbox, requests } = servedOf(account);
    const { method = 'GET', headers } = request;
    const body = method === 'POST' ? await text(request) : '';
    const reply = await (await sandbox).handle({ method, path, headers: headers as Record<string, string>, body });
    note(requests, { method, path, status: reply.status });
    response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
    response.end(reply.body);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', 8_192, () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit(0));
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
