import type { Clock } from '../core/clock.ts';
import type { Database } from '../ledger/database.ts';
import { readFact, writeFact } from '../ledger/facts.ts';
import { addToOutbox, newsSince } from '../ledger/outbox.ts';
import { isTold, type NewsKind, type Recipient } from './recipients.ts';
import { wordOf } from './words.ts';

const sinceName = 'word_since';
/** How far back it is looked for news: whoever was down for longer is told of the rest by the reports. */
const backMs = 7 * 24 * 3_600_000;

/**
 * Looks in the ledger for what there is word of, and keeps it for each recipient once: so the engine knows nothing of
 * notifications, and a restart tells nothing twice. Returns how many were kept.
 */
export async function watchNews(db: Database, clock: Clock, recipients: readonly Recipient[]): Promise<number> {
  if (recipients.length === 0) return 0;
  const now = clock.now();
  const known = await readFact(db, sinceName);
  // Nobody wants to be told of everything that was before they asked to be told.
  if (known === null) await db.transact((tx) => writeFact(tx, sinceName, String(now)));
  const since = Math.max(Number(known ?? now), now - backMs);
  let kept = 0;
  for (const found of await newsSince(db, since)) {
    const news = { ...found, kind: found.kind as NewsKind };
    const told = recipients.filter((recipient) => isTold(recipient, news));
    if (told.length === 0) continue;
    const word = await wordOf(db, news);
    if (word === null) continue;
    kept += await db.transact(async (tx) => {
      let count = 0;
      for (const { id } of told) {
        const entry = { event_id: news.event_id, recipient: id, body: JSON.stringify(word), created_at: now };
        if (await addToOutbox(tx, entry)) count += 1;
      }
      return count;
    });
  }
  return kept;
}
