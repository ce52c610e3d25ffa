import { t } from '../texts/i18n.ts';
import { Money } from './values.tsx';

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
        <p className="notice tone-attention">{t('approval.balance_unknown', { why: balance_trouble })}</p>
      )}
    </>
  );
}
