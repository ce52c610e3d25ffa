import type { ResultOf } from '../../api/client.ts';
import { Card, Figures } from '../../base/page.tsx';
import { CostUnknown, WalletsTable } from '../../base/plan-money.tsx';
import { Sums, Time } from '../../base/values.tsx';
import { formatAmount, formatDuration } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';

type Planned = ResultOf<'/api/v1/accounts/{account}/plan'>;

/** Time, approvals and money of a planned payout, and what would stop it. */
export function PayoutResult({ planned }: { planned: Planned }) {
  const { exceeded, cost_unknown, usual_of_rows } = planned;
  return (
    <>
      {exceeded.map(({ guard, currency, most }) => (
        <p className="notice tone-bad" key={`${guard} ${currency}`}>
          {currency === null
            ? t('payout.too_many', { most: Number(most) })
            : t('payout.too_much', { most: `${formatAmount(most, currency)} ${currency}` })}
        </p>
      ))}
      {usual_of_rows === 0 && <p className="notice tone-attention">{t('payout.no_usual')}</p>}
      <PayoutFigures planned={planned} />
      <CostUnknown currencies={cost_unknown} />
      <PayoutMoney planned={planned} />
    </>
  );
}

function PayoutFigures({ planned }: { planned: Planned }) {
  const { rows, sums, usual_of_rows: usual, limit, alone_ms, rows_waiting, done_at, approval } = planned;
  return (
    <Figures
      figures={[
        {
          ...{ name: t('payout.pays'), value: <Sums sums={sums} /> },
          more:
            usual === null || usual === 0
              ? t('payments.rows', { count: rows })
              : `${t('payments.rows', { count: rows })} · ${t('payout.usual', { count: usual })}`,
        },
        {
          ...{ name: t('payout.takes'), value: formatDuration(Math.max(alone_ms, 1_000)) },
          ...(limit.rows === null
            ? {}
            : { more: t('payout.pace', { rows: limit.rows, window: formatDuration(limit.window_ms) }) }),
        },
        {
          ...{ name: t('payout.done_at'), value: <Time at={done_at} /> },
          more: rows_waiting === 0 ? t('payout.alone') : t('payout.behind', { count: rows_waiting }),
        },
        {
          name: t('nav.approvals'),
          value: approval === null ? t('base.none') : t('payout.approvers', { count: approval.approvers }),
        },
      ]}
    />
  );
}

function PayoutMoney({ planned: { wallets, account, cost_unknown } }: { planned: Planned }) {
  if (wallets.length === 0) return null;
  return (
    <Card isFlush title={t('payout.money')}>
      <WalletsTable
        wallets={wallets}
        caption={t('base.labelled', { label: t('payout.money'), value: account })}
        isCostKnown={cost_unknown.length === 0}
      />
    </Card>
  );
}
