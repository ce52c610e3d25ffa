import { V2Error } from '../http/reply.ts';
import { type Route, route } from '../http/routes.ts';
import { convert, type Network, networkOf, networks, products } from '../money/catalog.ts';
import { countries } from '../money/catalog-data.ts';
import { exactNumber, sum } from '../parts/exact.ts';
import { type CatalogLookup, catalogLookup, v2Answers } from './v2-shapes.ts';
import type { V2Parts } from './v2-topup-routes.ts';
import { walletView } from './v2-views.ts';

/** Wallets and catalog of Version 2: spec sections 4.4 to 4.6. */
export function v2AccountRoutes({ replies, wallets }: V2Parts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/balance',
      section: '4.4',
      summary: 'Returns what all wallets hold, in dollars and one by one',
      access: { kind: 'api_key', permission: 'wallets.read' },
      limits: ['read'],
      answer: { status: 200, shape: v2Answers.balance },
      handle({ company }) {
        const all = wallets.list(company, 'v2');
        const inUsd = all
          .filter(({ status }) => status === 'active')
          .map(({ balance, currency }) => convert(balance, currency, 'USD'));
        return replies.v2(200, {
          available_balance: { amount: exactNumber(sum(inUsd)), currency: 'USD' },
          wallets: all.map(walletView),
        });
      },
    }),
    route({
      method: 'GET',
      path: '/v2/balance/:wallet_id',
      section: '4.5',
      summary: 'Returns one wallet',
      access: { kind: 'api_key', permission: 'wallets.read' },
      limits: ['read'],
      answer: { status: 200, shape: v2Answers.wallet },
      handle({ company, params }) {
        const wallet = wallets.find(params.wallet_id ?? '');
        if (wallet?.company !== company || wallet.version !== 'v2') {
          throw new V2Error(404, 'WALLET_NOT_FOUND', 'There is no such wallet.');
        }
        return replies.v2(200, walletView(wallet));
      },
    }),
    route({
      method: 'GET',
      path: '/v2/catalog/lookup',
      section: '4.6',
      summary: 'Looks networks and their products up',
      access: { kind: 'api_key', permission: 'airtime.write' },
      limits: ['catalog', 'read'],
      query: catalogLookup,
      answer: { status: 200, shape: v2Answers.catalog },
      handle: ({ query }) => replies.v2(200, catalogView(query)),
    }),
  ];
}

function catalogView(query: CatalogLookup) {
  const found = networks.filter((network) => isMeant(network, query));
  const ids = new Set(found.map(({ id }) => id));
  return {
    networks: found.map(({ id, name, country }) => ({
      id,
      name,
      country: country.name,
      country_code: country.code,
      currency: country.currency,
      amount_min: exactNumber(country.amountMin),
      amount_max: exactNumber(country.amountMax),
      prefixes: prefixesOf(id),
    })),
    products: products.flatMap(({ id, name, network, amount, discontinued }) =>
      discontinued || amount === null || !ids.has(network.id)
        ? []
        : [
            {
              id: String(id),
              name,
              network_id: network.id,
              network_name: network.name,
              amount: { value: exactNumber(amount), currency: network.country.currency },
            },
          ],
    ),
  };
}

function isMeant(network: Network, { phone_number, country_code, network_id, search }: CatalogLookup): boolean {
  if (country_code !== undefined && network.country.code !== country_code) return false;
  if (network_id !== undefined && network.id !== Number(network_id)) return false;
  if (search !== undefined && !network.name.toLowerCase().includes(search.toLowerCase())) return false;
  // An unescaped "+" in a query means a space.
  if (phone_number !== undefined && networkOf(`+${phone_number.replace(/\D/g, '')}`)?.id !== network.id) return false;
  return true;
}

function prefixesOf(networkId: number): string[] {
  for (const { callingCode, networks: own } of countries) {
    const network = own.find(({ id }) => id === networkId);
    if (network) return network.prefixes.map((prefix) => `+${callingCode}${prefix}`);
  }
  return [];
}
