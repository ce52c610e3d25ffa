import { change } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';

/** Lets the browser save the pack: it is never in the memory of the page. */
function save(batchId: string, isMasked: boolean): void {
  const link = document.createElement('a');
  link.href = `/api/v1/batches/${encodeURIComponent(batchId)}/audit-pack?mask=${isMasked}`;
  link.download = '';
  link.click();
}

/** The pack for an auditor: all versions of the reports and what proves them, in one file. */
export function PackCard({ batchId, mayReadWhole }: { batchId: string; mayReadWhole: boolean }) {
  const action = useChange(
    async (mask: boolean) => {
      await change('/api/v1/batches/{batch_id}/reports', { path: { batch_id: batchId }, body: { mask } });
      save(batchId, mask);
    },
    { reads: [['reports', batchId]], done: () => t('pack.done') },
  );
  return (
    <Card
      title={t('pack.title')}
      actions={
        <div className="line">
          {mayReadWhole && (
            <Button look="main-action" isBusy={action.isPending} onClick={() => action.mutate(false)}>
              {t('pack.whole')}
            </Button>
          )}
          <Button
            look={mayReadWhole ? undefined : 'main-action'}
            isBusy={action.isPending}
            onClick={() => action.mutate(true)}
          >
            {t('pack.masked')}
          </Button>
        </div>
      }
    >
      <p className="quiet">{t('pack.help')}</p>
      {action.error !== null && <Failure error={action.error} />}
    </Card>
  );
}
