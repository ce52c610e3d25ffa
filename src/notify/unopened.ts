import { type AirbatchError, errorMessage } from '../core/basics/errors.ts';
import { withoutNumbers } from '../core/text/redact.ts';
import { type Clock, isoTime } from '../core/time/clock.ts';
import type { Message } from './message.ts';
import type { Recipient } from './recipients.ts';
import type { Sender } from './senders.ts';

/** Remembers, without a ledger, what was told. */
export interface NotificationDedupe {
  /** True once for a name, whatever is started again; also where nothing can be noted: better told twice than never. */
  claim(name: string): boolean;
  /** It could not be told after all. */
  giveBack(name: string): void;
}

export interface UnopenedDeps {
  clock: Pick<Clock, 'now'>;
  recipients: readonly Recipient[];
  send: Sender;
  notes: NotificationDedupe;
  /** Told when word could not be sent: no secrets, the recipient by its id. */
  onTrouble: (recipient: string, trouble: string) => void;
  /** What is under way once it is aborted is left. */
  ending: AbortSignal;
}

/**
 * Tells that the program which stays has not begun, since its ledger cannot be opened: whoever is told of standstills,
 * of whichever accounts and jobs, once a day (UTC) for each kind of trouble. Without a ledger it is sent right away.
 * Never rejects.
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
        notes.giveBack(name);
        onTrouble(recipient.id, errorMessage(trouble));
      }
    }),
  );
}

function unopenedMessage(error: AirbatchError): Message {
  const why = withoutNumbers(errorMessage(error));
  return {
    kind: 'standstill',
    subject: `airbatch serve does not begin: ${why}`,
    lines: [
      `Nothing is sent or followed for any account, no job runs and no webhook is taken: ${why}. The program has ended, and is to be started again once that is mended.`,
      `Next:    ${error.hint}`,
    ],
    facts: { account: null, code: error.code },
    report: null,
  };
}
