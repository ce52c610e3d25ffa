import { z } from 'zod';
import { sums, time } from './fields.ts';

const counts = z.record(z.string(), z.int());

/** The counts and sums of a version. */
const totals = z.strictObject({
  /** By status. */
  rows: counts,
  /** What completed rows asked for, in the recipients' currencies. */
  paid: sums,
  /** What the wallets were charged. */
  charged: sums,
  refunded: z.strictObject({ rows: z.int(), amounts: sums }),
});

/** What a version of a batch's reports says otherwise than the one before it. */
const difference = z.strictObject({
  /** Rows that differ in any column of results.csv. */
  rows: z.int(),
  /** How many rows differ in each column. */
  columns: counts,
  /** What the service has said since of rows that had ended, by the kind of the event. */
  late: counts,
  /** Whether whom the batch paid was forgotten: then columns that name people are not compared. */
  forgotten: z.boolean(),
  before: totals,
  after: totals,
});

/** Which version of a batch's reports some are, and what differs from the one before. */
export const reportVersion = z.strictObject({
  /** Null before the end of the batch, or without a key. */
  version: z.int().nullable(),
  as_of: time,
  previous: z
    .strictObject({
      version: z.int(),
      as_of: time,
      events: z.int(),
      head: z.string(),
      /** Null where it was written to another folder. */
      manifest_sha256: z.string().nullable(),
    })
    .nullable(),
  /** Null for a first version, and where it is not known. */
  difference: difference.nullable(),
  /** Why the difference from `previous` is not known. */
  difference_unknown: z.string().nullable(),
});
