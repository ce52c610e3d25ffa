import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/client.ts';
import { Loaded } from '../../base/failure.tsx';
import { missingColumn } from '../../base/plan-money.tsx';
import { Table } from '../../base/table.tsx';
import { Money, Sums } from '../../base/values.tsx';
import { dayOf } from '../../forms/days.ts';
import { formatDate, formatTime } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import type { Forecast } from './balance-series.ts';

type OfCurrency = Forecast['currencies'][number];

/** How long a forecast stays on the page (ms): each one asks the service for the balance. */
const freshMs = 60_000;

export function useMoneyForecast(account: string) {
  return useQuery({
    queryKey: ['money-forecast', account],
    queryFn: () => get('/api/v1/accounts/{account}/money-forecast', { path: { account } }),
    staleTime: freshMs,
  });
}

/** When the wallets of an account will be empty, by currency. Currencies that are not used are left out. */
export function MoneyForecast({ account }: { account: string }) {
  const query = useMoneyForecast(account);
  return (
    <Loaded query={query}>
      {({ currencies, unknown, products }) => {
        const used = currencies.filter(({ queued, waiting, spent }) =>
          [queued, waiting, spent].some((sum) => Number(sum) > 0),
        );
        const isUncounted = Object.keys(unknown).length > 0 || products > 0;
        if (used.length === 0 && !isUncounted) return null;
        return (
          <>
            <div className="card-head">
              <h3>{t('wallets.ahead')}</h3>
              <span className="small quiet">{t('wallets.ahead_help')}</span>
            </div>
            {used.length > 0 && <ForecastTable account={account} used={used} />}
            {isUncounted && (
              <div className="card-head small quiet">
                {Object.keys(unknown).length > 0 && (
                  <div className="line">
                    {t('wallets.no_rate')} <Sums sums={unknown} />
                  </div>
                )}
                {products > 0 && <span>{t('wallets.products', { count: products })}</span>}
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function ForecastTable({ account, used }: { account: string; used: readonly OfCurrency[] }) {
  const sum = (id: 'queued' | 'waiting' | 'spent') => ({
    ...{ id, label: t(`wallets.${id}`), isNumber: true },
    cell: (one: OfCurrency) => <Money value={one[id]} currency={one.currency} />,
  });
  return (
    <Table
      caption={t('base.labelled', { label: t('wallets.ahead'), value: account })}
      rows={used}
      keyOf={({ currency }) => currency}
      stacks
      columns={[
        { id: 'lasts', label: t('wallets.lasts'), isHead: true, cell: lasts },
        sum('queued'),
        sum('waiting'),
        missingColumn(),
        sum('spent'),
      ]}
    />
  );
}

function lasts({ currency, runs_out_by: by, runs_out_at: at }: OfCurrency): string {
  if (by === null) return t('base.labelled', { label: currency, value: t('wallets.lasts.long') });
  if (at === null) return t('base.labelled', { label: currency, value: t('wallets.lasts.unsure') });
  // A forecast from usual payouts is no more exact than a day.
  return t('base.labelled', {
    label: currency,
    value: t(`wallets.lasts.${by}`, { time: by === 'queue' ? formatTime(at) : formatDate(dayOf(Date.parse(at))) }),
  });
}
