import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Answer, change, get } from '../../api/client.ts';
import { refresh, usePages } from '../../api/query-client.ts';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import type { RowsOfBatch } from '../batch/look-up.ts';

export type OpenBatch = Answer<'/api/v1/batches'>['batches'][number];

type DoubtPage = Answer<'/api/v1/doubts'>;
export type Doubt = DoubtPage['doubts'][number];

const batchesMax = 200;
const doubtsPerPage = 100;

/** The newest batches, and all older ones that have not ended. */
export function useOpenBatches() {
  return useQuery({
    queryKey: ['doubts', 'batches'],
    queryFn: async () => {
      const { batches } = await get('/api/v1/batches', { query: { limit: batchesMax } });
      return batches;
    },
    refetchInterval: refresh(),
  });
}

/** The rows in doubt of all batches, the oldest first. `owner`: null: of everybody; empty: of nobody. */
export function useDoubts(owner: string | null) {
  return usePages(
    ['doubts', 'rows', owner],
    null as string | null,
    (after) => get('/api/v1/doubts', { query: { limit: doubtsPerPage, owner, after } }),
    // The filter stays, and keeps the focus, while its rows are read.
    { placeholderData: keepPreviousData, refetchInterval: refresh() },
  );
}

/** The rows of each batch. */
export function byBatch(doubts: readonly Pick<Doubt, 'batch_id' | 'row'>[]): RowsOfBatch[] {
  const ids = [...new Set(doubts.map(({ batch_id }) => batch_id))];
  return ids.map((batch_id) => ({
    batch_id,
    rows: doubts.filter((one) => one.batch_id === batch_id).map(({ row }) => row),
  }));
}

/** Makes a person the owner of rows; null: nobody. */
export function useAssign() {
  return useChange(
    async ({ batches, owner }: { batches: readonly RowsOfBatch[]; owner: string | null }) => {
      let assigned = 0;
      for (const { batch_id, rows } of batches) {
        const body = { rows: [...rows], owner };
        assigned += (await change('/api/v1/batches/{batch_id}/assign', { path: { batch_id }, body })).assigned;
      }
      return assigned;
    },
    {
      reads: [['doubts']],
      done: (count, { owner }) =>
        owner === null ? t('doubts.unassigned', { count }) : t('doubts.assigned', { count, owner }),
    },
  );
}
