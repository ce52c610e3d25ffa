import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpServer } from '../support/http-server.ts';

interface Topup {
  id: string;
  status: string;
  reference: string;
  callback_url: string | null;
  key: string;
  [field: string]: unknown;
}

/** As much of Version 2 over HTTP as a payment needs; a payment stays pending until the test ends it. */
export interface HttpService {
  url: string;
  /** In the order of their creation. */
  topups: Topup[];
  /** Every request to create, also those that are not answered. */
  posts: number;
  complete(reference: string): void;
  /** Runs before the answer to a creation is written: may wait, for ever too. */
  beforeAnswer: (reference: string) => Promise<void>;
  /**
   * The same for the list, oldest first, which only a reconciliation asks for. Returns whether another page follows.
   */
  beforeList: () => Promise<boolean>;
  /** Resolves when `count` creations were asked for. */
  asked(count: number): Promise<void>;
  close(): void;
}

export async function startHttpService(): Promise<HttpService> {
  const watchers = new Set<() => void>();
  const service: Omit<HttpService, 'url' | 'asked' | 'close'> = {
    topups: [],
    posts: 0,
    beforeAnswer: async () => undefined,
    beforeList: async () => false,
    complete(reference) {
      const topup = service.topups.find((one) => one.reference === reference);
      if (topup) Object.assign(topup, { status: 'completed', completed_at: new Date().toISOString() });
    },
  };
  const { url, close } = await httpServer({ after: () => undefined }, (request, body, response) =>
    answer(service, { request, body, response }, () => {
      for (const watcher of watchers) watcher();
    }),
  );
  return Object.assign(service, {
    url,
    close,
    asked: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (service.posts < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  });
}

async function answer(
  service: Omit<HttpService, 'url' | 'asked' | 'close'>,
  { request, body, response }: { request: IncomingMessage; body: Buffer; response: ServerResponse },
  told: () => void,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://service');
  const meta = { request_id: 'r', timestamp: new Date().toISOString() };
  const send = (status: number, body: object) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...body, meta: { ...meta, ...body } }));
  if (url.pathname === '/v2/balance') {
    const data = { available_balance: { amount: 100, currency: 'USD' }, wallets: [] };
    return void send(200, { success: true, data });
  }
  if (request.method === 'GET' && url.pathname === '/v2/topups') {
    const reference = url.searchParams.get('reference');
    const has_next = url.searchParams.get('sort') === 'created_at' && (await service.beforeList());
    const data = service.topups.filter((topup) => reference === null || topup.reference === reference);
    const total = data.length + Number(has_next);
    const pagination = { page: 1, per_page: 100, total, total_pages: 1, has_next, has_prev: false };
    return void send(200, { success: true, data, pagination });
  }
  if (request.method === 'GET') {
    const found = service.topups.find(({ id }) => url.pathname.endsWith(`/${id}`));
    const error = { code: 'NOT_FOUND', message: 'none', statusCode: 404 };
    return void (found ? send(200, { success: true, data: found }) : send(404, { success: false, error }));
  }
  const order = JSON.parse(body.toString()) as { reference: string; callback_url?: string };
  const key = String(request.headers['idempotency-key']);
  let topup = service.topups.find((one) => one.key === key);
  if (!topup) {
    topup = {
      ...order,
      id: `topup-${service.topups.length + 1}`,
      key,
      status: 'pending',
      cost: { value: 1, currency: 'USD' },
      product_id: null,
      callback_url: order.callback_url ?? null,
      created_at: new Date().toISOString(),
      completed_at: null,
    };
    service.topups.push(topup);
  }
  service.posts += 1;
  told();
  await service.beforeAnswer(order.reference);
  send(201, { success: true, data: topup });
}
