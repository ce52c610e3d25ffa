import { unlessAborted } from '../../core/time/aborted.ts';

/** A mobile network in the service's catalog. */
export interface CatalogNetwork {
  networkId: number;
  name: string;
  /** ISO 3166 two-letter code; empty if the service does not say (V1). */
  countryCode: string;
  /** The currency of its amounts, if the catalog says. */
  currency: string | null;
}

export interface CatalogProduct {
  productId: string;
  name: string;
}

/** The parts of the service's catalog that intake needs. Null means that the catalog does not answer now. */
export interface Catalog {
  /** All networks of a country (ISO 3166 two-letter code), and networks whose country the service does not say. */
  networks(country: string): Promise<readonly CatalogNetwork[] | null>;
  /** All products of a network. */
  products(networkId: number): Promise<readonly CatalogProduct[] | null>;
}

/**
 * The same catalog, but no caller waits for its answers once the signal is aborted. The service may ask the catalog to
 * wait for minutes.
 */
export function untilAborted(catalog: Catalog | null, signal: AbortSignal | undefined): Catalog | null {
  if (catalog === null || signal === undefined) return catalog;
  return {
    networks: (country) => unlessAborted(catalog.networks(country), signal),
    products: (networkId) => unlessAborted(catalog.products(networkId), signal),
  };
}

/** What was read from the catalog. Each country and network is asked for once a file. */
export interface CatalogCache {
  /** Undefined: not loaded yet. Null: there is no catalog, or it does not answer. */
  networks(country: string): readonly CatalogNetwork[] | null | undefined;
  products(networkId: number): readonly CatalogProduct[] | null | undefined;
  /** Loads what is not known yet. */
  load(countries: Iterable<string>, networkIds: Iterable<number>): Promise<void>;
  /** Whether the catalog was asked and did not answer. */
  failed(): boolean;
}

export function cacheCatalog(catalog: Catalog | null): CatalogCache {
  const networks = new Map<string, readonly CatalogNetwork[] | null>();
  const products = new Map<number, readonly CatalogProduct[] | null>();
  let failed = false;
  const note = <Item>(items: readonly Item[] | null): readonly Item[] | null => {
    failed ||= items === null;
    return items;
  };
  // A catalog that did not answer once is not asked about every country of the file.
  const unknown = (isAsked: boolean): null | undefined => (isAsked || failed || !catalog ? null : undefined);
  return {
    networks: (country) => networks.get(country) ?? unknown(networks.has(country)),
    products: (networkId) => products.get(networkId) ?? unknown(products.has(networkId)),
    async load(countries, networkIds) {
      if (!catalog) return;
      // One after the other: the catalog has its own rate limit, and a file has few countries and networks.
      for (const country of countries) {
        networks.set(country, failed ? null : note(await catalog.networks(country)));
      }
      for (const networkId of networkIds) {
        products.set(networkId, failed ? null : note(await catalog.products(networkId)));
      }
    },
    failed: () => failed,
  };
}
