import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim, Placement } from '../../src/fleet/placement.ts';
import { startWorker, type Worker } from '../../src/fleet/worker.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const silentMs = 10_000;

/** The placement of several workers in memory, with the rules of pg-boss. */
function makeJobs(clock: VirtualClock) {
  const jobs = new Map<string, { attempt: number; aliveAt: number | null }>();
  const workers = new Map<string, number>();
  let isBroken = false;
  let attempts = 0;
  const isOwn = ({ account, retryCount }: Claim) =>
    jobs.get(account)?.attempt === retryCount && jobs.get(account)?.aliveAt !== null;
  const look = () => {
    if (isBroken) throw new Error('relation "job" does not exist');
    for (const job of jobs.values()) {
      if (job.aliveAt === null || clock.monotonic() - job.aliveAt <= silentMs) continue;
      job.aliveAt = null;
    }
  };
  const open = (name: string, isCounted = true): Placement => {
    const beat = () => {
      look();
      if (isCounted) workers.set(name, clock.monotonic());
    };
    return {
      async propose(accounts) {
        beat();
        for (const account of accounts) if (!jobs.has(account)) jobs.set(account, { attempt: 0, aliveAt: null });
      },
      async take(accountsMax) {
        beat();
        const waiting = [...jobs].filter(([, { aliveAt }]) => aliveAt === null).slice(0, accountsMax);
        return waiting.map(([account, job]) => {
          // A job that is made anew has another id in pg-boss.
          job.attempt = ++attempts;
          job.aliveAt = clock.monotonic();
          return { account, id: account, retryCount: job.attempt };
        });
      },
      async renew(claims) {
        beat();
        const own = claims.filter(isOwn);
        for (const { account } of own) Object.assign(jobs.get(account) ?? {}, { aliveAt: clock.monotonic() });
        return new Set(own.map(({ id }) => id));
      },
      async release(claim) {
        beat();
        if (isOwn(claim)) Object.assign(jobs.get(claim.account) ?? {}, { aliveAt: null });
      },
      async refuse({ account }) {
        jobs.delete(account);
      },
      async workers() {
        beat();
        return [...workers].flatMap(([worker, seenAt]) => (clock.monotonic() - seenAt < 6_000 ? [worker] : []));
      },
      async close() {
        workers.delete(name);
      },
    };
  };
  return {
    open,
    /** The tables are lost until `make`. */
    lose: () => {
      isBroken = true;
      jobs.clear();
    },
    make: () => {
      isBroken = false;
    },
    names: () => [...jobs.keys()],
  };
}

/** Several workers on one clock. `running`: the accounts of each worker, in the order in which it began. */
function fleet(loads: ReadonlyMap<string, number>) {
  const clock = makeVirtualClock();
  const jobs = makeJobs(clock);
  const running = new Map<string, Set<string>>();
  const started: string[] = [];
  const stopMs = 300;
  /** The accounts whose service a worker cannot reach. */
  const cutOff = new Map<string, Set<string>>();
  const broken = new Set<string>();
  const join = (name: string, own = loads, stopsSlowly = false): Worker => {
    const accounts = new Set<string>();
    running.set(name, accounts);
    return startWorker({
      clock,
      open: async (isCounted) => jobs.open(name, isCounted),
      isCutOff: (account) => cutOff.get(name)?.has(account) ?? false,
      name,
      loads: async () => {
        const holderOf = (account: string) => [...running].find(([, held]) => held.has(account))?.[0] ?? null;
        return new Map([...own].map(([account, load]) => [account, { load, holder: holderOf(account) }]));
      },
      onRound: () => undefined,
      start(account) {
        started.push(account);
        // The lease of another worker keeps this one waiting, so both may have the account for a moment.
        accounts.add(account);
        return {
          async stop() {
            await clock.sleep(stopsSlowly ? 15_000 : stopMs);
            accounts.delete(account);
          },
          breakOff: () => void broken.add(account),
        };
      },
    });
  };
  const pass = (ms: number) => clock.drive(clock.sleep(ms));
  const sizes = () => [...running.values()].map(({ size }) => size);
  return { clock, jobs, running, started, cutOff, broken, join, pass, sizes };
}

const equalLoads = (count: number) => new Map(Array.from({ length: count }, (_, index) => [`account-${index}`, 60]));

test('the first worker takes all accounts, and hands each newcomer its share', async () => {
  const { join, pass, sizes, clock } = fleet(equalLoads(40));
  const workers = [join('one')];
  await pass(3_000);
  assert.deepEqual(sizes(), [40]);
  workers.push(join('two'));
  await pass(60_000);
  assert.deepEqual(sizes(), [20, 20]);
  workers.push(join('three'), join('four'));
  await pass(120_000);
  assert.deepEqual(
    sizes().map((size) => Math.abs(size - 10) <= 1),
    [true, true, true, true],
    String(sizes()),
  );
  await clock.drive(Promise.all(workers.map((worker) => worker.stop())));
});

test('accounts that are spread evenly stay where they are', async () => {
  const { join, pass, started, clock } = fleet(equalLoads(7));
  const workers = [join('one'), join('two'), join('three')];
  await pass(60_000);
  const before = started.length;
  await pass(600_000);
  assert.equal(started.length, before);
  await clock.drive(Promise.all(workers.map((worker) => worker.stop())));
});

test('a worker that stops hands its accounts over within two seconds', async () => {
  const { join, pass, sizes, clock } = fleet(equalLoads(10));
  const [one, two] = [join('one'), join('two')];
  await pass(60_000);
  const left = one.stop();
  await pass(2_000);
  assert.deepEqual(sizes(), [0, 10]);
  await clock.drive(left);
  await clock.drive(two.stop());
});

test('an account is placed elsewhere only when its last request has ended, however long that takes', async () => {
  const { join, pass, running, clock } = fleet(equalLoads(1));
  const one = join('one', undefined, true);
  await pass(1_000);
  const left = one.stop();
  const two = join('two');
  await pass(14_000);
  assert.deepEqual([...(running.get('two') ?? [])], []);
  await pass(2_000);
  assert.deepEqual([...(running.get('two') ?? [])], ['account-0']);
  await clock.drive(Promise.all([left, two.stop()]));
});

test('while the placement is lost, what runs goes on; afterwards each account is placed once', async () => {
  const { join, pass, sizes, jobs, clock, started } = fleet(equalLoads(4));
  const workers = [join('one'), join('two')];
  await pass(60_000);
  const before = started.length;
  jobs.lose();
  await pass(600_000);
  assert.deepEqual(sizes(), [2, 2]);
  assert.equal(started.length, before);
  jobs.make();
  await pass(5_000);
  jobs.lose();
  await pass(2_000);
  jobs.make();
  await pass(2_000);
  assert.equal(jobs.names().length, 4, 'they are proposed at once');
  await pass(60_000);
  assert.deepEqual(sizes(), [2, 2]);
  await clock.drive(Promise.all(workers.map((worker) => worker.stop())));
});

test('an account that a worker does not know is left to those that do', async () => {
  const all = equalLoads(2);
  const { join, pass, running, clock, jobs } = fleet(all);
  const old = join('old', new Map([['account-0', 60]]));
  await pass(5_000);
  await jobs.open('new').propose(['account-1']);
  await pass(5_000);
  assert.deepEqual([[...(running.get('old') ?? [])], jobs.names()], [['account-0'], ['account-0']]);
  const fresh = join('new', all);
  await pass(5_000);
  assert.ok(running.get('new')?.has('account-1'));
  await clock.drive(Promise.all([old.stop(), fresh.stop()]));
});

test('a worker that cannot reach a service gives up its accounts there at once, and takes none until it can', async () => {
  const { join, pass, sizes, cutOff, broken, started, running, clock } = fleet(equalLoads(12));
  const workers = [join('one'), join('two'), join('three')];
  await pass(60_000);
  const own = [...(running.get('one') ?? [])];
  cutOff.set('one', new Set(equalLoads(12).keys()));
  await pass(3_000);
  assert.equal(sizes()[0], 0);
  assert.deepEqual([...broken].toSorted(), own.toSorted(), 'no answer of this service is waited for');
  await pass(30_000);
  assert.deepEqual(sizes(), [0, 6, 6], 'it is not counted, so that the others keep their shares');
  const before = started.length;
  await pass(600_000);
  assert.equal(started.length, before, 'no account goes back and forth');
  await clock.drive(workers.pop()?.stop() ?? Promise.resolve());
  await pass(3_000);
  assert.deepEqual(sizes(), [0, 12, 0]);
  assert.equal(broken.size, own.length, 'it takes nothing of what waits');
  cutOff.clear();
  await pass(60_000);
  assert.deepEqual(sizes(), [6, 6, 0]);
  await clock.drive(Promise.all(workers.map((worker) => worker.stop())));
});

test('a worker keeps the accounts of the services that it can reach', async () => {
  const { join, pass, running, cutOff, broken, clock } = fleet(equalLoads(4));
  const workers = [join('one'), join('two')];
  await pass(60_000);
  const [lost = '', kept = ''] = running.get('one') ?? [];
  cutOff.set('one', new Set([lost]));
  await pass(60_000);
  assert.deepEqual([[...(running.get('one') ?? [])], [...broken]], [[kept], [lost]]);
  assert.equal(running.get('two')?.size, 3);
  await clock.drive(Promise.all(workers.map((worker) => worker.stop())));
});

test('if no worker can reach the service, all accounts stay with the workers, and go on there', async () => {
  const { join, pass, running, started, cutOff, broken, clock } = fleet(equalLoads(6));
  const workers = [join('one'), join('two')];
  await pass(60_000);
  for (const name of running.keys()) cutOff.set(name, new Set(equalLoads(6).keys()));
  await pass(15_000);
  const held = () => [...running.values()].flatMap((accounts) => [...accounts]).toSorted();
  assert.deepEqual(held(), [...equalLoads(6).keys()], 'each account has one worker');
  assert.deepEqual([...broken], [], 'whatever is in flight may still be answered');
  const before = started.length;
  await pass(600_000);
  assert.equal(started.length, before, 'no account goes back and forth');
  cutOff.clear();
  await pass(60_000);
  assert.deepEqual(held(), [...equalLoads(6).keys()]);
  assert.deepEqual(
    [...running.values()].map(({ size }) => size),
    [3, 3],
  );
  await clock.drive(Promise.all(workers.map((worker) => worker.stop())));
});
