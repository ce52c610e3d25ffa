import { isoTime } from '../../core/time/clock.ts';
import type { ReadProblem } from '../../gateway/contract/gateway.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import {
  clearUnansweredLookup,
  findUnansweredLookup,
  saveUnansweredLookup,
} from '../../ledger/rows/unanswered-lookups.ts';
import type { Unit } from '../../ledger/unit-of-work.ts';
import { unansweredMsMax, unansweredWaitMs } from '../pacing/read-trouble.ts';
import { evidenceData } from '../payments/settle.ts';
import type { Parts } from '../runner/context.ts';

type LookupRetryNeeds = Parts<'committer' | 'log' | 'picker' | 'readTrouble'>;

/** A payment whose lookup must succeed before its row is sent, and failed. */
export interface LookupRetry {
  kind: 'unread';
  reference: string;
  problem: ReadProblem;
}

/**
 * Schedules the next attempt for a row whose earlier payment could not be looked up: after growing delays, and after a
 * day the row is held for a person. A row in doubt is not scheduled here: its own next lookup brings it back.
 */
export async function scheduleLookupRetry(
  context: LookupRetryNeeds,
  row: RowRecord,
  unread: LookupRetry,
): Promise<void> {
  return scheduleRetry(context, row, { ...unread, wait: await context.readTrouble(unread.problem) });
}

/** A lookup that failed, whose problem was handled: how long to wait (ms) before the next one. */
interface HandledRetry extends LookupRetry {
  wait: number;
}

async function scheduleRetry(
  { picker, committer, log }: LookupRetryNeeds,
  row: RowRecord,
  unread: HandledRetry,
): Promise<void> {
  if (row.status !== 'ready') return;
  const later = await committer.commit((unit) => noteUnread(unit, row, unread));
  if (later?.next_action_at) {
    picker.putBack(later, later.next_action_at);
    return;
  }
  if (later === null) return;
  log.warn('a person must decide about a row: the service does not say whether it was already paid', {
    batch_id: row.batch_id,
    row: row.row_no,
    request_id: unread.problem.evidence.requestId,
  });
}

/**
 * Returns those of the rows that may be sent: all of their `others` were read. Each other row is read once. A row with
 * one that could not be read gets its next attempt later.
 */
export async function withOthersRead<Other extends RowRecord>(
  context: LookupRetryNeeds,
  rows: readonly RowRecord[],
  othersOf: (row: RowRecord) => readonly Other[],
  read: (other: Other) => Promise<LookupRetry | null>,
): Promise<RowRecord[]> {
  const reads = new Map<string, Promise<HandledRetry | null>>();
  // Each problem is handled as soon as it is known: any of them may be a 429, which the whole account obeys.
  const readAndHandle = async (other: Other): Promise<HandledRetry | null> => {
    const unread = await read(other);
    return unread && { ...unread, wait: await context.readTrouble(unread.problem) };
  };
  const readOnce = (other: Other) => {
    const name = rowName(other);
    const reading = reads.get(name) ?? readAndHandle(other);
    reads.set(name, reading);
    return reading;
  };
  const isFree = await Promise.all(
    rows.map(async (row) => {
      const others = othersOf(row);
      if (others.length === 0) return true;
      const unread = (await Promise.all(others.map(readOnce))).find((one) => one !== null);
      if (unread) await scheduleRetry(context, row, unread);
      return !unread;
    }),
  );
  return rows.filter((_, index) => isFree[index]);
}

/** Tells rows of several batches apart. */
export function rowName({ batch_id, row_no }: Pick<RowRecord, 'batch_id' | 'row_no'>): string {
  return `${batch_id}:${row_no}`;
}

/** Returns the row with its next attempt, or held; null if another writer changed it first. */
async function noteUnread(
  unit: Unit,
  row: RowRecord,
  { reference, problem, wait }: HandledRetry,
): Promise<RowRecord | null> {
  if (problem.kind !== 'unavailable') return unit.noteRow(row, { next_action_at: unit.at + wait }, null, {});
  const since = await noteSilence(unit, row);
  if (unit.at - since < unansweredMsMax) {
    return unit.noteRow(row, { next_action_at: unit.at + unansweredWaitMs(unit.at - since, wait) }, null, {});
  }
  const { code } = problem.evidence;
  const held = {
    code: 'NOT_LOOKED_UP',
    column: null,
    message: `Since ${isoTime(since)} the service has given no answer to whether this row was paid before (${reference}: ${code}).`,
    suggestion: 'Ask the service. Skip the row where it was paid; release it to have it looked up again.',
  };
  // The event leaves out the reference, which may be a phone number: the audit chain keeps it for ever.
  const data = { why: held.code, ...evidenceData(problem.evidence) };
  await clearUnansweredLookup(unit.tx, row);
  return unit.changeRow(row, 'hold', { problems: JSON.stringify([held]), next_action_at: null }, data);
}

/**
 * Notes that a lookup of the row was not answered. Returns since when none was (epoch ms). While its batch was paused
 * or no program ran, the row was not looked up, so that time does not count as silence.
 */
export async function noteSilence(unit: Unit, row: RowRecord): Promise<number> {
  const known = await findUnansweredLookup(unit.tx, row);
  const since = known !== null && unit.at - known.last_at < unansweredMsMax / 2 ? known.since : unit.at;
  await saveUnansweredLookup(unit.tx, row, { since, last_at: unit.at });
  return since;
}
