import { z } from 'zod';
import { configFaults } from '../basics/errors.ts';
import { amountsByCurrency } from '../money/money-shapes.ts';
import { faultTexts, shapeFaults } from '../text/shape-faults.ts';

const count = z.number().int().nonnegative();
const percent = z.number().min(0).max(100);

const tierShape = z.strictObject({
  /** More rows to send than this, or a sum greater than this in any of these currencies. */
  rows: count.optional(),
  sums: amountsByCurrency.default({}),
  /** So many different people approve, and the submitter is none of them. */
  approvers: z.number().int().min(2).max(5),
});

const approvalFields = z.strictObject({
  /** Whether a second person must approve: never, always, or above a number of rows or a sum. */
  needed: z.enum(['never', 'always', 'above']).default('never'),
  /** With `above`: more rows to send than this. */
  rows: count.optional(),
  /**
   * With `above`: a sum greater than this in any of these currencies. Products have no known price, so any product
   * needs approval.
   */
  sums: amountsByCurrency.default({}),
  /** Above which rows or sums more than one person must approve. The highest tier that a batch exceeds counts. */
  tiers: z.array(tierShape).max(10).default([]),
  /** A batch that has waited for longer than this can no longer be approved, and is submitted again. */
  expiresAfterDays: z.number().positive().max(400).optional(),
  /** The approver sees amounts that differ by more than this percentage from the job's last run. */
  changedPercent: z.number().positive().max(1_000).default(20),
  /** Whether the person who submitted the batch may also approve it. The reports then say so. */
  bySubmitter: z.boolean().default(false),
});

const approvalShape = approvalFields.superRefine(({ needed, tiers, bySubmitter }, { addIssue }) => {
  const refuse = (message: string, path: (string | number)[]) => addIssue({ code: 'custom', message, path });
  if (tiers.length > 0 && needed === 'never')
    refuse('must be "always" or "above", because there are tiers', ['needed']);
  if (tiers.length > 0 && bySubmitter) refuse('cannot be true if there are tiers', ['bySubmitter']);
  for (const [at, { rows, sums }] of tiers.entries())
    if (rows === undefined && Object.keys(sums).length === 0) refuse('needs rows or sums', ['tiers', at]);
});

const canaryShape = z.strictObject({
  /** This many rows are sent first, alone. The others wait until each of these has ended. */
  rows: z.number().int().positive(),
  /** The batch pauses if more of these rows than this fail. */
  failuresMax: count.default(0),
});

const stopLossShape = z.strictObject({
  /** The batch pauses if more than this percentage of the last `rows` that ended have failed. */
  failurePercent: percent.default(20),
  rows: z.number().int().min(5).default(50),
});

const recipientMaximumShape = z.strictObject({
  /** The number of days over which the payments to one number are added up. */
  days: z.number().positive().max(400).default(30),
  /** The greatest sum, by currency. A currency that is not listed has no maximum. */
  sums: amountsByCurrency,
});

/** The most that one number may get from an account within a number of days, whichever batches send it. */
export type RecipientMaximum = z.output<typeof recipientMaximumShape>;

/** A policy as people write it. */
export const policyShape = z.strictObject({
  /**
   * A row is held for a person if its number was sent the same amount, or product, under another run id within this
   * many days. With 0, other runs are not compared, and neither is what the row's own run has sent, except for payments
   * that nobody could read.
   */
  repeatWithinDays: z.number().nonnegative().max(400).default(7),
  /**
   * A row is held for a person if its number gets more than this from all batches of the account together. Null if
   * there is no maximum.
   */
  recipientMaximum: recipientMaximumShape.nullable().default(null),
  approval: approvalShape.prefault({}),
  canary: canaryShape.nullable().default(null),
  stopLoss: stopLossShape.nullable().default(null),
  /**
   * A row's cost may differ by this percentage from that of other rows of the batch with the same amount and currency.
   * Null allows any cost.
   */
  costDeviationPercent: percent.nullable().default(null),
  /**
   * The batch pauses when its cost, in the currency that its rows ask for, exceeds this percentage of the approved sum.
   * Null turns the check off. Set it above 100 if the service charges fees.
   */
  spendingPercentMax: z.number().int().min(1).max(1_000).nullable().default(100),
  /**
   * What happens if the balance is too low for the whole batch: it does not begin, or it is sent until the money runs
   * out.
   */
  shortBalance: z.enum(['pause', 'go_on']).default('go_on'),
});

/**
 * What a batch may do without a person, as the configuration or its job said at intake. The ledger stores it with the
 * batch.
 */
export type BatchPolicy = z.output<typeof policyShape>;
export type BatchPolicyInput = z.input<typeof policyShape>;

/**
 * The policy of a batch: the given fields over the defaults. Throws `CONFIG_INVALID` with the names of all wrong
 * fields.
 */
export function batchPolicy(given: Readonly<Record<string, unknown>> = {}): BatchPolicy {
  const parsed = policyShape.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = faultTexts(shapeFaults(policyShape, given), 'policy', ['policy']);
  throw configFaults('the configuration', faults);
}

/** The policy that the ledger stores with the batch. Batches from before policies were stored have the defaults. */
export function storedPolicy(text: string): BatchPolicy {
  return batchPolicy(JSON.parse(text) as Record<string, unknown>);
}
