import { z } from 'zod';
import { pauseReasons } from '../../core/state/batch-state.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import { balanceJson } from './balance-json.ts';
import { balance, batchId, sums, time } from './fields.ts';

/** When a batch will be done if it begins now, and which other batches it makes late. */
export const plannedFinish = z.strictObject({
  finish_by: time.nullable(),
  done_at: time.nullable(),
  /** Why `done_at` is not known: the service is unreachable, or the account is paused. */
  done_unknown: z.enum(['unreachable', ...pauseReasons]).nullable(),
  in_time: z.boolean().nullable(),
  /** What would make a late batch end in time; null if nothing would. */
  in_time_if: z.enum(['urgent', 'alone']).nullable(),
  /** Batches that would be in time without this one. */
  makes_late: z.array(z.strictObject({ batch_id: batchId, finish_by: time, done_at: time })),
});

/** What a batch would do, before any of its rows is sent. */
export const plan = plannedFinish.extend({
  /** Rows by status. */
  counts: z.record(z.string(), z.int()),
  rows: z.int(),
  to_send: z.int(),
  /** Rows to send that failed before. */
  again: z.int(),
  sums,
  /** The same by network, the network with most rows first. Products are in no sum. */
  networks: z.array(
    z.strictObject({
      network_id: z.int().nullable(),
      /** Null if the catalog does not say. */
      name: z.string().nullable(),
      /** Of the numbers: ISO 3166, two letters. */
      country: z.string().nullable(),
      rows: z.int(),
      sums,
    }),
  ),
  /** Rows that buy a product. */
  products: z.int(),
  product_sums: sums,
  products_unpriced: z.int(),
  /** Rows whose text message the service replaces with its own. */
  texts_lost: z.int(),
  unusual: z.array(
    z.strictObject({
      ...{ currency: z.string(), amount: z.string(), usual: z.string() },
      /** Some of the rows that ask for it, by their numbers and by their lines in the file. */
      ...{ rows: z.array(z.int()), lines: z.array(z.int()) },
    }),
  ),
  balance: balance.nullable(),
  /** Why the balance could not be read. */
  balance_trouble: z.string().nullable(),
  short: z.array(z.strictObject({ currency: z.string(), missing: z.string(), others: z.string().nullable() })),
  /** Rows of other batches that are sent before or between them. */
  rows_before: z.int(),
  estimate_ms: z.number(),
  /** The number of rows for the phone number that gets most, if the spacing of these rows determines the time. */
  spaced: z.strictObject({ rows: z.int(), apart_ms: z.int() }).nullable(),
});
export type Plan = z.output<typeof plan>;

export function planJson(of: Preflight): Plan {
  const { counts, rows, again, sums, products, unusual, balance, short, spaced } = of;
  return {
    counts,
    rows,
    to_send: of.toSend,
    again,
    sums,
    networks: of.networks.map(({ networkId, name, ...network }) => ({
      network_id: networkId,
      name: name === '' ? null : name,
      ...network,
    })),
    products,
    product_sums: of.productSums,
    products_unpriced: of.productsUnpriced,
    texts_lost: of.textsLost,
    unusual,
    balance: balance && balanceJson(balance),
    balance_trouble: of.balanceTrouble,
    short,
    rows_before: of.rowsBefore,
    estimate_ms: of.estimateMs,
    spaced: spaced && { rows: spaced.rows, apart_ms: spaced.apartMs },
    ...plannedFinishJson(of),
  };
}

export function plannedFinishJson({
  finish: { finishBy, doneAt, unknown, inTimeIf, makesLate },
}: Preflight): z.output<typeof plannedFinish> {
  return {
    finish_by: isoOrNull(finishBy),
    done_at: isoOrNull(doneAt),
    done_unknown: unknown,
    in_time: finishBy === null || doneAt === null ? null : doneAt <= finishBy,
    in_time_if: inTimeIf,
    makes_late: makesLate.map(({ batch: batch_id, ...late }) => ({
      batch_id,
      finish_by: isoTime(late.finishBy),
      done_at: isoTime(late.doneAt),
    })),
  };
}
