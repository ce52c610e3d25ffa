import { join } from 'node:path';
import { z } from 'zod';
import { rowStates } from '../chain/chain-facts.ts';
import { ownText } from '../input/files.ts';
import { type Findings, readJson } from '../input/findings.ts';
import { type Manifest, previousShape } from '../input/manifest.ts';

const file = 'summary.json';
/** The only form in which the program writes a time; any other would be more or less precise. */
export const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const time = z.string().regex(timeForm);
const amount = z.string().regex(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/);
const amounts = z.record(z.string(), amount);
const state = z.enum(rowStates);
const count = z.int().min(0);
const counts = z.record(z.string(), count.min(1));
const totals = z.strictObject({
  rows: z.partialRecord(state, count),
  paid: amounts,
  charged: amounts,
  refunded: z.strictObject({ rows: count, amounts }),
});
const summaryShape = z.strictObject({
  format: z.literal('airbatch.summary/1'),
  batch_id: z.string(),
  run_id: z.string(),
  account: z.string(),
  service: z.string(),
  sandbox: z.boolean().optional(),
  status: z.string(),
  pause: z.strictObject({ reason: z.string(), detail: z.string().nullable() }).nullable().optional(),
  rejection: z.string().nullable().optional(),
  file_name: z.string(),
  input_sha256: z.string().nullable(),
  content_sha256: z.string().nullable(),
  program: z.string(),
  created_by: z.string(),
  approved_by: z.string().nullable(),
  // Missing in reports of old program versions.
  approvals: z
    .strictObject({ needed: count, given: z.array(z.strictObject({ person: z.string(), at: time })) })
    .optional(),
  rows: z.strictObject({
    total: count,
    valid: count,
    by_status: z.partialRecord(state, count),
    with_product: count.optional(),
    with_product_completed: count.optional(),
  }),
  requested: z.strictObject({ by_status: z.partialRecord(state, amounts), valid: amounts, completed: amounts }),
  charged: z.strictObject({
    by_status: z.partialRecord(state, amounts),
    total: amounts,
    completed: amounts,
    // Missing in reports of old program versions.
    earlier: amounts.default({}),
    earlier_came_back: amounts.optional(),
    rows_without_cost: count.optional(),
  }),
  refunded: z.strictObject({ rows: count, amounts }),
  // `left_to_person` is missing in reports of old program versions.
  in_doubt: z.strictObject({
    rows: count,
    left_to_person: count.optional(),
    requested: amounts,
    oldest_sent_at: time.nullable().optional(),
  }),
  // Missing in reports of old program versions.
  overdue: z.strictObject({ rows: count, requested: amounts, oldest_sent_at: time.nullable() }).optional(),
  // Missing in reports of old program versions.
  paid_twice: z
    .strictObject({
      rows: count,
      first: z.array(
        z.strictObject({ row: count, topup_id: z.string().nullable(), second_topup_id: z.string().nullable() }),
      ),
    })
    .optional(),
  // Missing in reports of old program versions.
  contradicted: z
    .strictObject({
      rows: count,
      with_product: count,
      requested: amounts,
      not_sent: count.optional(),
      taken_back: count.optional(),
    })
    .optional(),
  balance: z.strictObject({
    before_read_at: time.nullable(),
    after_read_at: time.nullable(),
    wallets: z.array(
      z.strictObject({
        wallet_id: z.string(),
        name: z.string().optional(),
        currency: z.string(),
        before: amount.nullable(),
        after: amount.nullable(),
        difference: amount.nullable(),
      }),
    ),
    explanation: z.array(
      z.strictObject({
        currency: z.string(),
        difference: amount,
        charged_by_this_batch: amount,
        charged_by_other_batches: amount,
        // Missing in reports of old program versions.
        charged_late: amount.optional(),
        came_back: amount.optional(),
        unexplained: amount,
      }),
    ),
    explained: z.boolean().nullable(),
    // Missing in reports of old program versions.
    uncertain: z
      .strictObject({
        charges: count,
        first: z.array(
          z.strictObject({
            batch_id: z.string(),
            row: z.int(),
            topup_id: z.string().nullable(),
            first_sent_at: time.nullable(),
            amount: amount.nullable(),
            currency: z.string().nullable(),
            counted: z.boolean(),
          }),
        ),
      })
      .optional(),
  }),
  times: z.strictObject({
    created_at: time,
    approved_at: time.nullable(),
    started_at: time.nullable(),
    completed_at: time.nullable(),
    // Missing in reports of old program versions.
    finish_by: time.nullable().optional(),
    in_time: z.boolean().nullable().optional(),
    duration_ms: z.int().nullable().optional(),
    active_ms: z.int().nullable().optional(),
  }),
  problems: counts.optional(),
  failures: z
    .record(
      z.string(),
      z.strictObject({ rows: count.min(1), reason: z.string().nullable(), other_reasons: count.optional() }),
    )
    .optional(),
  // `broken` is there only if the program found the chain broken when it wrote the reports.
  audit: z.strictObject({ events: count, head: z.string(), broken: z.string().optional() }),
  version: z.int().min(1).nullable().optional(),
  as_of: time.optional(),
  previous: previousShape.nullable().default(null),
  difference: z
    .object({
      rows: count,
      columns: counts,
      late: counts,
      forgotten: z.boolean(),
      before: totals,
      after: totals,
    })
    .nullable()
    .default(null),
  difference_unknown: z.string().nullable().default(null),
});
export type Summary = z.infer<typeof summaryShape>;

/** The checked fields of summary.json. Null if it is of another batch: then nothing of it is compared. */
export async function readSummary(dir: string, { batch_id }: Manifest, findings: Findings): Promise<Summary | null> {
  const summary = summaryShape.parse(readJson(file, await ownText(join(dir, file)), findings));
  if (summary.audit.broken !== undefined)
    findings.add(file, `says that the audit chain is broken: ${summary.audit.broken}.`);
  if (summary.batch_id === batch_id) return summary;
  findings.add(file, `is of another batch, ${summary.batch_id}.`);
  return null;
}
