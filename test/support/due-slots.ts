import { attemptSlot } from '../../src/operations/slots/attempt-slot.ts';
import type { ClaimDeps, RequireSlot, SlotOutcome } from '../../src/operations/slots/claimed-slot.ts';
import type { Job } from '../../src/runtime/jobs/define-job.ts';
import type { SchedulerDeps } from '../../src/scheduler/scheduler.ts';

/** Runs due slots as the operation `run-job` does for the scheduler, with other work in place of a job's. */
export function dueSlots(
  deps: ClaimDeps,
  run: (job: Job, dueAt: number, requireSlot: RequireSlot) => Promise<SlotOutcome>,
): SchedulerDeps['runDue'] {
  const stopping = new AbortController().signal;
  return async (job, dueAt, passingTrouble) => {
    const attempt = { run: (requireSlot: RequireSlot) => run(job, dueAt, requireSlot), stopping, passingTrouble };
    return (await attemptSlot(deps, { job: job.name, dueAt }, attempt))?.outcome ?? null;
  };
}
