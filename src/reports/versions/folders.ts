import { join } from 'node:path';

/**
 * The name of a batch's reports, in whatever place. Masked reports have a name of their own, so that no earlier version
 * in the same folder shows whole numbers.
 */
export function reportName(batchId: string, { mask }: { mask: boolean }): string {
  return mask ? `${batchId}-masked` : batchId;
}

/** The folder of a batch's reports. */
export function reportFolder(outDir: string, batchId: string, masking: { mask: boolean }): string {
  return join(outDir, reportName(batchId, masking));
}
