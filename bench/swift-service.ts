import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeSwiftAnswers } from './swift-answers.ts';

/** `SwiftAnswers` in a process of its own. Nothing is limited, and whoever asks after a creation finds it completed. */
export interface SwiftService extends AsyncDisposable {
  url: string;
  seen(): Promise<Seen>;
  /** Forgets when the first requests arrived: whoever comes next is the first. */
  forget(): Promise<void>;
}

/** Times are epoch milliseconds, and null where there was no such request. */
export interface Seen {
  firstAt: number | null;
  firstCreationAt: number | null;
  topups: number;
}

export async function startSwiftService(): Promise<SwiftService> {
  const child = fork(import.meta.filename, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [number];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async seen() {
      const answer = await fetch(`${url}/bench/seen`);
      return (await answer.json()) as Seen;
    },
    async forget() {
      await (await fetch(`${url}/bench/forget`)).text();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const jsonType = { 'content-type': 'application/json' };
const answers = makeSwiftAnswers(0);

function serve(): void {
  const seen: Omit<Seen, 'topups'> = { firstAt: null, firstCreationAt: null };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    if (path === '/bench/seen') return reply(response, 200, JSON.stringify({ ...seen, topups: answers.count() }));
    if (path === '/bench/forget') {
      Object.assign(seen, { firstAt: null, firstCreationAt: null });
      return reply(response, 200, '{}');
    }
    seen.firstAt ??= Date.now();
    if (request.method === 'POST') {
      seen.firstCreationAt ??= Date.now();
      return reply(response, 201, answers.create(await text(request), null));
    }
    return reply(response, 200, answers.read(path));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit(0));
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { ...jsonType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

if (process.argv[1] === import.meta.filename && process.argv[2] === 'serve') serve();
