import { DatabaseSync } from 'node:sqlite';
import { type Findings, given } from '../input/findings.ts';
import type { Manifest } from '../input/manifest.ts';

/** Events in the ledger's chain of the batch after the end of the reports' chain. */
export interface LaterEvents {
  events: number;
  /** How many there are of each kind. */
  kinds: Record<string, number>;
}

/**
 * The chain of the reports must be the beginning of the ledger's chain. If that has grown since, the reports are older,
 * not wrong.
 */
export async function checkLedger(
  ledgerPath: string,
  { batch_id, audit }: Manifest,
  findings: Findings,
): Promise<LaterEvents> {
  const { hash, later, newest } = await given(`${ledgerPath} cannot be read as a ledger`, () => {
    const ledger = new DatabaseSync(ledgerPath, { readOnly: true });
    try {
      const event = ledger.prepare('SELECT hash FROM events WHERE batch_id = ? AND seq = ?');
      const after = ledger.prepare(
        'SELECT kind, COUNT(*) AS count FROM events WHERE batch_id = ? AND seq > ? GROUP BY kind ORDER BY kind',
      );
      const reports = ledger.prepare(
        "SELECT body FROM events WHERE batch_id = ? AND seq > ? AND kind = 'batch.report' ORDER BY seq DESC LIMIT 1",
      );
      return {
        hash: event.get(batch_id, audit.events)?.hash,
        later: after.all(batch_id, audit.events),
        newest: reports.get(batch_id, audit.events)?.body,
      };
    } finally {
      ledger.close();
    }
  });
  if (hash !== audit.head) findings.add('events.jsonl', 'is not the audit chain of this ledger.');
  const kinds = Object.fromEntries(later.map(({ kind, count }) => [String(kind), Number(count)]));
  const events = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  if (events > 0) {
    const which = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
    const more = events === 1 ? '1 event' : `${events} events`;
    const since = newest === undefined ? '' : ` Version ${JSON.parse(String(newest)).version} was published since.`;
    findings.doubt(
      `The ledger has ${more} more of this batch (${which.join(', ')}): these reports are older than it.${since}`,
    );
  }
  return { events, kinds };
}
