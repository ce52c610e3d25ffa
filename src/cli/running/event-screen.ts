import { visible } from '../../core/text/visible.ts';
import type { OperationEvent, WaitsEvent } from '../../operations/base/events.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { shownFolder } from '../base/path-of.ts';
import { printRehearsal } from '../session/rehearsal.ts';
import { commandsText } from '../text/ways.ts';
import { makeProgressLines } from './progress.ts';
import { makeReadingLine } from './reading.ts';

/**
 * Shows the events that an operation reports while it works. The command itself shows the plan and the slot, because
 * it knows the file and the job.
 */
export function makeEventScreen({ terminal, cwd, json }: CommandContext): (event: OperationEvent) => void {
  const progress = makeProgressLines(terminal);
  const showReading = makeReadingLine(terminal);
  const say = (text: string) => terminal.error(`${text}\n`);
  return (event) => {
    switch (event.kind) {
      case 'note':
        return say(visible(event.text));
      case 'account':
        return printRehearsal(terminal, event.is_rehearsal);
      case 'reading':
        return showReading(event);
      case 'planned':
      case 'slot':
      case 'slot_ended':
        return undefined;
      case 'retried':
        return json ? undefined : say(retriedLines(event));
      case 'progress':
        return progress.show(event);
      case 'waits':
        return say(waitsLine(event));
      case 'watching':
        return say(`${visible(event.text.charAt(0).toUpperCase() + event.text.slice(1))}; showing its progress.`);
      case 'taken_over':
        return say('The other airbatch has stopped: this command continues its work.');
      case 'can_continue': {
        const others = counted(event.batches, 'other batch', 'other batches');
        return say(
          `${others} of the account can continue: "airbatch resume" sends ${event.batches === 1 ? 'it' : 'them'}.`,
        );
      }
      case 'stopping':
        progress.leave();
        return say(stoppingLine(event));
      case 'reports_written':
        return say(
          `Batch ${event.batch_id} had ended, and its reports were missing or old: they are now in ${shownFolder(cwd, event.dir)}/.`,
        );
    }
  };
}

/** Says what a batch waits for, and that it is safe to stop. */
export function waitsLine({ batch_id, text, ways, is_watched }: WaitsEvent): string {
  const next = ways.length === 0 ? '' : ` Next: ${commandsText(ways, batch_id)}.`;
  return is_watched
    ? `${text}${next} Ctrl-C is safe: the other airbatch continues.`
    : `${text}${next} Ctrl-C is safe: nothing is paid twice or lost, and "airbatch resume ${batch_id}" continues.`;
}

function stoppingLine({ stage, unpaused }: Extract<OperationEvent, { kind: 'stopping' }>): string {
  if (stage === 'nothing_sent') return '\nStopping: nothing was sent. (Ctrl-C again ends at once.)';
  if (stage === 'sending')
    return 'Stopping: nothing more is sent; the answers to requests already sent are awaited. (Ctrl-C again ends at once.)';
  const goesOn =
    unpaused.length === 0
      ? 'follows the payments already sent; paused batches send nothing more.'
      : `continues. To stop a batch: airbatch pause ${unpaused.length === 1 ? unpaused[0] : 'BATCH'} --why TEXT`;
  return `This command stops, and the other airbatch ${goesOn}`;
}

function retriedLines({ codes, retry }: Extract<OperationEvent, { kind: 'retried' }>): string {
  const isUnknown = codes.length > 0 && retry.kept.length === 0;
  const none = isUnknown
    ? `No row of this batch has failed with ${visible(codes.join(' or '))}: see the lines "Failed" for the codes that occurred.`
    : 'No row of this batch has failed in a way that can be tried again.';
  const some = `Trying ${counted(retry.retried, 'failed row')} again.`;
  const kept = retry.kept.map(
    ({ row, person, why }) =>
      `  Row ${row}${person === null ? '' : ` (${visible(person)})`} stays failed: ${visible(why)}.`,
  );
  return [retry.retried === 0 ? none : some, ...kept].join('\n');
}
