import { visible } from '../../core/text/visible.ts';
import type { OperationEvent } from '../../operations/base/events.ts';
import type { UnsentBatch } from '../../operations/files/batch-of-file.ts';
import type { CommandContext } from '../base/command.ts';
import { problemLines, understoodLines } from '../text/file-lines.ts';
import { planLines } from '../text/plan-lines.ts';
import type { FileOptions } from './file-options.ts';

/** Shows what a file would do as soon as that is known. */
export function showPlan(
  { terminal, json }: CommandContext,
  file: string,
  options: FileOptions,
): (event: OperationEvent) => void {
  return (event) => {
    if (event.kind !== 'planned' || json) return;
    const { plan, batch, findings } = event;
    const lines = [...understoodLines(findings), ...problemLines(findings, file, { ...options })];
    terminal.error(planLines(plan, batch, lines));
  };
}

/** Says that a batch waits for a second person, and how that person approves it. */
export function printWaiting(
  { terminal }: CommandContext,
  { batch_id, approval_needed, approvals_needed }: UnsentBatch,
): void {
  const [whom, next] =
    approvals_needed <= 1
      ? ['a second person', 'another person runs']
      : [`${approvals_needed} other people`, 'each of them runs'];
  terminal.error(
    `${terminal.paint('yellow', 'Waits')} for ${whom}: ${visible(approval_needed ?? '')}. Nothing was sent.\n`,
  );
  terminal.error(`Next: ${next}  airbatch approve ${batch_id}\n`);
  terminal.error(`Wrong file? Take it back: airbatch withdraw ${batch_id} --why TEXT\n`);
}
