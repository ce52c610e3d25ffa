/**
 * The address and the version in a service's name. The version is null in names that older versions of airbatch stored.
 */
interface ServiceParts {
  place: string;
  version: string | null;
}

const versioned = /^(.*) \((v[0-9]+)\)$/;

/** The service to which an account's money goes, as batches store it: "https://api.example.com (v2)". */
export function serviceName(baseUrl: string, version: string): string {
  return `${placeOf(baseUrl)} (${version})`;
}

/**
 * Whether two names mean the same service, so that payments to one are known to the other. Each version of the service
 * knows only its own payments, so two versions at one address are two services.
 */
export function isSameService(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.place === b.place && !isOtherVersion(one, other);
}

/**
 * Whether two names have different versions, at any addresses. Then neither is the other one moved to a new address.
 */
export function isOtherVersion(one: string, other: string): boolean {
  const [a, b] = [partsOf(one).version, partsOf(other).version];
  return a !== null && b !== null && a !== b;
}

function partsOf(name: string): ServiceParts {
  const [, place = name, version = null] = versioned.exec(name) ?? [];
  return { place: placeOf(place), version };
}

/** The canonical form of a URL; any other text unchanged. */
function placeOf(text: string): string {
  return URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : text;
}
