import { z } from 'zod';
import { safeUrl, shownUrl } from '../../core/text/safe-url.ts';
import type { Secret } from '../../notify/recipients.ts';
import { type Bucket, bucketPlace } from '../../reports/store/object-store.ts';
import { s3Shape } from './reports-config.ts';

/**
 * Where the heads of audit chains are stored outside the ledger. A chain alone does not show that its end was cut off.
 */
const anchorShape = z.discriminatedUnion('kind', [
  /** A line of JSON is appended to a file, preferably on another machine's disk. */
  z.strictObject({ kind: z.literal('file'), path: z.string().min(1) }),
  /** The same line is posted to an address; any answer of success counts. */
  z.strictObject({ kind: z.literal('url'), url: safeUrl, tokenEnv: z.string().min(1).optional() }),
  /**
   * An authority time-stamps the head (RFC 3161), and its receipt is kept. Many authorities use http only. That is
   * allowed: they get a digest and no secret, and their receipt is signed.
   */
  z.strictObject({ kind: z.literal('rfc3161'), url: z.url({ protocol: /^https?$/ }) }),
  /** Each head becomes an object in a bucket, which airbatch never replaces. */
  s3Shape.safeExtend({ kind: z.literal('s3') }),
]);
export type AnchorInput = z.output<typeof anchorShape>;

/** All places. A place identifies the heads that were stored there, so no two may be the same. */
export const anchorsShape = z.array(anchorShape).check((context) => {
  for (const [index, anchor] of context.value.entries()) {
    const before = context.value.slice(0, index).findIndex((one) => isConfusedWith(one, anchor));
    if (before < 0) continue;
    const [field, alike] =
      anchor.kind === 's3'
        ? ['bucket', 'the address of the store']
        : ['url', 'a query, and what stands before the host,'];
    const message = `is the same place as anchors.${before}: ${alike} do not tell them apart`;
    context.issues.push({ code: 'custom', path: [index, field], input: anchor, message });
  }
});

function isConfusedWith(one: AnchorInput, other: AnchorInput): boolean {
  if (one.kind === 's3' && other.kind === 's3') {
    const [place, otherPlace] = [one, other].map(({ bucket, prefix = '' }) => bucketPlace({ bucket, prefix }));
    return one.endpoint !== other.endpoint && place === otherPlace;
  }
  if (!('url' in one && 'url' in other) || one.kind !== other.kind) return false;
  return one.url !== other.url && shownUrl(one.url) === shownUrl(other.url);
}

export type Anchor =
  | { kind: 'file'; path: string }
  | { kind: 'url'; url: string; token?: Secret }
  | { kind: 'rfc3161'; url: string }
  | { kind: 's3'; bucket: Bucket };

/** The place as a text for the ledger, the reports and the logs. */
export function placeOf(anchor: Anchor): string {
  if (anchor.kind === 's3') return bucketPlace(anchor.bucket);
  return anchor.kind === 'file' ? `file ${anchor.path}` : `${anchor.kind} ${shownUrl(anchor.url)}`;
}
