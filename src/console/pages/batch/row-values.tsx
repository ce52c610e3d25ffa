import { Money, None } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import type { Row } from './batch-queries.ts';

/** The request of a row: an amount, or a product. */
export function Asked({
  row: { amount, currency, product_id },
}: {
  row: Pick<Row, 'amount' | 'currency' | 'product_id'>;
}) {
  if (amount !== null && currency !== null) return <Money value={amount} currency={currency} />;
  return product_id === null ? <None /> : t('rows.product', { product: product_id });
}

/** The charge for a row. */
export function Cost({ row: { cost, cost_currency } }: { row: Pick<Row, 'cost' | 'cost_currency'> }) {
  return cost === null || cost_currency === null ? <None /> : <Money value={cost} currency={cost_currency} />;
}
