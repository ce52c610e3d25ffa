import { DatabaseSync } from 'node:sqlite';
import type { Findings } from './findings.ts';
import type { Manifest } from './manifest.ts';

/** The chain of the reports must be the beginning of the one in the ledger, which may have gone on since. */
export function checkLedger(ledgerPath: string, { batch_id, audit }: Manifest, findings: Findings): void {
  const ledger = new DatabaseSync(ledgerPath, { readOnly: true });
  try {
    const event = ledger.prepare('SELECT hash FROM events WHERE batch_id = ? AND seq = ?').get(batch_id, audit.events);
    if (event?.hash !== audit.head) findings.add('events.jsonl', 'is not the audit chain of this ledger.');
  } finally {
    ledger.close();
  }
}
