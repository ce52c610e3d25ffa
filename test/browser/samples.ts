import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowEvent } from '../../src/core/state/row-state.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { type BatchRecord, embeddedSandboxService } from '../../src/ledger/batches/batches.ts';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { findRow } from '../../src/ledger/rows/rows.ts';
import type { RowFields } from '../../src/ledger/rows/update-row.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { submitFile } from '../../src/operations/files/submit-file.ts';
import { withAccount } from '../../src/runtime/accounts/with-account.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { aBatch, addBatch, aRow } from '../support/ledger.ts';

const people = ['Wanjiru Kamau', 'Otieno Odhiambo', 'Achieng Were', 'Kipchoge Rotich', 'Amina Yusuf', 'Grace Mutua'];
const amounts = ['500', '750', '1250.5', '300'];
/** What a shilling costs the wallet of the sandbox. */
const costOf = (amount: string) => (Math.round(Number(amount) * 97) / 100).toFixed(2);

/** The ids of the sample batches, by what they are for. */
export const samples = {
  running: '20261126-060000-aa01',
  done: '20261026-060000-aa02',
  paused: '20261126-061500-aa03',
};

/** A batch with names, in the sandbox's account. */
export function sampleBatch(batch_id: string, fields: Partial<BatchRecord>) {
  return aBatch({
    ...{ batch_id, account: 'sandbox', service: embeddedSandboxService, created_by: 'otieno', approved_by: 'wanjiru' },
    columns: '["phone_number","network_id","amount","currency","employee"]',
    created_at: systemClock.now() - 3_600_000,
    ...fields,
  });
}

export function sampleRow(batch_id: string, rowNo: number) {
  const amount = amounts[rowNo % amounts.length] ?? '500';
  const phone_number = `+25471${String(2_000_000 + rowNo * 137).padStart(7, '0')}`;
  const input = JSON.stringify([phone_number, '1', amount, 'KES', people[rowNo % people.length]]);
  return aRow(rowNo, { batch_id, amount, phone_number, input });
}

/** Takes a row of a batch through these events, as the engine does. */
export async function moveRow(
  { db }: Pick<Session, 'db'>,
  batchId: string,
  rowNo: number,
  events: readonly (readonly [RowEvent, RowFields, object])[],
): Promise<void> {
  await inUnit(db, { clock: systemClock, actor: 'engine' }, async (unit) => {
    let row = await findRow(unit.tx, batchId, rowNo);
    for (const [event, fields, data] of events)
      if (row !== null) row = await unit.changeRow(row, event, fields, { ...data });
  });
}

const now = () => systemClock.now();

/** What the wallet in shillings held at a time. */
function balanceAt(readAt: number, balance: string): string {
  const wallet = { walletId: 'wallet-kes', name: 'local KES', currency: 'KES', balance, active: true };
  return JSON.stringify({ total: null, wallets: [wallet], readAt });
}

function sent(rowNo: number): [RowEvent, RowFields, object] {
  return ['send', { attempts: 1, first_sent_at: now() - 600_000 + rowNo * 1_000 }, { attempt: 1, generation: 1 }];
}

/** Why a row is held: an earlier batch has paid the same. */
const sentBefore = {
  ...{ code: 'SENT_LATELY', column: null, earlier_batch: samples.done },
  values: { why: 'sent', day: '2026-11-25', batch: samples.done, row: '4', earlier_line: '5' },
  message: `The same number was sent the same on 2026-11-25, in batch ${samples.done}, row 4 (run payroll-2026-10, completed).`,
  suggestion: 'Release the row to pay both; skip it if it is the same payment.',
};

/** The ways of rows. */
export const ways = {
  complete: (rowNo: number): [RowEvent, RowFields, object][] => {
    const cost = costOf(amounts[rowNo % amounts.length] ?? '500');
    const paid = { topup_id: `tp_${rowNo}00417`, cost, cost_currency: 'KES', service_status: 'completed' };
    return [
      sent(rowNo),
      ['complete', { ...paid, completed_at: now() - 500_000 + rowNo * 1_000 }, { topup_id: paid.topup_id }],
    ];
  },
  accept: (rowNo: number): [RowEvent, RowFields, object][] => [
    sent(rowNo),
    ['accept', { topup_id: `tp_${rowNo}00417`, service_status: 'processing', accepted_at: now() - 60_000 }, {}],
  ],
  fail: (rowNo: number): [RowEvent, RowFields, object][] => {
    const why = { failure_code: 'INVALID_PHONE_NUMBER', failure_reason: 'the network does not know this number' };
    return [sent(rowNo), ['fail', { ...why, completed_at: now() - 400_000 }, { code: 'INVALID_PHONE_NUMBER' }]];
  },
  doubt: (rowNo: number): [RowEvent, RowFields, object][] => [
    sent(rowNo),
    ['doubt', { next_action_at: null }, { why: 'interrupted' }],
  ],
  hold: (): [RowEvent, RowFields, object][] => [
    ['hold', { problems: JSON.stringify([sentBefore]) }, { why: 'SENT_LATELY', other_batch: samples.done }],
  ],
};

/** Adds a batch of every kind: one that waits, one that is being sent, one that is paused, one that is finished. */
export async function addSamples(session: Session): Promise<void> {
  await addWaiting(session);
  await addMoving(session, samples.running, {
    run_id: 'bonus-2026-11',
    file_name: 'bonus november.xlsx',
    status: 'running',
    balance_before: balanceAt(now() - 700_000, '500000'),
  });
  await addMoving(session, samples.paused, {
    run_id: 'airtime-field-team',
    file_name: 'field team.csv',
    status: 'running',
  });
  const { db } = session;
  await inUnit(db, { clock: systemClock, actor: 'wanjiru', through: 'console' }, async (unit) => {
    const why = { text: 'two numbers have changed: wait for the new list', reason: null };
    const pause = { reason: 'by_person' as const, why };
    await unit.pauseBatch(await requireBatch(unit.tx, samples.paused), pause);
  });
  await addDone(session);
}

async function addMoving(session: Session, id: string, fields: Partial<BatchRecord>): Promise<void> {
  const rows = Array.from({ length: 60 }, (_, index) => sampleRow(id, index + 1));
  const started_at = now() - 700_000;
  await addBatch(
    session.db,
    systemClock,
    sampleBatch(id, { ...fields, started_at, approved_at: started_at - 60_000 }),
    rows,
  );
  for (let rowNo = 1; rowNo <= 36; rowNo++)
    await moveRow(session, id, rowNo, rowNo % 17 === 0 ? ways.fail(rowNo) : ways.complete(rowNo));
  for (let rowNo = 37; rowNo <= 42; rowNo++) await moveRow(session, id, rowNo, ways.accept(rowNo));
  for (const rowNo of [43, 44, 45]) await moveRow(session, id, rowNo, ways.doubt(rowNo));
  for (const rowNo of [46, 47]) await moveRow(session, id, rowNo, ways.hold());
}

async function addDone(session: Session): Promise<void> {
  const id = samples.done;
  const rows = Array.from({ length: 30 }, (_, index) => sampleRow(id, index + 1));
  const started_at = now() - 31 * 86_400_000;
  const about = { run_id: 'payroll-2026-10', file_name: 'payroll-2026-10.csv', created_at: started_at - 600_000 };
  const balances = {
    balance_before: balanceAt(started_at, '520664.92'),
    balance_after: balanceAt(started_at + 900_000, '500000'),
  };
  const batch = sampleBatch(id, {
    ...about,
    ...balances,
    status: 'running',
    started_at,
    approved_at: started_at - 60_000,
  });
  await addBatch(session.db, systemClock, batch, rows);
  for (let rowNo = 1; rowNo <= 30; rowNo++)
    await moveRow(session, id, rowNo, rowNo === 11 ? ways.fail(rowNo) : ways.complete(rowNo));
  await inUnit(session.db, { clock: systemClock, actor: 'engine' }, async (unit) => {
    await unit.changeBatch(await requireBatch(unit.tx, id), 'complete', { completed_at: started_at + 900_000 }, {});
  });
}

/** A file that was submitted as people do it, and waits for a second person. */
async function addWaiting(session: Session): Promise<void> {
  const rows = Array.from({ length: 412 }, (_, index) => {
    const { phone_number, amount } = sampleRow('', index + 1);
    const person = people[index % people.length];
    return [
      index === 100 ? '0712' : phone_number,
      '1',
      ...(index === 300 ? ['', '', '102'] : [index === 200 ? '50000' : amount, 'KES', '']),
      `PAY-${index + 1}`,
      person,
    ];
  });
  const lines = [
    'phone_number,network_id,amount,currency,product_id,reference,employee',
    ...rows.map((row) => row.join(',')),
  ];
  const path = join(session.config.out, '..', 'payroll-2026-11.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  const asClerk: Session = { ...session, person: 'otieno', through: 'api' };
  const door = {
    nameOf: (field: string) => field,
    withAccount: (name: string | undefined, work: never) => withAccount(session, name, work),
  };
  await performIn(asClerk, submitFile, door as never, { file: path, run_id: 'payroll-2026-11' });
}
