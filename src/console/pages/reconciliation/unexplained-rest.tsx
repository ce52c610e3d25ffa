import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { get } from '../../api/client.ts';
import { Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { t } from '../../texts/i18n.ts';
import { type Item, paymentColumns } from './open-items.tsx';

/** The most lines that the operation lists at once. */
const itemsMax = 500;

/**
 * Whether a line may be why a wallet does not add up: the service names no cost for it, or another one than the ledger.
 * A cost is like `12.50 KES`; without one the currency is not known.
 */
function mayExplain({ bucket, cost_here, cost_there }: Item, currency: string): boolean {
  const cost = cost_there ?? cost_here;
  if (cost !== null && !cost.endsWith(` ${currency}`)) return false;
  return cost_there === null || bucket === 'cost_differs' || bucket === 'refunded_later';
}

/** For money of wallets that no charge explains: the rows that may explain it, or where to look if there are none. */
export function UnexplainedRest({ id, currencies }: { id: string; currencies: readonly string[] }) {
  const query = useQuery({
    queryKey: ['reconciliation', id, 'rest'],
    queryFn: () => {
      const params = { path: { reconciliation_id: id }, query: { limit: itemsMax } };
      return get('/api/v1/reconciliations/{reconciliation_id}/items', params);
    },
  });
  return (
    <Loaded query={query}>
      {({ items, next }) => {
        const rests = currencies.map((currency) => ({
          currency,
          items: items.filter((item) => mayExplain(item, currency)),
        }));
        // The same is to be done about all currencies that no line explains.
        const bare = rests.filter((rest) => rest.items.length === 0).map(({ currency }) => currency);
        const isPart = next !== null;
        return (
          <>
            {rests.map((rest) => rest.items.length > 0 && <Rest key={rest.currency} {...rest} isPart={isPart} />)}
            {bare.length > 0 && <Rest currency={bare.join(', ')} items={[]} isPart={isPart} />}
          </>
        );
      }}
    </Loaded>
  );
}

/** `isPart`: the reconciliation has more open lines than this page has read. */
function Rest({ currency, items, isPart }: { currency: string; items: readonly Item[]; isPart: boolean }) {
  const title = t('reconciliation.rest', { currency });
  return (
    <Card title={title} isFlush={items.length > 0}>
      {items.length > 0 ? (
        <Table caption={title} rows={items} keyOf={({ item_no }) => item_no} stacks columns={paymentColumns()} />
      ) : (
        <>
          <p>{t('reconciliation.rest_none')}</p>
          <p>
            {t('reconciliation.rest_shorter')} <Link href="/payments">{t('reconciliation.rest_files')}</Link>
          </p>
        </>
      )}
      {isPart && <p className="small quiet card-head">{t('reconciliation.rest_part', { shown: itemsMax })}</p>}
    </Card>
  );
}
