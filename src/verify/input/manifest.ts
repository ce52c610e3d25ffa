import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ownBytes, ownFile } from './files.ts';
import { attempt, type Findings, InputError, readJson } from './findings.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** The previous published version of the reports. */
export const previousShape = z.strictObject({
  version: z.int().min(1),
  as_of: z.string(),
  events: z.int().min(1),
  head: digest,
  // Null if it was written to another folder.
  manifest_sha256: digest.nullable(),
});
export type Previous = z.infer<typeof previousShape>;

export const filesShape = z
  .array(z.strictObject({ name: z.string().regex(/^[\w.-]+$/), bytes: z.int().min(0), sha256: digest }))
  .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'names a file twice');

const manifestShape = z.strictObject({
  format: z.literal('airbatch.manifest/1'),
  batch_id: z.string(),
  run_id: z.string(),
  account: z.string(),
  program: z.string(),
  // Missing in reports of old program versions; null while the batch is open.
  version: z.int().min(1).nullable().optional(),
  as_of: z.string().optional(),
  previous: previousShape.nullable().default(null),
  status: z.string().optional(),
  input_sha256: z.string().nullable(),
  content_sha256: z.string().nullable(),
  masked: z.boolean(),
  audit: z.strictObject({ events: z.int().min(1), head: digest }),
  files: filesShape,
  public_key: z.string(),
});
export type Manifest = z.infer<typeof manifestShape>;

/** The manifest of a batch's reports: see `readSigned`. */
export function readManifest(
  dir: string,
  publicKey: string | null,
  findings: Findings,
): Promise<Signed<Manifest> | null> {
  return readSigned(dir, publicKey, findings, manifestShape);
}

interface Signed<Content> {
  manifest: Content;
  signedBy: string | null;
  digest: string;
}

/**
 * Reads a manifest, whose signature must fit its bytes and its key; with `publicKey` (PEM) it must be exactly that key.
 * Null if no manifest can be trusted to say what to check. `signedBy` is the fingerprint of its key, or null if that
 * did not sign; `digest` is the SHA-256 (hex) of its bytes.
 */
export async function readSigned<Content extends { public_key: string }>(
  dir: string,
  publicKey: string | null,
  findings: Findings,
  shape: z.ZodType<Content>,
): Promise<Signed<Content> | null> {
  const demanded = publicKey === null ? null : fingerprintOfKey(publicKey);
  const bytes = await attempt(findings, 'manifest.json', () => ownBytes(join(dir, 'manifest.json')));
  const signature = await attempt(findings, 'manifest.sig', () => ownBytes(join(dir, 'manifest.sig')));
  if (!bytes) return null;
  return attempt(findings, 'manifest.json', async () => {
    const manifest = shape.parse(readJson('manifest.json', bytes.toString(), findings));
    const key = createPublicKey(manifest.public_key);
    // Readers of PEM ignore text before and after the key.
    if (key.asymmetricKeyType !== 'ed25519' || key.export({ format: 'pem', type: 'spki' }) !== manifest.public_key)
      findings.add('manifest.json', 'has a public key that is not Ed25519, or is not written as keys are.');
    const fingerprint = keyFingerprint(manifest.public_key);
    const fits = signature !== null && verify(null, bytes, key, signature);
    if (signature && !fits) {
      findings.add('manifest.json', 'does not fit its signature: one of the two was changed.');
    }
    if (demanded !== null && demanded !== fingerprint) {
      findings.add('manifest.json', 'was signed by another key than the one given.');
    }
    const digest = createHash('sha256').update(bytes).digest('hex');
    return { manifest, signedBy: fits ? fingerprint : null, digest };
  });
}

/** Like `keyFingerprint`, with a useful message for a text that is not a key. */
function fingerprintOfKey(pem: string): string {
  try {
    return keyFingerprint(pem);
  } catch (error) {
    throw new InputError('the given key is not a key as "airbatch key" prints it', { cause: error });
  }
}

/** SHA-256 (hex) of the key's DER. */
function keyFingerprint(pem: string): string {
  return createHash('sha256')
    .update(createPublicKey(pem).export({ format: 'der', type: 'spki' }))
    .digest('hex');
}

/** Every file that reports may contain. */
const reportNames = [
  'results.csv',
  'difference.csv',
  'results.xlsx',
  'summary.json',
  'report.html',
  'failed.csv',
  'failed.xlsx',
  'events.jsonl',
  'anchors.json',
];

/** The subfolder with earlier published versions, each in a folder that can be verified by itself. */
export const versionsFolder = 'versions';

/** Each file in the manifest must exist with the bytes that it names, and no other file may exist. */
export async function checkFiles(
  dir: string,
  { files }: Pick<Manifest, 'files'>,
  findings: Findings,
  names: readonly string[] = reportNames,
): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    await attempt(findings, name, async () => {
      const { size } = await ownFile(join(dir, name));
      if (size !== bytes) {
        findings.add(name, `has ${size} bytes; the manifest says ${bytes}.`);
        return;
      }
      const hash = createHash('sha256');
      for await (const block of createReadStream(join(dir, name))) hash.update(block as Buffer);
      if (hash.digest('hex') !== sha256) findings.add(name, 'was changed: its digest is not that of the manifest.');
    });
  }
  const named = new Set([...files.map(({ name }) => name), 'manifest.json', 'manifest.sig']);
  for (const { name } of files)
    if (!names.includes(name)) findings.add(name, 'is named by the manifest, but reports have no such file.');
  for (const name of await readdir(dir))
    if (name !== versionsFolder && !named.has(name))
      findings.add(name, 'is not named by the manifest: it is not part of these reports.');
}
