import { parentPort } from 'node:worker_threads';
import type { Plan } from './plan.ts';
import { simulate } from './world.ts';

/** Simulates the plans that it is sent, and sends back what came of each. */
parentPort?.on('message', async (plans: readonly Plan[]) => {
  const outcomes = [];
  for (const plan of plans) {
    const { trace: _trace, ...outcome } = await simulate(plan);
    outcomes.push(outcome);
  }
  parentPort?.postMessage(outcomes);
});
