import { z } from 'zod';
import { batchStates } from '../../core/state/batch-state.ts';
import { rowStates } from '../../core/state/row-state.ts';
import { priorities } from '../../ledger/batches/batches.ts';

/** Fields that several operations share. */

/** The id of a batch. It is any text, so that the operation itself says whether such a batch exists. */
export const batchId = z.string();

/** A person's reason, for the audit log. */
export const reason = z
  .string()
  .trim()
  .refine((text) => /[^\s\p{C}]/u.test(text), {
    error: 'is empty',
    params: { hint: 'Give the reason in a few words: the audit log keeps it.' },
  });

/** The largest number of a row, a column or a version. PostgreSQL refuses one that is larger than an INTEGER. */
export const numberMax = 999_999_999;

/** The number of a row in the file, from 1, without the header. */
export const rowNo = z.int().min(1).max(numberMax);

/** The number of a column in the file, from 0. */
export const columnNo = z.int().min(0).max(numberMax);

/** The number of the row or the step after which a page begins. */
export const afterNo = z.int().min(0).max(numberMax).default(0);

/**
 * What the text of a problem names, for programs that write it in another language: countries as two-letter codes,
 * amounts as decimals. `why` tells cases of one code apart.
 */
export const problemValues = z.record(z.string(), z.string());

/** Says the same as the sentence next to it, for programs that write it in another language; null: unknown. */
export const someReason = z.strictObject({ code: z.string(), values: z.record(z.string(), z.string()) });
export const stableReason = someReason.nullable();

/** The same for the result of a slot, whose sentence has several parts. */
export const slotReasons = z.array(someReason).nullable();

/** What is wrong with a row, or unusual about it. */
export const problems = z.array(
  z.strictObject({ code: z.string(), column: z.string().nullable(), message: z.string(), suggestion: z.string() }),
);

/** The priority of a batch among the others of its account. */
export const priority = z.enum(priorities);
export type Priority = z.output<typeof priority>;

export const batchStatus = z.enum(batchStates);
export const rowStatus = z.enum(rowStates);

/** A decimal as text, and its currency. */
export const money = z.object({ currency: z.string(), value: z.string() });

/** Decimals as text, by currency. */
export const sums = z.record(z.string(), z.string());

/** The absolute path of a folder. */
export const folder = z.string();

/** A time in ISO 8601, in UTC. */
export const time = z.string();

/** A time of an input, with its zone. */
export const moment = z.iso.datetime({ offset: true });

/** How many records a page has, usually and at the most. */
export const pageSize = (usual: number, most: number) => z.int().min(1).max(most).default(usual);

/** Whether a program works for the batch's account now and so continues the batch by itself. */
export const isWorkedOn = z.boolean();

/** The name of an account in the configuration. */
export const accountName = z.string();

/** Whether the embedded sandbox answered, where no money moves. */
export const isRehearsal = z.boolean();

/** A balance of an account. */
export const balance = z.strictObject({
  /** The service's sum of all wallets, in USD; null for version 1. */
  total: money.nullable(),
  wallets: z.array(
    z.strictObject({
      wallet_id: z.string(),
      name: z.string(),
      /** Empty for version 1: it has one balance for each network and does not name its currency. */
      currency: z.string(),
      balance: z.string(),
      active: z.boolean(),
    }),
  ),
  read_at: time,
});

/** What a person can do so that a batch continues. Each door says how: the command line names the command. */
export const waysOn = z.array(z.enum(['approve', 'reject', 'resume', 'resume_moved', 'run', 'resolve', 'decide_held']));
export type WayOn = z.output<typeof waysOn>[number];
