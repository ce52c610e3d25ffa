import { join } from 'node:path';
import { z } from 'zod';
import { ownText } from './files.ts';
import { type Findings, readJson } from './findings.ts';
import { type Manifest, previousShape } from './manifest.ts';

const file = 'summary.json';
const amounts = z.record(z.string(), z.string());
const totals = z.object({
  rows: z.record(z.string(), z.number()),
  paid: amounts,
  charged: amounts,
  refunded: z.object({ rows: z.number(), amounts }),
});
const summaryShape = z.object({
  format: z.literal('airbatch.summary/1'),
  batch_id: z.string(),
  run_id: z.string(),
  account: z.string(),
  service: z.string(),
  sandbox: z.boolean().optional(),
  status: z.string(),
  file_name: z.string(),
  input_sha256: z.string().nullable(),
  content_sha256: z.string().nullable(),
  program: z.string(),
  created_by: z.string(),
  approved_by: z.string().nullable(),
  rows: z.object({
    total: z.number(),
    valid: z.number(),
    by_status: z.record(z.string(), z.number()),
    with_product: z.number().optional(),
    with_product_completed: z.number().optional(),
  }),
  requested: z.object({ by_status: z.record(z.string(), amounts), valid: amounts, completed: amounts }),
  charged: z.object({
    by_status: z.record(z.string(), amounts),
    total: amounts,
    completed: amounts,
    // Reports of before have none.
    earlier: amounts.default({}),
    earlier_came_back: amounts.optional(),
    rows_without_cost: z.number().optional(),
  }),
  refunded: z.object({ rows: z.number(), amounts }),
  // How many are left to a person, reports of before do not tell.
  in_doubt: z.object({
    rows: z.number(),
    left_to_person: z.number().optional(),
    requested: amounts,
    oldest_sent_at: z.string().nullable().optional(),
  }),
  // Reports of before do not tell of any.
  overdue: z.object({ rows: z.number() }).default({ rows: 0 }),
  balance: z.object({
    before_read_at: z.string().nullable(),
    after_read_at: z.string().nullable(),
    wallets: z.array(
      z.object({
        wallet_id: z.string(),
        currency: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
        difference: z.string().nullable(),
      }),
    ),
    explanation: z.array(
      z.object({
        currency: z.string(),
        difference: z.string(),
        charged_by_this_batch: z.string(),
        charged_by_other_batches: z.string(),
        // Nor do they tell what came back.
        came_back: z.string().optional(),
        unexplained: z.string(),
      }),
    ),
    explained: z.boolean().nullable(),
  }),
  times: z.object({
    created_at: z.string(),
    approved_at: z.string().nullable(),
    started_at: z.string().nullable(),
    completed_at: z.string().nullable(),
    // Reports of before tell of no time by which they were to be done.
    finish_by: z.string().nullable().optional(),
    in_time: z.boolean().nullable().optional(),
    duration_ms: z.number().nullable().optional(),
  }),
  problems: z.record(z.string(), z.number()).optional(),
  failures: z
    .record(
      z.string(),
      z.object({ rows: z.number(), reason: z.string().nullable(), other_reasons: z.number().optional() }),
    )
    .optional(),
  audit: z.object({ events: z.number(), head: z.string() }),
  version: z.number().nullable().optional(),
  as_of: z.string().optional(),
  previous: previousShape.nullable().default(null),
  difference: z
    .object({
      rows: z.number(),
      columns: z.record(z.string(), z.number()),
      late: z.record(z.string(), z.number()),
      forgotten: z.boolean(),
      before: totals,
      after: totals,
    })
    .nullable()
    .default(null),
  difference_unknown: z.string().nullable().default(null),
});
export type Summary = z.infer<typeof summaryShape>;

/** What summary.json says, as far as it is checked. Null where it is of another batch: then nothing of it is to be compared. */
export async function readSummary(dir: string, { batch_id }: Manifest, findings: Findings): Promise<Summary | null> {
  const summary = summaryShape.parse(readJson(file, await ownText(join(dir, file)), findings));
  if (summary.batch_id === batch_id) return summary;
  findings.add(file, `is of another batch, ${summary.batch_id}.`);
  return null;
}
