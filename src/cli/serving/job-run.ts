import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { OperationEvent } from '../../operations/base/events.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { runJob as operation } from '../../operations/jobs/run-job.ts';
import type { CommandContext } from '../base/command.ts';
import { localTime, momentOf } from '../base/dates.ts';
import { callLong } from '../running/call-long.ts';
import { closingLines } from '../running/closing.ts';

/** `airbatch jobs run NAME [--slot TIME]`: runs one slot by hand, and sends what needs no approval. */
export async function runJob(
  context: CommandContext,
  name: string,
  { slot, restored }: { slot?: string; restored?: boolean },
): Promise<number> {
  const { terminal, cwd, json } = context;
  const emit = (event: OperationEvent) => {
    if (!json) for (const line of slotLines(name, event)) terminal.error(`${line}\n`);
  };
  const moment = slot === undefined ? undefined : isoTime(momentOf('--slot', slot));
  const result = await callLong(context, operation, { name, slot: moment, restored }, { emit });
  if (result === null) return interruptedExitCode;
  if (json) terminal.print(jsonLine(result));
  else for (const one of result.batches) terminal.error(closingLines(terminal, one, cwd));
  return result.exit_code;
}

/** Says which slot it is before it runs, and what came of it before anything is sent. */
function slotLines(name: string, event: OperationEvent): string[] {
  if (event.kind !== 'slot' && event.kind !== 'slot_ended') return [];
  const { time_zone: timeZone } = event;
  const when = `${localTime(Date.parse(event.slot), timeZone)} (${timeZone})`;
  if (event.kind === 'slot_ended') return [`${name}, slot of ${when}: ${visible(event.detail)}`];
  const run = event.run_id === null ? '' : `, run ${event.run_id}`;
  const line = `Slot       ${when}${run}: ${whyText(event)}`;
  return event.why.startsWith('named') ? [line] : [line, '           To run another due time, add --slot TIME.'];
}

function whyText({ why, last_due_at, time_zone }: Extract<OperationEvent, { kind: 'slot' }>): string {
  switch (why) {
    case 'named':
      return 'as named';
    case 'named_extra':
      return 'the named time, which is not one of its due times';
    case 'due':
      return 'the last due time';
    case 'missed':
      return 'the last due time, which was missed';
    case 'failed':
      return 'the last due time, which failed';
    case 'extra':
      return `now, because the last due time (${localTime(Date.parse(last_due_at ?? ''), time_zone)}) was already run`;
    case 'new':
      return 'now, because no due time of the job has passed since this ledger exists';
  }
}
