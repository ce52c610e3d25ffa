import { useQuery } from '@tanstack/react-query';
import { type Answer, get, send } from '../../api/client.ts';
import { ApiProblem, problemOf } from '../../api/problem.ts';
import type { ReadFile } from './verify.ts';

export type ReportFolder = Answer<'/api/v1/batches/{batch_id}/report-files'>['folders'][number];

/** Where a file of the reports is found. */
export function fileUrl(batchId: string, { version, is_masked }: ReportFolder, name: string): string {
  const query = new URLSearchParams({ masked: String(is_masked) });
  if (version !== null) query.set('version', String(version));
  return `/api/v1/batches/${encodeURIComponent(batchId)}/report-files/${encodeURIComponent(name)}?${query}`;
}

export function useReportFolders(batchId: string) {
  return useQuery({
    queryKey: ['reports', batchId],
    queryFn: () => get('/api/v1/batches/{batch_id}/report-files', { path: { batch_id: batchId } }),
  });
}

/** Reads the files of a version as bytes. */
export function fileReader(batchId: string, folder: ReportFolder): ReadFile {
  return async (name) => {
    const response = await send(new Request(new URL(fileUrl(batchId, folder, name), location.origin)));
    if (response.status === 404) return null;
    if (!response.ok) throw new ApiProblem(await problemOf(response));
    return new Uint8Array(await response.arrayBuffer());
  };
}
