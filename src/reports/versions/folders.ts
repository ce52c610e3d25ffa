import { join } from 'node:path';

/**
 * Where the reports of a batch lie. Whoever is handed masked ones must not find whole numbers in an earlier version
 * beside them.
 */
export function reportFolder(outDir: string, batchId: string, { mask }: { mask: boolean }): string {
  return join(outDir, mask ? `${batchId}-masked` : batchId);
}
