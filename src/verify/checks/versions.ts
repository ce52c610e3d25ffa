import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join, relative } from 'node:path';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { ownBytes, ownFile } from '../input/files.ts';
import { attempt, type Findings } from '../input/findings.ts';
import { type Manifest, type Previous, versionsFolder } from '../input/manifest.ts';
import { checkDifference, file, lateChangeLines, same, type Versioned } from './difference.ts';
import { type EarlierVersion, numbersInOtherBatches, siblingsOf } from './earlier-versions.ts';

/**
 * Checks which version the reports are, and how they differ from the previous one. The chain must continue that of the
 * previous version. difference.csv must agree with these reports, and, if the previous version is in the same folder,
 * with both. Returns what was proved in a sentence; null if there is no previous version, or if it could not be
 * compared.
 */
export async function checkVersion(
  reports: Versioned,
  kept: readonly EarlierVersion[],
  findings: Findings,
): Promise<string | null> {
  const { dir, manifest, summary, chain } = reports;
  const { previous } = manifest;
  if (!same(pick(manifest), pick(summary)))
    findings.add('summary.json', 'names another version of the reports than the manifest.');
  const lastAt = chain.lastAt === null ? null : new Date(chain.lastAt).toISOString();
  if (manifest.as_of !== undefined && manifest.as_of !== lastAt)
    findings.add('manifest.json', `is as of ${manifest.as_of}; the last event of the audit chain was at ${lastAt}.`);
  const { difference, difference_unknown } = summary;
  const isFileThere = manifest.files.some(({ name }) => name === file);
  if ((difference !== null) !== isFileThere || (previous === null && difference !== null))
    findings.add('summary.json', 'and the folder disagree: only one of the two has a difference.');
  if ((difference_unknown !== null) !== (previous !== null && difference === null))
    findings.add('summary.json', 'must give a reason exactly if the difference is unknown.');
  checkNumber(manifest, chain, findings);
  await noteOthers(dir, manifest, chain, findings);
  if (previous === null) return null;
  checkPrevious(previous, manifest, chain, findings);
  if (difference === null) {
    findings.note(
      `${nameOf(previous)} is the previous version. The difference from it is unknown: ${difference_unknown}.`,
    );
    return null;
  }
  const before = findings.count;
  const late = await lateChangeLines(dir, previous);
  const earlier = await findEarlier(dir, { previous, kept }, findings);
  await attempt(findings, file, () => checkDifference(reports, { earlier, late, difference }, findings));
  if (findings.count > before) return null;
  if (earlier === null) {
    findings.note(
      `${nameOf(previous)} is not in this folder: the earlier values in difference.csv were not checked, only the present ones.`,
    );
    return null;
  }
  return `difference.csv has exactly the differences from ${nameOf(previous, 'version')}, which is in this folder, unchanged since it was signed.`;
}

function nameOf({ version, as_of }: Previous, label = 'Version'): string {
  return `${label} ${version} of ${as_of.slice(0, 10)}`;
}

const pick = ({ version, as_of, previous }: Pick<Manifest, 'version' | 'as_of' | 'previous'>) => [
  version,
  as_of,
  previous && Object.entries(previous).sort(),
];

/** States in which a batch has ended: reports signed then are published, and the chain records it. */
const finalStates = ['completed', 'cancelled', 'rejected'];

/** The number must be the batch's own: the chain ends with it, or continues from it if the batch is open. */
function checkNumber({ version }: Manifest, { batch, published }: ChainFacts, findings: Findings): void {
  const last = published.at(-1);
  // Chains of old program versions record no version.
  if (last === undefined) return;
  if (finalStates.includes(batch.status ?? '')) {
    if (last.version !== version)
      findings.add(
        'manifest.json',
        `is ${version ? `of version ${version}` : 'no version'}; the audit chain says that version ${last.version} was published last.`,
      );
  } else if (version && version <= last.version)
    findings.add('manifest.json', `is of version ${version}, and version ${last.version} was published before.`);
}

/** The chain must record the previous version, and continue it. */
function checkPrevious(
  { version, events, head }: Previous,
  manifest: Manifest,
  { heads, published }: ChainFacts,
  findings: Findings,
): void {
  if (manifest.version !== null && (manifest.version ?? 0) <= version)
    findings.add(
      'manifest.json',
      `is of version ${manifest.version}, and names version ${version} as the previous one.`,
    );
  if (events > manifest.audit.events)
    findings.add(
      'events.jsonl',
      `has ${manifest.audit.events} events, fewer than version ${version}, which had ${events}.`,
    );
  else if (heads.get(events) !== head)
    findings.add('events.jsonl', `does not continue from the end of version ${version}: the chain was rewritten.`);
  const known = published.find((one) => one.version === version);
  if (known !== undefined && known.seq !== events)
    findings.add('manifest.json', `names another previous version ${version} than the audit chain.`);
}

/** Other versions may have been written to other folders: a note says so. */
async function noteOthers(
  dir: string,
  { version, previous }: Manifest,
  { published }: ChainFacts,
  findings: Findings,
): Promise<void> {
  const earlier = published.filter((one) => one.version !== version);
  if (previous === null && earlier.length > 0)
    findings.add('manifest.json', 'names no previous version; the audit chain has one.');
  const present = await numbersInOtherBatches(dir);
  const missing = earlier.filter((one) => one.version !== previous?.version && !present.has(one.version));
  if (missing.length === 0) return;
  const names = missing.map(({ version: number, at }) => `${number} of ${new Date(at).toISOString().slice(0, 10)}`);
  const [versions, lie] =
    missing.length === 1 ? ['Version', 'was also published, and is'] : ['Versions', 'were also published, and are'];
  findings.note(`${versions} ${names.join(', ')} ${lie} not in this folder.`);
}

/** The folder of the previous version, if it is near; its results and summary must be unchanged. */
async function findEarlier(
  dir: string,
  { previous, kept }: { previous: Previous; kept: readonly EarlierVersion[] },
  findings: Findings,
): Promise<string | null> {
  const { version, manifest_sha256: digest } = previous;
  if (digest === null) return null;
  const own = kept.find((one) => one.digest === digest);
  if (own) return own.isWhole ? join(dir, own.name) : null;
  for (const earlier of await siblingsOf(dir, version)) {
    const text = await ownBytes(join(earlier, 'manifest.json')).catch(() => null);
    if (text === null || createHash('sha256').update(text).digest('hex') !== digest) continue;
    return (await isAsSigned(dir, earlier, JSON.parse(text.toString()) as Manifest, findings)) ? earlier : null;
  }
  if ((await numbersInOtherBatches(dir)).has(version))
    findings.add(versionsFolder, `has another version ${version} than the one that these reports name.`);
  return null;
}

/** These reports are signed, and contain the digest of that manifest, so their signature covers its files as well. */
async function isAsSigned(dir: string, earlier: string, { files }: Manifest, findings: Findings): Promise<boolean> {
  const before = findings.count;
  for (const name of ['results.csv', 'summary.json']) {
    const path = join(earlier, name);
    const shown = relative(dir, path);
    await attempt(findings, shown, async () => {
      await ownFile(path);
      const hash = createHash('sha256');
      for await (const block of createReadStream(path)) hash.update(block as Buffer);
      if (hash.digest('hex') !== files.find((one) => one.name === name)?.sha256)
        findings.add(shown, 'was changed: its digest is not that of its manifest.');
    });
  }
  return findings.count === before;
}
