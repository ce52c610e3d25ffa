import type { z } from 'zod';
import { backUpLedger } from '../../operations/backup/back-up-ledger.ts';
import { drillBackup } from '../../operations/backup/drill-backup.ts';
import { durationText, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { call } from '../session/call.ts';
import { auditFaults, backupText, leftOutText } from './backup-text.ts';

interface Options {
  encrypt?: boolean;
  keep?: string;
  drill?: boolean;
}

/** `airbatch backup [TARGET]`: makes a backup, or with `--drill` tries the newest one. */
export async function execute(
  context: CommandContext,
  [named]: string[],
  { encrypt = false, keep, drill = false }: Options,
): Promise<number> {
  const target = pathOf(context, named);
  if (drill) return tryNewest(context, target);
  const made = await call(context, backUpLedger, { target, encrypt, keep: wholeNumber('--keep', keep, 1) });
  const lines = [
    `${made.backup}: ${backupText(made)}`,
    ...leftOutText(made.left_out),
    ...(made.removed.length === 0 ? [] : [`Removed: ${counted(made.removed.length, 'older backup')}`]),
    ...(made.on_same_disk ? ['! It is on the disk of the ledger. Copy it to another machine.'] : []),
  ];
  answer(context, made, lines.join('\n'));
  return 0;
}

async function tryNewest(context: CommandContext, target: string | undefined): Promise<number> {
  const tried = await call(context, drillBackup, { target });
  answer(context, tried, drillText(tried));
  return tried.is_good ? 0 : 5;
}

/** The newest event is in the future if the clock was ahead when it happened. */
export function newestText(at: string, ageMs: number): string {
  const age = ageMs < 0 ? 'in the future: the clock was ahead' : `${durationText(ageMs)} old`;
  return `Newest    the newest event in it is ${age} (${timeText(at)})`;
}

function drillText(tried: z.output<typeof drillBackup.result>): string {
  const { newest_event_at: at, newest_event_age_ms: age, audit, is_good } = tried;
  const { events, batches } = audit.chain;
  return [
    `${tried.backup}: ${backupText(tried)}`,
    at === null || age === null ? 'Nothing has happened in its ledger yet.' : newestText(at, age),
    ...auditFaults(audit),
    is_good
      ? `It can be restored: ${counted(events, 'event')} of ${counted(batches, 'batch', 'batches')}, all chains whole; rows and payments agree with them.`
      : '! Its ledger does not agree with its audit chains. Look at the ledger itself: airbatch audit',
  ].join('\n');
}
