import { errorMessage } from '../core/basics/errors.ts';
import type { Clock } from '../core/time/clock.ts';
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
   * Whether there are no others: then who is not among them was taken out of the configuration, and is told nothing
   * any more.
   */
  isEverybody: boolean;
  send: Sender;
  /** Told when word could not be sent: no secrets, the recipient by its id. */
  onTrouble: (recipient: string, trouble: string, isGivenUp: boolean) => void;
  /**
   * Told when the ledger could not be read or written for a recipient: what was under way is due again when its claim
   * is over.
   */
  onError: (error: unknown) => void;
  /** Once it is aborted no other word is begun, and what is under way is left for another time. */
  ending?: AbortSignal | undefined;
}

/** How long after an attempt that failed the next one is made: for some three days. */
const retryDelaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 86_400_000];
/** How long word that somebody has begun to send is left to them: a mail server may take its 15 s for each step. */
const claimMs = 5 * 60_000;

export interface Delivery {
  /** Begins to send what is due, and does not wait for it: whoever still has word under way goes on with theirs. */
  begin(): Promise<void>;
  /** Resolves when nothing is under way any more. */
  ended(): Promise<void>;
}

/**
 * Sends what is due: to each recipient one word after the other, each noted before the next, and to all recipients
 * beside each other. Who does not answer holds up nobody else, nor the next look for news: a hundred words may take as
 * many deadlines. A crash between sending and noting sends one word again, under the same id.
 */
export function makeDelivery(deps: DeliverDeps): Delivery {
  const { db, clock, recipients, isEverybody, onError } = deps;
  const underWay = new Map<string, Promise<void>>();
  const hasten = makeHastening(deps);
  return {
    async begin() {
      for (const id of await recipientsWaiting(db, clock.now())) {
        const recipient = recipients.find((one) => one.id === id);
        if (!recipient) {
          if (isEverybody) await db.transact((tx) => giveUpNotification(tx, id, 'no longer a recipient'));
        } else if (!underWay.has(id)) {
          const work = deliverTo(deps, recipient, hasten).catch(onError);
          underWay.set(
            id,
            work.finally(() => underWay.delete(id)),
          );
        }
      }
    },
    async ended() {
      await Promise.all(underWay.values());
    },
  };
}

/**
 * Once a recipient can be told again, what was put off since they could not is due at once: it may ask for an
 * approval, and its next attempt be a day away. Each word is hastened once while the program runs, since what is
 * refused while others arrive is so for its own sake.
 */
function makeHastening({ db, clock }: DeliverDeps): (outcome: OutboxEntry) => Promise<void> {
  const hastened = new Set<string>();
  const nameOf = ({ recipient, event_id }: Pick<OutboxEntry, 'recipient' | 'event_id'>) => `${recipient} ${event_id}`;
  return async (outcome) => {
    if (outcome.due_at === null) hastened.delete(nameOf(outcome));
    if (outcome.sent_at === null) return;
    const now = clock.now();
    // What is due sooner may be under way in another process.
    for (const entry of await postponedNotification(db, outcome.recipient, now + claimMs)) {
      if (hastened.has(nameOf(entry))) continue;
      hastened.add(nameOf(entry));
      await db.transact((tx) => claimNotification(tx, entry, now));
    }
  };
}

/** Until nothing more is due: each word that is begun is due later, if at all. */
async function deliverTo(
  deps: DeliverDeps,
  recipient: Recipient,
  hasten: ReturnType<typeof makeHastening>,
): Promise<void> {
  const { db, clock, ending } = deps;
  while (!ending?.aborted) {
    const entry = await nextNotification(db, recipient.id, clock.now());
    if (!entry) return;
    if (!(await db.transact((tx) => claimNotification(tx, entry, clock.now() + claimMs)))) continue;
    const outcome = await attempt(deps, recipient, entry);
    await db.transact((tx) => noteAttempt(tx, outcome));
    await hasten(outcome);
  }
}

async function attempt(
  { clock, send, onTrouble, ending }: DeliverDeps,
  recipient: Recipient,
  entry: OutboxEntry,
): Promise<OutboxEntry> {
  const attempts = entry.attempts + 1;
  try {
    await send(recipient, JSON.parse(entry.body) as Message, { eventId: entry.event_id, at: clock.now() }, ending);
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
