import Big from 'big.js';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type CountryData, countries } from './catalog-data.ts';
import { currencies } from './currencies.ts';

export interface Network {
  id: number;
  name: string;
  country: CountryData;
}

/** A product: a fixed bundle, or the open product for a network's plain airtime in Version 1 (amount null). */
export interface Product {
  id: number;
  name: string;
  network: Network;
  /** Decimal in the currency of the country. */
  amount: string | null;
  /** Not listed or sold any more. */
  discontinued: boolean;
}

/** A product id is the network's id times this, plus a number. */
const productsPerNetwork = 100;
const discontinuedPlace = 99;

export const networks: readonly Network[] = countries.flatMap((country) =>
  country.networks.map(({ id, name }) => ({ id, name, country })),
);

export const products: readonly Product[] = networks.flatMap((network) => {
  const base = network.id * productsPerNetwork;
  const open = { id: base, name: `${network.name} airtime`, network, amount: null, discontinued: false };
  const bundles = network.country.bundles.map(([name, amount], index) => ({
    id: base + index + 1,
    name: `${network.name} ${name}`,
    network,
    amount,
    discontinued: false,
  }));
  const gone = {
    ...open,
    id: base + discontinuedPlace,
    name: `${network.name} old bundle`,
    amount: '1',
    discontinued: true,
  };
  return [open, ...bundles, gone];
});

const networksById = new Map(networks.map((network) => [network.id, network]));
const productsById = new Map(products.map((product) => [product.id, product]));
const networksByPrefix = new Map(
  countries.flatMap((country) =>
    country.networks.flatMap(({ id, prefixes }) =>
      prefixes.map((prefix) => [`+${country.callingCode}${prefix}`, networksById.get(id)] as const),
    ),
  ),
);
const prefixLengthMax = Math.max(...[...networksByPrefix.keys()].map((prefix) => prefix.length));

export const findNetwork = (id: number): Network | undefined => networksById.get(id);

/** A product that is on sale. */
export function findProduct(id: number): Product | undefined {
  const product = productsById.get(id);
  return product?.discontinued ? undefined : product;
}

/** The country of an E.164 number, or undefined if the sandbox does not have it. */
function countryOf(phoneNumber: string): CountryData | undefined {
  return countries.find(({ callingCode }) => phoneNumber.startsWith(`+${callingCode}`));
}

/**
 * The network with the number's prefix; if there is none, the country's first network, as routing by country would
 * choose.
 */
export function networkOf(phoneNumber: string): Network | undefined {
  for (let length = prefixLengthMax; length > 1; length -= 1) {
    const network = networksByPrefix.get(phoneNumber.slice(0, length) as `+${string}`);
    if (network) return network;
  }
  const id = countryOf(phoneNumber)?.networks[0]?.id;
  return id === undefined ? undefined : networksById.get(id);
}

/**
 * Whether a text is a possible number in E.164 with "+". Lengths are checked; ranges are not, since new ones are
 * assigned all the time.
 */
export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9][0-9]{6,14}$/.test(text) && (parsePhoneNumberFromString(text)?.isPossible() ?? false);
}

/** How many decimals an amount in this currency may have. */
export const decimalsAllowed = (currency: string): number => currencies[currency]?.decimals ?? 2;

/** The decimals of costs after conversion: a few cents of airtime cost fractions of a US cent. */
const costDecimals = 4;

/** Converts a decimal at the sandbox's fixed rates, rounded half up, and never down to zero. */
export function convert(amount: string, from: string, to: string): string {
  if (from === to || new Big(amount).eq(0)) return amount;
  const inUsd = new Big(amount).div(perUsd(from));
  const cost = inUsd.times(perUsd(to)).round(costDecimals, Big.roundHalfUp);
  return (cost.eq(0) ? new Big(1).div(10 ** costDecimals) : cost).toFixed();
}

/** The rate of a conversion as a decimal: units of `to` for one unit of `from`. */
export function rate(from: string, to: string): string {
  return new Big(perUsd(to)).div(perUsd(from)).round(6, Big.roundHalfUp).toFixed();
}

function perUsd(currency: string): string {
  const known = currencies[currency];
  if (!known) throw new RangeError(`the sandbox has no rate for ${currency}`);
  return known.perUsd;
}
