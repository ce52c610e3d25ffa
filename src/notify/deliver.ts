import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import type { Database } from '../ledger/database.ts';
import { claimWord, dueWord, giveUpWord, noteAttempt, type OutboxEntry, recipientsWaiting } from '../ledger/outbox.ts';
import type { Recipient } from './recipients.ts';
import type { Sender } from './senders.ts';
import type { Word } from './words.ts';

export interface DeliverDeps {
  db: Database;
  clock: Clock;
  recipients: readonly Recipient[];
  /** Whether there are no others: then who is not among them was taken out of the configuration, and is told nothing any more. */
  isEverybody: boolean;
  send: Sender;
  /** Told when word could not be sent: no secrets, the recipient by its id. */
  onTrouble: (recipient: string, trouble: string, isGivenUp: boolean) => void;
  /** Once it is aborted no other word is begun, and what is under way is left for another time. */
  ending?: AbortSignal | undefined;
}

/** How long after an attempt that failed the next one is made: for some three days. */
const retryDelaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 86_400_000];
/** Words sent to one recipient in one pass. */
const wordsPerPass = 50;
/** How long word that somebody has begun to send is left to them: a mail server may take its 15 s for each step. */
const claimMs = 5 * 60_000;

/**
 * Sends what is due: to each recipient one word after the other, each noted before the next, and to all recipients beside each other, so
 * that one who does not answer holds up nobody else. A crash between sending and noting sends one word again, under the same id.
 * Returns how many were sent.
 */
export async function deliverWord(deps: DeliverDeps): Promise<number> {
  const { db, clock, recipients, isEverybody } = deps;
  const sent = await Promise.all(
    (await recipientsWaiting(db, clock.now())).map(async (id) => {
      const recipient = recipients.find((one) => one.id === id);
      if (recipient) return deliverTo(deps, recipient);
      if (isEverybody) await db.transact((tx) => giveUpWord(tx, id, 'no longer a recipient'));
      return 0;
    }),
  );
  return sent.reduce((sum, count) => sum + count, 0);
}

async function deliverTo(deps: DeliverDeps, recipient: Recipient): Promise<number> {
  const { db, clock, ending } = deps;
  let sent = 0;
  for (const entry of await dueWord(db, recipient.id, clock.now(), wordsPerPass)) {
    if (ending?.aborted) break;
    if (!(await db.transact((tx) => claimWord(tx, entry, clock.now() + claimMs)))) continue;
    const outcome = await attempt(deps, recipient, entry);
    if (outcome.sent_at !== null) sent += 1;
    await db.transact((tx) => noteAttempt(tx, outcome));
  }
  return sent;
}

async function attempt(
  { clock, send, onTrouble, ending }: DeliverDeps,
  recipient: Recipient,
  entry: OutboxEntry,
): Promise<OutboxEntry> {
  const attempts = entry.attempts + 1;
  try {
    await send(recipient, JSON.parse(entry.body) as Word, { eventId: entry.event_id, at: clock.now() }, ending);
    return { ...entry, attempts, due_at: null, sent_at: clock.now(), last_error: null };
  } catch (error) {
    // It was not tried to its end: it is due as before.
    if (ending?.aborted) return entry;
    const delay = retryDelaysMs[entry.attempts];
    onTrouble(entry.recipient, errorMessage(error), delay === undefined);
    const due_at = delay === undefined ? null : clock.now() + delay;
    return { ...entry, attempts, due_at, last_error: errorMessage(error) };
  }
}
