import { z } from 'zod';
import { batchStates, pauseReasons } from '../../core/state/batch-state.ts';
import { rowStates } from '../../core/state/row-state.ts';
import { rowNo, sums, time } from './fields.ts';

const balanceProof = z.strictObject({
  before_read_at: time.nullable(),
  after_read_at: time.nullable(),
  wallets: z.array(
    z.strictObject({
      wallet_id: z.string(),
      name: z.string(),
      currency: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
      difference: z.string().nullable(),
    }),
  ),
  explanation: z.array(
    z.strictObject({
      currency: z.string(),
      difference: z.string(),
      charged_by_this_batch: z.string(),
      charged_late: z.string(),
      charged_by_other_batches: z.string(),
      came_back: z.string(),
      unexplained: z.string(),
    }),
  ),
  explained: z.boolean().nullable(),
  uncertain: z.strictObject({
    charges: z.int(),
    first: z.array(
      z.strictObject({
        batch_id: z.string(),
        row: rowNo,
        topup_id: z.string().nullable(),
        first_sent_at: time.nullable(),
        amount: z.string().nullable(),
        currency: z.string().nullable(),
        counted: z.boolean(),
      }),
    ),
  }),
});

const waiting = z.strictObject({ rows: z.int(), requested: sums, oldest_sent_at: time.nullable() });

/** The content of `summary.json`, as `docs/report-format.md` explains it. */
export const batchSummary = z.strictObject({
  format: z.literal('airbatch.summary/1'),
  batch_id: z.string(),
  run_id: z.string(),
  account: z.string(),
  service: z.string(),
  sandbox: z.boolean(),
  status: z.enum(batchStates),
  pause: z.strictObject({ reason: z.enum(pauseReasons), detail: z.string().nullable() }).nullable(),
  rejection: z.string().nullable(),
  file_name: z.string(),
  input_sha256: z.string().nullable(),
  content_sha256: z.string().nullable(),
  program: z.string(),
  created_by: z.string(),
  approved_by: z.string().nullable(),
  approvals: z.strictObject({
    needed: z.int(),
    given: z.array(z.strictObject({ person: z.string(), at: time })),
  }),
  rows: z.strictObject({
    total: z.int(),
    valid: z.int(),
    by_status: z.record(z.enum(rowStates), z.int()),
    with_product: z.int(),
    with_product_completed: z.int(),
  }),
  requested: z.strictObject({ valid: sums, completed: sums, by_status: z.record(z.string(), sums) }),
  charged: z.strictObject({
    total: sums,
    completed: sums,
    by_status: z.record(z.string(), sums),
    earlier: sums,
    earlier_came_back: sums,
    rows_without_cost: z.int(),
  }),
  refunded: z.strictObject({ rows: z.int(), amounts: sums }),
  contradicted: z.strictObject({ rows: z.int(), with_product: z.int(), requested: sums }),
  paid_twice: z.strictObject({
    rows: z.int(),
    first: z.array(
      z.strictObject({ row: rowNo, topup_id: z.string().nullable(), second_topup_id: z.string().nullable() }),
    ),
  }),
  in_doubt: waiting.extend({ left_to_person: z.int() }),
  overdue: waiting,
  balance: balanceProof,
  times: z.strictObject({
    created_at: time,
    approved_at: time.nullable(),
    started_at: time.nullable(),
    completed_at: time.nullable(),
    finish_by: time.nullable(),
    in_time: z.boolean().nullable(),
    duration_ms: z.number().nullable(),
    active_ms: z.number().nullable(),
  }),
  problems: z.record(z.string(), z.int()),
  failures: z.record(
    z.string(),
    z.strictObject({ rows: z.int(), reason: z.string().nullable(), other_reasons: z.int() }),
  ),
  /** `broken`: the first fault of the audit chain; missing if it is intact. */
  audit: z.strictObject({ events: z.int(), head: z.string(), broken: z.string().optional() }),
});
