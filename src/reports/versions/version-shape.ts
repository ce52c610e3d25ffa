import { z } from 'zod';
import { amountsByCurrency } from '../summary/summary-shape.ts';

const counts = z.record(z.string(), z.int());

/** The previous published reports of the batch, as these reports name them. */
const previousVersion = z.strictObject({
  version: z.int(),
  as_of: z.string(),
  /** The length of its audit chain, which this one continues. */
  events: z.int(),
  head: z.string(),
  /**
   * SHA-256 (hex) of its manifest.json, which has the digests of all its files; null if it was written to another
   * folder.
   */
  manifest_sha256: z.string().nullable(),
});
export type PreviousVersion = z.output<typeof previousVersion>;

/** The version of a batch's reports; null if they were not published: before the batch's end, or without a key. */
const versionMark = z.strictObject({
  version: z.int().nullable(),
  as_of: z.string(),
  previous: previousVersion.nullable(),
});
export type VersionMark = z.output<typeof versionMark>;

/** The counts and sums of a version, as its summary has them. */
const totals = z.strictObject({
  /** By status. */
  rows: counts,
  /** The amounts of completed rows, in the recipients' currencies. */
  paid: amountsByCurrency,
  /** What the wallets were charged. */
  charged: amountsByCurrency,
  refunded: z.strictObject({ rows: z.int(), amounts: amountsByCurrency }),
});
export type Totals = z.output<typeof totals>;

/** How a version of a batch's reports differs from the previous one. */
const difference = z.strictObject({
  /** Rows that differ in any column of results.csv. */
  rows: z.int(),
  /** How many rows differ in each column; columns without a difference are left out. */
  columns: counts,
  /** Late changes to rows that had ended, by the kind of the event. The rows keep their state. */
  late: counts,
  /**
   * Whether the people of the batch were forgotten. Then columns that name people are not compared, and nothing of them
   * is repeated.
   */
  forgotten: z.boolean(),
  before: totals,
  after: totals,
});
export type Difference = z.output<typeof difference>;

/** The version of a batch's reports, and what differs from the previous one: part of `summary.json`. */
const reportVersion = versionMark.extend({
  /** The difference from `previous`; null for a first version, or if it is unknown. */
  difference: difference.nullable(),
  /** Why the difference from `previous` is unknown, as text. */
  difference_unknown: z.string().nullable(),
});
export type ReportVersion = z.output<typeof reportVersion>;

/** A folder of reports, the names of its files, and the version in it. */
export const writtenReports = reportVersion.extend({
  dir: z.string(),
  files: z.array(z.string()),
  /** False if the folder already had this version: nothing has changed since. */
  is_new: z.boolean(),
  /** The first fault of the batch's audit chain: then the figures cannot be relied on. Null if the chain is intact. */
  chain_broken: z.string().nullable(),
});
export type WrittenReports = z.output<typeof writtenReports>;
