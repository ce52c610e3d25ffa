import type { Clock } from '../../src/core/time/clock.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';

/**
 * The process died: raised in nobody, since nobody is left to notice. One for each: a shared one would keep its
 * waiters alive.
 */
const never = () => new Promise<never>(() => undefined);

/**
 * One life of the program. Everything that the engine is given passes through it, so that the world can kill it
 * (nothing it waits for ever comes) or suspend it (everything comes late) between any two steps. Only what leaves the
 * engine is a step: a write, or a request. Reading changes nothing, so that a death between two reads leaves what one
 * before the next write does.
 */
export interface SimulatedProcess {
  /** The number of its life. */
  readonly life: number;
  readonly clock: Clock;
  /** Counts a step before `work` and one after it: a kill may strike at either. */
  step<Result>(name: 'commit' | 'send', work: () => Promise<Result>): Promise<Result>;
  /** What is only read: no step. */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
  kill(): void;
  /** Freezes the process for so long; the world goes on. */
  suspend(ms: number): void;
  /** Until when it is, or was, frozen (world time). */
  frozenUntil(): number;
  isDead(): boolean;
  /** Resolves when it is killed. */
  readonly death: Promise<void>;
}

/** The name under which a process holds the account. */
export const holderName = (life: number): string => `life-${life}`;

export function makeProcess(world: VirtualClock, life: number, onStep: (name: string) => void): SimulatedProcess {
  let dead = false;
  let frozenUntil = 0;
  let die: () => void = () => undefined;
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });

  /** What comes back from the world reaches the process only when it lives and runs. */
  const thaw = async <Result>(result: Result): Promise<Result> => {
    while (!dead && world.monotonic() < frozenUntil) await world.sleep(frozenUntil - world.monotonic());
    return dead ? never() : result;
  };
  const guard = <Result>(work: Promise<Result>): Promise<Result> =>
    work.then(thaw, async (error: unknown) => {
      await thaw(undefined);
      throw error;
    });

  const step = async <Result>(name: 'commit' | 'send', work: () => Promise<Result>): Promise<Result> => {
    onStep(`${name}:before`);
    await thaw(undefined);
    return guard(
      work().then((result) => {
        if (!dead) onStep(`${name}:after`);
        return result;
      }),
    );
  };

  return {
    life,
    step,
    read: (work) => guard(work()),
    death,
    isDead: () => dead,
    frozenUntil: () => frozenUntil,
    kill() {
      dead = true;
      die();
    },
    suspend(ms) {
      frozenUntil = world.monotonic() + ms;
    },
    clock: {
      now: world.now,
      monotonic: world.monotonic,
      uptime: world.uptime,
      turn: () => guard(world.turn()),
      sleep: (ms, signal) => guard(world.sleep(ms, signal)),
    },
  };
}
