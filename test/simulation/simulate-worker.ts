import { parentPort } from 'node:worker_threads';
import { simulateFleet } from './fleet/fleet-world.ts';
import type { AnyPlan } from './in-parallel.ts';
import { simulate } from './world.ts';

/** Simulates the plans that it is sent, and sends back what came of each. */
parentPort?.on('message', async (plans: readonly AnyPlan[]) => {
  const outcomes = [];
  for (const plan of plans) {
    const { trace: _trace, ...outcome } = await ('machines' in plan ? simulateFleet(plan) : simulate(plan));
    outcomes.push(outcome);
  }
  parentPort?.postMessage(outcomes);
});
