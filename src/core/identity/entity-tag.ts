import { sha256 } from './ids.ts';

/** A tag for `If-Match`, which is another one whenever one of these facts is. */
export function entityTag(facts: unknown): string {
  return `"${sha256(JSON.stringify(facts)).slice(0, 16)}"`;
}
