import { AirbatchError } from '../../core/basics/errors.ts';
import { type EarlierVerdict, generationsMax } from '../../core/state/earlier-payment.ts';
import { rowsHeldSince } from '../../ledger/audit/audit-pages.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import { type KeyConflict, keyConflict } from '../dispatch/intents.ts';
import { paymentNames } from '../payments/payment-request.ts';

/** A row that stays held when a person lets others go: why, and what to do. */
export interface PermanentlyHeldRow {
  row: number;
  code: string;
  why: string;
  suggestion: string;
}

type LastingHold = EarlierVerdict['problem'];

/** Why a row would be held again when its turn comes, whoever releases it; null where its turn may come. */
export async function permanentHold(db: Queryable, batch: BatchRecord, row: RowRecord): Promise<LastingHold | null> {
  const taken = await takenAs(db, batch, row, row.generation);
  if (taken?.event !== 'hold') return null;
  // Another batch may have tried it again since: the last one knows what there is to do.
  let last = taken;
  for (let generation = row.generation + 1; generation <= generationsMax; generation++)
    last = (await takenAs(db, batch, row, generation)) ?? last;
  return last.event === 'hold' ? last.problem : { ...last.problem, suggestion: 'Skip it here.' };
}

async function takenAs(
  db: Queryable,
  batch: BatchRecord,
  row: RowRecord,
  generation: number,
): Promise<KeyConflict | null> {
  const payment = await findPayment(db, paymentNames(batch, row, generation).key);
  return payment && keyConflict(db, row, payment);
}

/** A row that a person has named would be held again. */
export function notReleasable({ batch_id }: BatchRecord, { row_no }: RowRecord, hold: LastingHold): AirbatchError {
  const message = `row ${row_no} of batch ${batch_id} would be held again (${hold.code}), so nothing was released. ${hold.message}`;
  return new AirbatchError('ROW_NOT_RELEASABLE', message, { hint: hold.suggestion });
}

/**
 * The rows that were held after a person was shown what is held, at `seenSeq` of the batch's history: while the
 * question waits for its answer another process may hold more. Null: nobody was shown anything, and no row is unseen.
 */
export function makeUnseenHolds(seenSeq: number | null) {
  const unseen = new Set<number>();
  let readTo = seenSeq;
  return {
    /**
     * Reads on to where the batch stands now: within the transaction that lets rows go, so that none is held in
     * between.
     */
    async read(db: Queryable, { batch_id, audit_seq }: BatchRecord): Promise<void> {
      if (readTo === null) return;
      for (const rowNo of await rowsHeldSince(db, batch_id, readTo)) unseen.add(rowNo);
      readTo = audit_seq;
    },
    has: (rowNo: number) => unseen.has(rowNo),
  };
}

/** Why a row stays held that was held after the person looked. */
export function unseenHold({ row_no, problems }: RowRecord): PermanentlyHeldRow {
  const [first] = JSON.parse(problems ?? '[]') as { code: string; message: string }[];
  return {
    row: row_no,
    code: first?.code ?? '',
    why: first?.message ?? '',
    suggestion: 'It was held after you were asked: look at it, and release it then.',
  };
}
