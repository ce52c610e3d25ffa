import { join } from 'node:path';

/**
 * The folder of a batch's reports. Masked reports have a folder of their own, so that an earlier version in it does not
 * show whole numbers.
 */
export function reportFolder(outDir: string, batchId: string, { mask }: { mask: boolean }): string {
  return join(outDir, mask ? `${batchId}-masked` : batchId);
}
