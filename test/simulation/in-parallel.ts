import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FleetPlan } from './fleet/fleet-plan.ts';
import type { Plan } from './plan.ts';
import type { RunResult } from './world.ts';

/** What is kept of a run: its trace is only wanted where one seed is looked at. */
export type Outcome = Omit<RunResult, 'trace'>;

/** Plans handed to a worker at once: enough that handing over costs nothing beside the work. */
const plansPerTurn = 10;

/** What one run follows: one program, or a fleet of them. */
export type AnyPlan = Plan | FleetPlan;

/** Simulates plans on all cores, in any order, and tells of each when it is done. */
export async function simulateAll<One extends AnyPlan>(
  plans: Iterable<One>,
  onOutcome: (plan: One, outcome: Outcome) => void,
): Promise<void> {
  const source = plans[Symbol.iterator]();
  const next = () => {
    const turn: One[] = [];
    while (turn.length < plansPerTurn) {
      const { value, done } = source.next();
      if (done) break;
      turn.push(value);
    }
    return turn;
  };
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const worker = new Worker(new URL('./simulate-worker.ts', import.meta.url));
      try {
        for (let turn = next(); turn.length > 0; turn = next()) {
          const outcomes = await ask(worker, turn);
          for (const [index, outcome] of outcomes.entries()) onOutcome(turn[index] as One, outcome);
        }
      } finally {
        await worker.terminate();
      }
    }),
  );
}

function ask(worker: Worker, plans: readonly AnyPlan[]): Promise<Outcome[]> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (outcomes: Outcome[]) => {
      worker.removeAllListeners('error');
      resolve(outcomes);
    });
    worker.postMessage(plans);
  });
}
