import type { CatalogOutcome } from '../gateway/gateway.ts';
import type { Catalog } from '../intake/catalog.ts';
import type { OpenAccount } from './account.ts';

/** The catalog of an account's service as intake asks it, under the catalog's own rate limit. */
export function accountCatalog({ limiter, gateway }: Pick<OpenAccount, 'limiter' | 'gateway'>): Catalog {
  const ask = async <Item>(read: () => Promise<CatalogOutcome<Item>>): Promise<Item[] | null> => {
    const outcome = await limiter.admit('catalog', read);
    return outcome.kind === 'items' ? outcome.items : null;
  };
  return {
    async networks(country) {
      const networks = await ask(() => gateway.networks({ country }));
      // V1 answers with the networks of all countries, and does not say which country each is of.
      return networks?.filter(({ countryCode }) => countryCode === '' || countryCode === country) ?? null;
    },
    products: (networkId) => ask(() => gateway.products({ networkId })),
  };
}
