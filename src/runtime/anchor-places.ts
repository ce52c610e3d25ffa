import { z } from 'zod';
import { safeUrl } from '../core/safe-url.ts';

/** Where the heads of audit chains are put outside of the ledger: a chain alone does not show that its end was cut off. */
export const anchorShape = z.discriminatedUnion('kind', [
  /** A line of JSON is appended to a file, best on another machine's disk. */
  z.strictObject({ kind: z.literal('file'), path: z.string().min(1) }),
  /** The same line is posted to an address; any answer of success counts. */
  z.strictObject({ kind: z.literal('url'), url: safeUrl, tokenEnv: z.string().min(1).optional() }),
  /**
   * The head is time-stamped by an authority (RFC 3161), whose receipt is kept. Many of them speak http alone, and may: they are sent
   * a digest and no secret, and their receipt is signed.
   */
  z.strictObject({ kind: z.literal('rfc3161'), url: z.url({ protocol: /^https?$/ }) }),
]);
export type Anchor =
  | { kind: 'file'; path: string }
  | { kind: 'url'; url: string; token?: string }
  | { kind: 'rfc3161'; url: string };
