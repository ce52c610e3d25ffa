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

/** Another kind of disk error, of which pairs with every other would take too long. */
const refusalAt =
  (step: number): Fault =>
  (plan) => ({
    ...plan,
    disk: [...plan.disk, { atStep: step, fault: 'LEDGER_SYNC', once: true }],
  });

/** After a first fault a run has more steps than a calm one: looking up, sending again, starting again. */
const extraSteps = 14;

/**
 * Plans with a death (with and without the loss of power), a lost answer and a disk error (one, one that lasts, and a disk that does
 * not take what was written) at every step of the runs of one row and of two, for both versions; `pairs`: and with every two of the
 * former in the run of one row.
 */
export async function exhaustivePlans({ pairs }: { pairs: boolean }): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const version of ['v2', 'v1'] as const) {
    for (const rows of [1, 2]) {
      const calm = calmPlan(version, rows);
      const { steps } = await simulate(calm);
      const places = Array.from({ length: steps + extraSteps }, (_, index) => index + 1);
      const faults = places.flatMap(faultsAt);
      for (const fault of [...faults, ...places.map(refusalAt)]) plans.push(fault(calm));
      if (pairs && rows === 1) plans.push(...pairsOf(calm, faults));
    }
  }
  return plans;
}

function pairsOf(calm: Plan, faults: readonly Fault[]): Plan[] {
  return faults.flatMap((first, index) => faults.slice(index + 1).map((second) => second(first(calm))));
}
