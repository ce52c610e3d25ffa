import { errorMessage } from '../core/basics/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import { findBatch } from '../ledger/batches/batches.ts';
import type { Database } from '../ledger/drivers/database.ts';
import {
  claimNotification,
  giveUpNotification,
  nextNotification,
  noteAttempt,
  type OutboxEntry,
  postponedNotification,
  recipientsWaiting,
} from '../ledger/outbox/outbox.ts';
import type { Message } from './message.ts';
import type { Recipient } from './recipients.ts';
import type { Sender } from './senders.ts';

export interface DeliverDeps {
  db: Database;
  clock: Clock;
  recipients: readonly Recipient[];
  /**
   * Whether `recipients` is the complete list. Then a recipient that is not on it was removed from the configuration,
   * and is notified no more.
   */
  isCompleteList: boolean;
  send: Sender;
  /** Called when a notification could not be sent. It gets no secrets, and the recipient's id only. */
  onTrouble: (recipient: string, trouble: string, isGivenUp: boolean) => void;
  /**
   * Called when the ledger could not be read or written for a recipient. What was being sent is due again when its
   * claim expires.
   */
  onError: (error: unknown) => void;
  /** Once it is aborted, no further notification is begun, and one that is being sent is left for later. */
  ending?: AbortSignal | undefined;
}

/** The delay after each failed attempt: about three days in all. */
const retryDelaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 86_400_000];
/** How long a process that has begun to send a notification keeps it: a mail server may take 15 s for each step. */
const claimMs = 5 * 60_000;

export interface Delivery {
  /** Begins to send what is due, and does not wait for it. A recipient that is still being served continues. */
  begin(): Promise<void>;
  /** Resolves when nothing is being sent any more. */
  ended(): Promise<void>;
}

/**
 * Sends due notifications: to each recipient one after another, each recorded before the next is sent, and to all
 * recipients at the same time. A recipient that does not answer delays neither the others nor the next look for news: a
 * hundred notifications may take as many deadlines. After a crash between sending and recording, one notification is
 * sent again, under the same id.
 */
export function makeDelivery(deps: DeliverDeps): Delivery {
  const { db, clock, recipients, isCompleteList, onError } = deps;
  const running = new Map<string, Promise<void>>();
  const advanceOthers = makeAdvance(deps);
  return {
    async begin() {
      for (const id of await recipientsWaiting(db, clock.now())) {
        const recipient = recipients.find((one) => one.id === id);
        if (!recipient) {
          if (isCompleteList) await db.transact((tx) => giveUpNotification(tx, id, 'no longer a recipient'));
        } else if (!running.has(id)) {
          const work = deliverTo(deps, recipient, advanceOthers).catch(onError);
          running.set(
            id,
            work.finally(() => running.delete(id)),
          );
        }
      }
    },
    async ended() {
      await Promise.all(running.values());
    },
  };
}

/**
 * When a recipient can be reached again, its postponed notifications are due at once: one may ask for an approval, and
 * its next attempt may be a day away. Each is advanced once while the program runs, because one that fails while others
 * arrive fails because of its own content.
 */
function makeAdvance({ db, clock }: DeliverDeps): (outcome: OutboxEntry) => Promise<void> {
  const advanced = new Set<string>();
  const nameOf = ({ recipient, event_id }: Pick<OutboxEntry, 'recipient' | 'event_id'>) => `${recipient} ${event_id}`;
  return async (outcome) => {
    if (outcome.due_at === null) advanced.delete(nameOf(outcome));
    if (outcome.sent_at === null) return;
    const now = clock.now();
    // One that is due sooner may be claimed by another process.
    for (const entry of await postponedNotification(db, outcome.recipient, now + claimMs)) {
      if (advanced.has(nameOf(entry))) continue;
      advanced.add(nameOf(entry));
      await db.transact((tx) => claimNotification(tx, entry, now));
    }
  };
}

/** Sends until nothing is due: claiming a notification makes it due later. */
async function deliverTo(
  deps: DeliverDeps,
  recipient: Recipient,
  advanceOthers: ReturnType<typeof makeAdvance>,
): Promise<void> {
  const { db, clock, ending } = deps;
  while (!ending?.aborted) {
    const entry = await nextNotification(db, recipient.id, clock.now());
    if (!entry) return;
    if (!(await db.transact((tx) => claimNotification(tx, entry, clock.now() + claimMs)))) continue;
    const outcome = await attempt(deps, recipient, entry);
    await db.transact((tx) => noteAttempt(tx, outcome));
    await advanceOthers(outcome);
  }
}

async function attempt(
  { db, clock, send, onTrouble, ending }: DeliverDeps,
  recipient: Recipient,
  entry: OutboxEntry,
): Promise<OutboxEntry> {
  const attempts = entry.attempts + 1;
  const message = JSON.parse(entry.body) as Message;
  if (await isDecided(db, message)) return { ...entry, due_at: null, last_error: 'the batch was decided about' };
  try {
    await send(recipient, message, { eventId: entry.event_id, at: clock.now() }, ending);
    return { ...entry, attempts, due_at: null, sent_at: clock.now(), last_error: null };
  } catch (error) {
    // The attempt was cut short: the notification is due as before.
    if (ending?.aborted) return entry;
    const delay = retryDelaysMs[entry.attempts];
    onTrouble(entry.recipient, errorMessage(error), delay === undefined);
    const due_at = delay === undefined ? null : clock.now() + delay;
    return { ...entry, attempts, due_at, last_error: errorMessage(error) };
  }
}

/** Whether a message asks for the approval of a batch that no longer waits for it. */
async function isDecided(db: Database, { kind, facts }: Message): Promise<boolean> {
  if (kind !== 'needs_approval') return false;
  return (await findBatch(db, String(facts.batch_id)))?.status !== 'awaiting_approval';
}
