import type { ResultOf } from '../../api/client.ts';
import { Card, Figures } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Count, Money, Sums, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { type Bucket, buckets, tones } from './buckets.ts';
import { OpenItems } from './open-items.tsx';
import { UnexplainedRest } from './unexplained-rest.tsx';

type Result = ResultOf<'/api/v1/reconciliations'>;

export function ReconciliationResult({ result }: { result: Result }) {
  const { reconciliation, reports, is_settled } = result;
  const { counts, charged_by_service, wallets, from, to } = reconciliation;
  return (
    <>
      <section className={`notice tone-${is_settled ? 'good' : 'attention'}`} role="status">
        <h2>{t(is_settled ? 'reconciliation.settled' : 'reconciliation.open')}</h2>
        <p>
          <Time at={from} /> – <Time at={to} />
        </p>
      </section>
      <Figures
        figures={[
          { name: t('reconciliation.charged'), value: <Sums sums={charged_by_service} /> },
          ...(wallets?.currencies ?? []).map(({ currency, left, unexplained }) => ({
            name: t('reconciliation.wallet', { currency }),
            value: <Money value={unexplained} currency={currency} />,
            more: (
              <>
                {t('reconciliation.left')} <Money value={left} currency={currency} />
              </>
            ),
          })),
        ]}
      />
      {(wallets?.currencies ?? []).map(
        ({ currency, unexplained }) =>
          Number(unexplained) !== 0 && (
            <UnexplainedRest key={currency} id={reconciliation.reconciliation_id} currency={currency} />
          ),
      )}
      <BucketCounts counts={counts} />
      <OpenItems id={reconciliation.reconciliation_id} all={reconciliation.open} />
      <p className="small quiet">
        {t('reconciliation.files')} <code>{reports.dir}</code>
      </p>
    </>
  );
}

function BucketCounts({ counts }: { counts: Readonly<Partial<Record<Bucket, number>>> }) {
  const found = buckets.filter((bucket) => (counts[bucket] ?? 0) > 0);
  if (found.length === 0) return null;
  return (
    <Card title={t('nav.payments')} isFlush>
      <Table
        caption={t('nav.payments')}
        rows={found}
        keyOf={(bucket) => bucket}
        columns={[
          {
            ...{ id: 'bucket', label: t('jobs.result'), isHead: true },
            cell: (bucket) => <Badge tone={tones[bucket]}>{t(`bucket.${bucket}`)}</Badge>,
          },
          {
            ...{ id: 'count', label: t('reconciliation.count'), isNumber: true },
            cell: (bucket) => <Count of={counts[bucket] ?? 0} />,
          },
        ]}
      />
    </Card>
  );
}
