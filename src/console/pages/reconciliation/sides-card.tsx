import { Card } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Money, None, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import type { Reconciliation } from './reconciliation-queries.ts';

interface Line {
  currency: string;
  /** Null: not known. */
  here: string | null;
  there: string | null;
  wallet: { left: string; charged: string; unexplained: string } | null;
}

function linesOf({ charged_by_ledger: here, charged_by_service: there, wallets }: Reconciliation): Line[] {
  const ofWallets = wallets?.currencies ?? [];
  const named = [...Object.keys(here ?? {}), ...Object.keys(there ?? {}), ...ofWallets.map(({ currency }) => currency)];
  return [...new Set(named)].sort().map((currency) => ({
    currency,
    here: here && (here[currency] ?? '0'),
    there: there && (there[currency] ?? '0'),
    wallet: ofWallets.find((one) => one.currency === currency) ?? null,
  }));
}

/** What was charged, by currency: as the ledger has it, as the service has it, and what left the wallets. */
export function SidesCard({ reconciliation }: { reconciliation: Reconciliation }) {
  const { wallets } = reconciliation;
  const sum = (value: string | null, currency: string) =>
    value === null ? <None /> : <Money value={value} currency={currency} />;
  return (
    <Card isFlush title={t('reconciliation.sides')}>
      <Table
        caption={t('reconciliation.sides')}
        rows={linesOf(reconciliation)}
        keyOf={({ currency }) => currency}
        stacks
        empty={<p className="card-note quiet">{t('reconciliation.nothing_charged')}</p>}
        columns={[
          { id: 'currency', label: t('payout.currency'), isHead: true, cell: ({ currency }) => currency },
          {
            ...{ id: 'here', label: t('reconciliation.here'), isNumber: true },
            cell: ({ here, currency }) => sum(here, currency),
          },
          {
            ...{ id: 'there', label: t('reconciliation.there'), isNumber: true },
            cell: ({ there, currency }) => sum(there, currency),
          },
          {
            ...{ id: 'left', label: t('payments.left'), isNumber: true },
            cell: ({ wallet, currency }) => (
              <div>
                {sum(wallet?.left ?? null, currency)}
                {wallet !== null && (
                  <div className="small quiet">
                    {t('reconciliation.between')} <Money value={wallet.charged} currency={currency} />
                  </div>
                )}
              </div>
            ),
          },
          {
            ...{ id: 'rest', label: t('reconciliation.unexplained'), isNumber: true },
            cell: ({ wallet, currency }) =>
              wallet === null ? (
                <None />
              ) : (
                <Badge tone={Number(wallet.unexplained) === 0 ? 'good' : 'bad'}>
                  <Money value={wallet.unexplained} currency={currency} />
                </Badge>
              ),
          },
        ]}
      />
      <p className="card-foot small quiet">
        {wallets === null ? (
          t('reconciliation.no_wallets')
        ) : (
          <>
            {t('reconciliation.readings')} <Time at={wallets.first_read_at} />, <Time at={wallets.last_read_at} />
          </>
        )}
      </p>
    </Card>
  );
}
