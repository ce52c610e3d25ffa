import { hash } from 'node:crypto';

/**
 * The name space of airbatch's idempotency keys. It must never change, because a key must always identify the same
 * payment.
 */
const keyNamespace = Buffer.from('6f0f6a5294b15f0e8d6c0a8d6b6f2c11', 'hex');

/** Identifies one payment. The same four fields always give the same key and the same reference, on any machine. */
export interface PaymentIdentity {
  account: string;
  runId: string;
  rowRef: string;
  generation: number;
}

/**
 * The idempotency key: the UUIDv5 of account, run id, row ref and generation. JSON keeps the four apart, so that
 * different payments never have the same text.
 */
export function idempotencyKey({ account, runId, rowRef, generation }: PaymentIdentity): string {
  return uuidV5(JSON.stringify([account, runId, rowRef, generation]));
}

/** The name space, followed by room for any name of ours. The buffer is reused for each key. */
const named = Buffer.concat([keyNamespace, Buffer.alloc(2_048)]);
/** One UTF-16 unit takes at most three bytes of UTF-8. */
const nameLengthMax = Math.floor((named.length - keyNamespace.length) / 3);

/**
 * RFC 9562, version 5, in our name space. Written by hand, because every report makes a key for each row, and this is 8
 * times as fast as a library.
 */
function uuidV5(name: string): string {
  const hex = hash('sha1', afterNamespace(name));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function afterNamespace(name: string): Uint8Array {
  // References of other programs may have any length.
  if (name.length > nameLengthMax) return Buffer.concat([keyNamespace, Buffer.from(name)]);
  return named.subarray(0, keyNamespace.length + named.write(name, keyNamespace.length));
}

/**
 * The payment's `reference` (V2) or `extRefId` (V1) at the service: `<run id>/<row ref>`, with `~<generation>` from 2
 * on.
 */
export function paymentReference({ runId, rowRef, generation }: Omit<PaymentIdentity, 'account'>): string {
  const first = `${runId}/${rowRef}`;
  return generation === 1 ? first : `${first}~${generation}`;
}

/** The identity in a reference, or null if the reference is not one of ours (another program's payment). */
export function parseReference(reference: string): Omit<PaymentIdentity, 'account'> | null {
  const match = /^([^/]+)\/(.+?)(?:~([2-9]|[1-9][0-9]+))?$/su.exec(reference);
  if (!match?.[1] || !match[2]) return null;
  return { runId: match[1], rowRef: match[2], generation: match[3] ? Number(match[3]) : 1 };
}

/** A run id has no "/", so the first "/" of a reference always ends it. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

/** The run id of a file without one. The same bytes are the same run, so they are never paid twice. */
export function defaultRunId(fileSha256: string): string {
  return `file-${fileSha256.slice(0, 16)}`;
}

/** The longest row ref. The spec gives no limit for `reference`; with the run id, ours stays below 150 characters. */
const rowRefLengthMax = 80;

/** Nearly every row ref is short, and has printable ASCII characters but no "~". */
const plainRowRef = /^[\x20-\x7d]{0,80}$/;

/**
 * What is wrong with a row ref; null if nothing is. A row ref must survive a URL and a report unchanged. It must not
 * end like a generation mark: otherwise generation 2 of "a" and generation 1 of "a~2" would have the same reference.
 */
export function rowRefProblem(text: string): string | null {
  if (plainRowRef.test(text)) return null;
  if (text.length > rowRefLengthMax) return `is longer than ${rowRefLengthMax} characters`;
  if (/[\p{C}]/u.test(text)) return 'has control or invisible characters';
  if (/~[0-9]+$/.test(text)) return 'ends in "~" and a number, which is how repeated payments are marked';
  return null;
}

const contentDigestLength = 20;
const contentRef = /^([0-9a-f]{20})-([0-9]+)$/;

/**
 * The row ref of a row without its own reference: a digest of its content, and the number of this occurrence of the
 * content.
 */
export function contentRowRef(content: readonly (string | null)[], occurrence: number): string {
  return `${sha256(JSON.stringify(content)).slice(0, contentDigestLength)}-${occurrence}`;
}

/** The row ref of another occurrence of the same content. */
export function otherContentRef(contentRef: string, occurrence: number): string {
  return `${contentRef.slice(0, contentDigestLength)}-${occurrence}`;
}

/** The parts of a row ref that was derived from the row's content; null if the file gave the row its reference. */
export function contentRefParts(rowRef: string): { digest: string; occurrence: number } | null {
  const [, digest, occurrence] = contentRef.exec(rowRef) ?? [];
  return digest === undefined ? null : { digest, occurrence: Number(occurrence) };
}

/**
 * Whether a row ref was derived from a row's content. Anybody who tries all phone numbers on such a ref finds the one
 * in it.
 */
export function isContentRowRef(rowRef: string): boolean {
  return contentRef.test(rowRef);
}

/** SHA-256 of a text (as UTF-8) or of bytes, as lower-case hex. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}
