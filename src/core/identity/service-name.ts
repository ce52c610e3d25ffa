/**
 * What a name of a service says: where it is, and which version of it; null in names from before the version was said.
 */
interface ServiceParts {
  place: string;
  version: string | null;
}

const versioned = /^(.*) \((v[0-9]+)\)$/;

/** Where an account's money goes, as batches keep it: "https://api.example.com (v2)". */
export function serviceName(baseUrl: string, version: string): string {
  return `${placeOf(baseUrl)} (${version})`;
}

/**
 * Whether two names mean one service, so that what was sent to the one is known to the other. Either version answers
 * for its own payments alone, so they are two services at one address.
 */
export function isSameService(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.place === b.place && !isOtherVersion(one, other);
}

/** Whether two names are of different versions, wherever each is: neither can be the other under a new address. */
export function isOtherVersion(one: string, other: string): boolean {
  const [a, b] = [partsOf(one).version, partsOf(other).version];
  return a !== null && b !== null && a !== b;
}

function partsOf(name: string): ServiceParts {
  const [, place = name, version = null] = versioned.exec(name) ?? [];
  return { place: placeOf(place), version };
}

/** A URL in the one form of all those that mean the same; any other text as it is. */
function placeOf(text: string): string {
  return URL.canParse(text) ? new URL(text).href.replace(/\/+$/, '') : text;
}
