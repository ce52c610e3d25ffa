import { basename } from 'node:path';
import { slotPart, slotResult } from '../../core/basics/slot-result.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import type { Session } from '../../runtime/session/session.ts';
import { backUp, targetOf } from '../backup/back-up-ledger.ts';
import { drill } from '../backup/drill-backup.ts';
import type { SlotOutcome } from './claimed-slot.ts';
import { sessionOfJob } from './slot-batch.ts';

/**
 * Makes a backup, and tries whether it can be restored. If it cannot be relied on, the slot fails, so that people are
 * notified. The job file is code of the person who administers the machine, so it needs no role of its own.
 */
export async function backupSlot(session: Session, job: Job, isTried: boolean): Promise<SlotOutcome> {
  const ofJob = sessionOfJob(session, job);
  const { backup, removed } = await backUp(ofJob, { encrypt: false });
  const made = `${basename(backup)} is made, ${counted(removed.length, 'older backup')} removed`;
  const ended = (outcome: 'done' | 'failed', why: 'made' | 'good' | 'broken', text: string): SlotOutcome => ({
    outcome,
    ...slotResult([slotPart('SLOT_BACKUP', { file: basename(backup), count: removed.length, why }, text)]),
  });
  if (!isTried) return ended('done', 'made', made);
  const { is_good, audit } = await drill(ofJob, { nameOf: (field) => field }, targetOf(session, undefined));
  const events = counted(audit.chain.events, 'event');
  if (is_good) return ended('done', 'good', `${made}; it can be restored (${events}, all chains whole)`);
  return ended('failed', 'broken', `${made}; the ledger in it does not agree with its audit chains: airbatch audit`);
}
