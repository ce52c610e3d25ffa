import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, get } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Card, Empty, Page } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Money, serviceText, Time } from '../../base/values.tsx';
import { NoAccount } from '../../forms/account-field.tsx';
import { t } from '../../texts/i18n.ts';
import { BalanceCharts } from './balance-chart.tsx';
import { MoneyForecast } from './money-forecast.tsx';

type Account = Answer<'/api/v1/accounts'>['accounts'][number];
type Balance = NonNullable<Account['balance']>;

/** The accounts: whether each may send now, and its balance. */
export function WalletsPage() {
  const query = useQuery({
    queryKey: ['accounts'],
    queryFn: () => get('/api/v1/accounts'),
    refetchInterval: refresh(),
  });
  return (
    <Page
      title={t('nav.wallets')}
      sub={t('wallets.sub')}
      actions={(query.data?.accounts.length ?? 0) > 1 && <ButtonLink href="/workers">{t('workers.title')}</ButtonLink>}
    >
      <Loaded query={query}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <NoAccount />
          ) : (
            accounts.map((account) => <AccountCard key={account.account} account={account} />)
          )
        }
      </Loaded>
    </Page>
  );
}

function AccountCard({
  account: { account, service, version, is_rehearsal, worker, gate, balance },
}: {
  account: Account;
}) {
  const client = useQueryClient();
  const read = useQuery({
    queryKey: ['balance', account],
    queryFn: () => get('/api/v1/accounts/{account}/balance', { path: { account } }),
    enabled: false,
  });
  // The program reads it, too, when a batch begins or ends.
  const isOwnNewer = read.data !== undefined && (balance === null || read.data.read_at > balance.read_at);
  const shown = isOwnNewer ? read.data : balance;
  const readAnew = () =>
    void read.refetch().then(() => {
      void client.invalidateQueries({ queryKey: ['accounts'] });
      void client.invalidateQueries({ queryKey: ['money-forecast', account] });
    });
  return (
    <Card
      isFlush
      title={
        <span className="line">
          {account}
          <Badge tone={gate.is_open ? 'good' : 'attention'}>
            {t(gate.why === null ? 'wallets.open' : `gate.${gate.why}`)}
          </Badge>
          {is_rehearsal && <Badge tone="neutral">{t('wallets.rehearsal')}</Badge>}
        </span>
      }
      actions={
        <Button isBusy={read.isFetching} onClick={readAnew}>
          {t('wallets.read')}
        </Button>
      }
    >
      <div className="card-head small quiet">
        <span>
          {version} · {serviceText(service)}
          {worker !== null && ` · ${t('wallets.worked_on')}`}
          {gate.until !== null && (
            <>
              {' '}
              · {t('wallets.until')} <Time at={gate.until} />
            </>
          )}
        </span>
      </div>
      {read.error !== null && <Failure error={read.error} onRetry={readAnew} />}
      {shown === null ? (
        <Empty title={t('wallets.never_read')}>
          <p>{t('wallets.never_read_help')}</p>
        </Empty>
      ) : (
        <Wallets account={account} balance={shown} />
      )}
      <MoneyForecast account={account} />
      <BalanceCharts account={account} />
    </Card>
  );
}

function Wallets({ account, balance: { wallets, read_at, total } }: { account: string; balance: Balance }) {
  return (
    <>
      <Table
        caption={account}
        rows={wallets}
        keyOf={({ wallet_id }) => wallet_id}
        columns={[
          { id: 'name', label: t('wallets.wallet'), isHead: true, cell: ({ name, wallet_id }) => name || wallet_id },
          {
            ...{ id: 'state', label: t('base.state') },
            cell: ({ active }) => (
              <Badge tone={active ? 'good' : 'neutral'}>{t(active ? 'wallets.active' : 'wallets.inactive')}</Badge>
            ),
          },
          {
            ...{ id: 'balance', label: t('wallets.balance'), isNumber: true },
            cell: ({ balance, currency }) => <Money value={balance} currency={currency} />,
          },
        ]}
      />
      <p className="card-head small quiet">
        <span>
          {t('wallets.read_at')} <Time at={read_at} />
        </span>
        {total !== null && (
          <span>
            {t('wallets.total')} <Money value={total.value} currency={total.currency} />
          </span>
        )}
      </p>
    </>
  );
}
