import { z } from 'zod';
import { Sums } from '../../core/money/money.ts';
import { waitingReason } from '../../core/state/doubt-texts.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { lastEvidence } from '../../engine/doubts/in-doubt.ts';
import { paymentNames } from '../../engine/payments/payment-request.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { batchesInDoubt, type DoubtInShort, doubtsOf, findDoubt } from '../../ledger/rows/doubts.ts';
import { dueByClock } from '../../ledger/rows/in-flight-rows.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { findRow } from '../../ledger/rows/rows.ts';
import { personOf } from '../../reports/summary/stored.ts';
import { maskNumbers, maskPhone } from '../../reports/text/mask.ts';
import type { Session } from '../../runtime/session/session.ts';
import { accountName, batchId, pageSize, rowNo, stableReason, sums, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { visibleAccounts } from '../base/visible.ts';
import { doubtPeople } from './doubt-people.ts';

const text = z.string().nullable();

const doubt = z.strictObject({
  batch_id: batchId,
  run_id: z.string(),
  account: accountName,
  row: rowNo,
  line: z.int(),
  /** The name in the file; null if the file has none. */
  person: text,
  /** Masked: `2********118`. */
  phone_number: text,
  amount: text,
  currency: text,
  product_id: text,
  /** When it was first sent. */
  since: time.nullable(),
  /** Requests that were, or may have been, sent. */
  attempts: z.int(),
  /** The service's answer to the last request. */
  last_answer: z.strictObject({ http_status: z.int().nullable(), code: z.string(), message: z.string() }).nullable(),
  why: text,
  /** Says the same as `why`. */
  why_reason: stableReason,
  /** When it is looked up next; null: it is left to a person. */
  next: time.nullable(),
  /** The last look-up that a person asked for. */
  last_look_up: z.strictObject({ at: time, by: z.string(), outcome: z.string() }).nullable(),
  /** The person who takes care of it. */
  owner: text,
});

const input = z.strictObject({
  account: accountName.optional(),
  /** Only rows of this batch. */
  batch_id: batchId.optional(),
  /** Only rows of this owner; empty: rows without an owner. */
  owner: z.string().optional(),
  /** `next` of the previous page. */
  after: z.string().optional(),
  limit: pageSize(100, 500),
});

/** Lists the rows in doubt of all batches, the oldest first: the evidence, the age, the owner; and their sum. */
export const listDoubts = defineOperation({
  name: 'list-doubts',
  role: 'audit',
  ledger: 'change',
  showsOnlyVisible: true,
  input,
  result: z.strictObject({
    /** All rows that match, on all pages. */
    count: z.int(),
    /** Their amounts, without products. */
    sums,
    /** Rows that buy a product. */
    products: z.int(),
    /** When the oldest was first sent. */
    oldest: time.nullable(),
    doubts: z.array(doubt),
    /** Null after the last page. */
    next: z.string().nullable(),
    /** The people who can own a doubt. */
    people: z.array(z.string()),
  }),
  async run({ session }, query) {
    const all = await doubtsFor(session, query);
    const total = new Sums();
    for (const { doubt: row } of all)
      if (row.amount !== null && row.currency !== null) total.add(row.currency, row.amount);
    const { after, limit } = query;
    const rest = after === undefined ? all : all.filter((one) => one.key > after);
    const page = rest.slice(0, limit);
    const doubts: z.output<typeof doubt>[] = [];
    for (const { batch, doubt: row } of page) doubts.push(...(await described(session, batch, row)));
    return {
      count: all.length,
      sums: total.toObject(),
      products: all.filter(({ doubt: { amount } }) => amount === null).length,
      oldest: isoOrNull(all[0]?.doubt.first_sent_at ?? null),
      doubts,
      next: rest.length > page.length ? (page.at(-1)?.key ?? null) : null,
      people: await doubtPeople(session, [...new Set(all.map(({ batch: { account } }) => account))]),
    };
  },
});

/** A row in doubt with its batch. `key`: its place in the list, as text that sorts. */
interface Found {
  key: string;
  batch: BatchRecord;
  doubt: DoubtInShort;
}

async function doubtsFor(session: Session, query: z.output<typeof input>): Promise<Found[]> {
  const { db, clock } = session;
  const accounts = query.account === undefined ? visibleAccounts(session) : [query.account];
  const found: Found[] = [];
  for (const batch of await batchesInDoubt(db)) {
    if (accounts !== null && !accounts.includes(batch.account)) continue;
    if (query.batch_id !== undefined && batch.batch_id !== query.batch_id) continue;
    for (const one of await doubtsOf(db, batch.batch_id)) {
      if (query.owner !== undefined && (one.owner ?? '') !== query.owner) continue;
      const sent = String(one.first_sent_at ?? 0).padStart(15, '0');
      found.push({ key: `${sent} ${batch.batch_id} ${String(one.row_no).padStart(9, '0')}`, batch, doubt: one });
    }
    await clock.turn();
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Empty if the row has left its doubt since it was listed. */
async function described(
  { db, clock }: Session,
  batch: BatchRecord,
  { row_no }: DoubtInShort,
): Promise<z.output<typeof doubt>[]> {
  const row = await findRow(db, batch.batch_id, row_no);
  if (row?.status !== 'in_doubt') return [];
  const payment = await findPayment(db, paymentNames(batch, row, row.generation).key);
  const evidence = payment && lastEvidence(payment);
  const known = await findDoubt(db, row);
  const { line, phone_number, amount, currency, product_id, attempts, failure_reason } = row;
  const person = personOf(batch, row, { mask: false });
  const asked = known?.looked_up_at ? known : null;
  return [
    {
      ...{ batch_id: batch.batch_id, run_id: batch.run_id, account: batch.account, row: row_no, line },
      person: person && maskNumbers(person),
      phone_number: phone_number && maskPhone(phone_number),
      ...{ amount, currency, product_id, attempts },
      since: isoOrNull(row.first_sent_at),
      last_answer: evidence && {
        ...{ http_status: evidence.httpStatus, code: evidence.code, message: maskNumbers(evidence.message) },
      },
      why: failure_reason && maskNumbers(failure_reason),
      why_reason: waitingReason(row, known?.reason ?? null),
      next: isoOrNull(await dueByClock(db, row.next_action_at, clock.now())),
      last_look_up: asked && {
        at: isoOrNull(asked.looked_up_at) ?? '',
        by: asked.looked_up_by ?? '',
        outcome: asked.look_up ?? '',
      },
      owner: known?.owner ?? null,
    },
  ];
}
