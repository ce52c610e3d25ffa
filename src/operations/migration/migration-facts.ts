import type { Network, Product } from '../../gateway/contract/gateway.ts';
import { type MigrationFacts, migrateRow, type V1Row } from '../../gateway/migrate.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { ask, askProducts } from '../service/ask-service.ts';

/** Finds what both versions know about each row, and remembers each answer of the services. */
export interface MigrationFactFinder {
  factsOf(row: V1Row): Promise<MigrationFacts>;
}

export interface FactFinderOptions {
  session: Session;
  /** The Version 2 account whose catalog contains the networks. */
  to: OpenAccount;
  /** The Version 1 account that knows what a product id meant there; null if there is none. */
  from: OpenAccount | null;
  /** Called before requests that take long. */
  onWait: (networks: number, ms: number) => void;
}

export function makeMigrationFactFinder({ session, to, from, onWait }: FactFinderOptions): MigrationFactFinder {
  const networksOf = remember(async (phoneNumber: string): Promise<readonly Network[]> => {
    return (await ask(session, to, 'catalog', () => to.gateway.networks({ phoneNumber }))).items;
  });
  const productsOf = remember((networkId: number) => askProducts(session, to, networkId, onWait));
  const oldProducts = remember(async (_all: 'all') => {
    const products = from === null ? [] : await askProducts(session, from, undefined, onWait);
    return new Map(products.map((product) => [product.productId, product]));
  });
  return {
    async factsOf(row) {
      const number = numberOf(row);
      const networks = number === null ? null : await networksOf(number);
      if (row.productId === null) return { networks, product: null, products: null };
      const products: Product[] = [];
      for (const { networkId } of networks ?? []) products.push(...(await productsOf(networkId)));
      return { networks, product: (await oldProducts('all')).get(row.productId) ?? null, products };
    },
  };
}

/** The number in the form of Version 2, or null if a person must first correct it. */
function numberOf(row: V1Row): string | null {
  const facts = { networks: null, product: null, products: null };
  const note = migrateRow(row, facts).find(({ field }) => field === 'phone_number');
  return note === undefined ? row.msisdn : note.to;
}

function remember<Key, Value>(find: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const known = new Map<Key, Promise<Value>>();
  return (key) => {
    const found = known.get(key) ?? find(key);
    known.set(key, found);
    return found;
  };
}
