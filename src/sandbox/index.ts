import type { FastifyInstance } from 'fastify';
import { makeControls } from './controls.ts';
import { addDesk } from './desk.ts';
import { makeReplies, type Reply } from './http/reply.ts';
import { type Charge, type ChargeLog, makeChargeLog } from './money/charges.ts';
import { makeTopups } from './money/topups.ts';
import { makeWallets, type Wallets } from './money/wallets.ts';
import { type SandboxClock, systemSandboxClock } from './parts/clock.ts';
import { makeFaults } from './parts/faults.ts';
import { makeLimits } from './parts/limits.ts';
import { makeMovableClock } from './parts/movable-clock.ts';
import { type SandboxOptions, settingsOf } from './parts/options.ts';
import { makeRandom } from './parts/random.ts';
import { advancedMs, countStart, openStore } from './parts/store.ts';
import { makeStrikes } from './parts/strikes.ts';
import { perform, type ServiceParts } from './service.ts';
import { v1Routes } from './v1/v1-routes.ts';
import { enterpriseRoutes } from './v2/enterprise-routes.ts';
import { v2AccountRoutes } from './v2/v2-account-routes.ts';
import { v2TopupRoutes } from './v2/v2-topup-routes.ts';
import { makeDeliveries, type Post } from './webhooks/deliveries.ts';
import { makeHttpPost } from './webhooks/post.ts';
import { makeWebhookEvents } from './webhooks/webhooks.ts';

export type { Reply } from './http/reply.ts';
export type { Charge } from './money/charges.ts';
export { type ManualClock, makeManualClock, type SandboxClock } from './parts/clock.ts';
export { type FaultMix, faultMixShape } from './parts/faults.ts';
export type { SandboxOptions } from './parts/options.ts';

/** The service, simulated on this machine with everything in its specification. */
export interface Sandbox {
  /** Listens, by default on loopback; port 0 chooses a free one. Returns the base URL. */
  listen(place: { port: number; host?: string }): Promise<string>;
  /** Answers a request without a socket. Header names are in lower case. */
  handle(request: {
    method: string;
    path: string;
    headers: Readonly<Record<string, string | undefined>>;
    body?: string;
  }): Promise<Reply>;
  /** Every charge ever made, oldest first. */
  charges(): Charge[];
  wallets: Pick<Wallets, 'list' | 'find' | 'statement' | 'setStatus'>;
  /** Sets the balance of a wallet. False if there is no such wallet. */
  setBalance(walletId: string, balance: string): boolean;
  close(): Promise<void>;
}

/** Opens the sandbox; `post` sends its webhooks (default: HTTP). */
export async function makeSandbox(options: SandboxOptions = {}, deps: { post?: Post } = {}): Promise<Sandbox> {
  const http = deps.post ? null : makeHttpPost();
  const parts = assemble(options, deps.post ?? (http as { post: Post }).post);
  const { service, clock, wallets, charges, wake, stop } = parts;

  async function handle(request: Parameters<Sandbox['handle']>[0]): Promise<Reply> {
    const reply = perform(service, { ...request, body: request.body ?? '' });
    wake();
    const { later } = reply;
    if (!later) return reply;
    await new Promise<void>((resolve) => clock.after(later.ms, resolve));
    service.topups.settleDue();
    return later.make ? { ...later.make(), ...(reply.cut ? { cut: reply.cut } : {}) } : reply;
  }

  const controls = makeControls(parts);
  // Made on demand: a simulation makes a sandbox for each run, and needs no server.
  let app: FastifyInstance | null = null;
  const open = async () => {
    const { makeServer } = await import('./server.ts');
    return makeServer(clock, handle, (server) =>
      addDesk(server, { ...parts, controls, routes: service.routes, now: clock.now, settle: service.topups.settleDue }),
    );
  };
  return {
    async listen({ port, host = '127.0.0.1' }) {
      app ??= await open();
      return app.listen({ port, host });
    },
    handle,
    charges() {
      service.topups.settleDue();
      return charges.entries();
    },
    wallets,
    setBalance: (walletId, balance) => controls.setWallet(walletId, { balance }) !== null,
    async close() {
      stop();
      await app?.close();
      await http?.close();
      service.store.close();
    },
  };
}

function assemble(options: SandboxOptions, post: Post) {
  const settings = settingsOf(options);
  const store = openStore(options.data);
  const clock = makeMovableClock(options.clock ?? systemSandboxClock, advancedMs(store));
  const random = makeRandom(options.seed ?? options.faults?.seed, countStart(store));
  const replies = makeReplies(clock, random);
  const faults = makeFaults(options.faults, random);
  const wallets = makeWallets(store, options);
  wallets.open(clock.now());
  const charges: ChargeLog = makeChargeLog(store);
  const deliveries = makeDeliveries({ store, clock, random, faults, settings, post });
  const events = makeWebhookEvents({ store, random, replies }, deliveries.enqueue);
  const topups = makeTopups({ store, clock, random, settings, wallets, charges, events });
  const strikes = makeStrikes(store);
  const common = { store, clock, random, settings, replies, topups, wallets, strikes };
  const routes = [
    ...v2TopupRoutes(common),
    ...v2AccountRoutes(common),
    ...enterpriseRoutes(common),
    ...v1Routes(common),
  ];
  const service: ServiceParts = { ...common, limits: makeLimits(clock, settings), faults, routes };
  return { store, service, clock, events, wallets, charges, deliveries, ...makeHeart(clock, service, deliveries) };
}

/** The only timer: it books events and sends webhooks when they are due, if a receiver waits for them. */
function makeHeart(
  clock: SandboxClock,
  { topups, store }: ServiceParts,
  deliveries: ReturnType<typeof makeDeliveries>,
): { wake(): void; stop(): void } {
  let cancel: (() => void) | null = null;
  let isStopped = false;

  function beat(): void {
    topups.settleDue();
    deliveries.pump(wake);
    wake();
  }

  function wake(): void {
    cancel?.();
    cancel = null;
    if (isStopped || !hasListeners()) return;
    const times = [topups.nextDueAt(), deliveries.nextDueAt()].filter((at) => at !== null);
    if (times.length === 0) return;
    cancel = clock.after(Math.max(0, Math.min(...times) - clock.now()), beat);
  }

  /** Without webhooks, due events are booked when a request comes. */
  const hasListeners = () =>
    store.one(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM webhooks) OR EXISTS (SELECT 1 FROM deliveries)
         OR EXISTS (SELECT 1 FROM topups WHERE callback_url IS NOT NULL AND booked = 0)`,
    ) !== null;

  wake();
  return {
    wake,
    stop() {
      isStopped = true;
      deliveries.stop();
      cancel?.();
    },
  };
}
