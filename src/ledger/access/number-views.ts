import type { EventData } from '../audit/events.ts';
import { saveRecord } from '../drivers/write.ts';
import { type AccessActor, changeAccess } from './access-events.ts';

/** Readings of the same numbers within this time are one view: a page reads the same things again and again. */
const viewMs = 15 * 60_000;

/** What a person sees complete phone numbers of. */
export interface NumbersSeen {
  /** The batch or the draft. */
  subject: EventData;
  /** The part of it: "held rows", "draft". */
  what: string;
}

/** Notes in the log of access that a person sees complete phone numbers: one event a view. */
export async function noteNumbersSeen(actor: AccessActor, { subject, what }: NumbersSeen): Promise<void> {
  const { db, clock, person } = actor;
  const place = [person, JSON.stringify(subject), what];
  const find = 'SELECT seen_at FROM number_views WHERE person = ? AND subject = ? AND what = ?';
  const isSeen = (found: readonly { seen_at: number }[]) => (found[0]?.seen_at ?? 0) > clock.now() - viewMs;
  if (isSeen(await db.query<{ seen_at: number }>(find, place))) return;
  await changeAccess(actor, async ({ tx, at, note }) => {
    if (isSeen(await tx.query<{ seen_at: number }>(find, place))) return;
    const view = { person, subject: JSON.stringify(subject), what, seen_at: at };
    await saveRecord(tx, 'number_views', ['person', 'subject', 'what'], view);
    await note('numbers.read', { ...subject, what });
  });
}
