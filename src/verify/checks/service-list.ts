import { DatabaseSync } from 'node:sqlite';
import { linesOf } from '../input/files.ts';
import { type Findings, given } from '../input/findings.ts';
import { withoutInnerGuards } from '../input/guards.ts';
import type { Manifest } from '../input/manifest.ts';
import { type ResultRow, resultRows } from '../input/rows.ts';
import { differencesOf, listedPayment } from './listed-payment.ts';

/**
 * Compares the results with the service's own list of payments: one JSON object a line, as `GET /v2/topups` lists them.
 * Each completed row must be in it. A row in it must agree in every field that both have. It must have no payment of
 * this run that the results lack. The list may have any length: it is stored on disk for the comparison.
 */
export async function checkServiceList(
  dir: string,
  listPath: string,
  manifest: Manifest,
  findings: Findings,
): Promise<void> {
  // A database without a name is a temporary file of SQLite, which disappears when it is closed.
  const scratch = new DatabaseSync('');
  try {
    await given(`${listPath} cannot be read as the service's list`, () => readList(scratch, listPath));
    const prefix = `${manifest.run_id}/`;
    for (const { ids, reference } of doubled(scratch, prefix))
      findings.add('results.csv', `the service has ${ids} under one reference, ${reference}.`);
    await compareRows(scratch, dir, manifest, findings);
    for (const { id, reference } of unseen(scratch, prefix))
      findings.add(
        'results.csv',
        `the service has ${id} under ${reference}, which no row accounts for (another batch of the run may).`,
      );
  } finally {
    scratch.close();
  }
}

async function readList(scratch: DatabaseSync, path: string): Promise<void> {
  scratch.exec(
    'CREATE TABLE listed (id TEXT PRIMARY KEY, reference TEXT, failed INTEGER, entry TEXT, seen INTEGER DEFAULT 0)',
  );
  scratch.exec('CREATE INDEX listed_by_reference ON listed (reference)');
  // Pages of a list overlap if payments were added while it was read: the later page counts.
  const insert = scratch.prepare('INSERT OR REPLACE INTO listed (id, reference, failed, entry) VALUES (?, ?, ?, ?)');
  // One transaction for everything: this data need not survive a crash.
  scratch.exec('BEGIN');
  for await (const lines of linesOf(path))
    for (const line of lines) {
      if (line.trim() === '') continue;
      const { id, reference = null, status } = listedPayment(line);
      insert.run(id, reference, status === 'failed' ? 1 : 0, line);
    }
}

/** Payments of the run that share a reference, more than one of which has not failed. */
function doubled(scratch: DatabaseSync, prefix: string) {
  return scratch
    .prepare(
      `SELECT reference, group_concat(id, ' and ' ORDER BY rowid) AS ids FROM listed
        WHERE failed = 0 AND substr(reference, 1, length(?)) = ? GROUP BY reference HAVING count(*) > 1`,
    )
    .iterate(prefix, prefix);
}

/** Payments of the run that no row has. A failed one moved no money: its row may have been sent again since. */
function unseen(scratch: DatabaseSync, prefix: string) {
  return scratch
    .prepare(
      `SELECT id, reference FROM listed
        WHERE seen = 0 AND failed = 0 AND substr(reference, 1, length(?)) = ? ORDER BY rowid`,
    )
    .iterate(prefix, prefix);
}

async function compareRows(
  scratch: DatabaseSync,
  dir: string,
  { masked }: Manifest,
  findings: Findings,
): Promise<void> {
  const find = finder(scratch);
  for await (const row of resultRows(dir)) {
    const found = find(row, masked);
    if (found === null) {
      if (row.status === 'completed')
        findings.add('results.csv', `row ${row.row} is completed; the service's list does not have it.`);
      continue;
    }
    const { entry, seen } = found;
    if (seen > 1)
      findings.add('results.csv', `row ${row.row} has payment ${entry.id}, which an earlier row has as well.`);
    for (const difference of differencesOf(row, entry, masked))
      findings.add('results.csv', `row ${row.row} ${difference}`);
  }
}

/** Finds the payment of a row, and how many rows have matched it so far. */
function finder(scratch: DatabaseSync) {
  const byId = scratch.prepare('SELECT id, entry, seen FROM listed WHERE id = ?');
  // Of several payments with one reference, the row's own id comes first, then one that has not failed.
  const byReference = scratch.prepare(
    'SELECT id, entry, seen FROM listed WHERE reference = ? ORDER BY id = ? DESC, failed LIMIT 1',
  );
  const see = scratch.prepare('UPDATE listed SET seen = seen + 1 WHERE id = ?1 OR reference = ?2');
  return ({ reference = '', topup_id = '' }: ResultRow, masked: boolean) => {
    const references = [reference, withoutInnerGuards(reference)];
    // A masked reference may differ from the service's, and so may one with apostrophes against formulas.
    const own = masked && topup_id ? [] : references.filter((name) => name !== '');
    let found = own.map((name) => byReference.get(name, topup_id)).find((listed) => listed !== undefined);
    // A payment that the row names, but that has another reference at the service, is a difference, not a missing
    // payment.
    if (topup_id) found ??= byId.get(topup_id);
    if (found === undefined) return null;
    const entry = listedPayment(String(found.entry));
    see.run(entry.id, entry.reference ?? entry.id);
    return { entry, seen: Number(found.seen) + 1 };
  };
}
