import { Card, Figures } from '../../base/page.tsx';
import { CostUnknown, MoneyNotices, NetworksTable, timeTaken, WalletsTable } from '../../base/plan-money.tsx';
import { BatchBadge } from '../../base/state-badge.tsx';
import { type Column, Table } from '../../base/table.tsx';
import { BatchLink, Money, Sums, Time, WalletBalance } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { problemTitle } from '../../texts/problem-text.ts';
import type { Review, ReviewedRow } from './review-queries.ts';

/** What the batch pays, what it costs, whether there is enough money, and when it will be done. */
export function PlanCard({ review: { plan, expected_cost, wallets } }: { review: Review }) {
  const { balance, done_at, finish_by, in_time, rows_before } = plan;
  const unpaid = (['invalid', 'held', 'skipped'] as const).filter((state) => (plan.counts[state] ?? 0) > 0);
  const countOf = (state: (typeof unpaid)[number]) => plan.counts[state] ?? 0;
  return (
    <>
      <Figures
        figures={[
          {
            ...{ name: t('approval.pays'), value: <Sums sums={plan.sums} /> },
            more: t('approval.rows_of', { rows: formatCount(plan.to_send), all: plan.rows }),
          },
          Object.keys(expected_cost.cost).length > 0 && {
            ...{ name: t('approval.cost'), value: <Sums sums={expected_cost.cost} /> },
            more: t('approval.cost_help'),
          },
          plan.products > 0 && {
            ...{ name: t('approval.products'), value: formatCount(plan.products) },
            more: <Sums sums={plan.product_sums} />,
          },
          {
            ...{ name: t('approval.done_at'), value: <Time at={done_at} /> },
            more: timeTaken(plan),
          },
          finish_by !== null && {
            ...{ name: t('batch.finish_by'), value: <Time at={finish_by} /> },
            more: in_time === false ? t('batches.late') : undefined,
          },
          rows_before > 0 && { name: t('approval.rows_before'), value: formatCount(rows_before) },
          unpaid.length > 0 && {
            name: t('approval.not_paid'),
            value: formatCount(unpaid.reduce((sum, state) => sum + countOf(state), 0)),
            more: unpaid
              .map((state) =>
                t('base.labelled', { label: t(`state.row.${state}`), value: formatCount(countOf(state)) }),
              )
              .join(' · '),
          },
        ]}
      />
      <CostUnknown currencies={expected_cost.unknown} />
      <MoneyNotices plan={plan} heading="h2" />
      {wallets.length > 0 ? (
        <Card title={t('payout.money')} isFlush>
          <WalletsTable {...{ wallets, caption: t('payout.money'), isCostKnown: expected_cost.unknown.length === 0 }} />
        </Card>
      ) : (
        balance !== null && <WalletLine balance={balance} />
      )}
      <Card title={t('approval.by_network')} isFlush>
        <NetworksTable networks={plan.networks} />
      </Card>
    </>
  );
}

function WalletLine({ balance: { wallets, read_at } }: { balance: NonNullable<Review['plan']['balance']> }) {
  return (
    <p className="small quiet">
      {t('approval.wallets')}{' '}
      {wallets.map((wallet, index) => (
        <span key={wallet.wallet_id}>
          {index > 0 && ' · '}
          <WalletBalance wallet={wallet} />
        </span>
      ))}{' '}
      (<Time at={read_at} />)
    </p>
  );
}

const rowColumns = (): Column<ReviewedRow>[] => [
  {
    id: 'person',
    label: t('rows.person'),
    isHead: true,
    cell: ({ row, person }) => (
      <>
        {person}
        <div className="small quiet">{t('rows.one', { row: formatCount(row) })}</div>
      </>
    ),
  },
  { id: 'phone', label: t('rows.phone'), cell: ({ phone_number }) => phone_number },
  {
    id: 'amount',
    label: t('rows.amount'),
    isNumber: true,
    cell: ({ amount, currency }) => <Money value={amount} currency={currency} />,
  },
];

/** What is unusual about the batch: amounts, held rows, other batches of the same rows, what differs from last time. */
export function UnusualCards({ review: { plan, review } }: { review: Review }) {
  const { largest, held, same_rows, since } = review;
  return (
    <div className="flow">
      {plan.unusual.length > 0 && (
        <Card title={t('approval.unusual')}>
          <ul className="plain-list">
            {plan.unusual.map(({ currency, amount, usual, rows }) => (
              <li key={currency + amount}>
                <Money value={amount} currency={currency} /> · {t('approval.usual')}{' '}
                <Money value={usual} currency={currency} />
                <div className="small quiet">
                  {t('approval.rows_asking', { count: rows.length, rows: rows.map(formatCount).join(', ') })}
                </div>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {same_rows.length > 0 && (
        <Card title={t('approval.same_rows')}>
          <ul className="plain-list">
            {same_rows.map(({ batch_id, status, rows, paid }) => (
              <li key={batch_id}>
                <BatchLink id={batch_id} /> <BatchBadge batch={{ status }} />
                <div className="small quiet">{t('approval.same_rows_line', { rows, paid })}</div>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {Object.keys(held).length > 0 && (
        <Card title={t('batch.tab.held')}>
          <ul className="plain-list">
            {Object.entries(held).map(([code, count]) => (
              <li key={code}>
                {problemTitle(code)}: {formatCount(count)}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {since !== null && <SinceCard since={since} />}
      <Card title={t('approval.largest')} isFlush>
        <Table caption={t('approval.largest')} rows={largest} keyOf={({ row }) => row} stacks columns={rowColumns()} />
      </Card>
    </div>
  );
}

function SinceCard({ since }: { since: NonNullable<Review['review']['since']> }) {
  const { batch_id, cost, new_numbers, new_examples, missing_numbers, missing_examples } = since;
  const { changed, changed_percent, changed_examples } = since;
  return (
    <Card title={t('approval.since')} isFlush>
      <div className="card-head">
        <BatchLink id={batch_id} /> <Sums sums={cost} />
      </div>
      <div className="card-head">
        <h3>{t('approval.new_numbers', { count: new_numbers })}</h3>
      </div>
      <Examples caption={t('approval.new_examples')} rows={new_examples} columns={rowColumns()} />
      <div className="card-head">
        <h3>{t('approval.missing_numbers', { count: missing_numbers })}</h3>
      </div>
      <Examples caption={t('approval.missing_examples')} rows={missing_examples} columns={rowColumns()} />
      <div className="card-head">
        <h3>{t('approval.changed', { count: changed, percent: changed_percent })}</h3>
      </div>
      <Examples
        caption={t('approval.changed_examples')}
        rows={changed_examples}
        columns={[
          ...(rowColumns() as Column<(typeof changed_examples)[number]>[]),
          {
            ...{ id: 'before', label: t('approval.before'), isNumber: true },
            cell: ({ before, currency }) => <Money value={before} currency={currency} />,
          },
        ]}
      />
    </Card>
  );
}

interface ExamplesProps<Row> {
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}

function Examples<Row extends { row: number }>({ rows, ...table }: ExamplesProps<Row>) {
  return rows.length === 0 ? null : <Table {...table} rows={rows} keyOf={({ row }) => row} stacks />;
}
