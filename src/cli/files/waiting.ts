import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { plannedFinishJson } from '../../operations/base/plan.ts';
import type { CommandContext } from '../base/command.ts';

/** A batch waits for a person: the same as for every command that leaves something open. */
const waitsExitCode = 5;

/** Says that a batch waits for a second person, and how that person approves it. */
export function printWaiting(
  { terminal, json }: CommandContext,
  { batch, plan, reason }: { batch: BatchRecord; plan: Preflight; reason: string },
): number {
  if (json) terminal.print(jsonLine(submittedJson(batch, plan, reason)));
  else {
    terminal.error(`${terminal.paint('yellow', 'Waits')} for a second person: ${visible(reason)}. Nothing was sent.\n`);
    terminal.error(`Next: another person runs  airbatch approve ${batch.batch_id}\n`);
  }
  return waitsExitCode;
}

/** The JSON answer for a batch that was submitted, with what its plan warns of where it is to be done by a time. */
export function submittedJson(
  { batch_id, run_id, status, content_sha256 }: BatchRecord,
  plan: Preflight,
  reason: string | null,
) {
  return { batch_id, run_id, status, content_sha256, approval_needed: reason, ...plannedFinishJson(plan) };
}
