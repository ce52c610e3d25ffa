/** A mobile network as the service's catalog has it. */
export interface CatalogNetwork {
  networkId: number;
  name: string;
  /** ISO 3166 two-letter code; empty where the service does not say (V1). */
  countryCode: string;
  /** The currency of its amounts, where the catalog says. */
  currency: string | null;
}

export interface CatalogProduct {
  productId: string;
  name: string;
}

/** The service's catalog, as far as intake asks. Null answers say that it gives none now. */
export interface Catalog {
  /** All networks of a country (ISO 3166 two-letter code), and those of which the service does not say the country. */
  networks(country: string): Promise<readonly CatalogNetwork[] | null>;
  /** All products of a network. */
  products(networkId: number): Promise<readonly CatalogProduct[] | null>;
}

/** The same catalog, for whose answers nobody waits once the signal is aborted: it may be told to wait for minutes. */
export function untilAborted(catalog: Catalog | null, signal: AbortSignal | undefined): Catalog | null {
  if (catalog === null || signal === undefined) return catalog;
  const orAborted = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const aborted = Promise.withResolvers<never>();
    const stop = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([answer, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  return {
    networks: (country) => orAborted(catalog.networks(country)),
    products: (networkId) => orAborted(catalog.products(networkId)),
  };
}

/** What was read of the catalog; each country and network is asked for once a file. */
export interface CatalogCache {
  /** Undefined: not asked yet. Null: there is no catalog, or it gives no answer. */
  networks(country: string): readonly CatalogNetwork[] | null | undefined;
  products(networkId: number): readonly CatalogProduct[] | null | undefined;
  /** Asks for what is not known yet. */
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
  // A catalog that did not answer once is not asked for every country of the file.
  const unknown = (isAsked: boolean): null | undefined => (isAsked || failed || !catalog ? null : undefined);
  return {
    networks: (country) => networks.get(country) ?? unknown(networks.has(country)),
    products: (networkId) => products.get(networkId) ?? unknown(products.has(networkId)),
    async load(countries, networkIds) {
      if (!catalog) return;
      // One after the other: the catalog has a rate limit of its own, and a file names few countries and networks.
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
