import { isoTime } from '../../core/time/clock.ts';
import type { UnprocessedFile } from '../../ledger/jobs/unprocessed-files.ts';

/** The most files that are named for one slot: enough to find them. */
const namedMax = 5;

/** Which files of a job are in `working` and not paid, and what to do about them: a sentence for each slot. */
export function leftFilesLines(job: string, files: readonly UnprocessedFile[]): string[] {
  const bySlot = new Map<number | null, string[]>();
  for (const { file, due_at } of files) bySlot.set(due_at, [...(bySlot.get(due_at) ?? []), file]);
  return [...bySlot].map(([dueAt, names]) => {
    const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
    const [lies, is, them] = names.length === 1 ? ['lies', 'is', 'it'] : ['lie', 'are', 'them'];
    const next =
      dueAt === null
        ? `no run will read ${them} there: put ${them} into the inbox`
        : `"airbatch jobs run ${job} --slot ${isoTime(dueAt)}" imports ${them}`;
    return `${names.slice(0, namedMax).join(', ')}${more} ${lies} in "working" and ${is} not paid: ${next}.`;
  });
}
