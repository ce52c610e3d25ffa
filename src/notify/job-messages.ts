import { batchLabel } from '../core/state/state-texts.ts';
import { isoTime } from '../core/time/clock.ts';
import { type BatchRecord, findBatch } from '../ledger/batches/batches.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { filesOfSlot, type JobFile } from '../ledger/jobs/job-files.ts';
import type { RetryGivenUp } from '../ledger/jobs/job-retries.ts';
import { findSlot } from '../ledger/jobs/slots.ts';
import type { UnprocessedFile } from '../ledger/jobs/unprocessed-files.ts';
import { leftFilesLines } from '../reports/sentences/unprocessed-files-text.ts';
import { counted } from '../reports/text/counted-text.ts';
import type { Message, News } from './message.ts';

export async function slotMessage(db: Database, { job }: News, events: readonly string[]): Promise<Message | null> {
  const dueTimes = events.map((event) => Number(event.split(':')[2]));
  const [firstAt, lastAt] = [dueTimes.at(0), dueTimes.at(-1)];
  if (job === null || firstAt === undefined || lastAt === undefined) return null;
  const slot = await findSlot(db, job, lastAt);
  if (!slot) return null;
  const [first, last] = [firstAt, lastAt].map((at) => isoTime(at).slice(0, 16).replace('T', ' '));
  const isOne = events.length === 1;
  const which = isOne ? `the run of ${last} UTC` : `${counted(events.length, 'run')} from ${first} to ${last} UTC`;
  const became = isOne ? 'was missed' : 'were missed';
  const isFailed = slot.state === 'failed';
  const paid = isFailed ? await filesOfSlot(db, job, lastAt) : [];
  const part = paid.length === 0 ? 'failed' : `failed in part: ${counted(paid.length, 'file')} imported`;
  const what = `${which} ${isFailed ? part : became}`;
  return {
    kind: 'slot_missed',
    subject: `Job ${job}: ${what}`,
    lines: [
      `${what.charAt(0).toUpperCase()}${what.slice(1)}. ${slot.detail ?? 'The reason is unknown'}.`,
      ...(await Promise.all(paid.map(async (file) => importedText(file, await findBatch(db, file.batch_id))))),
      `Next:    airbatch jobs run ${job} --slot ${isoTime(lastAt)}${isOne ? '' : ', and the same for each other run that you want'}`,
    ],
    facts: {
      job,
      due_at: isoTime(lastAt),
      slots: events.length,
      state: slot.state,
      detail: slot.detail,
      batches: paid.length,
    },
    report: null,
  };
}

/** A file of a slot that has failed because of another file: this file was imported, and is paid. */
function importedText({ name, batch_id }: JobFile, batch: BatchRecord | null): string {
  const state = batch === null ? 'not in the ledger' : batchLabel(batch);
  return `File:    ${name} is batch ${batch_id}, ${state}`;
}

export function leftFilesMessage({ job }: News, left: readonly UnprocessedFile[]): Message | null {
  if (job === null) return null;
  return {
    kind: 'slot_missed',
    subject: `Job ${job}: ${counted(left.length, 'file')} of an earlier run ${left.length === 1 ? 'is' : 'are'} not paid`,
    lines: leftFilesLines(job, left),
    facts: { job, files: left.length },
    report: null,
  };
}

export async function retryMessage(
  db: Database,
  { job, account }: News,
  { batch_id, rows, codes }: RetryGivenUp,
): Promise<Message | null> {
  const batch = await findBatch(db, batch_id);
  if (!batch) return null;
  const which = counted(rows, 'failed row');
  const [were, they] = rows === 1 ? ['was', 'it'] : ['were', 'they'];
  return {
    kind: 'slot_missed',
    subject: `Job ${job}: ${which} of payout ${batch.run_id} ${were} not retried`,
    lines: [
      `The job should retry ${which} of payout ${batch.run_id} (${codes.join(', ')}). But for a day the service could not confirm that ${they} really failed. So ${they} stay${rows === 1 ? 's' : ''} failed, and airbatch sends nothing more by itself.`,
      `Run:     ${batch.run_id} (batch ${batch_id})`,
      `File:    ${batch.file_name}`,
      `Next:    airbatch retry ${batch_id} ${codes.map((code) => `--code ${code}`).join(' ')}`,
    ],
    facts: { job, account, batch_id, run_id: batch.run_id, file_name: batch.file_name, rows },
    report: null,
  };
}
