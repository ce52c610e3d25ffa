import { join } from 'node:path';
import { assert } from '../core/basics/assert.ts';
import { jsonFile } from '../core/text/json-output.ts';
import { type Actor, inUnitOf } from '../ledger/actor.ts';
import { chainHead } from '../ledger/audit/events.ts';
import type { BatchRecord } from '../ledger/batches/batches.ts';
import { requireBatch } from '../ledger/batches/require-batch.ts';
import type { Database, Queryable } from '../ledger/drivers/database.ts';
import { savePublishedVersion } from '../ledger/reporting/published-versions.ts';
import { failedCsv, failedXlsx, fitsSheet } from './render/failed.ts';
import { htmlReport } from './render/html-report.ts';
import { resultsCsv } from './render/results.ts';
import { resultsXlsx } from './render/xlsx.ts';
import { anchorsJson } from './sentences/anchor-lines.ts';
import { maskSummary } from './summary/mask-summary.ts';
import { summaryOf } from './summary/summary.ts';
import type { BatchSummary } from './summary/summary-shape.ts';
import { situationOfSummary } from './summary/summary-situation.ts';
import { type Survey, surveyRows } from './summary/survey.ts';
import { type DifferenceLine, differenceCsv, differenceOf, totalsIn } from './versions/difference.ts';
import { type FolderWriter, type ReportFile, type WrittenFile, writeFolder } from './versions/files.ts';
import { reportFolder } from './versions/folders.ts';
import { eventLines, manifestOf } from './versions/manifest.ts';
import type { SigningKey } from './versions/signing-key.ts';
import type { ReportVersion, WrittenReports } from './versions/version-shape.ts';
import {
  type Marked,
  markOf,
  NotPublished,
  placeOf,
  readStoredReports,
  readVersion,
  type StoredReports,
  timeOfReports,
  whyIncomparable,
} from './versions/versions.ts';

export interface ReportOptions {
  /**
   * Mask phone numbers, for readers who must not see them. Default: no. events.jsonl stays as it is, since its hashes
   * cover every character: airbatch keeps numbers out of the chain, and one that got in earlier cannot be masked.
   */
  mask?: boolean;
  /** Who signs. Without it, the reports have no manifest, cannot be verified, and are not published as a version. */
  signing?: Signing;
  /** Let the group of the folder read the reports. Default: no. */
  readableByGroup?: boolean;
}

/**
 * The installation's key (`openSigningKey`), and who publishes the reports: the ledger records which version, when and
 * by whom.
 */
export interface Signing extends Omit<Actor, 'db'> {
  key: SigningKey;
}

/** Every file that a folder of reports may hold. */
const reportNames = [
  'results.csv',
  'difference.csv',
  'results.xlsx',
  'summary.json',
  'report.html',
  'failed.csv',
  'failed.xlsx',
  'events.jsonl',
  'anchors.json',
  'manifest.json',
  'manifest.sig',
];

/**
 * Writes the reports of a batch into `<outDir>/<batchId>/` (masked ones into `<batchId>-masked`), readable only by
 * their owner (unless `readableByGroup`), each completely or not at all. They depend only on the ledger at one moment
 * and on the version already in the folder: the same ledger gives the same bytes again. Final reports (signed, of a
 * batch that had ended) are never overwritten: they move to `versions/`, and the new version says what differs. An
 * event of the batch records each version before it is written. So its number is used once, in whatever folder, and
 * whenever the program is killed. Reports on a broken audit chain are written and signed like others, and say so first.
 * Rejects with `BATCH_UNKNOWN`.
 */
export async function writeReports(
  db: Database,
  batchId: string,
  outDir: string,
  { mask = false, signing, readableByGroup = false }: ReportOptions = {},
): Promise<WrittenReports> {
  for (;;) {
    try {
      return await db.snapshot(async (view) => {
        const batch = await requireBatch(view, batchId);
        const dir = reportFolder(outDir, batch.batch_id, { mask });
        const stored = await readStoredReports(dir, batch.batch_id);
        const marked = await markOf(view, batch, { stored, isSigned: signing !== undefined });
        const survey = await surveyRows(view, batch);
        const whole = await summaryOf(view, batch, survey);
        const summary = mask ? maskSummary(whole) : whole;
        const material = { view, batch, survey, summary, mask, key: signing?.key, dir, stored, marked };
        return writeVersion({ ...material, readableByGroup });
      });
    } catch (error) {
      if (error instanceof NotPublished && signing) await publish(db, error, signing);
      else if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/** Records that the version is published, unless the batch has changed since it was read. */
function publish(db: Database, { batch, version }: NotPublished, by: Signing): Promise<void> {
  return inUnitOf({ db, ...by }, async (unit) => {
    const head = await chainHead(unit.tx, batch.batch_id);
    if (head?.hash === batch.audit_head) await savePublishedVersion(unit, batch.batch_id, version);
  });
}

/** Another process has written to the folder meanwhile: everything is read anew. */
class Overtaken extends Error {}

/** What all reports of a batch are made from. */
interface Material {
  view: Queryable;
  batch: BatchRecord;
  survey: Survey;
  summary: BatchSummary;
  mask: boolean;
  key: SigningKey | undefined;
  dir: string;
  stored: StoredReports;
  marked: Marked;
  readableByGroup: boolean;
}

async function writeVersion(material: Material): Promise<WrittenReports> {
  const { view, batch, summary, dir, stored, marked, readableByGroup } = material;
  const { found, toKeep } = stored;
  let made = null as { version: ReportVersion; isNew: boolean } | null;
  const work = async (writer: FolderWriter) => {
    const { version, manifest } = await makeFiles(material, writer);
    const isNew = toKeep === null || manifest !== toKeep.text;
    if (isNew) {
      if (manifest !== null && version.version === toKeep?.version) throw new NotPublished(batch, marked.next);
      if ((await readVersion(dir))?.text !== found?.text) throw new Overtaken();
      if (toKeep) {
        const { names, to } = placeOf(toKeep, await timeOfReports(view, batch, toKeep));
        await writer.keep(names, to);
      }
    }
    made = { version, isNew };
  };
  const files = await writeFolder(dir, reportNames, work, { readableByGroup });
  assert(made !== null, 'a folder of reports is a version of them');
  return { dir, files, is_new: made.isNew, chain_broken: summary.audit.broken ?? null, ...made.version };
}

/** Makes the files of a version. Also returns the text of its manifest; null without a key. */
async function makeFiles(
  material: Material,
  writer: FolderWriter,
): Promise<{ version: ReportVersion; manifest: string | null }> {
  const { view, batch, survey, summary, mask, key, marked } = material;
  const { mark } = marked;
  const written: WrittenFile[] = [];
  const write = async (report: ReportFile) => void written.push(await writer.write(report));
  await write({ name: 'results.csv', content: resultsCsv(view, batch, survey, { mask }) });
  const { first, ...compared } = await compare(material, { write, pathOf: writer.pathOf });
  const version: ReportVersion = { ...mark, ...compared };
  await write({ name: 'results.xlsx', content: resultsXlsx(view, batch, survey, summary, { mask, version }) });
  await write({ name: 'summary.json', content: [jsonFile({ ...summary, ...version })] });
  const page = await htmlReport(view, batch, { summary, survey, mask, version, differing: first });
  await write({ name: 'report.html', content: [page] });
  await write({ name: 'events.jsonl', content: eventLines(view, batch.batch_id) });
  const anchors = await anchorsJson(view, batch.batch_id);
  if (anchors !== null) await write({ name: 'anchors.json', content: [anchors] });
  // These two are for correcting rows, so masked numbers would be useless.
  if (!mask) {
    await write({ name: 'failed.csv', content: failedCsv(view, batch) });
    if (fitsSheet(situationOfSummary(summary).rows.unpaid))
      await write({ name: 'failed.xlsx', content: failedXlsx(view, batch) });
  }
  if (!key) return { version, manifest: null };
  const manifest = manifestOf(batch, written, { masked: mask, publicKey: key.publicKey, version: mark });
  const text = jsonFile(manifest);
  await writer.write({ name: 'manifest.sig', content: [key.sign(Buffer.from(text))] });
  // Moved to its place last: with it, the version is complete (`readVersion`).
  await writer.write({ name: 'manifest.json', content: [text] });
  return { version, manifest: text };
}

/** Writes difference.csv if there is a version to compare with that can be trusted. */
async function compare(
  { view, batch, summary, mask, key, marked: { mark, previous } }: Material,
  { write, pathOf }: { write: (report: ReportFile) => Promise<void>; pathOf: FolderWriter['pathOf'] },
): Promise<Pick<ReportVersion, 'difference' | 'difference_unknown'> & { first: DifferenceLine[] }> {
  const unknown = await whyIncomparable(mark, previous, { key, mask });
  if (previous === null || unknown !== null) return { difference: null, difference_unknown: unknown, first: [] };
  const forgotten = batch.forgotten_at !== null;
  const { content, counts, first } = differenceCsv(view, batch.batch_id, {
    before: join(previous.dir, 'results.csv'),
    after: pathOf('results.csv'),
    afterSeq: previous.audit.events,
    forgotten,
  });
  await write({ name: 'difference.csv', content });
  const before = await totalsIn(join(previous.dir, 'summary.json'));
  return { difference: differenceOf(counts, { before, summary, forgotten }), difference_unknown: null, first };
}
