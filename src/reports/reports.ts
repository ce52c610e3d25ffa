import { join } from 'node:path';
import { jsonFile } from '../core/given-json.ts';
import type { Database } from '../ledger/database.ts';
import { anchorsJson } from './anchors.ts';
import { failedCsv } from './failed.ts';
import { type ReportFile, type WrittenFile, writeFolder } from './files.ts';
import { htmlReport } from './html-report.ts';
import { eventLines, manifestOf } from './manifest.ts';
import { resultsCsv } from './results.ts';
import type { SigningKey } from './signing-key.ts';
import { findBatchOrFail, maskSummary, summaryOf } from './summary.ts';
import { surveyRows } from './survey.ts';
import { resultsXlsx } from './xlsx.ts';

export interface ReportOptions {
  /**
   * Make phone numbers unreadable, for readers who must not see them. Default: no. events.jsonl stays as it is, since its hashes bind
   * every letter: numbers are kept out of the chain where it is written, and one that got into it before can only be shown.
   */
  mask?: boolean;
  /** The installation's key (`openSigningKey`). Without it there is no manifest, and nothing to verify. */
  key?: SigningKey;
}

/** Every file that a folder of reports may hold. */
const reportNames = [
  'results.csv',
  'results.xlsx',
  'summary.json',
  'report.html',
  'failed.csv',
  'events.jsonl',
  'anchors.json',
  'manifest.json',
  'manifest.sig',
];

/**
 * Writes the reports of a batch into `<outDir>/<batchId>/`, readable by their owner alone, each whole or not at all. They are
 * a pure function of the ledger, read as it is at one moment: made again on the same ledger, they are the same bytes.
 * Returns the folder and the names of the files in it. Rejects with `BATCH_UNKNOWN`.
 */
export async function writeReports(
  db: Database,
  batchId: string,
  outDir: string,
  { mask = false, key }: ReportOptions = {},
): Promise<{ dir: string; files: string[] }> {
  return db.snapshot(async (view) => {
    const batch = await findBatchOrFail(view, batchId);
    const survey = await surveyRows(view, batch);
    const whole = await summaryOf(view, batch, survey);
    const summary = mask ? maskSummary(whole) : whole;
    const page = await htmlReport(view, batch, { summary, survey, mask });
    const reports: ReportFile[] = [
      { name: 'results.csv', content: resultsCsv(view, batch, survey, { mask }) },
      { name: 'results.xlsx', content: resultsXlsx(view, batch, survey, summary, { mask }) },
      { name: 'summary.json', content: [jsonFile(summary)] },
      { name: 'report.html', content: [page] },
      { name: 'events.jsonl', content: eventLines(view, batchId) },
    ];
    const anchors = await anchorsJson(view, batchId);
    if (anchors !== null) reports.push({ name: 'anchors.json', content: [anchors] });
    // Its numbers are there to be corrected, so a masked one would be of no use.
    if (!mask) reports.push({ name: 'failed.csv', content: failedCsv(view, batch) });
    const dir = join(outDir, batch.batch_id);
    const files = await writeFolder(dir, reportNames, async (writer) => {
      const written: WrittenFile[] = [];
      for (const report of reports) written.push(await writer.write(report));
      if (!key) return;
      const manifest = manifestOf(batch, written, { masked: mask, publicKey: key.publicKey });
      const text = jsonFile(manifest);
      await writer.write({ name: 'manifest.json', content: [text] });
      await writer.write({ name: 'manifest.sig', content: [key.sign(Buffer.from(text))] });
    });
    return { dir, files };
  });
}
