import type { Claim, Placement } from '../../../src/fleet/placement.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import type { SimulatedProcess } from '../process.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Line } from './connections.ts';

interface Job {
  account: string;
  attempt: number;
  /** Null: it waits for a worker. */
  aliveAt: number | null;
}

/** pg-boss as far as the fleet depends on it, with its mistakes: it only proposes. */
export interface Placed {
  open(worker: string, process: SimulatedProcess, line: Line): Promise<Placement>;
  /** All tables are lost: nothing is placed any more until a worker proposes again. */
  lose(): void;
}

const silentMs = 10_000;
const countedMs = 6_000;

/** Of a hundred times that a worker asks for accounts, it gets one so often that another one has. */
export function makePlaced(
  { clock, random }: { clock: VirtualClock; random: SeededRandom },
  wrongPercent: () => number,
): Placed {
  const jobs = new Map<string, Job>();
  const workers = new Map<string, number>();
  const isOwn = ({ id, retryCount }: Claim) => {
    const job = jobs.get(id);
    return job !== undefined && job.attempt === retryCount && job.aliveAt !== null;
  };
  const freeSilent = () => {
    for (const job of jobs.values())
      if (job.aliveAt !== null && clock.monotonic() - job.aliveAt > silentMs) job.aliveAt = null;
  };
  const isFree = ({ aliveAt }: Job) => aliveAt === null;
  return {
    lose: () => jobs.clear(),
    async open(worker, process, line) {
      const asked = <Result>(answer: () => Result): Promise<Result> =>
        process.read(async () => {
          await clock.sleep(2);
          if (line.cut() !== null) {
            await clock.sleep(line.cut() === 'silent' ? 5_000 : 0);
            throw new Error('pg-boss cannot be reached');
          }
          freeSilent();
          return answer();
        });
      return {
        propose: (accounts) =>
          asked(() => {
            for (const account of accounts)
              if (!jobs.has(account)) jobs.set(account, { account, attempt: 0, aliveAt: null });
          }),
        take: (accountsMax) =>
          asked(() => {
            workers.set(worker, clock.monotonic());
            const isWrong = random.percent(wrongPercent());
            return [...jobs]
              .filter(([, job]) => isFree(job) || isWrong)
              .slice(0, accountsMax)
              .map(([id, job]) => {
                job.attempt += 1;
                job.aliveAt = clock.monotonic();
                return { account: job.account, id, retryCount: job.attempt };
              });
          }),
        renew: (claims) =>
          asked(() => {
            const own = claims.filter(isOwn);
            for (const { id } of own) Object.assign(jobs.get(id) ?? {}, { aliveAt: clock.monotonic() });
            return new Set(own.map(({ id }) => id));
          }),
        release: (claim) =>
          asked(() => {
            if (isOwn(claim)) Object.assign(jobs.get(claim.id) ?? {}, { aliveAt: null });
          }),
        refuse: (claim) => asked(() => void jobs.delete(claim.id)),
        workers: () =>
          asked(() => [...workers].flatMap(([name, seenAt]) => (clock.monotonic() - seenAt < countedMs ? [name] : []))),
        close: async () => undefined,
      };
    },
  };
}
