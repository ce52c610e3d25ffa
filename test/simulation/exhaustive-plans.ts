import { calmPlan, type Plan } from './plan.ts';
import { simulate } from './world.ts';

/** A change of a plan by one fault at one step. */
type Fault = (plan: Plan) => Plan;

const faultsAt = (step: number): Fault[] => [
  (plan) => ({ ...plan, crashes: [...plan.crashes, { atStep: step, powerLoss: false }] }),
  (plan) => ({ ...plan, crashes: [...plan.crashes, { atStep: step, powerLoss: true }] }),
  (plan) => ({ ...plan, lostAnswers: [...plan.lostAnswers, step] }),
  (plan) => ({ ...plan, disk: [...plan.disk, { atStep: step, fault: 'LEDGER_IO', once: true }] }),
  (plan) => ({ ...plan, disk: [...plan.disk, { atStep: step, fault: 'LEDGER_FULL', once: false }] }),
];

/** After a first fault a run has more steps than a calm one: looking up, sending again, starting again. */
const extraSteps = 14;

/**
 * Plans with a death (with and without the loss of power), a lost answer and a disk error (one, and one that lasts) at every
 * step of the runs of one row and of two, for both versions; `pairs`: and with every two of them in the run of one row.
 */
export async function exhaustivePlans({ pairs }: { pairs: boolean }): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const version of ['v2', 'v1'] as const) {
    for (const rows of [1, 2]) {
      const calm = calmPlan(version, rows);
      const { steps } = await simulate(calm);
      const faults = Array.from({ length: steps + extraSteps }, (_, index) => faultsAt(index + 1)).flat();
      for (const fault of faults) plans.push(fault(calm));
      if (pairs && rows === 1) plans.push(...pairsOf(calm, faults));
    }
  }
  return plans;
}

function pairsOf(calm: Plan, faults: readonly Fault[]): Plan[] {
  return faults.flatMap((first, index) => faults.slice(index + 1).map((second) => second(first(calm))));
}
