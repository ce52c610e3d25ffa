import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * The service as far as a run needs it (spec sections 4.1 to 4.6), in a process of its own, with its answers put
 * together from texts: it takes a small part of what the sandbox takes, so that what is measured is the client.
 * Nothing is limited, a top-up is answered as `processing`, and whoever asks afterwards finds it `completed`.
 */
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

interface Topup {
  phone: string;
  amount: string;
  currency: string;
  reference: string;
  createdAt: number;
}

const topups: Topup[] = [];
const jsonType = { 'content-type': 'application/json' };
const idPrefix = '00000000-0000-4000-8000-';

const iso = (ms: number): string => new Date(ms).toISOString();

function view(number: number, status: 'processing' | 'completed'): string {
  const { phone, amount, currency, reference, createdAt } = topups[number] as Topup;
  const time = iso(createdAt);
  const ended = status === 'completed' ? `"${time}"` : 'null';
  return `{"id":"${idPrefix}${String(number).padStart(12, '0')}","status":"${status}","phone_number":"${phone}","network":{"id":1,"name":"Safaricom","country":"Kenya","country_code":"KE"},"amount":{"value":${amount},"currency":"${currency}"},"cost":{"value":0.0814,"currency":"USD"},"wallet":{"id":"wallet-usd","type":"global","currency":"USD","strategy":"AUTO_USD_PRIMARY"},"reference":"${reference}","created_at":"${time}","completed_at":${ended}`;
}

/** The amount as it was written: a number of JavaScript could write it in another way. */
const amountText = /"amount":\{"value":([0-9.]+)/;

async function create(request: IncomingMessage): Promise<string> {
  const body = await text(request);
  const order = JSON.parse(body) as { phone_number: string; reference: string; amount: { currency: string } };
  const amount = amountText.exec(body)?.[1] ?? '0';
  const { phone_number: phone, reference } = order;
  topups.push({ phone, amount, currency: order.amount.currency, reference, createdAt: Date.now() });
  const shown = view(topups.length - 1, 'processing');
  return `{"success":true,"data":${shown},"product_id":null,"product_name":null,"provider_reference":null,"failure_reason":null,"metadata":{},"sms":{"enabled":false,"message":""}}}`;
}

/** The first top-up that was created at `fromMs` or later: they stand in the order of their creation. */
function firstSince(fromMs: number): number {
  let low = 0;
  let high = topups.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((topups[middle] as Topup).createdAt < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function list(query: URLSearchParams): string {
  const from = query.get('from');
  const perPage = Number(query.get('per_page') ?? 20);
  const page = Number(query.get('page') ?? 1);
  const reference = query.get('reference');
  const since = from === null ? 0 : firstSince(Date.parse(from));
  const found =
    reference === null
      ? Array.from({ length: Math.min(perPage, topups.length - since - (page - 1) * perPage) }, (_, index) => {
          return since + (page - 1) * perPage + index;
        })
      : topups.flatMap((topup, number) => (topup.reference === reference ? [number] : []));
  const total = reference === null ? topups.length - since : found.length;
  const hasNext = page * perPage < total;
  const entries = found.map((number) => `${view(number, 'completed')}}`);
  return `{"success":true,"data":[${entries.join(',')}],"meta":{"request_id":"r","pagination":{"page":${page},"per_page":${perPage},"total":${total},"total_pages":${Math.ceil(total / perPage)},"has_next":${hasNext},"has_prev":${page > 1}}}}`;
}

function single(id: string): string {
  const number = Number(id.slice(idPrefix.length));
  return `{"success":true,"data":${view(number, 'completed')},"product_id":null,"product_name":null,"provider_reference":"OP${number}","failure_reason":null,"metadata":{}}}`;
}

const balance =
  '{"success":true,"data":{"available_balance":{"amount":100000000,"currency":"USD"},"wallets":[{"id":"wallet-usd","currency":"USD","balance":100000000,"type":"global","status":"active","allowed_countries":["*"]}]}}';
const catalog =
  '{"success":true,"data":{"networks":[{"id":1,"name":"Safaricom","country":"Kenya","country_code":"KE","currency":"KES"}],"products":[]}}';

function serve(): void {
  const seen: Omit<Seen, 'topups'> = { firstAt: null, firstCreationAt: null };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    if (path === '/bench/seen') return reply(response, 200, JSON.stringify({ ...seen, topups: topups.length }));
    if (path === '/bench/forget') {
      Object.assign(seen, { firstAt: null, firstCreationAt: null });
      return reply(response, 200, '{}');
    }
    seen.firstAt ??= Date.now();
    if (request.method === 'POST') {
      seen.firstCreationAt ??= Date.now();
      return reply(response, 201, await create(request));
    }
    if (path.startsWith('/v2/topups?')) return reply(response, 200, list(new URLSearchParams(path.slice(11))));
    if (path.startsWith('/v2/topups/')) return reply(response, 200, single(path.slice(11)));
    return reply(response, 200, path.startsWith('/v2/catalog') ? catalog : balance);
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
