import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { sameDecimal } from './decimal.ts';
import { linesOf } from './files.ts';
import { type Findings, given } from './findings.ts';
import { withoutInnerGuards } from './guards.ts';
import type { Manifest } from './manifest.ts';
import { resultRows } from './rows.ts';

const entryShape = z.object({
  id: z.string(),
  status: z.string(),
  reference: z.string().nullish(),
  amount: z.object({ value: z.number(), currency: z.string() }),
});

/** What is kept of an entry: the service's word under one reference. */
interface Listed {
  reference: string;
  id: string;
  status: string;
  value: string;
  currency: string;
}

/**
 * Compares the results with the service's own list of payments: one JSON object a line, as `GET /v2/topups` lists them. Each
 * completed row is in it, completed, with its amount; and nothing of this run is in it that the results do not have. The list
 * may be of any length: it is kept on the disk while it is compared.
 */
export async function checkServiceList(
  dir: string,
  listPath: string,
  manifest: Manifest,
  findings: Findings,
): Promise<void> {
  // A database without a name is SQLite's own temporary file, which is gone when it is closed.
  const scratch = new DatabaseSync('');
  try {
    await given(`${listPath} cannot be read as the service's list`, () =>
      readList(scratch, listPath, `${manifest.run_id}/`, findings),
    );
    await compareRows(scratch, dir, manifest, findings);
    const left = scratch.prepare('SELECT id, reference FROM listed WHERE seen = 0 ORDER BY rowid');
    for (const { id, reference } of left.iterate()) {
      findings.add(
        'results.csv',
        `the service has ${id} under ${reference}, which no row accounts for (another batch of the run may).`,
      );
    }
  } finally {
    scratch.close();
  }
}

async function readList(scratch: DatabaseSync, path: string, prefix: string, findings: Findings): Promise<void> {
  scratch.exec(
    'CREATE TABLE listed (reference TEXT UNIQUE, id TEXT, status TEXT, value TEXT, currency TEXT, seen INTEGER DEFAULT 0)',
  );
  const known = scratch.prepare('SELECT id FROM listed WHERE reference = ?');
  const insert = scratch.prepare(
    'INSERT OR REPLACE INTO listed (reference, id, status, value, currency) VALUES (?, ?, ?, ?, ?)',
  );
  // One transaction for all: nothing of this need survive.
  scratch.exec('BEGIN');
  for await (const lines of linesOf(path))
    for (const line of lines) {
      if (line.trim() === '') continue;
      const { id, status, reference, amount } = entryShape.parse(JSON.parse(line));
      if (!reference?.startsWith(prefix) || status === 'failed') continue;
      const twice = known.get(reference);
      // Pages of a list overlap where payments came in while it was read.
      if (twice && twice.id !== id)
        findings.add('results.csv', `the service has ${twice.id} and ${id} under one reference, ${reference}.`);
      insert.run(reference, id, status, String(amount.value), amount.currency);
    }
}

async function compareRows(
  scratch: DatabaseSync,
  dir: string,
  { masked }: Manifest,
  findings: Findings,
): Promise<void> {
  if (masked) scratch.exec('CREATE INDEX listed_by_id ON listed (id)');
  const findBy = (column: 'id' | 'reference') =>
    scratch.prepare(`UPDATE listed SET seen = 1 WHERE ${column} = ? RETURNING reference, id, status, value, currency`);
  const [byId, byReference] = [findBy('id'), findBy('reference')];
  for await (const row of resultRows(dir)) {
    // A masked reference need not be the one that the service has, nor one in which a spreadsheet would have found a formula.
    const { reference = '', topup_id } = row;
    const entry = (masked && topup_id
      ? byId.get(topup_id)
      : (byReference.get(reference) ?? byReference.get(withoutInnerGuards(reference)))) as unknown as
      | Listed
      | undefined;
    if (row.status === 'completed' && !entry)
      findings.add('results.csv', `row ${row.row} is completed; the service's list does not have it.`);
    if (!entry) continue;
    const said = `the service has ${entry.id} as ${entry.status}`;
    if ((row.status === 'completed') !== (entry.status === 'completed'))
      findings.add('results.csv', `row ${row.row} is ${row.status}; ${said}.`);
    if (row.topup_id && row.topup_id !== entry.id)
      findings.add('results.csv', `row ${row.row} has another payment: ${said}.`);
    if (row.amount && (row.currency !== entry.currency || !sameDecimal(row.amount, entry.value)))
      findings.add('results.csv', `row ${row.row} has another amount than the service.`);
  }
}
