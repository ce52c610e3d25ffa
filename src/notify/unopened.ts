import { type AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { withoutNumbers } from '../core/text/redact.ts';
import { type Clock, isoTime } from '../core/time/clock.ts';
import type { Message } from './message.ts';
import type { Recipient } from './recipients.ts';
import type { Sender } from './senders.ts';

/** Remembers, without a ledger, who was notified of what. */
export interface NotificationDedupe {
  /**
   * True the first time that a name is claimed, also across restarts. Also true if the claim cannot be stored:
   * notifying twice is better than never.
   */
  claim(name: string): boolean;
  /** Releases the claim, because the notification could not be sent. */
  release(name: string): void;
}

export interface UnopenedDeps {
  clock: Pick<Clock, 'now'>;
  recipients: readonly Recipient[];
  send: Sender;
  notes: NotificationDedupe;
  /** Called when a notification could not be sent. It gets no secrets, and the recipient's id only. */
  onTrouble: (recipient: string, trouble: string) => void;
  /** Once it is aborted, running deliveries are dropped. */
  ending: AbortSignal;
}

/**
 * Notifies people that `airbatch serve` could not start because its ledger cannot be opened: everyone who wants
 * standstills, of any account and job, once a day (UTC) for each error code. Without a ledger, the message is sent at
 * once. Never rejects.
 */
export async function notifyUnopened(
  { clock, recipients, send, notes, onTrouble, ending }: UnopenedDeps,
  error: AirbatchError,
): Promise<void> {
  const at = clock.now();
  const eventId = `standstill:${error.code}:${isoTime(at).slice(0, 10)}`;
  const message = unopenedMessage(error);
  await Promise.all(
    recipients.map(async (recipient) => {
      const name = `${eventId} ${recipient.id}`;
      if (!recipient.on.includes(message.kind) || !notes.claim(name)) return;
      try {
        await send(recipient, message, { eventId, at }, ending);
      } catch (trouble) {
        notes.release(name);
        onTrouble(recipient.id, errorMessage(trouble));
      }
    }),
  );
}

function unopenedMessage(error: AirbatchError): Message {
  const why = withoutNumbers(errorMessage(error));
  return {
    kind: 'standstill',
    subject: `airbatch serve could not start: ${why}`,
    lines: [
      `No account is served, no job runs, and no webhook is accepted: ${why}. The program has ended. Start it again when the problem is solved.`,
      `Next:    ${error.hint}`,
    ],
    facts: { account: null, code: error.code },
    report: null,
  };
}
