import { z } from 'zod';
import { configFaults } from '../basics/errors.ts';
import { amountsByCurrency } from '../money/money-shapes.ts';
import { faultTexts, shapeFaults } from '../text/shape-faults.ts';

const count = z.number().int().nonnegative();
const percent = z.number().min(0).max(100);

const approvalShape = z.strictObject({
  /** Whether a second person must approve: never, always, or above a number of rows or a sum. */
  needed: z.enum(['never', 'always', 'above']).default('never'),
  /** With `above`: more rows to send than this. */
  rows: count.optional(),
  /**
   * With `above`: a sum greater than this in any of these currencies. Products have no sum: any product asks for
   * approval.
   */
  sums: amountsByCurrency.default({}),
  /** The approver is shown amounts that differ by more than so many percent from the last run of the job. */
  changedPercent: z.number().positive().max(1_000).default(20),
  /** Whether who submitted may also approve; the reports then say so. */
  bySubmitter: z.boolean().default(false),
});

const canaryShape = z.strictObject({
  /** So many rows go first, alone; the rest waits until each of them has ended. */
  rows: z.number().int().positive(),
  /** More failures among them than this pause the batch. */
  failuresMax: count.default(0),
});

const stopLossShape = z.strictObject({
  /** More failures than this among the last `rows` that ended pause the batch. */
  failurePercent: percent.default(20),
  rows: z.number().int().min(5).default(50),
});

const recipientMaximumShape = z.strictObject({
  /** The days within which what one number was sent is summed up. */
  days: z.number().positive().max(400).default(30),
  /** The greatest sum, by currency; a currency that is not named has none. */
  sums: amountsByCurrency,
});

/** The most that one number may get from an account within some days, whichever batches send it. */
export type RecipientMaximum = z.output<typeof recipientMaximumShape>;

/** A policy as people write it. */
export const policyShape = z.strictObject({
  /**
   * A row is held for a person when its number was sent the same amount, or product, under another run id within so
   * many days; 0: that is not looked at, nor whether a row may correct what its own run has sent, but where nobody
   * could read what was sent.
   */
  repeatWithinDays: z.number().nonnegative().max(400).default(7),
  /**
   * A row with which its number gets more than this, in all batches of the account together, is held for a person;
   * null: none is.
   */
  recipientMaximum: recipientMaximumShape.nullable().default(null),
  approval: approvalShape.prefault({}),
  canary: canaryShape.nullable().default(null),
  stopLoss: stopLossShape.nullable().default(null),
  /**
   * A row may cost this many percent more or less than others of the same amount and currency did in this batch; null:
   * any.
   */
  costDeviationPercent: percent.nullable().default(null),
  /**
   * The batch pauses when its cost, in the currency that its rows ask for, is more than so many percent of the sum
   * that was approved; null: that is not looked at. More than 100 where the service charges fees.
   */
  spendingPercentMax: z.number().int().min(1).max(1_000).nullable().default(100),
  /**
   * What a balance that is too low for the whole batch means: it does not begin, or it goes as far as the money
   * reaches.
   */
  shortBalance: z.enum(['pause', 'go_on']).default('go_on'),
});

/** What a batch may do without a person, as the configuration or its job said at intake. Stored with the batch. */
export type BatchPolicy = z.output<typeof policyShape>;
export type BatchPolicyInput = z.input<typeof policyShape>;

/**
 * The policy of a batch: what is given, over the defaults. Throws `CONFIG_INVALID` with the names of the fields that
 * are wrong.
 */
export function batchPolicy(given: Readonly<Record<string, unknown>> = {}): BatchPolicy {
  const parsed = policyShape.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = faultTexts(shapeFaults(policyShape, given), 'policy', ['policy']);
  throw configFaults('the configuration', faults);
}

/** The policy stored with a batch. Batches from before policies were stored have the defaults. */
export function storedPolicy(text: string): BatchPolicy {
  return batchPolicy(JSON.parse(text) as Record<string, unknown>);
}
