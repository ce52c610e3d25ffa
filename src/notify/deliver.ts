import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import type { Database } from '../ledger/database.ts';
import { dueWord, noteAttempt, type OutboxEntry } from '../ledger/outbox.ts';
import type { Recipient } from './recipients.ts';
import type { Sender } from './senders.ts';
import type { Word } from './words.ts';

export interface DeliverDeps {
  db: Database;
  clock: Clock;
  recipients: readonly Recipient[];
  send: Sender;
  /** Told when word could not be sent: no secrets, the recipient by its id. */
  onTrouble: (recipient: string, trouble: string, isGivenUp: boolean) => void;
}

/** How long after an attempt that failed the next one is made: for some three days. */
const retryDelaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 86_400_000];
/** Words sent in one pass. */
const wordsPerPass = 50;

/**
 * Sends what is due, one after the other, each noted before the next: a crash between sending and noting sends one word again,
 * under the same id. Returns how many were sent.
 */
export async function deliverWord(deps: DeliverDeps): Promise<number> {
  const { db, clock } = deps;
  let sent = 0;
  for (const entry of await dueWord(db, clock.now(), wordsPerPass)) {
    const outcome = await attempt(deps, entry);
    if (outcome.sent_at !== null) sent += 1;
    await db.transact((tx) => noteAttempt(tx, outcome));
  }
  return sent;
}

async function attempt({ clock, recipients, send, onTrouble }: DeliverDeps, entry: OutboxEntry): Promise<OutboxEntry> {
  const attempts = entry.attempts + 1;
  const recipient = recipients.find(({ id }) => id === entry.recipient);
  // Who was taken out of the configuration is told nothing any more.
  if (!recipient) return { ...entry, due_at: null, last_error: 'no longer a recipient' };
  try {
    await send(recipient, JSON.parse(entry.body) as Word, { eventId: entry.event_id, at: clock.now() });
    return { ...entry, attempts, due_at: null, sent_at: clock.now(), last_error: null };
  } catch (error) {
    const delay = retryDelaysMs[entry.attempts];
    onTrouble(entry.recipient, errorMessage(error), delay === undefined);
    const due_at = delay === undefined ? null : clock.now() + delay;
    return { ...entry, attempts, due_at, last_error: errorMessage(error) };
  }
}
