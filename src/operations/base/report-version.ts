import { z } from 'zod';
import { folder, sums, time } from './fields.ts';

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

/** How a version of a batch's reports differs from the previous one. */
const difference = z.strictObject({
  /** Rows that differ in any column of results.csv. */
  rows: z.int(),
  /** How many rows differ in each column. */
  columns: counts,
  /** Status updates that the service sent after rows had ended, by the kind of the event. */
  late: counts,
  /** Whether the batch's people were erased. Then columns that name people are not compared. */
  forgotten: z.boolean(),
  before: totals,
  after: totals,
});

/** The version of a batch's reports, and how it differs from the previous one. */
const reportVersion = z.strictObject({
  /** Null before the batch has ended, or without a key. */
  version: z.int().nullable(),
  as_of: time,
  previous: z
    .strictObject({
      version: z.int(),
      as_of: time,
      events: z.int(),
      head: z.string(),
      /** Null if the previous version is in another folder. */
      manifest_sha256: z.string().nullable(),
    })
    .nullable(),
  /** Null for a first version, or if it is not known. */
  difference: difference.nullable(),
  /** Why the difference from `previous` is not known. */
  difference_unknown: z.string().nullable(),
});

/** A folder of reports, and the version in it. */
export const writtenReports = reportVersion.extend({
  dir: folder,
  files: z.array(z.string()),
  /** False if nothing has changed since this version was written. */
  is_new: z.boolean(),
  /** The first fault of the batch's audit chain: then the figures cannot be relied on. Null if the chain is intact. */
  chain_broken: z.string().nullable(),
});
