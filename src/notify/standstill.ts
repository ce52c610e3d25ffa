import { AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { withoutNumbers } from '../core/text/redact.ts';
import { type Clock, isoTime } from '../core/time/clock.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { addToOutbox } from '../ledger/outbox/outbox.ts';
import { isBucketPlace } from '../reports/store/object-store.ts';
import type { Message } from './message.ts';
import { isNotified, type Recipient } from './recipients.ts';
import type { Sender } from './senders.ts';
import type { NotificationDedupe } from './unopened.ts';

/** An account that a long-running program cannot work for, or reports that it cannot write. */
export interface Standstill {
  /** Null: all accounts. Either reports cannot be written, or the ledger that machines share fails. */
  account: string | null;
  error: unknown;
  /** Whether the program tries again by itself; if not, it ends. */
  isTriedAgain: boolean;
}

export interface StandstillDeps {
  db: Pick<Database, 'transact'>;
  clock: Pick<Clock, 'now'>;
  recipients: readonly Recipient[];
  send: Sender;
  /** Shared by all machines that work on the ledger. */
  notes: NotificationDedupe;
  /** Called when a notification could not be sent. It gets no secrets, and the recipient's id only. */
  onTrouble: (recipient: string, trouble: string, isGivenUp: boolean) => void;
  /** Once it is aborted, running deliveries are dropped. */
  ending: AbortSignal;
}

/**
 * Notifies people that nothing happens for an account: each recipient once a day (UTC) for each error code, however
 * often the program is started or tries again, and whichever machines meet the error. The message goes to the outbox
 * like any other if the ledger is writable, and is otherwise sent at once: with a full disk, the outbox could not store
 * it. Resolves once the message is stored or its delivery was tried; never rejects.
 */
export function makeStandstillNotifier({
  db,
  clock,
  recipients,
  send,
  notes,
  onTrouble,
  ending,
}: StandstillDeps): (standstill: Standstill) => Promise<void> {
  const notified = new Set<string>();
  return async (standstill) => {
    const at = clock.now();
    const message = standstillMessage(standstill);
    const { kind, facts } = message;
    const event_id = `${kind}:${standstill.account ?? ''}:${facts.code}:${isoTime(at).slice(0, 10)}`;
    const nameOf = ({ id }: Recipient) => `${event_id} ${id}`;
    const { account } = standstill;
    // A standstill of all accounts goes to every recipient that wants standstills.
    const isMeant = (recipient: Recipient) =>
      account === null ? recipient.on.includes(kind) : isNotified(recipient, { kind, account, job: null });
    const unreported = recipients.filter((recipient) => isMeant(recipient) && !notified.has(nameOf(recipient)));
    if (unreported.length === 0) return;
    for (const recipient of unreported) notified.add(nameOf(recipient));
    const entry = { event_id, body: JSON.stringify(message), created_at: at };
    const isKept = await db
      .transact(async (tx) => {
        for (const { id } of unreported) await addToOutbox(tx, { ...entry, recipient: id });
      })
      .then(
        () => true,
        () => false,
      );
    if (isKept) return;
    await Promise.all(
      unreported.map(async (recipient) => {
        if (!notes.claim(nameOf(recipient))) return;
        try {
          await send(recipient, message, { eventId: event_id, at }, ending);
        } catch (error) {
          notified.delete(nameOf(recipient));
          notes.release(nameOf(recipient));
          onTrouble(recipient.id, errorMessage(error), !standstill.isTriedAgain);
        }
      }),
    );
  };
}

function standstillMessage({ account, error, isTriedAgain }: Standstill): Message {
  const [code, hint] =
    error instanceof AirbatchError
      ? [error.code, error.hint]
      : ['UNKNOWN', 'See the log: this is a fault of airbatch.'];
  const why = withoutNumbers(errorMessage(error));
  const next = isTriedAgain
    ? 'airbatch tries again every minute, and continues by itself when the problem is solved.'
    : 'The program ends. Start it again when the problem is solved.';
  const messageOf = (subject: string, ...lines: string[]): Message => ({
    ...{ kind: 'standstill', subject, lines, facts: { account, code }, report: null },
  });
  if (account === null && code !== 'FOLDER_UNWRITABLE')
    return messageOf(
      `The database of the ledger fails: ${why}`,
      isTriedAgain
        ? `${why}. While the ledger cannot be used, nothing is sent for any account. While accounts cannot be placed, no machine takes over the accounts of another. airbatch tries again every few seconds, and continues by itself when the problem is solved.`
        : `${why}. Nothing is sent for any account. ${next}`,
      `Next:    ${code === 'LEDGER_IO' ? 'Check that the database runs, and that this machine reaches it.' : hint}`,
    );
  if (account === null)
    return messageOf(
      `Reports cannot be written: ${why}`,
      `The reports of batches that have ended cannot be written: ${why}. Payments continue. airbatch tries again, and writes the reports by itself when the problem is solved.`,
      // An error of a bucket begins with its address.
      `Next:    ${isBucketPlace(why) ? hint : 'Make the folder writable.'}`,
    );
  return messageOf(
    `Nothing is sent for account ${account}: ${why}`,
    `Nothing is sent or followed for account ${account}: ${why}. ${next}`,
    `Next:    ${hint}`,
  );
}
