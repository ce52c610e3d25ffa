import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { ReportForMail } from '../../notify/senders.ts';
import { writeReports } from '../../reports/reports.ts';
import { bucketStore } from '../../reports/store/bucket-store.ts';
import { type Bucket, bucketPlace, isBucketPlace, openBucket } from '../../reports/store/object-store.ts';
import { folderStore, type ReportStore } from '../../reports/store/report-store.ts';
import { reportName } from '../../reports/versions/folders.ts';
import type { WrittenReports } from '../../reports/versions/version-shape.ts';
import { type Session, sessionSigning } from '../session/session.ts';

type Place = Pick<Session, 'config' | 'clock' | 'ledgerPath'>;

/** One for each configuration: it keeps its connections, and remembers what it has seen. */
const opened = new WeakMap<Bucket, ReportStore>();

/** The store at `out`: a folder, or the configured bucket. */
export function reportStore({ config, clock, ledgerPath }: Place, out: string): ReportStore {
  if (!isBucketPlace(out)) return folderStore(out, config);
  const { bucket } = config;
  if (bucket === null || bucketPlace(bucket) !== out)
    throw new AirbatchError('FOLDER_UNWRITABLE', `${out} is not the configured store of reports ("reports.s3")`, {
      hint: 'Configure the store in which these reports are, or choose a folder. The ledger has everything that was paid.',
    });
  const store =
    opened.get(bucket) ?? bucketStore({ objects: openBucket(bucket), clock, scratchIn: dirname(ledgerPath) });
  opened.set(bucket, store);
  return store;
}

/**
 * It is better to find an unusable folder before anything is sent than after the first batch has ended. A bucket may be
 * away for a while, and holds up no payment.
 */
export async function requireReportsFolder(session: Place): Promise<void> {
  const { out } = session.config;
  if (!isBucketPlace(out)) await reportStore(session, out).check();
}

/** Opens a file of reports or of a draft, wherever it is. */
export function openReport(session: Place, path: string): Promise<Readable> {
  const { out } = session.config;
  return (isBucketPlace(path) ? reportStore(session, out) : folderStore(out)).open(path);
}

const page = 'report.html';

/** Finds the page of a batch's current reports. A store that is away holds up no mail. */
export function reportForMail(session: Place): ReportForMail {
  const { out } = session.config;
  return async (batchId) => {
    const store = reportStore(session, out);
    const folders = await store.folders(batchId).catch(() => []);
    const current = folders.find(({ keptAs }) => keptAs === '');
    const place = `${current?.dir ?? `${store.place}/${batchId}`}/${page}`;
    const bytes = current?.files.find(({ name }) => name === page)?.bytes ?? null;
    return { place, bytes, open: () => store.open(place) };
  };
}

/** Writes the reports of a batch to `out`, signed by this installation: see `writeReports`. */
export async function keepReports(
  session: Session,
  batchId: string,
  out: string,
  { mask = false }: { mask?: boolean } = {},
): Promise<WrittenReports> {
  const { readableByGroup } = session.config;
  const options = { signing: await sessionSigning(session), mask, readableByGroup };
  const work = (outDir: string) => writeReports(session.db, batchId, outDir, options);
  return reportStore(session, out).write(reportName(batchId, { mask }), work);
}
