import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import type { Queryable } from '../ledger/database.ts';
import { eventTime } from '../ledger/events.ts';
import type { PreviousVersion, VersionMark } from './manifest.ts';
import type { SigningKey } from './signing-key.ts';

/** The folder, within that of a batch's reports, of the versions that were given out before. */
export const versionsFolder = 'versions';

/** States in which a batch has ended: what was written then was given out as final, and is kept. */
const finalStates = ['completed', 'cancelled', 'rejected'];

const manifestShape = z.object({
  batch_id: z.string(),
  // Reports of before do not tell which version they are, nor whether they were final: they are kept as if they were.
  version: z.int().min(1).default(1),
  as_of: z.string().nullable().default(null),
  status: z.string().default('completed'),
  masked: z.boolean(),
  audit: z.object({ events: z.int(), head: z.string() }),
  files: z.array(z.object({ name: z.string().regex(/^[\w-][\w.-]*$/), sha256: z.string() })),
  public_key: z.string(),
});

/** Reports that lie in a folder, as their signed manifest tells of them. */
export interface LyingVersion extends z.infer<typeof manifestShape> {
  dir: string;
  /** The bytes of its manifest.json. */
  text: string;
  isFinal: boolean;
}

/**
 * The version that lies in a folder; null where nothing is signed there, so that nobody could prove what it was. Of files that are being
 * moved to their places the manifest is the last: until then the one before it does not fit the signature.
 */
export async function readVersion(dir: string): Promise<LyingVersion | null> {
  const [text, signature] = await Promise.all([
    readFile(join(dir, 'manifest.json'), 'utf8').catch(() => null),
    readFile(join(dir, 'manifest.sig')).catch(() => null),
  ]);
  if (text === null || signature === null) return null;
  try {
    const manifest = manifestShape.parse(JSON.parse(text));
    if (!verify(null, Buffer.from(text), createPublicKey(manifest.public_key), signature)) return null;
    return { ...manifest, dir, text, isFinal: finalStates.includes(manifest.status) };
  } catch {
    return null;
  }
}

/** The last of the versions that are kept beside the reports in `dir`. */
export async function lastKept(dir: string): Promise<LyingVersion | null> {
  const names = await readdir(join(dir, versionsFolder)).catch(() => []);
  const numbers = names.map((name) => ({ name, number: Number(/^([1-9]\d*)-/.exec(name)?.[1] ?? 0) }));
  for (const { name, number } of numbers.sort((a, b) => b.number - a.number)) {
    const kept = number > 0 ? await readVersion(join(dir, versionsFolder, name)) : null;
    if (kept?.version === number) return kept;
  }
  return null;
}

/** Whether this one is kept already: its reports were being replaced when the program was killed. */
export function isKept(lying: LyingVersion, kept: LyingVersion | null): boolean {
  return kept?.text === lying.text;
}

/** The files that are a version, and where it is kept: "versions/1-as-of-2026-12-03". */
export function placeOf({ files, version }: LyingVersion, asOf: string): { names: string[]; to: string } {
  const names = [...files.map(({ name }) => name), 'manifest.json', 'manifest.sig'];
  return { names, to: join(versionsFolder, `${version}-as-of-${asOf.slice(0, 10)}`) };
}

/** The time as of which a version is; reports of before are as of the event at which they were made, if it is known. */
export async function asOfLying(view: Queryable, batch: BatchRecord, { as_of, audit }: LyingVersion): Promise<string> {
  return as_of ?? isoTime((await eventTime(view, batch.batch_id, audit.events)) ?? batch.created_at);
}

/** Which version the reports of a batch as it is now are: the one after `previous`, and after all that are kept. */
export async function markAfter(
  view: Queryable,
  batch: BatchRecord,
  { previous, kept }: { previous: LyingVersion | null; kept: LyingVersion | null },
): Promise<VersionMark> {
  return {
    version: Math.max(previous?.version ?? 0, kept?.version ?? 0) + 1,
    as_of: isoTime((await eventTime(view, batch.batch_id, batch.audit_seq)) ?? batch.created_at),
    previous: previous && (await previousOf(view, batch, previous)),
  };
}

async function previousOf(view: Queryable, batch: BatchRecord, lying: LyingVersion): Promise<PreviousVersion> {
  return {
    version: lying.version,
    as_of: await asOfLying(view, batch, lying),
    ...lying.audit,
    manifest_sha256: createHash('sha256').update(lying.text).digest('hex'),
  };
}

/** What a difference is taken of. */
const comparedFiles = ['results.csv', 'summary.json'];

/**
 * Why it cannot be said what differs from a version, or null where it can: what this key signs must not rest on files that somebody has
 * changed, or that another key has signed.
 */
export async function whyIncomparable(
  { dir, files, public_key, masked: wasMasked }: LyingVersion,
  { key, mask }: { key: SigningKey | undefined; mask: boolean },
): Promise<string | null> {
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
