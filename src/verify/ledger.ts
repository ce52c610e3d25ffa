import { DatabaseSync } from 'node:sqlite';
import { type Findings, given } from './findings.ts';
import type { Manifest } from './manifest.ts';

/** The chain of the reports must be the beginning of the one in the ledger, which may have gone on since. */
export async function checkLedger(
  ledgerPath: string,
  { batch_id, audit }: Manifest,
  findings: Findings,
): Promise<void> {
  const hash = await given(`${ledgerPath} cannot be read as a ledger`, () => {
    const ledger = new DatabaseSync(ledgerPath, { readOnly: true });
    try {
      return ledger.prepare('SELECT hash FROM events WHERE batch_id = ? AND seq = ?').get(batch_id, audit.events)?.hash;
    } finally {
      ledger.close();
    }
  });
  if (hash !== audit.head) findings.add('events.jsonl', 'is not the audit chain of this ledger.');
}
