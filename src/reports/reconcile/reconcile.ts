import { join } from 'node:path';
import type { Random } from '../../core/basics/random.ts';
import { jsonFile } from '../../core/text/json-output.ts';
import { isoTime } from '../../core/time/clock.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { openSqlite } from '../../ledger/drivers/sqlite/sqlite.ts';
import { insertOpenItem, insertReconciliation, prepareSeen } from '../../ledger/reporting/reconciliations.ts';
import { csvText } from '../text/csv.ts';
import { type FolderWriter, type Readers, type ReportFile, type WrittenFile, writeFolder } from '../versions/files.ts';
import type { SigningKey } from '../versions/signing-key.ts';
import { maskedLines } from './masked-reference.ts';
import { makeNamer } from './reconcile-binding.ts';
import { isOpen } from './reconcile-buckets.ts';
import { noteContradictions } from './reconcile-contradictions.ts';
import { allItems } from './reconcile-items.ts';
import { reconciliationHtml, reconciliationXlsx } from './reconcile-report.ts';
import { gatherer, gatherHere, type ReconcileRequest, type Run, secondLookMax, walletsOf } from './reconcile-run.ts';
import type { ReconcileDeps } from './reconcile-source.ts';
import { hasRest, readingSpan, readingsOf, restNext } from './reconcile-wallets.ts';
import { itemColumns, type Reconciliation, reconciliationManifest } from './reconciliation.ts';

const unwritableHint = 'Make the folder writable, or choose another, then reconcile again.';
/** A compared time that ends this shortly before now is meant to last until now. */
const nowMarginMs = 60_000;

/**
 * Compares three sides: the ledger, the service's own list, and the wallets. Every payment of either side is put in
 * exactly one bucket. Memory does not grow with their number. The ledger keeps the run and its open items. The files go
 * to `<outDir>/<reconciliation id>/`: reconciliation.csv, .json, .xlsx and .html, copies with masked references for
 * people who only audit, and a manifest that `key` signs.
 */
export async function reconcile(
  db: Database,
  deps: ReconcileDeps & Readers & { random: Random; key: SigningKey },
  request: ReconcileRequest,
  outDir: string,
): Promise<{ dir: string; files: string[]; reconciliation: Reconciliation }> {
  const stamp = isoTime(deps.clock.now())
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  const id = `R-${stamp}-${deps.random.hex(2)}`;
  const scratch = openSqlite('');
  try {
    await prepareSeen(scratch);
    const batch = request.batchId === undefined ? null : await requireBatch(db, request.batchId);
    const readings = await readingsOf(db, request);
    const readsNow = request.toMs >= deps.clock.now() - nowMarginMs;
    const span = readingSpan(readings, readsNow);
    const run: Run = {
      db,
      scratch,
      deps,
      request,
      id,
      runId: batch?.run_id ?? null,
      nameOf: makeNamer(db, deps, request.account, secondLookMax),
      readings,
      readsNow,
      span,
      gathered: gatherer(),
      agreeing: [],
    };
    const dir = join(outDir, id);
    let reconciliation: Reconciliation | null = null;
    const work = async (writer: FolderWriter) => {
      const written: WrittenFile[] = [];
      const write = async (file: ReportFile) => void written.push(await writer.write(file));
      await write({ name: 'reconciliation.csv', content: itemLines(run) });
      reconciliation = await finish(run);
      await write({ name: 'reconciliation.json', content: [jsonFile(reconciliation)] });
      await write({ name: 'reconciliation-masked.csv', content: maskedLines(writer.pathOf('reconciliation.csv')) });
      for (const mask of [false, true]) {
        const name = mask ? 'reconciliation-masked' : 'reconciliation';
        await write({ name: `${name}.xlsx`, content: reconciliationXlsx(db, reconciliation, { mask }) });
        await write({ name: `${name}.html`, content: [await reconciliationHtml(db, reconciliation, { mask })] });
      }
      const manifest = jsonFile(reconciliationManifest(reconciliation, written, deps.key.publicKey));
      await writer.write({ name: 'manifest.sig', content: [deps.key.sign(Buffer.from(manifest))] });
      await writer.write({ name: 'manifest.json', content: [manifest] });
    };
    const files = await writeFolder(dir, [], work, { ...deps, hint: unwritableHint });
    return { dir, files, reconciliation: reconciliation as unknown as Reconciliation };
  } finally {
    await scratch.close();
  }
}

async function* itemLines(run: Run): AsyncGenerator<string> {
  yield csvText([[...itemColumns]]);
  for await (const items of allItems(run)) {
    for (const item of items) {
      run.gathered.counts[item.bucket] += 1;
      gatherHere(run, item);
    }
    const open = items.filter(({ bucket }) => isOpen(bucket));
    if (open.length > 0) {
      await run.db.transact(async (tx) => {
        for (const item of open) {
          run.gathered.open += 1;
          const record = { reconciliation_id: run.id, item_no: run.gathered.open, bucket: item.bucket };
          await insertOpenItem(tx, { ...record, item: JSON.stringify(item) });
        }
      });
    }
    await noteContradictions(run.db, run.deps.clock, run.gathered.contradicted.splice(0));
    if (items.length > 0) yield csvText(items.map((item) => itemColumns.map((column) => item[column])));
  }
}

async function finish(run: Run): Promise<Reconciliation> {
  const { db, deps, request, id, gathered } = run;
  const { account, fromMs, toMs, batchId } = request;
  const wallets = walletsOf(run);
  const rest = { areLookedUp: run.agreeing !== null, max: secondLookMax };
  const next = hasRest(wallets) ? restNext({ account, from: isoTime(fromMs) }, rest) : null;
  const finishedAt = deps.clock.now();
  const reconciliation: Reconciliation = {
    format: 'airbatch.reconciliation/1',
    reconciliation_id: id,
    account,
    batch_id: batchId ?? null,
    from: isoTime(fromMs),
    to: isoTime(toMs),
    finished_at: isoTime(finishedAt),
    counts: gathered.counts,
    open: gathered.open,
    charged_by_ledger: gathered.chargedHere.toObject(),
    charged_by_service: gathered.charged.toObject(),
    wallets: wallets && { ...wallets, next },
  };
  await db.transact((tx) =>
    insertReconciliation(tx, {
      reconciliation_id: id,
      account,
      from_ms: fromMs,
      to_ms: toMs,
      finished_at: finishedAt,
      batch_id: reconciliation.batch_id,
      counts: JSON.stringify(gathered.counts),
      charged_by_ledger: JSON.stringify(reconciliation.charged_by_ledger),
      charged_by_service: JSON.stringify(reconciliation.charged_by_service),
      wallets: JSON.stringify(reconciliation.wallets),
    }),
  );
  return reconciliation;
}
