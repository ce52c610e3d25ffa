import { open } from 'node:fs/promises';
import { z } from 'zod';
import { sameDecimal } from './decimal.ts';
import type { Findings } from './findings.ts';
import type { Manifest } from './manifest.ts';
import { resultRows } from './results.ts';

const entryShape = z.object({
  id: z.string(),
  status: z.string(),
  reference: z.string().nullish(),
  amount: z.object({ value: z.number(), currency: z.string() }),
});

/**
 * Compares the results with the service's own list of payments: one JSON object a line, as `GET /v2/topups` lists them. Each
 * completed row is in it, completed, with its amount; and nothing of this run is in it that the results do not have.
 */
export async function checkServiceList(
  dir: string,
  listPath: string,
  manifest: Manifest,
  findings: Findings,
): Promise<void> {
  const prefix = `${manifest.run_id}/`;
  const listed = new Map<string, z.infer<typeof entryShape>>();
  for await (const line of (await open(listPath)).readLines()) {
    if (line.trim() === '') continue;
    const entry = entryShape.parse(JSON.parse(line));
    if (!entry.reference?.startsWith(prefix) || entry.status === 'failed') continue;
    const twice = listed.get(entry.reference);
    if (twice)
      findings.add(
        'results.csv',
        `the service has ${twice.id} and ${entry.id} under one reference, ${entry.reference}.`,
      );
    listed.set(entry.reference, entry);
  }
  for await (const row of resultRows(dir)) {
    const entry = listed.get(row.reference ?? '');
    listed.delete(row.reference ?? '');
    if (row.status === 'completed' && !entry)
      findings.add('results.csv', `row ${row.row} is completed; the service's list does not have it.`);
    if (!entry) continue;
    const said = `the service has ${entry.id} as ${entry.status}`;
    if ((row.status === 'completed') !== (entry.status === 'completed'))
      findings.add('results.csv', `row ${row.row} is ${row.status}; ${said}.`);
    if (row.topup_id && row.topup_id !== entry.id)
      findings.add('results.csv', `row ${row.row} has another payment: ${said}.`);
    if (
      row.amount &&
      (row.currency !== entry.amount.currency || !sameDecimal(row.amount, String(entry.amount.value)))
    ) {
      findings.add('results.csv', `row ${row.row} has another amount than the service.`);
    }
  }
  for (const { id, reference } of listed.values()) {
    findings.add('results.csv', `the service has ${id} under ${reference}, which no row accounts for.`);
  }
}
