import { plainName } from '../../core/text/plain-name.ts';
import { countryName } from '../cells/country.ts';
import { networkNames } from '../cells/network-names.ts';
import { plainText } from '../cells/plain-text.ts';
import { shortened } from '../cells/problems.ts';
import type { CatalogNetwork } from './network-catalog.ts';
import type { RowUnderCheck } from './row-under-check.ts';

export interface RowNetwork {
  networkId: number;
  /** The currency of its amounts, or null if the catalog does not say. */
  currency: string | null;
}

/** A network id; spreadsheets write "7.0" if they took it for a number. */
const idForm = /^[0-9]{1,9}(?:[.,]0+)?$/;

/**
 * The network of a row, or null if it is missing or wrong. `country` is that of the number, null if the number is
 * wrong.
 */
export function readNetwork(row: RowUnderCheck, country: string | null): RowNetwork | null {
  const { settings, catalog } = row.context;
  const text = plainText(row.cell.network_id);
  const id = text === '' ? settings.networkId : idForm.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (id === null) {
    row.blame(row.context.plan.network_id === undefined ? null : 'network_id', {
      code: 'NETWORK_MISSING',
      message: 'The network is missing.',
      suggestion: 'Fill in the network\'s id or name, as "airbatch networks" prints them.',
    });
    return null;
  }
  const networks = country === null ? null : catalog.networks(country);
  if (networks === undefined && country !== null) {
    row.needs.countries.add(country);
    return null;
  }
  return Number.isNaN(id)
    ? networkNamed(row, text, country, networks ?? null)
    : networkWithId(row, id, country, networks ?? null);
}

function networkWithId(
  row: RowUnderCheck,
  networkId: number,
  country: string | null,
  networks: readonly CatalogNetwork[] | null,
): RowNetwork | null {
  const isPlaced = networks?.every(({ countryCode }) => countryCode !== '') === true;
  if (networks === null || !isPlaced) return { networkId, currency: null };
  const network = networks.find((known) => known.networkId === networkId);
  if (network) return { networkId, currency: network.currency };
  row.blame('network_id', {
    code: 'NETWORK_UNKNOWN',
    values: { country: country ?? '', networks: listed(networks) },
    message: `Network ${networkId} is not in ${countryName(country ?? '')}, where the number belongs.`,
    suggestion:
      networks.length > 0
        ? `Choose one of ${listed(networks)}, or check the number.`
        : 'The service has no network there.',
  });
  return null;
}

function networkNamed(
  row: RowUnderCheck,
  name: string,
  country: string | null,
  networks: readonly CatalogNetwork[] | null,
): RowNetwork | null {
  // Without a country the number is already reported as wrong; the name may be right.
  if (country === null) return null;
  if (networks === null) {
    row.blame('network_id', {
      code: 'NETWORK_UNRESOLVED',
      message: `"${shortened(name)}" is a name, and the service did not give its list of networks.`,
      suggestion: "Write the network's id, or try again later.",
    });
    return null;
  }
  const named = fitting(name, networks);
  const candidates = named.length > 0 ? named : fittingOtherwise(name, country, networks);
  const [only] = candidates;
  if (candidates.length === 1 && only) {
    if (named.length === 0) row.noteOtherName(name, `${only.networkId} (${only.name})`);
    return { networkId: only.networkId, currency: only.currency };
  }
  if (candidates.length > 1) {
    row.blame('network_id', {
      code: 'NETWORK_AMBIGUOUS',
      values: { networks: listed(candidates) },
      message: `The name "${shortened(name)}" fits more than one network: ${listed(candidates)}.`,
      suggestion: 'Write the id of the right network.',
    });
    return null;
  }
  row.blame('network_id', {
    code: 'NETWORK_UNKNOWN',
    values: { country, networks: listed(networks) },
    message: `${countryName(country)} has no network named "${shortened(name)}".`,
    suggestion: networks.length > 0 ? `Choose one of ${listed(networks)}.` : 'The service has no network there.',
  });
  return null;
}

interface PlainName {
  plain: string;
  words: ReadonlySet<string>;
}

/** Nearly every row of a file names one of a few networks, and each is compared with the same few of the catalog. */
const plainNames = new Map<string, PlainName>();
const plainNamesMax = 1_000;

function plainOf(name: string): PlainName {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const plain = plainName(name);
  const made = { plain, words: new Set(plain.split(' ')) };
  if (plainNames.size >= plainNamesMax) plainNames.clear();
  plainNames.set(name, made);
  return made;
}

/** The networks with exactly this name; if there are none, those whose names contain all of its words. */
function fitting(name: string, networks: readonly CatalogNetwork[]): CatalogNetwork[] {
  const { plain: wanted, words } = plainOf(name);
  if (wanted === '') return [];
  const exact = networks.filter((network) => plainOf(network.name).plain === wanted);
  if (exact.length > 0) return exact;
  return networks.filter((network) => [...words].every((word) => plainOf(network.name).words.has(word)));
}

/** The networks for which `name` is another name, such as a former one, with or without the country. */
function fittingOtherwise(name: string, country: string, networks: readonly CatalogNetwork[]): CatalogNetwork[] {
  const wanted = withoutCountry(plainOf(name).plain, country);
  const others = networkNames(country).filter((names) =>
    names.some((known) => squeezed(plainOf(known).plain) === squeezed(wanted)),
  );
  return [...new Set([wanted, ...others.flat()].flatMap((known) => fitting(known, networks)))];
}

/** "Airtel Tigo" is AirtelTigo, and "mcel" is mCel. */
const squeezed = (name: string) => name.replaceAll(' ', '');

/** The service may call "Airtel" what a file calls "Airtel Malawi". */
function withoutCountry(name: string, country: string): string {
  const { words: ofCountry } = plainOf(countryName(country));
  return name
    .split(' ')
    .filter((word) => !ofCountry.has(word))
    .join(' ');
}

const listedMax = 8;

function listed(networks: readonly CatalogNetwork[]): string {
  const names = networks.slice(0, listedMax).map(({ networkId, name }) => `${networkId} (${name})`);
  return networks.length > listedMax ? `${names.join(', ')}, ...` : names.join(', ');
}

/** The spec does not define the form of a product id: airbatch accepts any short text without spaces. */
const productForm = /^[^\s]{1,64}$/u;

/** The product of a row, or null if it buys none or the id is wrong. */
export function readProduct(row: RowUnderCheck, networkId: number | null): string | null {
  const productId = plainText(row.cell.product_id);
  if (productId === '') return null;
  if (!productForm.test(productId) || /\p{C}/u.test(productId)) {
    row.blame('product_id', {
      code: 'PRODUCT_INVALID',
      message: 'This cannot be a product id: it is too long, or has spaces in it.',
      suggestion: 'Copy the id that "airbatch products" prints.',
    });
    return null;
  }
  const products = networkId === null ? null : row.context.catalog.products(networkId);
  if (products === undefined && networkId !== null) {
    row.needs.networkIds.add(networkId);
    return productId;
  }
  if (products && !products.some((product) => product.productId === productId)) {
    row.blame('product_id', {
      code: 'PRODUCT_UNKNOWN',
      message: `Network ${networkId} has no product "${shortened(productId)}".`,
      suggestion: 'Copy the id that "airbatch products" prints: a product may have been withdrawn.',
    });
  }
  return productId;
}
