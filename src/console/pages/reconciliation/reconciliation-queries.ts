import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Answer, answered, api } from '../../api/client.ts';

type Shown = Answer<'/api/v1/reconciliations/{reconciliation_id}'>;
export type Reconciliation = Shown['reconciliation'];

export const reconciliationsKey = ['reconciliations'] as const;
const pageRows = 20;

/** Those that people and jobs have made, the newest first. */
export function useReconciliations() {
  return useInfiniteQuery({
    queryKey: reconciliationsKey,
    queryFn: ({ pageParam }) => {
      const query = { limit: pageRows, ...(pageParam === null ? {} : { before: pageParam }) };
      return answered(api.GET('/api/v1/reconciliations', { params: { query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

/** One of them, with its files. */
export function useReconciliation(id: string) {
  return useQuery({
    queryKey: ['reconciliation', id],
    queryFn: () => {
      const params = { path: { reconciliation_id: id } };
      return answered(api.GET('/api/v1/reconciliations/{reconciliation_id}', { params }));
    },
  });
}

/** The address of the page of a reconciliation. */
export function reconciliationPath(id: string): string {
  return `/reconciliation/${encodeURIComponent(id)}`;
}
