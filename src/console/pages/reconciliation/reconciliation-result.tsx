import { Link } from 'wouter';
import { Card } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Count, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { type Bucket, buckets, tones } from './buckets.ts';
import { FilesCard } from './files-card.tsx';
import { OpenItems } from './open-items.tsx';
import { type Reconciliation, reconciliationPath } from './reconciliation-queries.ts';
import { SidesCard } from './sides-card.tsx';
import { UnexplainedRest } from './unexplained-rest.tsx';

export function ReconciliationResult({ reconciliation }: { reconciliation: Reconciliation }) {
  const { reconciliation_id: id, counts, wallets, from, to, open, is_settled } = reconciliation;
  const unexplained = (wallets?.currencies ?? []).flatMap((one) => (Number(one.unexplained) === 0 ? [] : one.currency));
  return (
    <>
      <section className={`notice tone-${is_settled ? 'good' : 'attention'}`} role="status">
        <h2>{t(is_settled ? 'reconciliation.settled' : 'reconciliation.open')}</h2>
        <p>
          <Time at={from} /> – <Time at={to} />
        </p>
        <p className="small">
          <Link href={reconciliationPath(id)}>{id}</Link>
        </p>
      </section>
      <SidesCard reconciliation={reconciliation} />
      {unexplained.length > 0 && <UnexplainedRest id={id} currencies={unexplained} />}
      <BucketCounts counts={counts} />
      <OpenItems id={id} all={open} isSettled={is_settled} />
      <FilesCard id={id} />
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
