import type { ResultOf } from '../api/client.ts';
import { systemText } from '../texts/failure-text.ts';
import { countryName, formatDuration } from '../texts/format.ts';
import { t } from '../texts/i18n.ts';
import { Badge } from './state-badge.tsx';
import { type Column, Table } from './table.tsx';
import { Count, Money, None, Sums } from './values.tsx';

type DraftPlan = ResultOf<'/api/v1/drafts/{draft_id}/plan'>;
type Plan = DraftPlan['plan'];
type NetworkTotals = Plan['networks'][number];
type WalletMoney = DraftPlan['wallets'][number];

interface MoneyNoticesProps {
  plan: { short: readonly { currency: string; missing: string }[]; balance_trouble: string | null };
  heading: 'h2' | 'h3';
}

/** Warns that the money is not enough for a plan, or that the balance could not be read. */
export function MoneyNotices({ plan: { short, balance_trouble }, heading: Heading }: MoneyNoticesProps) {
  return (
    <>
      {short.map(({ currency, missing }) => (
        <div key={currency} className="notice tone-bad">
          <Heading>{t('approval.short')}</Heading>
          <p>
            {t('approval.missing')} <Money value={missing} currency={currency} />
          </p>
        </div>
      ))}
      {balance_trouble !== null && (
        <p className="notice tone-attention">
          {t('approval.balance_unknown', { why: systemText(balance_trouble) ?? balance_trouble })}
        </p>
      )}
    </>
  );
}

/** The column of how much is missing in the wallets of a currency. */
export function missingColumn(): Column<{ currency: string; missing: string | null }> {
  return {
    ...{ id: 'missing', label: t('wallets.missing'), isNumber: true },
    cell: ({ missing, currency }) =>
      missing === null ? (
        <None />
      ) : (
        <Badge tone="bad">
          <Money value={missing} currency={currency} />
        </Badge>
      ),
  };
}

/** How long a plan takes; or why nobody knows when it would be done. */
export function timeTaken({ estimate_ms, done_unknown }: Pick<Plan, 'estimate_ms' | 'done_unknown'>): string {
  if (done_unknown !== null) return t(`hold.${done_unknown}`);
  return t('approval.takes', { time: formatDuration(Math.max(estimate_ms, 1_000)) });
}

/** What a plan pays at each network. */
export function NetworksTable({ networks }: { networks: readonly NetworkTotals[] }) {
  return (
    <Table
      caption={t('approval.by_network')}
      rows={networks}
      keyOf={({ network_id, country }) => `${network_id} ${country}`}
      stacks
      columns={[
        { id: 'network', label: t('draft.field.network_id'), isHead: true, cell: networkName },
        {
          ...{ id: 'country', label: t('draft.field.country') },
          cell: ({ country }) => (country === null ? <None /> : countryName(country)),
        },
        { id: 'rows', label: t('approval.to_pay_rows'), isNumber: true, cell: ({ rows }) => <Count of={rows} /> },
        { id: 'sums', label: t('approval.pays'), isNumber: true, cell: ({ sums }) => <Sums sums={sums} /> },
      ]}
    />
  );
}

function networkName({ network_id, name }: NetworkTotals) {
  return name ?? (network_id === null ? <None /> : t('draft.network_is', { id: network_id }));
}

/** Warns of currencies without a rate: the service chooses the wallet that pays. */
export function CostUnknown({ currencies }: { currencies: readonly string[] }) {
  if (currencies.length === 0) return null;
  return <p className="notice tone-attention">{t('payout.unknown', { currencies: currencies.join(', ') })}</p>;
}

interface WalletsProps {
  wallets: readonly WalletMoney[];
  caption: string;
  /** Whether the cost of the payout is known, and so what the wallets hold after it. */
  isCostKnown: boolean;
}

/** What the wallets hold before and after a payout and the batches that wait with it, by currency. */
export function WalletsTable({ wallets, caption, isCostKnown }: WalletsProps) {
  const used = wallets.filter(({ cost, missing }) => Number(cost) > 0 || missing !== null);
  const sum = (id: 'balance' | 'cost' | 'others'): Column<WalletMoney> => ({
    ...{ id, label: t(`payout.${id}`), isNumber: true },
    cell: (one) => (id === 'cost' && !isCostKnown ? <None /> : <Money value={one[id]} currency={one.currency} />),
  });
  return (
    <Table
      caption={caption}
      rows={isCostKnown && used.length > 0 ? used : wallets}
      keyOf={({ currency }) => currency}
      stacks
      columns={[
        { id: 'currency', label: t('payout.currency'), isHead: true, cell: ({ currency }) => currency },
        ...[sum('balance'), sum('cost'), sum('others')],
        {
          id: 'left',
          label: t('payout.left'),
          isNumber: true,
          cell: (wallet) => (isCostKnown ? <Left wallet={wallet} /> : <None />),
        },
      ]}
    />
  );
}

function Left({ wallet: { left, currency, missing } }: { wallet: WalletMoney }) {
  const money = <Money value={left} currency={currency} />;
  return missing === null ? money : <Badge tone="bad">{money}</Badge>;
}
