import type { Readable } from 'node:stream';
import type { Session } from '../../runtime/session/session.ts';
import { openReport } from '../../runtime/upkeep/report-store.ts';
import { noteCompleteNumbers } from '../access/complete-numbers.ts';
import { performIn } from '../base/operation.ts';
import { listReportFiles } from './list-report-files.ts';

/** A file of a batch's reports. */
export interface ReportFile {
  batch_id: string;
  name: string;
  /** Undefined: of the current version. */
  version: number | undefined;
  isMasked: boolean;
}

/**
 * Opens a file of a batch's reports; null if there is none. Files with complete phone numbers are for people who work
 * on batches, not for those who only audit them, and the log of access keeps who has read which of them.
 */
export async function openReportFile(
  session: Session,
  { batch_id, name, version, isMasked }: ReportFile,
): Promise<{ bytes: number; content: Readable } | null> {
  const { folders } = await performIn(session, listReportFiles, { nameOf: (field) => field }, { batch_id });
  const folder = folders.find(
    (one) => one.is_masked === isMasked && (version === undefined || one.version === version),
  );
  const file = folder?.files.find((one) => one.name === name);
  if (folder === undefined || file === undefined) return null;
  if (!isMasked) await noteCompleteNumbers(session, { batch_id, file: name, version: folder.version });
  return { bytes: file.bytes, content: await openReport(session, `${folder.dir}/${name}`) };
}
