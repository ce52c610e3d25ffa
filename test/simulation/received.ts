import { makeContentDigest } from '../../src/core/identity/content-digest.ts';
import type { RowState } from '../../src/core/state/row-state.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import { type BatchRecord, findBatch } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { type NewRow, pageRows } from '../../src/ledger/rows/rows.ts';
import { inUnit, type Unit } from '../../src/ledger/unit-of-work.ts';

/** Writes what intake writes of a file: the batch as received, its rows with the verdict on them, and what was read. */
export function receiveBatch(
  db: Database,
  clock: Clock,
  batch: Omit<BatchRecord, 'audit_seq' | 'audit_head'>,
  rows: readonly NewRow[],
  judge: (unit: Unit) => Promise<void> = async () => undefined,
): Promise<void> {
  const { batch_id, account, service, run_id, file_sha256, created_by, finish_by } = batch;
  return inUnit(db, { clock, actor: 'intake' }, async (unit) => {
    await unit.addBatch(
      { ...batch, status: 'received', content_sha256: null, created_at: unit.at },
      { account, service, run_id, file_sha256, created_by, through: 'cli', finish_by },
    );
    await unit.addRows(batch_id, rows);
    await judge(unit);
    const read = await pageRows(unit.tx, batch_id, 0, rows.length);
    const digest = makeContentDigest();
    for (const row of read) digest.add(row);
    const count = (state: RowState) => read.filter(({ status }) => status === state).length;
    const content_sha256 = digest.hex();
    const received = (await findBatch(unit.tx, batch_id)) as BatchRecord;
    await unit.changeBatch(
      received,
      'validate',
      { content_sha256 },
      {
        ...{ content_sha256, rows: read.length, valid: count('ready') },
        ...{ invalid: count('invalid'), held: count('held'), skipped: count('skipped') },
        ...{ delimiter: ',', amount_column: 'amount', decimal_sign: '.' },
      },
    );
  });
}
