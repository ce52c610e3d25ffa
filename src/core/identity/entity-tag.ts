import { sha256 } from './ids.ts';

/** A tag for `If-Match`: it changes whenever one of these facts changes. */
export function entityTag(facts: unknown): string {
  return `"${sha256(JSON.stringify(facts)).slice(0, 16)}"`;
}
