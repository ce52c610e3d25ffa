import { systemText } from '../texts/failure-text.ts';
import { t } from '../texts/i18n.ts';
import { Badge } from './state-badge.tsx';
import type { Column } from './table.tsx';
import { Money, None } from './values.tsx';

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
