import { createHash, createPublicKey, verify } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { digestOfFile } from '../../core/basics/file-digest.ts';
import { hasEnded } from '../../core/state/batch-state.ts';
import { isoTime } from '../../core/time/clock.ts';
import { eventTime } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { lastPublishedVersion, type PublishedVersion } from '../../ledger/reporting/published-versions.ts';
import type { SigningKey } from './signing-key.ts';
import type { PreviousVersion, VersionMark } from './version-shape.ts';

/** The subfolder of a batch's reports with its earlier published versions. */
export const versionsFolder = 'versions';

const manifestShape = z.object({
  batch_id: z.string(),
  // Reports of old program versions do not say which version they are, nor whether they were final: they are kept as if
  // they were.
  version: z.int().min(1).nullable().default(1),
  as_of: z.string().nullable().default(null),
  status: z.string().default('completed'),
  masked: z.boolean(),
  audit: z.object({ events: z.int(), head: z.string() }),
  files: z.array(z.object({ name: z.string().regex(/^[\w-][\w.-]*$/), sha256: z.string() })),
  public_key: z.string(),
});

/** The reports in a folder, according to their signed manifest; `version` is 0 if they were not published. */
export interface StoredVersion extends z.infer<typeof manifestShape> {
  version: number;
  dir: string;
  /** The bytes of its manifest.json. */
  text: string;
  isFinal: boolean;
}

/**
 * The version in a folder; null if nothing is signed there, so that its origin cannot be proved. The manifest is moved
 * to its place last: until then, the old manifest does not fit the new signature.
 */
export async function readVersion(dir: string): Promise<StoredVersion | null> {
  const [text, signature] = await Promise.all([
    readFile(join(dir, 'manifest.json'), 'utf8').catch(() => null),
    readFile(join(dir, 'manifest.sig')).catch(() => null),
  ]);
  return text === null || signature === null ? null : versionOf(text, signature, dir);
}

/** The version of a manifest and its signature; null if the signature is not of this text. */
export function versionOf(text: string, signature: Uint8Array, dir: string): StoredVersion | null {
  try {
    const manifest = manifestShape.parse(JSON.parse(text));
    if (!verify(null, Buffer.from(text), createPublicKey(manifest.public_key), signature)) return null;
    const version = manifest.version ?? 0;
    return { ...manifest, version, dir, text, isFinal: version > 0 && hasEnded(manifest.status) };
  } catch {
    return null;
  }
}

/** The last of the versions that are kept for the reports in `dir`. */
async function lastKept(dir: string): Promise<StoredVersion | null> {
  const names = await readdir(join(dir, versionsFolder)).catch(() => []);
  const numbers = names.map((name) => ({ name, number: Number(/^([1-9]\d*)-/.exec(name)?.[1] ?? 0) }));
  for (const { name, number } of numbers.sort((a, b) => b.number - a.number)) {
    const kept = number > 0 ? await readVersion(join(dir, versionsFolder, name)) : null;
    if (kept?.version === number) return kept;
  }
  return null;
}

/** The files of a version, and the folder in which it is kept: "versions/1-as-of-2026-12-03". */
export function placeOf({ files, version }: StoredVersion, asOf: string): { names: string[]; to: string } {
  const names = [...files.map(({ name }) => name), 'manifest.json', 'manifest.sig'];
  return { names, to: join(versionsFolder, `${version}-as-of-${asOf.slice(0, 10)}`) };
}

/** The time of a version. For reports of old program versions, that of the event at which they were made, if known. */
export async function timeOfReports(
  view: Queryable,
  batch: BatchRecord,
  { as_of, audit }: StoredVersion,
): Promise<string> {
  return as_of ?? isoTime((await eventTime(view, batch.batch_id, audit.events)) ?? batch.created_at);
}

/** The content of a folder of reports. */
export interface StoredReports {
  /** The signed reports there, of whatever batch. */
  found: StoredVersion | null;
  /** The same, if they were published as final and are not kept yet: they must not be lost. */
  toKeep: StoredVersion | null;
  /** The last version that is kept. */
  kept: StoredVersion | null;
}

export async function readStoredReports(dir: string, batchId: string): Promise<StoredReports> {
  const [found, kept] = [await readVersion(dir), await lastKept(dir)];
  // If the version is kept already, the program was killed while it replaced the files.
  const isToKeep = found?.batch_id === batchId && found.isFinal && found.text !== kept?.text;
  return { found, toKeep: isToKeep ? found : null, kept };
}

/** The version of reports, the previous one if it is in the folder, and the number of a new one. */
export interface Marked {
  mark: VersionMark;
  previous: StoredVersion | null;
  next: number;
}

/**
 * The version of a batch's current reports. Numbers belong to the batch, whatever the folder. Reports to be published
 * have the number that the end of the chain records; others have none. Throws `NotPublished` if the chain records none
 * yet.
 */
export async function markOf(
  view: Queryable,
  batch: BatchRecord,
  { stored: { toKeep, kept }, isSigned }: { stored: StoredReports; isSigned: boolean },
): Promise<Marked> {
  const { batch_id, audit_seq, audit_head } = batch;
  const last = await lastPublishedVersion(view, batch_id, audit_seq);
  const stored = Math.max(toKeep?.version ?? 0, kept?.version ?? 0);
  const next = Math.max(last?.version ?? 0, stored) + 1;
  const marked = async (version: number | null, previous: StoredVersion | null): Promise<Marked> => {
    const previousMark = previous
      ? await previousOf(view, batch, previous)
      : previousInOtherFolder(
          await lastPublishedVersion(view, batch_id, last?.seq === audit_seq ? audit_seq - 1 : audit_seq),
        );
    const asOf = isoTime((await eventTime(view, batch_id, audit_seq)) ?? batch.created_at);
    return { mark: { version, as_of: asOf, previous: previousMark }, previous, next };
  };
  if (!isSigned || !hasEnded(batch.status)) return marked(null, toKeep ?? kept);
  if (toKeep?.audit.head === audit_head) return marked(toKeep.version, kept);
  if (last?.seq === audit_seq && last.version > stored) return marked(last.version, toKeep ?? kept);
  throw new NotPublished(batch, next);
}

/** The batch's audit chain does not record yet that this version is published. */
export class NotPublished extends Error {
  readonly batch: BatchRecord;
  readonly version: number;

  constructor(batch: BatchRecord, version: number) {
    super(`version ${version} of the reports of batch ${batch.batch_id} was not published`);
    this.batch = batch;
    this.version = version;
  }
}

async function previousOf(view: Queryable, batch: BatchRecord, stored: StoredVersion): Promise<PreviousVersion> {
  return {
    version: stored.version,
    as_of: await timeOfReports(view, batch, stored),
    ...stored.audit,
    manifest_sha256: createHash('sha256').update(stored.text).digest('hex'),
  };
}

/** For a version that was written to another folder, only the chain is known. */
function previousInOtherFolder(published: PublishedVersion | null): PreviousVersion | null {
  if (published === null) return null;
  const { version, at, seq, hash } = published;
  return { version, as_of: isoTime(at), events: seq, head: hash, manifest_sha256: null };
}

/** The files that are compared. */
export const comparedFiles = ['results.csv', 'summary.json'];

/**
 * Why a version cannot be compared, or null if it can: what this key signs must not depend on files that somebody has
 * changed, or that another key has signed.
 */
export async function whyIncomparable(
  mark: VersionMark,
  previous: StoredVersion | null,
  { key, mask }: { key: SigningKey | undefined; mask: boolean },
): Promise<string | null> {
  if (previous === null) return mark.previous === null ? null : 'it is not in this folder';
  const { dir, files, public_key, masked: wasMasked } = previous;
  if (key && public_key !== key.publicKey) return 'it was signed by another key';
  if (wasMasked !== mask) return 'only one of the two versions masks its numbers';
  for (const name of comparedFiles) {
    const digest = files.find((file) => file.name === name)?.sha256;
    if (digest !== (await digestOf(join(dir, name)))) return `its ${name} has changed since it was signed`;
  }
  return null;
}

async function digestOf(path: string): Promise<string | null> {
  try {
    return (await digestOfFile(path)).sha256;
  } catch {
    return null;
  }
}
