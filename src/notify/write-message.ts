import type { Database } from '../ledger/drivers/database.ts';
import { lowBalanceMessage, throttledMessage, unreachableMessage, webhookMessage } from './account-messages.ts';
import { batchMessage } from './batch-messages.ts';
import { leftFilesMessage, retryMessage, slotMessage } from './job-messages.ts';
import type { Message, News } from './message.ts';

/** Writes the message about the news (`events`) for a clerk; null if the news is no longer true. */
export async function messageOf(
  db: Database,
  news: News,
  events: readonly string[],
  consoleUrl: string | null,
): Promise<Message | null> {
  if (news.kind === 'slot_missed') {
    if (news.retryGivenUp) return retryMessage(db, news, news.retryGivenUp);
    return news.left ? leftFilesMessage(news, news.left) : slotMessage(db, news, events);
  }
  if (news.kind === 'low_balance') return lowBalanceMessage(news);
  if (news.kind === 'unreachable') return unreachableMessage(news);
  if (news.kind === 'throttled') return news.throttleWait ? throttledMessage(news, news.throttleWait) : null;
  if (news.kind === 'webhook_disabled') return webhookMessage(news, consoleUrl);
  return batchMessage(db, { ...news, kind: news.kind }, events, consoleUrl);
}
