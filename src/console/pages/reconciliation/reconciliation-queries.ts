import { useQuery } from '@tanstack/react-query';
import { type Answer, get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';

type Shown = Answer<'/api/v1/reconciliations/{reconciliation_id}'>;
export type Reconciliation = Shown['reconciliation'];

export const reconciliationsKey = ['reconciliations'] as const;
const pageRows = 20;

/** Those that people and jobs have made, the newest first. */
export function useReconciliations() {
  return usePages(reconciliationsKey, null as string | null, (before) =>
    get('/api/v1/reconciliations', { query: { limit: pageRows, before } }),
  );
}

/** One of them, with its files. */
export function useReconciliation(id: string) {
  return useQuery({
    queryKey: ['reconciliation', id],
    queryFn: () => {
      const params = { path: { reconciliation_id: id } };
      return get('/api/v1/reconciliations/{reconciliation_id}', params);
    },
  });
}

/** The address of the page of a reconciliation. */
export function reconciliationPath(id: string): string {
  return `/reconciliation/${encodeURIComponent(id)}`;
}
