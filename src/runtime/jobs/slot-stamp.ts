import { stampBefore } from '../upkeep/job-file-places.ts';
import { runIdOfSlot } from './run-id.ts';
import { makeWallTime } from './wall-time.ts';

/**
 * The prefix of the names of files that a slot has taken, followed by "~": the slot's time in the job's own time zone.
 */
export function stampOf(dueAt: number, timeZone: string): string {
  return runIdOfSlot('{slot:yyyyMMdd-HHmm}', '', dueAt, timeZone);
}

/** The due time (epoch ms) of the slot that has taken the file with this name; null if no slot has. */
export function dueAtOf(name: string, timeZone: string): number | null {
  const [, ...fields] = stampBefore.exec(name) ?? [];
  if (fields.length === 0) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = fields.map(Number);
  return makeWallTime(timeZone).firstAt(Date.UTC(year, month - 1, day, hour, minute));
}
