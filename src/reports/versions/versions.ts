import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../../core/time/clock.ts';
import { eventTime } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { lastPublishedVersion, type PublishedVersion } from '../../ledger/reporting/published-versions.ts';
import type { PreviousVersion, VersionMark } from './manifest.ts';
import type { SigningKey } from './signing-key.ts';

/** The folder, within that of a batch's reports, of the versions that were given out before. */
export const versionsFolder = 'versions';

/** States in which a batch has ended: what was written then was given out as final, and is kept. */
const finalStates = ['completed', 'cancelled', 'rejected'];

const manifestShape = z.object({
  batch_id: z.string(),
  // Reports of before do not tell which version they are, nor whether they were final: they are kept as if they were.
  version: z.int().min(1).nullable().default(1),
  as_of: z.string().nullable().default(null),
  status: z.string().default('completed'),
  masked: z.boolean(),
  audit: z.object({ events: z.int(), head: z.string() }),
  files: z.array(z.object({ name: z.string().regex(/^[\w-][\w.-]*$/), sha256: z.string() })),
  public_key: z.string(),
});

/**
 * Reports that lie in a folder, as their signed manifest tells of them; `version` is 0 where they were not given out.
 */
export interface StoredVersion extends z.infer<typeof manifestShape> {
  version: number;
  dir: string;
  /** The bytes of its manifest.json. */
  text: string;
  isFinal: boolean;
}

/**
 * The version that lies in a folder; null where nothing is signed there, so that nobody could prove what it was. Of
 * files that are being moved to their places the manifest is the last: until then the one before it does not fit the
 * signature.
 */
export async function readVersion(dir: string): Promise<StoredVersion | null> {
  const [text, signature] = await Promise.all([
    readFile(join(dir, 'manifest.json'), 'utf8').catch(() => null),
    readFile(join(dir, 'manifest.sig')).catch(() => null),
  ]);
  if (text === null || signature === null) return null;
  try {
    const manifest = manifestShape.parse(JSON.parse(text));
    if (!verify(null, Buffer.from(text), createPublicKey(manifest.public_key), signature)) return null;
    const version = manifest.version ?? 0;
    return { ...manifest, version, dir, text, isFinal: version > 0 && finalStates.includes(manifest.status) };
  } catch {
    return null;
  }
}

/** The last of the versions that are kept beside the reports in `dir`. */
async function lastKept(dir: string): Promise<StoredVersion | null> {
  const names = await readdir(join(dir, versionsFolder)).catch(() => []);
  const numbers = names.map((name) => ({ name, number: Number(/^([1-9]\d*)-/.exec(name)?.[1] ?? 0) }));
  for (const { name, number } of numbers.sort((a, b) => b.number - a.number)) {
    const kept = number > 0 ? await readVersion(join(dir, versionsFolder, name)) : null;
    if (kept?.version === number) return kept;
  }
  return null;
}

/** The files that are a version, and where it is kept: "versions/1-as-of-2026-12-03". */
export function placeOf({ files, version }: StoredVersion, asOf: string): { names: string[]; to: string } {
  const names = [...files.map(({ name }) => name), 'manifest.json', 'manifest.sig'];
  return { names, to: join(versionsFolder, `${version}-as-of-${asOf.slice(0, 10)}`) };
}

/** The time as of which a version is; reports of before are as of the event at which they were made, if it is known. */
export async function asStoredReports(
  view: Queryable,
  batch: BatchRecord,
  { as_of, audit }: StoredVersion,
): Promise<string> {
  return as_of ?? isoTime((await eventTime(view, batch.batch_id, audit.events)) ?? batch.created_at);
}

/** What lies in a folder of reports. */
export interface StoredReports {
  /** What the signed files there say, of whatever batch they are. */
  found: StoredVersion | null;
  /** The same, if it was given out as final and is not kept yet: it must not be lost. */
  given: StoredVersion | null;
  /** The last that is kept beside it. */
  kept: StoredVersion | null;
}

export async function readStoredReports(dir: string, batchId: string): Promise<StoredReports> {
  const [found, kept] = [await readVersion(dir), await lastKept(dir)];
  // One that is kept already lies there still: its files were being replaced when the program was killed.
  const isGiven = found?.batch_id === batchId && found.isFinal && found.text !== kept?.text;
  return { found, given: isGiven ? found : null, kept };
}

/** Which version reports are, the one before it where that lies there too, and the number of one that is new. */
export interface Marked {
  mark: VersionMark;
  previous: StoredVersion | null;
  next: number;
}

/**
 * Which version the reports of a batch are, as it is now. Numbers are the batch's, whatever the folder: what is to be
 * given out has the one that the end of its chain tells, and anything else none. Throws `NotPublished` where it tells
 * none yet.
 */
export async function markOf(
  view: Queryable,
  batch: BatchRecord,
  { lying: { given, kept }, isSigned }: { lying: StoredReports; isSigned: boolean },
): Promise<Marked> {
  const { batch_id, audit_seq, audit_head } = batch;
  const last = await lastPublishedVersion(view, batch_id, audit_seq);
  const lies = Math.max(given?.version ?? 0, kept?.version ?? 0);
  const next = Math.max(last?.version ?? 0, lies) + 1;
  const marked = async (version: number | null, previous: StoredVersion | null): Promise<Marked> => {
    const previousMark = previous
      ? await previousOf(view, batch, previous)
      : previousAtOtherService(
          await lastPublishedVersion(view, batch_id, last?.seq === audit_seq ? audit_seq - 1 : audit_seq),
        );
    const asOf = isoTime((await eventTime(view, batch_id, audit_seq)) ?? batch.created_at);
    return { mark: { version, as_of: asOf, previous: previousMark }, previous, next };
  };
  if (!isSigned || !finalStates.includes(batch.status)) return marked(null, given ?? kept);
  if (given?.audit.head === audit_head) return marked(given.version, kept);
  if (last?.seq === audit_seq && last.version > lies) return marked(last.version, given ?? kept);
  throw new NotPublished(batch, next);
}

/** The audit chain of the batch does not tell yet that this version is given out. */
export class NotPublished extends Error {
  readonly batch: BatchRecord;
  readonly version: number;

  constructor(batch: BatchRecord, version: number) {
    super(`version ${version} of the reports of batch ${batch.batch_id} was not given out`);
    this.batch = batch;
    this.version = version;
  }
}

async function previousOf(view: Queryable, batch: BatchRecord, lying: StoredVersion): Promise<PreviousVersion> {
  return {
    version: lying.version,
    as_of: await asStoredReports(view, batch, lying),
    ...lying.audit,
    manifest_sha256: createHash('sha256').update(lying.text).digest('hex'),
  };
}

/** Of a version that was written to another folder the chain alone tells. */
function previousAtOtherService(given: PublishedVersion | null): PreviousVersion | null {
  if (given === null) return null;
  const { version, at, seq, hash } = given;
  return { version, as_of: isoTime(at), events: seq, head: hash, manifest_sha256: null };
}

/** What a difference is taken of. */
const comparedFiles = ['results.csv', 'summary.json'];

/**
 * Why it cannot be said what differs from a version, or null where it can: what this key signs must not rest on files
 * that somebody has changed, or that another key has signed.
 */
export async function whyIncomparable(
  mark: VersionMark,
  previous: StoredVersion | null,
  { key, mask }: { key: SigningKey | undefined; mask: boolean },
): Promise<string | null> {
  if (previous === null) return mark.previous === null ? null : 'it does not lie in this folder';
  const { dir, files, public_key, masked: wasMasked } = previous;
  if (key && public_key !== key.publicKey) return 'it was signed by another key';
  if (wasMasked !== mask) return 'the numbers in only one of the two are masked';
  for (const name of comparedFiles) {
    const digest = files.find((file) => file.name === name)?.sha256;
    if (digest !== (await digestOf(join(dir, name)))) return `its ${name} is not as it was signed`;
  }
  return null;
}

async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const block of createReadStream(path)) hash.update(block as Buffer);
  } catch {
    return null;
  }
  return hash.digest('hex');
}
