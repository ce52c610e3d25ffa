import { useParams } from 'wouter';
import { ButtonLink } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Page } from '../../base/page.tsx';
import { t } from '../../texts/i18n.ts';
import { useReconciliation } from './reconciliation-queries.ts';
import { ReconciliationResult } from './reconciliation-result.tsx';

/** A reconciliation that was made before. */
export function EarlierPage() {
  const { id = '' } = useParams();
  const query = useReconciliation(decodeURIComponent(id));
  const account = query.data?.reconciliation.account;
  return (
    <Page
      title={t('nav.reconciliation')}
      sub={
        account === undefined ? undefined : t('base.labelled', { label: t('batches.column.account'), value: account })
      }
      actions={<ButtonLink href="/reconciliation">{t('reconciliation.other')}</ButtonLink>}
    >
      <Loaded query={query}>{({ reconciliation }) => <ReconciliationResult reconciliation={reconciliation} />}</Loaded>
    </Page>
  );
}
