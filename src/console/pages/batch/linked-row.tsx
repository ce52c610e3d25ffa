import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { get } from '../../api/client.ts';
import { Dialog } from '../../base/dialog.tsx';
import { t } from '../../texts/i18n.ts';
import { RowDialog } from './row-dialog.tsx';

/** The row that the address names (`?row=7`): links of other pages lead to it. */
export function LinkedRow({ batchId }: { batchId: string }) {
  const [path, go] = useLocation();
  const rowNo = Number(new URLSearchParams(useSearch()).get('row') ?? 0);
  const close = () => go(path, { replace: true });
  const { data, error } = useQuery({
    queryKey: ['batch', batchId, 'linked-row', rowNo],
    queryFn: async () => {
      // Row numbers have no gap.
      const params = { path: { batch_id: batchId }, query: { after: rowNo - 1, limit: 1 } };
      const { rows } = await get('/api/v1/batches/{batch_id}/rows', params);
      return rows.find(({ row_no }) => row_no === rowNo) ?? null;
    },
    enabled: rowNo > 0,
  });
  if (data) return <RowDialog batchId={batchId} row={data} onClose={close} />;
  if (data === undefined && error === null) return null;
  return (
    <Dialog title={t('rows.one', { row: rowNo })} onClose={close} work={{ isPending: false, error }}>
      {data === null && <p>{t('rows.missing')}</p>}
    </Dialog>
  );
}
