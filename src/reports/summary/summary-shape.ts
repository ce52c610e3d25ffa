import { z } from 'zod';
import { batchStates, pauseReasons } from '../../core/state/batch-state.ts';
import { rowStates } from '../../core/state/row-state.ts';

/** Amounts by currency code, as canonical decimal texts ("1250.5"): read them as decimals, not as floats. */
export const amountsByCurrency = z.record(z.string(), z.string());
export type AmountsByCurrency = z.output<typeof amountsByCurrency>;

const text = z.string().nullable();
/** The number of a row in the file, from 1, without the header. */
export const rowNo = z.int().min(1).max(999_999_999);

const walletChange = z.strictObject({
  wallet_id: z.string(),
  name: z.string(),
  currency: z.string(),
  /** Null if the wallet did not exist at that time, or was not read. */
  before: text,
  after: text,
  /** before - after: what left the wallet. */
  difference: text,
});
export type WalletChange = z.output<typeof walletChange>;

const balanceExplanation = z.strictObject({
  /** Empty if the wallets name no currency (V1): they are compared all together, each in its own units. */
  currency: z.string(),
  /** before - after, over all wallets in this currency. */
  difference: z.string(),
  /** Without the rows that had been paid before the first reading. */
  charged_by_this_batch: z.string(),
  /**
   * What this batch was charged between the two readings for payments that are in no row's cost: those that had failed
   * and were completed later, and second payments. Less the refunds of such charges in that time.
   */
  charged_late: z.string(),
  /** Less the refunds of their charges between the two readings; negative if the refunds are more. */
  charged_by_other_batches: z.string(),
  /**
   * Refunds of this batch's charges that the service reported up to the second reading: of earlier payments, and of
   * failed and paid rows.
   */
  came_back: z.string(),
  /**
   * The rest. Positive: more left the wallets than this ledger knows of (another program, a fee). Negative: less left
   * them (a deposit, or a refund that the service did not report in time). A reconciliation with the service's list
   * shows which.
   */
  unexplained: z.string(),
});
export type BalanceExplanation = z.output<typeof balanceExplanation>;

const uncertainCharge = z.strictObject({
  batch_id: z.string(),
  row: rowNo,
  topup_id: text,
  first_sent_at: text,
  /**
   * What the service charged, in `currency`; negative if it reduced the cost of a paid row. Null if the service has not
   * said what it charged.
   */
  amount: text,
  currency: text,
  /** Whether the explanation includes it: together, all such charges in its currency are exactly the rest. */
  counted: z.boolean(),
});
export type UncertainCharge = z.output<typeof uncertainCharge>;

/**
 * The wallets before the first row and after the last, and what explains the difference. For each currency: before -
 * after = charged by this batch + charged late + charged by other batches of the account meanwhile - refunds +
 * unexplained.
 */
const balanceProof = z.strictObject({
  /**
   * When the balances were read (ISO 8601 UTC). Null if that has not happened, or if the service did not answer;
   * `after` is also null while a retry is running.
   */
  before_read_at: text,
  after_read_at: text,
  wallets: z.array(walletChange),
  /** One entry for each currency with a wallet or a charge. Empty until both balances are known. */
  explanation: z.array(balanceExplanation),
  /** True if both balances are known and nothing is unexplained; null until both are known. */
  explained: z.boolean().nullable(),
  /**
   * Charges that may explain the rest, if there was one: the service does not say when it charged them, or how much.
   */
  uncertain: z.strictObject({ charges: z.int(), first: z.array(uncertainCharge) }),
});
export type BalanceProof = z.output<typeof balanceProof>;

/** Failed rows with one code: the reason of the first of them, and how many have another. */
const failures = z.strictObject({ rows: z.int(), reason: text, other_reasons: z.int() });
export type Failures = z.output<typeof failures>;

const waiting = z.strictObject({ rows: z.int(), requested: amountsByCurrency, oldest_sent_at: text });

/**
 * The content of `summary.json`, as `docs/report-format.md` explains it. Within a `format` its shape is stable: fields
 * may be added, none changes its meaning. Times are ISO 8601 in UTC with milliseconds; objects whose keys are data are
 * in alphabetical order.
 */
export const summaryShape = z.strictObject({
  format: z.literal('airbatch.summary/1'),
  batch_id: z.string(),
  run_id: z.string(),
  account: z.string(),
  /** Where the money went: the service's base URL, or the embedded sandbox. */
  service: z.string(),
  /** True if no real money moved. */
  sandbox: z.boolean(),
  status: z.enum(batchStates),
  /** Why a paused batch is paused: the code of the first reason, and its detail, which names any other reasons too. */
  pause: z.strictObject({ reason: z.enum(pauseReasons), detail: text }).nullable(),
  /** Why the file was rejected, in a sentence. */
  rejection: text,
  file_name: z.string(),
  /** SHA-256 (hex) of the file's bytes. */
  input_sha256: text,
  /** SHA-256 (hex) of the rows as validated, whatever the file's format. An approval is bound to it. */
  content_sha256: text,
  /** Name and version of the program that created the batch. */
  program: z.string(),
  created_by: z.string(),
  approved_by: text,
  /** How many different people had to approve a batch (0: nobody was asked), and those who have. */
  approvals: z.strictObject({
    needed: z.int(),
    given: z.array(z.strictObject({ person: z.string(), at: z.string() })),
  }),
  rows: z.strictObject({
    /** Rows of the file; `by_status` adds up to it. */
    total: z.int(),
    /** Rows that are neither invalid nor skipped: total = valid + invalid + skipped. */
    valid: z.int(),
    /** Every state of a row; 0 if no row has it. */
    by_status: z.record(z.enum(rowStates), z.int()),
    /** Valid rows that buy a product. The service sets the price, so `requested` does not include them. */
    with_product: z.int(),
    /** Those of them that are completed. */
    with_product_completed: z.int(),
  }),
  /** The amounts that the rows request, in the recipients' currencies. */
  requested: z.strictObject({
    valid: amountsByCurrency,
    completed: amountsByCurrency,
    by_status: z.record(z.string(), amountsByCurrency),
  }),
  /** What the wallets were charged, in the wallets' currencies, as the service reports it for each row. */
  charged: z.strictObject({
    total: amountsByCurrency,
    completed: amountsByCurrency,
    by_status: z.record(z.string(), amountsByCurrency),
    /** For failed payments of rows that were retried since: included in `total`, and in no row. */
    earlier: amountsByCurrency,
    /** The reported refunds of `earlier`; `total` still includes them. */
    earlier_came_back: amountsByCurrency,
    /** Completed rows for which the service reported no cost: the sums do not include them. */
    rows_without_cost: z.int(),
  }),
  /** Completed rows that were refunded, and the amounts if the service reported them. */
  refunded: z.strictObject({ rows: z.int(), amounts: amountsByCurrency }),
  /**
   * Failed rows whose failure the service has contradicted since. They count as paid, and must not be sent again.
   * `rows.by_status` and `requested.by_status` include them as failed, `failures` does not. `not_sent`: skipped and
   * cancelled rows whose earlier payment has arrived, as the service shows. `taken_back`: completed rows of which the
   * service said later that they failed, or whose payment it no longer has. Each is left out if there are none.
   */
  contradicted: z.strictObject({
    rows: z.int(),
    with_product: z.int(),
    requested: amountsByCurrency,
    not_sent: z.int().optional(),
    taken_back: z.int().optional(),
  }),
  /** Rows with a second payment at the service that has not failed; with both ids for the first of them. */
  paid_twice: z.strictObject({
    rows: z.int(),
    first: z.array(z.strictObject({ row: rowNo, topup_id: text, second_topup_id: text })),
  }),
  /**
   * Money whose fate is unknown: no timer ever makes it failed. `left_to_person`: how many of these rows are not looked
   * up any more.
   */
  in_doubt: waiting.extend({ left_to_person: z.int() }),
  /** Accepted rows whose delivery is overdue. airbatch keeps asking about them, and a person may resolve them. */
  overdue: waiting,
  balance: balanceProof,
  times: z.strictObject({
    created_at: z.string(),
    approved_at: text,
    started_at: text,
    completed_at: text,
    /**
     * By when every row should have ended, and whether it had; null if no time was set, or if the batch has not ended.
     */
    finish_by: text,
    in_time: z.boolean().nullable(),
    /** From start to completion, in milliseconds. */
    duration_ms: z.number().nullable(),
    /** The part of it in which payments were sent or followed, in milliseconds: no gaps, such as before a retry. */
    active_ms: z.number().nullable(),
  }),
  /** How often each problem occurs in all rows, by its code. */
  problems: z.record(z.string(), z.int()),
  /** Failed rows by the service's code. */
  failures: z.record(z.string(), failures),
  /**
   * The end of the batch's audit chain when this summary was made. `broken`: the first fault of the chain; missing if
   * it is intact.
   */
  audit: z.strictObject({ events: z.int(), head: z.string(), broken: z.string().optional() }),
});
export type BatchSummary = z.output<typeof summaryShape>;
