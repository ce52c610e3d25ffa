import { makeAccountRunner } from '../../src/engine/account-runner.ts';
import { resumeBatch } from '../../src/engine/batches/batch-commands.ts';
import { retryFailed } from '../../src/engine/decisions/retry-failed.ts';
import { defaultEngineSettings } from '../../src/engine/runner/settings.ts';
import { makeGateway } from '../../src/gateway/make-gateway.ts';
import { findBatch, listBatches, unfinishedBatches } from '../../src/ledger/batches/batches.ts';
import { makeWebhookReceiver, type Received } from '../../src/server/webhooks.ts';
import { testService } from '../support/ledger.ts';
import { makeVirtualLimiter } from '../support/virtual-limiter.ts';
import { tryApprovals } from './approvals.ts';
import { feedAgain } from './fed-again.ts';
import { isHalted } from './invariants.ts';
import { runJob } from './job.ts';
import { holderName, type SimulatedProcess } from './process.ts';
import { resolveStuck } from './resolve.ts';
import { feedLost } from './restore.ts';
import type { SimulatedWebhook } from './service.ts';
import { makeWire } from './wire.ts';
import { alone, isDead, leaseTtlMs, type World } from './world.ts';

/** The program, as an operator starts it to carry on with everything that is unfinished. */
export interface Program {
  /** Resolves when nothing is left that time alone would move; rejects with what ended it otherwise. */
  ended: Promise<void>;
  /** What its door answers. Never, once the process is dead. */
  receiveWebhook(webhook: SimulatedWebhook): Promise<Received>;
}

/** Longer than every wait of a doubt, so that the program sees each to its end. */
const patienceMs = 36 * 3_600_000;

const silent = { info: () => undefined, warn: () => undefined };

/** With `staysMs`, it stays for so long (ms), and reads again what has ended; otherwise it ends when nothing is left. */
export function startProgram(
  world: World,
  process: SimulatedProcess,
  life: number,
  staysMs: number | null = null,
): Program {
  const { clock, service } = world;
  const random = world.random.fork(`life-${life}`);
  let hint: () => void = () => undefined;

  const run = async () => {
    const db = await world.disk.open(process);
    const trace = (line: string) => world.trace.push(`${clock.monotonic()} ${line}`);
    const { intentOf, holder } = world.disk;
    const isHolder = () => holder() === holderName(life);
    const wire = makeWire({ world, intentOf, isHolder, random: random.fork('wire'), trace }, process, life);
    const { version } = world.plan;
    const limiter = makeVirtualLimiter({ version }, { clock: process.clock });
    const gateway = makeGateway(service.account, {
      clock: process.clock,
      transport: wire,
      onRate: (requestClass, headers) => limiter.observe(requestClass, headers),
    });
    for (const { batch_id } of await unfinishedBatches(db)) {
      const batch = await findBatch(db, batch_id);
      // A mismatch is for a person to look at; everything else an operator resumes.
      if (batch?.status === 'paused' && !(await isHalted(db, batch))) {
        await resumeBatch({ db, clock: process.clock, person: 'operator', through: 'cli' as const }, batch_id);
      }
    }
    if (world.retryNext) {
      world.retryNext = false;
      for (const { batch_id, status } of await listBatches(db, 10)) {
        if (status !== 'completed') continue;
        const actor = { db, clock: process.clock, person: 'operator', through: 'cli' as const };
        await retryFailed(actor, { gateway, limiter }, batch_id, { codes: [] });
      }
    }
    await alone(world, 'approvedBy', process, () => tryApprovals(world, process, db, life));
    await feedAgain(world, process, db, life);
    await feedLost(world, process, db);
    // Every other seed sends several rows with one admission, as where a limit is high.
    const rowsPerAdmission = world.plan.seed % 2 === 0 ? 1 : 3;
    const settings = {
      ...defaultEngineSettings,
      idlePollMs: 600_000,
      openPollMs: 600_000,
      leaseTtlMs,
      rowsPerAdmission,
    };
    const runner = makeAccountRunner(
      { db, gateway, limiter, clock: process.clock, random, log: silent, settings },
      {
        account: 'main',
        service: testService,
        holder: holderName(life),
        isDead: (holder) => isDead(world, holder),
        callbackUrl: service.callbackUrl,
        restored: world.sayRestored,
        rereads: staysMs !== null,
      },
    );
    hint = () => runner.hint();
    // A person's command has a limiter of its own, which does not end with the program.
    const asking = {
      service: testService,
      gateway,
      limiter: makeVirtualLimiter({ version }, { clock: process.clock }),
    };
    await Promise.all([
      runner.run(staysMs === null ? patienceMs : Number.POSITIVE_INFINITY),
      ...(staysMs === null ? [] : [clock.sleep(staysMs).then(() => runner.stop())]),
      runJob(world, process, db, { holder: holderName(life), isDead: (holder) => isDead(world, holder) }),
      resolveStuck(world, process, db, asking),
    ]);
    world.sayRestored = false;
  };

  const receive = async (webhook: SimulatedWebhook) => {
    const take = makeWebhookReceiver({
      db: await world.disk.open(process),
      clock: process.clock,
      random,
      log: silent,
      webhookKeys: new Map([['main', service.webhookKeys]]),
      onWebhook: () => hint(),
    });
    const { scheme, headers, body } = webhook;
    return take({ account: 'main', scheme, headers, body: Buffer.from(body) });
  };

  return { ended: run(), receiveWebhook: receive };
}
