import { Link } from 'wouter';
import type { paths } from '../../api/schema.ts';
import { Card, Empty, Figures } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import type { Tone } from '../../base/states.ts';
import { Table } from '../../base/table.tsx';
import { Count, Money, None, Sums, Time } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';

type Result = paths['/api/v1/reconciliations']['post']['responses'][200]['content']['application/json'];
type Item = Result['open_items'][number];
type Bucket = Item['bucket'];

/** What agrees, what only another program explains, and what is wrong. */
const tones: Record<Bucket, Tone> = {
  matched: 'good',
  no_payment: 'good',
  service_only_other_program: 'neutral',
  status_differs: 'bad',
  amount_differs: 'bad',
  cost_differs: 'bad',
  refunded_later: 'attention',
  duplicated: 'bad',
  ledger_only: 'bad',
  service_only_unknown: 'bad',
  unreadable: 'attention',
};
const buckets = Object.keys(tones) as Bucket[];

export function ReconciliationResult({ result }: { result: Result }) {
  const { reconciliation, reports, open_items, is_settled } = result;
  const { counts, charged_by_service, wallets, from, to } = reconciliation;
  return (
    <>
      <section className={`notice tone-${is_settled ? 'good' : 'attention'}`} role="status">
        <h2>{t(is_settled ? 'reconciliation.settled' : 'reconciliation.open')}</h2>
        <p>
          <Time at={from} /> – <Time at={to} />
        </p>
        {wallets?.next != null && <p>{wallets.next}</p>}
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
      <BucketCounts counts={counts} />
      <OpenItems items={open_items} all={reconciliation.open} />
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
    <Card title={t('reconciliation.payments')} isFlush>
      <Table
        caption={t('reconciliation.payments')}
        rows={found}
        keyOf={(bucket) => bucket}
        columns={[
          {
            ...{ id: 'bucket', label: t('reconciliation.bucket'), isHead: true },
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

function OpenItems({ items, all }: { items: readonly Item[]; all: number }) {
  if (items.length === 0)
    return (
      <Card>
        <Empty title={t('reconciliation.none_open')} />
      </Card>
    );
  return (
    <Card title={t('reconciliation.items', { shown: items.length, all: formatCount(all) })} isFlush>
      <Table
        caption={t('reconciliation.payments')}
        rows={items}
        keyOf={({ topup_id, reference, bucket }) => `${bucket} ${topup_id} ${reference}`}
        stacks
        columns={[
          {
            ...{ id: 'bucket', label: t('reconciliation.bucket'), isHead: true },
            cell: ({ bucket }) => <Badge tone={tones[bucket]}>{t(`bucket.${bucket}`)}</Badge>,
          },
          { id: 'batch', label: t('rows.row'), cell: (item) => <RowLink item={item} /> },
          { id: 'topup', label: t('rows.topup'), cell: ({ topup_id }) => topup_id ?? <None /> },
          {
            ...{ id: 'here', label: t('reconciliation.here'), isNumber: true },
            cell: (item) => <Side status={item.status_here} amount={item.amount_here} cost={item.cost_here} />,
          },
          {
            ...{ id: 'there', label: t('reconciliation.there'), isNumber: true },
            cell: (item) => <Side status={item.status_there} amount={item.amount_there} cost={item.cost_there} />,
          },
          { id: 'next', label: t('batch.next'), cell: ({ next }) => <span className="wrap">{next}</span> },
        ]}
      />
    </Card>
  );
}

function RowLink({ item: { batch_id, row } }: { item: Item }) {
  if (batch_id === null) return <None />;
  return (
    <Link href={`/batches/${encodeURIComponent(batch_id)}`}>
      {row === null ? batch_id : `${batch_id}, ${t('rows.one', { row })}`}
    </Link>
  );
}

/** A payment as one side has it. */
function Side({ status, amount, cost }: { status: string | null; amount: string | null; cost: string | null }) {
  return [status, amount, cost].some((one) => one !== null) ? (
    <>
      {status}
      <div>{amount}</div>
      <div className="small quiet">{cost}</div>
    </>
  ) : (
    <None />
  );
}
