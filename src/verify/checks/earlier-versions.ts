import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { ownFolder } from '../input/files.ts';
import { attempt, Findings } from '../input/findings.ts';
import { checkFiles, type Manifest, readManifest, versionsFolder } from '../input/manifest.ts';

const namePattern = /^([1-9]\d*)-as-of-(\d{4}-\d\d-\d\d)(-\d+)?$/;

/** A version in `versions/`, according to its manifest. */
export interface EarlierVersion {
  /** Its folder, as in findings. */
  name: string;
  manifest: Manifest;
  /** SHA-256 (hex) of its manifest.json. */
  digest: string;
  /** Whether its files are unchanged since they were signed. */
  isWhole: boolean;
}

/** The versions in `versions/`: each must be signed, have unchanged files, and have the right name. */
export async function readEarlierVersions(
  dir: string,
  { batch_id }: Manifest,
  findings: Findings,
): Promise<EarlierVersion[]> {
  const folder = join(dir, versionsFolder);
  const read = async () => {
    await ownFolder(folder);
    return readdir(folder);
  };
  const names = await read().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') findings.add(versionsFolder, `cannot be read: ${error.message}.`);
    return [];
  });
  const kept: EarlierVersion[] = [];
  for (const name of names.sort()) {
    const shown = join(versionsFolder, name);
    const [, number, day] = namePattern.exec(name) ?? [];
    if (number === undefined) {
      findings.add(shown, 'is not an earlier version of these reports.');
      continue;
    }
    if (!(await attempt(findings, shown, () => ownFolder(join(folder, name))))) continue;
    const inner = new Findings();
    const signed = await readManifest(join(folder, name), null, inner);
    if (signed) await attempt(inner, '', () => checkFiles(join(folder, name), signed.manifest, inner));
    if ((await readdir(join(folder, name)).catch((): string[] => [])).includes(versionsFolder))
      inner.add(versionsFolder, 'is not part of an earlier version.');
    for (const { file, message } of inner.list) findings.add(join(shown, file), message);
    if (!signed) continue;
    const { manifest, digest } = signed;
    if (manifest.batch_id !== batch_id) findings.add(shown, `is of another batch, ${manifest.batch_id}.`);
    // Reports of old program versions do not say which version they are.
    else if (
      String(manifest.version === undefined ? number : manifest.version) !== number ||
      (manifest.as_of ?? day)?.slice(0, 10) !== day
    )
      findings.add(
        shown,
        `has the name of another version: it is version ${manifest.version}, as of ${manifest.as_of}.`,
      );
    else kept.push({ name: shown, manifest, digest, isWhole: inner.count === 0 });
  }
  return kept;
}

/**
 * Each kept version must be earlier than these reports: their chain continues its chain. It must have the same key,
 * unless a later version there names it. Returns what was proved in a sentence; null if no version is kept.
 */
export function checkEarlierVersions(
  kept: readonly EarlierVersion[],
  { manifest, chain }: { manifest: Manifest; chain: ChainFacts },
  findings: Findings,
): string | null {
  const before = findings.count;
  const named = new Set(
    [manifest, ...kept.map((one) => one.manifest)].map(({ previous }) => previous?.manifest_sha256),
  );
  for (const { name, manifest: one, digest } of kept) {
    const { events, head } = one.audit;
    if ((one.version ?? 0) >= (manifest.version ?? Number.POSITIVE_INFINITY))
      findings.add(
        name,
        `is version ${one.version}, and did not come before these reports, version ${manifest.version}.`,
      );
    // The direct predecessor is checked where the difference is checked.
    else if (chain.heads.get(events) !== head && digest !== manifest.previous?.manifest_sha256)
      findings.add(
        name,
        'is not an earlier state of these reports: their audit chain does not continue from the end of its own.',
      );
    if (one.public_key === manifest.public_key) continue;
    if (named.has(digest)) findings.note(`${name} was signed by another key than these reports.`);
    else findings.add(name, 'was signed by another key, and no later version names it.');
  }
  if (kept.length === 0 || findings.count > before) return null;
  const [versions, each] = kept.length === 1 ? ['version', 'is'] : ['versions', 'are each'];
  return `The ${kept.length === 1 ? '' : `${kept.length} `}earlier ${versions} in versions/ ${each} as signed, and the audit chain continues from there.`;
}

/**
 * The numbers of the versions near the reports: in their `versions/`, or, for an earlier version, in the folder that
 * contains it.
 */
export async function numbersInOtherBatches(dir: string): Promise<Set<number>> {
  const numbers = new Set<number>();
  for (const folder of [join(dir, versionsFolder), ...siblingsFolder(dir)])
    for (const name of await readdir(folder).catch(() => [])) numbers.add(Number(namePattern.exec(name)?.[1]));
  return numbers;
}

/** If these reports are an earlier version themselves: the folders next to them with the number of a version. */
export async function siblingsOf(dir: string, version: number): Promise<string[]> {
  const folders: string[] = [];
  for (const folder of siblingsFolder(dir))
    for (const name of await readdir(folder).catch(() => []))
      if (namePattern.exec(name)?.[1] === String(version)) folders.push(join(folder, name));
  return folders;
}

function siblingsFolder(dir: string): string[] {
  const folder = dirname(resolve(dir));
  return basename(folder) === versionsFolder ? [folder] : [];
}
