import { calmPlan, type Plan } from './plan.ts';
import { type RunResult, simulate } from './world.ts';

/** One fault at one step, and the plan that has it beside what was there. */
interface Fault {
  atStep: number;
  strikes: 'life' | 'answer' | 'disk';
  addTo: (plan: Plan) => Plan;
}

/**
 * At one step, of two faults that strike the same only the first of the plan does; of others, the one of the lower
 * rank is its first.
 */
const rank: Record<Fault['strikes'], number> = { life: 0, answer: 1, disk: 2 };

const faultsAt = (atStep: number): Fault[] => [
  death(atStep, false),
  death(atStep, true),
  { atStep, strikes: 'answer', addTo: (plan) => ({ ...plan, lostAnswers: [...plan.lostAnswers, atStep] }) },
  diskFault({ atStep, fault: 'LEDGER_IO', once: true }),
  diskFault({ atStep, fault: 'LEDGER_FULL', once: false }),
];

/**
 * Another kind of disk error, which strikes whoever waits for the disk just then, and of which pairs with every other
 * would take too long.
 */
const refusalAt = (atStep: number): Fault => diskFault({ atStep, fault: 'LEDGER_SYNC', once: true });

function death(atStep: number, powerLoss: boolean): Fault {
  return { atStep, strikes: 'life', addTo: (plan) => ({ ...plan, crashes: [...plan.crashes, { atStep, powerLoss }] }) };
}

function diskFault(fault: Plan['disk'][number]): Fault {
  return { atStep: fault.atStep, strikes: 'disk', addTo: (plan) => ({ ...plan, disk: [...plan.disk, fault] }) };
}

/**
 * Plans with a death (with and without the loss of power) at every step, a lost answer at every request, a disk error
 * (one, and one that lasts) at every commit, and a disk that does not take what was written at every step, in the runs
 * of one row and of two, for both versions; `pairs`: and with every two of them but the last in the run of one row.
 * Every fault of every plan strikes: a run in which one does not is the same as the run without it. A disk error
 * between two commits would strike the next one.
 */
export async function exhaustivePlans({ pairs }: { pairs: boolean }): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const version of ['v2', 'v1'] as const) {
    for (const rows of [1, 2]) {
      const calm = calmPlan(version, rows);
      const run = await simulate(calm);
      for (const refusal of stepsOf(run, 1).map(refusalAt)) plans.push(refusal.addTo(calm));
      for (const first of strikingFaults(run, 1)) {
        const plan = first.addTo(calm);
        plans.push(plan);
        if (pairs && rows === 1) plans.push(...(await withSecond(plan, first)));
      }
    }
  }
  return plans;
}

/**
 * The plan with each further fault that strikes after its first one, or together with it. Up to there both runs are
 * the same.
 */
async function withSecond(plan: Plan, first: Fault): Promise<Plan[]> {
  const seconds = strikingFaults(await simulate(plan), first.atStep);
  const isFurther = ({ atStep, strikes }: Fault) => atStep > first.atStep || rank[strikes] > rank[first.strikes];
  return seconds.filter(isFurther).map((second) => second.addTo(plan));
}

function strikingFaults(run: RunResult, fromStep: number): Fault[] {
  const places: Record<Fault['strikes'], (step: number) => boolean> = {
    life: () => true,
    answer: (step) => run.sends.includes(step),
    disk: (step) => run.commits.includes(step),
  };
  const faults = stepsOf(run, fromStep).flatMap(faultsAt);
  return faults.filter(({ atStep, strikes }) => places[strikes](atStep));
}

function stepsOf({ steps }: RunResult, fromStep: number): number[] {
  return Array.from({ length: Math.max(0, steps - fromStep + 1) }, (_, index) => fromStep + index);
}
