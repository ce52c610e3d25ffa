import { join } from 'node:path';

/**
 * The name of a batch's reports, in whatever place. Masked reports have one of their own, so that an earlier version
 * beside them does not show whole numbers.
 */
export function reportName(batchId: string, { mask }: { mask: boolean }): string {
  return mask ? `${batchId}-masked` : batchId;
}

/** The folder of a batch's reports. */
export function reportFolder(outDir: string, batchId: string, masking: { mask: boolean }): string {
  return join(outDir, reportName(batchId, masking));
}
