import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ownText } from '../input/files.ts';
import { attempt, type Findings, readJson } from '../input/findings.ts';
import { checkFiles, filesShape, readSigned } from '../input/manifest.ts';
import { csvLines } from '../input/rows.ts';

const format = 'airbatch.reconciliation-manifest/1';

const about = {
  reconciliation_id: z.string(),
  account: z.string(),
  batch_id: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  finished_at: z.string(),
};

const manifestShape = z.strictObject({
  format: z.literal(format),
  ...about,
  files: filesShape,
  public_key: z.string(),
});

const walletsShape = z.strictObject({
  first_read_at: z.string(),
  last_read_at: z.string(),
  currencies: z.array(
    z.strictObject({ currency: z.string(), left: z.string(), charged: z.string(), unexplained: z.string() }),
  ),
  next: z.string().nullable(),
});

const reconciliationShape = z.strictObject({
  format: z.literal('airbatch.reconciliation/1'),
  ...about,
  counts: z.record(z.string(), z.int().min(0)),
  open: z.int().min(0),
  // Earlier versions did not say it.
  charged_by_ledger: z.record(z.string(), z.string()).optional(),
  charged_by_service: z.record(z.string(), z.string()),
  wallets: walletsShape.nullable(),
});

const files = ['reconciliation.csv', 'reconciliation.json', 'reconciliation.xlsx', 'reconciliation.html'];
/** Copies with masked references, which earlier versions did not write. */
const maskedFiles = ['reconciliation-masked.csv', 'reconciliation-masked.xlsx', 'reconciliation-masked.html'];

/** Buckets that need no action. */
const settledBuckets = ['matched', 'no_payment'];

/** What was proved about a folder of `airbatch reconcile`. */
export interface ProvenReconciliation {
  reconciliation_id: string;
  finished_at: string;
  items: number | null;
  signedBy: string | null;
}

/** Whether a folder has a reconciliation: signed as one, or from a program version that did not sign them. */
export async function isReconciliation(dir: string): Promise<boolean> {
  const manifest = await ownText(join(dir, 'manifest.json')).catch(() => null);
  if (manifest !== null) return manifest.startsWith(`{\n  "format": "${format}"`);
  const path = join(dir, 'reconciliation.json');
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Proves that a folder of `airbatch reconcile` is unchanged: its signature and digests, that the counts of
 * reconciliation.json are those of the lines of reconciliation.csv, and that it is the reconciliation that the manifest
 * names. Null if nothing in it can be trusted.
 */
export async function checkReconciliation(
  dir: string,
  publicKey: string | null,
  findings: Findings,
): Promise<ProvenReconciliation | null> {
  const signed = await readSigned(dir, publicKey, findings, manifestShape);
  if (!signed) {
    findings.note(
      'Versions before this one did not sign reconciliations: run "airbatch reconcile" again for one that can be verified.',
    );
    return null;
  }
  const { manifest, signedBy } = signed;
  await checkFiles(dir, manifest, findings, [...files, ...maskedFiles]);
  for (const name of files)
    if (!manifest.files.some((file) => file.name === name)) findings.add('manifest.json', `does not name ${name}.`);
  const items = await attempt(findings, 'reconciliation.json', async () => {
    const text = await ownText(join(dir, 'reconciliation.json'));
    const stated = reconciliationShape.parse(readJson('reconciliation.json', text, findings));
    for (const name of Object.keys(about) as (keyof typeof about)[])
      if (stated[name] !== manifest[name])
        findings.add('reconciliation.json', `has ${stated[name]} as ${name}, and the manifest ${manifest[name]}.`);
    return checkCounts(dir, stated, findings);
  });
  const { reconciliation_id, finished_at } = manifest;
  return { reconciliation_id, finished_at, items, signedBy };
}

async function checkCounts(
  dir: string,
  { counts, open }: { counts: Record<string, number>; open: number },
  findings: Findings,
): Promise<number> {
  const found = new Map<string, number>();
  let items = 0;
  let isHeader = true;
  for await (const [bucket = ''] of csvLines(join(dir, 'reconciliation.csv'))) {
    if (isHeader && bucket !== 'bucket') findings.add('reconciliation.csv', 'does not begin with its header.');
    if (!isHeader) {
      items += 1;
      found.set(bucket, (found.get(bucket) ?? 0) + 1);
    }
    isHeader = false;
  }
  for (const bucket of new Set([...Object.keys(counts), ...found.keys()])) {
    const [stated, has] = [counts[bucket] ?? 0, found.get(bucket) ?? 0];
    if (stated !== has)
      findings.add('reconciliation.csv', `has ${has} of ${bucket}, and reconciliation.json says ${stated}.`);
  }
  const left = [...found].reduce((sum, [bucket, count]) => sum + (settledBuckets.includes(bucket) ? 0 : count), 0);
  if (left !== open) findings.add('reconciliation.json', `counts ${open} open items; there are ${left}.`);
  return items;
}
