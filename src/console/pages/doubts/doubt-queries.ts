import { useQueries, useQuery } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import type { paths } from '../../api/schema.ts';
import type { Row } from '../batch/batch-queries.ts';

export type OpenBatch =
  paths['/api/v1/batches']['get']['responses'][200]['content']['application/json']['batches'][number];

type Attention =
  paths['/api/v1/batches/{batch_id}']['get']['responses'][200]['content']['application/json']['attention'][number];

/** A row in doubt, and its batch. */
export interface Doubt {
  batch: OpenBatch;
  row: Row;
  /** The service's last answer and the next look-up; undefined beyond the first rows of a batch. */
  attention: Attention | undefined;
}

const batchesMax = 200;
/** The most rows in doubt that are listed of one batch. */
const rowsMax = 1_000;

/** The newest batches, and all older ones that have not ended. */
export function useOpenBatches() {
  return useQuery({
    queryKey: ['doubts', 'batches'],
    queryFn: async () => {
      const { batches } = await answered(api.GET('/api/v1/batches', { params: { query: { limit: batchesMax } } }));
      return batches;
    },
    refetchInterval: refresh(),
  });
}

/** The rows in doubt of these batches, the oldest first. `isWhole`: whether all of them are listed. */
export function useDoubts(batches: readonly OpenBatch[]) {
  const results = useQueries({
    queries: batches.map(({ batch_id }) => ({
      queryKey: ['doubts', 'rows', batch_id],
      queryFn: async () => {
        const path = { batch_id };
        const query = { status: ['in_doubt' as const], limit: rowsMax };
        const [page, { attention }] = await Promise.all([
          answered(api.GET('/api/v1/batches/{batch_id}/rows', { params: { path, query } })),
          answered(api.GET('/api/v1/batches/{batch_id}', { params: { path } })),
        ]);
        const attentionOf = new Map(attention.map((one) => [one.row, one]));
        return { next: page.next, rows: page.rows.map((row) => ({ row, attention: attentionOf.get(row.row_no) })) };
      },
      refetchInterval: refresh(),
    })),
  });
  const doubts = results.flatMap(({ data }, index): Doubt[] => {
    const batch = batches[index];
    return batch === undefined ? [] : (data?.rows ?? []).map((one) => ({ batch, ...one }));
  });
  const since = ({ row }: Doubt) => row.in_doubt_since ?? '';
  return {
    doubts: doubts.sort((a, b) => (since(a) < since(b) ? -1 : 1)),
    isWhole: results.every(({ data }) => data === undefined || data.next === null),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const { refetch } of results) void refetch();
    },
  };
}
