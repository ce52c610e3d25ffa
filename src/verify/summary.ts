import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const amounts = z.record(z.string(), z.string());
const summaryShape = z.object({
  batch_id: z.string(),
  run_id: z.string(),
  account: z.string(),
  service: z.string(),
  status: z.string(),
  file_name: z.string(),
  input_sha256: z.string().nullable(),
  content_sha256: z.string().nullable(),
  created_by: z.string(),
  approved_by: z.string().nullable(),
  rows: z.object({ total: z.number(), valid: z.number(), by_status: z.record(z.string(), z.number()) }),
  requested: z.object({ by_status: z.record(z.string(), amounts), valid: amounts, completed: amounts }),
  charged: z.object({
    by_status: z.record(z.string(), amounts),
    total: amounts,
    completed: amounts,
    // Reports of before have none.
    earlier: amounts.default({}),
  }),
  refunded: z.object({ rows: z.number(), amounts }),
  balance: z.object({
    wallets: z.array(z.object({ wallet_id: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  }),
  times: z.object({
    created_at: z.string(),
    approved_at: z.string().nullable(),
    started_at: z.string().nullable(),
    completed_at: z.string().nullable(),
  }),
  audit: z.object({ events: z.number(), head: z.string() }),
});
export type Summary = z.infer<typeof summaryShape>;

/** What summary.json says, as far as it is checked. */
export async function readSummary(dir: string): Promise<Summary> {
  return summaryShape.parse(JSON.parse(await readFile(join(dir, 'summary.json'), 'utf8')));
}
