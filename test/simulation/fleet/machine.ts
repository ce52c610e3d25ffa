import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { countSuspensions } from '../../../src/core/time/clock.ts';
import { makeAccountRunner } from '../../../src/engine/account-runner.ts';
import { defaultEngineSettings } from '../../../src/engine/runner/settings.ts';
import { startWorker, type Worker } from '../../../src/fleet/worker.ts';
import { makeGateway } from '../../../src/gateway/make-gateway.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import type { OpenAccount } from '../../../src/runtime/accounts/account.ts';
import { accountLoads } from '../../../src/runtime/accounts/account-loads.ts';
import { type SupervisedAccount, superviseAccount } from '../../../src/runtime/accounts/account-supervisor.ts';
import { makeWebhookReceiver, type Received } from '../../../src/server/webhooks.ts';
import { testService } from '../../support/ledger.ts';
import { makeVirtualLimiter } from '../../support/virtual-limiter.ts';
import { runJob } from '../job.ts';
import { makeProcess, type SimulatedProcess } from '../process.ts';
import type { SimulatedWebhook } from '../service.ts';
import { makeWire } from '../wire.ts';
import { note } from '../world.ts';
import { type Cut, type Line, makePool } from './connections.ts';
import { durableBody, isHolder, leaseTtlMs } from './durable.ts';
import type { Strike } from './fleet-plan.ts';
import type { FleetWorld } from './fleet-world.ts';

const url = 'postgres://ledger@127.0.0.1/airbatch';
/** As `runnerOf` sets them for a ledger that machines share. */
const shared = { leaseTtlMs, idlePollMs: 5_000 };

/** The service's own limit, in windows that are shorter here. */
const readsPerWindow = 120;

const silent = { info: () => undefined, warn: () => undefined };

/** One machine of the fleet, over the lives of its program. */
export interface Machine {
  readonly index: number;
  isRunning(): boolean;
  /** Starts the program, as the service manager does; `restored`: a person says that the ledger was restored. */
  start(restored: boolean): void;
  /** SIGTERM. Resolves when the program has ended. */
  stop(): Promise<void>;
  kill(): void;
  strike(strike: Strike): void;
  receiveWebhook(webhook: SimulatedWebhook): Promise<Received>;
  /** The program's step: a fault of the plan may strike. */
  readonly line: Line & { isServiceCut(): boolean };
}

interface Life {
  name: string;
  process: SimulatedProcess;
  db: Database;
  worker: Worker;
  accounts: Map<string, SupervisedAccount>;
}

/** The ledger as a process has it: the real driver on connections to the model of the server. */
export function openLedger(world: FleetWorld, process: SimulatedProcess, owner: string, line: Line): Database {
  const { clock, server } = world;
  const random = world.random.fork(`connections of ${owner}`);
  const db = openPostgres(url, {
    clock: process.clock,
    makePool: () => makePool({ clock, random, server, line }, process, owner),
    groupsApartMs: 0,
  });
  return {
    ...db,
    listen: (onNotice) =>
      server.listen(owner, (payload) => {
        if (process.isDead() || line.cut() !== null) return;
        const [kind, account = ''] = payload?.split(' ') ?? [];
        onNotice(payload === null ? null : { kind: kind === 'batch' ? 'batch' : 'webhook', account });
      }),
  };
}

/** The account as `openAccount` opens it, on the simulated network. */
export function openSimulatedAccount(
  world: FleetWorld,
  { process, name, life, isCut }: { process: SimulatedProcess; name: string; life: number; isCut: () => boolean },
  account: string,
): OpenAccount {
  const { clock, plan, service } = world;
  const random = world.random.fork(`wire of ${name}/${account}`);
  const trace = (line: string) => world.trace.push(`${clock.monotonic()} ${name} ${account} ${line}`);
  const wire = makeWire(
    {
      world: world.wireWorld,
      intentOf: (reference) => durableBody(world, reference),
      isHolder: () => isHolder(world, account, name),
      isCut,
      random,
      trace,
    },
    process,
    life,
  );
  const key = `${name} ${account}`;
  const count = (by: number) => world.onWire.set(key, (world.onWire.get(key) ?? 0) + by);
  const counted: typeof wire = {
    ...wire,
    async send(request, read) {
      if (request.method === 'GET') return wire.send(request, read);
      count(1);
      try {
        return await wire.send(request, read);
      } finally {
        count(-1);
      }
    },
  };
  // The service counts all accounts together.
  const limits = {
    creation: { limit: 1, windowMs: plan.windowMs },
    read: { limit: readsPerWindow, windowMs: plan.windowMs },
  };
  const limiter = makeVirtualLimiter({ version: plan.service.version, limits }, { clock: process.clock });
  const gateway = makeGateway(service.account, {
    clock: process.clock,
    transport: counted,
    onRate: (requestClass, headers) => limiter.observe(requestClass, headers),
  });
  const opened = { name: account, service: testService, gateway, limiter, callbackUrl: service.callbackUrl };
  return { ...opened, close: async () => undefined } as unknown as OpenAccount;
}

export function makeMachine(world: FleetWorld, index: number): Machine {
  const { clock, plan, server } = world;
  let skewMs = plan.skewsMs[index - 1] ?? 0;
  const suspensions: { from: number; ms: number }[] = [];
  let cut: { cut: Cut; until: number } | null = null;
  let serviceCutUntil = 0;
  let life: Life | null = null;

  const isCalm = () => clock.monotonic() >= world.calmAfterMs;
  const line = {
    cut: () => (cut !== null && clock.monotonic() < cut.until ? cut.cut : null),
    isServiceCut: () => clock.monotonic() < serviceCutUntil,
    commitFate: () => {
      if (isCalm() || !world.random.percent(plan.unknownCommits)) return 'told' as const;
      const fate = world.random.percent(50) ? ('lost_before' as const) : ('lost_after' as const);
      note(world, `commit_${fate}`, `of machine ${index}`);
      return fate;
    },
    onCommitted: () => world.onStep(machine, 'commit:made'),
  };
  const wall = () => Math.floor(clock.now() + skewMs);
  const monotonic = () => {
    const now = clock.monotonic();
    return suspensions.reduce((at, { from, ms }) => at - Math.min(Math.max(0, now - from), ms), now);
  };
  // As Linux writes it: whole hundredths of a second.
  const bootTime = () => Math.floor((plan.suspendedByHosts ? monotonic() : clock.monotonic()) / 10) * 10;

  const isSuspended = () => suspensions.some(({ from, ms }) => clock.monotonic() < from + ms);

  /** The clock of a machine that works does not stand still. */
  const endSuspension = () => {
    const last = suspensions.at(-1);
    if (last) last.ms = Math.min(last.ms, clock.monotonic() - last.from);
  };

  const forget = (ended: Life) => {
    if (life === ended) life = null;
    ended.process.kill();
    server.closeAllOf(ended.name);
  };

  const begin = (number: number, restored: boolean): Life => {
    const name = `machine-${index}/${number}/life`;
    const bare = makeProcess(clock, number, (step) => world.onStep(machine, step));
    // As a timer of the machine, a sleep lasts whole milliseconds: less than that might be no time at all by this clock.
    const sleep: typeof bare.clock.sleep = (ms, signal) => bare.clock.sleep(Math.ceil(ms), signal);
    const uptime = countSuspensions({ wall, monotonic, bootTime });
    const process = { ...bare, clock: { ...bare.clock, now: wall, monotonic, uptime, sleep } };
    const random = world.random.fork(name);
    const db = openLedger(world, process, name, line);
    const accounts = new Map<string, SupervisedAccount>();
    const isDead = (holder: string) => holder.startsWith(`machine-${index}/`) && holder !== name;
    const settings = {
      ...defaultEngineSettings,
      ...shared,
      // Only the answers of Version 2 show whether several rows fit into a window of one.
      rowsPerAdmission: plan.seed % 2 === 0 || plan.service.version === 'v1' ? 1 : 3,
    };
    const keep = (account: string) =>
      superviseAccount(account, {
        clock: process.clock,
        log: silent,
        isShared: true,
        open: async () =>
          openSimulatedAccount(world, { process, name, life: number, isCut: line.isServiceCut }, account),
        makeRunner: ({ gateway, limiter, callbackUrl }) =>
          makeAccountRunner(
            { db, gateway, limiter, clock: process.clock, random, log: silent, settings },
            { account, service: testService, holder: name, isDead, callbackUrl, restored },
          ),
        onStandstill: () => undefined,
      });
    const known = new Map(world.accountNames.map((account) => [account, null]));
    const worker = startWorker({
      name,
      clock: process.clock,
      open: () => world.placed.open(name, process, line),
      // A machine that cannot reach the service keeps its accounts: the other faults here need longer partitions.
      isCutOff: () => false,
      loads: () => accountLoads({ db, clock: process.clock }, known),
      onRound: () => undefined,
      start(account) {
        const supervised = keep(account);
        accounts.set(account, supervised);
        supervised.ended.catch((error: unknown) => endBy(begun, error));
        return {
          async stop() {
            await supervised.stop();
            accounts.delete(account);
          },
          breakOff: () => supervised.breakOff(),
        };
      },
    });
    const begun: Life = { name, process, db, worker, accounts };
    void runJob({ plan: { job: plan.job }, faults: world.faults, trace: world.trace }, process, db, {
      holder: name,
      isDead,
      pace: { cron: '* * * * *', lookMs: 5_000, looks: 100, bringMs: 8_000 },
    }).catch((error: unknown) => endBy(begun, error));
    return begun;
  };

  /** The program ends by an error that no waiting mends: an operator starts it again. */
  const endBy = (ended: Life, error: unknown) => {
    if (ended.process.isDead()) return;
    world.trace.push(
      `${clock.monotonic()} ${ended.name} ends by ${error instanceof AirbatchError ? error.code : error}`,
    );
    if (!(error instanceof AirbatchError)) world.broken ??= error;
    forget(ended);
  };

  const machine: Machine = {
    index,
    line,
    isRunning: () => life !== null,
    start(restored) {
      endSuspension();
      world.lives += 1;
      life = begin(world.lives, restored);
      world.trace.push(`${clock.monotonic()} ${life.name} starts${restored ? ' with --restored' : ''}`);
    },
    async stop() {
      if (life === null) return;
      const ending = life;
      await ending.worker.stop();
      if (!ending.process.isDead()) forget(ending);
    },
    kill() {
      if (life) forget(life);
    },
    strike(strike) {
      if (life === null) return;
      note(world, strike.kind, `${life.name} at ${clock.monotonic()} ${JSON.stringify(strike)}`);
      const until = clock.monotonic() + ('ms' in strike ? strike.ms : 0);
      switch (strike.kind) {
        case 'kill':
          return forget(life);
        case 'freeze':
          return life.process.suspend(strike.ms);
        case 'suspend':
          endSuspension();
          suspensions.push({ from: clock.monotonic(), ms: strike.ms });
          return life.process.suspend(strike.ms);
        case 'cut_database':
          cut = { cut: strike.cut, until };
          return;
        case 'cut_service':
          serviceCutUntil = until;
          return;
        case 'stop':
          return void machine.stop();
        case 'set_clock':
          // Nobody can set the clock of a machine that is suspended.
          if (!isSuspended()) skewMs += strike.byMs;
      }
    },
    async receiveWebhook({ scheme, headers, body }) {
      if (life === null) throw new Error('nobody listens');
      const { process, db, accounts } = life;
      const [account = ''] = world.accountNames;
      const take = makeWebhookReceiver({
        db,
        clock: process.clock,
        random: world.random,
        log: silent,
        webhookKeys: new Map([[account, world.service.webhookKeys]]),
        onWebhook: () => accounts.get(account)?.hint(),
      });
      return take({ account, scheme, headers, body: Buffer.from(body) });
    },
  };
  return machine;
}
