import { deliverWord } from '../notify/deliver.ts';
import type { Recipient } from '../notify/recipients.ts';
import { makeSender } from '../notify/senders.ts';
import { watchNews } from '../notify/watch.ts';
import type { Session } from './session.ts';

/** How often it is looked for news, and for word that is to be tried again. */
const everyMs = 5_000;

export interface WordKeeper {
  /** Begins to look for news: what was before is not told. */
  begin(): Promise<void>;
  /** Looks for news now and sends what is due. */
  pass(): Promise<void>;
  /** Does so again and again. */
  keep(): void;
  stop(): Promise<void>;
}

/** Tells the people concerned what happens, as long as the program runs; it never holds anything up. */
export function makeWord(session: Session, more: readonly Recipient[] = []): WordKeeper {
  const { db, clock, config, log } = session;
  const recipients = [...config.notifications, ...more];
  const send = makeSender({ mail: config.mail, reports: config.out });
  const stopping = new AbortController();
  const onTrouble = (recipient: string, message: string, isGivenUp: boolean) =>
    log.warn(isGivenUp ? 'word could not be sent, and is given up' : 'word could not be sent; it is tried again', {
      recipient,
      message,
    });
  const pass = async () => {
    if (recipients.length === 0) return;
    try {
      await watchNews(db, clock, recipients);
      await deliverWord({ db, clock, recipients, send, onTrouble });
    } catch (error) {
      log.warn('it could not be looked what there is word of', { message: (error as Error).message });
    }
  };
  let kept: Promise<void> = Promise.resolve();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await pass();
      await clock.sleep(everyMs, stopping.signal);
    }
  };
  return {
    pass,
    async begin() {
      await watchNews(db, clock, recipients);
    },
    keep() {
      if (recipients.length > 0) kept = loop();
    },
    async stop() {
      stopping.abort();
      await kept;
      // What came of the last batch is told before the program ends.
      await pass();
    },
  };
}
