import { basename, join, resolve } from 'node:path';
import { walkChain } from './chain/chain.ts';
import type { ChainFacts } from './chain/chain-facts.ts';
import { checkLedger, type LaterEvents } from './chain/ledger.ts';
import { type Coverage, coverageOf, type Head, headsByEvents, readAnchors, readOwnAnchors } from './checks/anchors.ts';
import { checkEarlierVersions, type EarlierVersion, readEarlierVersions } from './checks/earlier-versions.ts';
import { checkReconciliation, isReconciliation } from './checks/reconciliation.ts';
import { checkResults } from './checks/results.ts';
import { checkServiceList } from './checks/service-list.ts';
import { readSummary, type Summary } from './checks/summary.ts';
import { checkVersion } from './checks/versions.ts';
import { attempt, type Finding, Findings, InputError } from './input/findings.ts';
import { checkFiles, type Manifest, readManifest, versionsFolder } from './input/manifest.ts';

export interface VerifyOptions {
  /** PEM of the key that must have signed. Without it, the signature only shows that one key signed everything. */
  publicKey?: string;
  /** A ledger, a SQLite file or a `postgres://` URL, whose audit chain must begin with that of the reports. */
  ledger?: string;
  /** The service's own list of payments: a file with one JSON object a line, as `GET /v2/topups` lists them. */
  serviceList?: string;
  /** Anchored heads of audit chains: a file with one JSON object a line. The chain must contain each of them. */
  anchors?: string;
}

export interface Verification {
  /** True if there is no finding. */
  ok: boolean;
  findings: Finding[];
  /** How many more findings there are: at most 100 are listed. */
  findings_unlisted: number;
  /**
   * What was checked and is correct, in sentences. Checks that were not requested, or that failed, are not among them.
   */
  checked: string[];
  /** What could not be checked, or is worth knowing, in sentences. None of it is a fault by itself. */
  notes: string[];
  /**
   * Why the reports, though intact, may not be the ones that the reader wants, in sentences: they are of another batch,
   * or older than known elsewhere.
   */
  doubts: string[];
  /**
   * Null for the reports of a batch. For a reconciliation, `as_of` is when it was made, and `rows` the number of its
   * items.
   */
  reconciliation_id: string | null;
  batch_id: string | null;
  run_id: string | null;
  /** The paid file, and the state of its batch, according to the summary. */
  file_name: string | null;
  /** Who rejected the batch, according to the chain; null if nobody did. */
  rejected_by: string | null;
  /** Who withdrew it after submitting it, according to the chain; null if nobody did. */
  withdrawn_by: string | null;
  status: string | null;
  /** The version of the batch's reports (null: none yet), and its time (ISO 8601 UTC); null if they do not say. */
  version: number | null;
  as_of: string | null;
  rows: number | null;
  events: number | null;
  /** What the given ledger has of the batch after these reports; null if no ledger was given. */
  later: LaterEvents | null;
  /** SHA-256 (hex) of the public key that signed: compare it with the one that you received. */
  key_fingerprint: string | null;
  /** How many events of the chain the anchored heads cover, and what that means in a sentence; null without a chain. */
  covered_events: number | null;
  coverage: string | null;
}

const nothingOfBatch = {
  batch_id: null,
  run_id: null,
  file_name: null,
  rejected_by: null,
  withdrawn_by: null,
  status: null,
  version: null,
  as_of: null,
  rows: null,
  events: null,
  later: null,
  covered_events: null,
  coverage: null,
};

/** Collects what was checked, and the findings. */
function makeProof() {
  const findings = new Findings();
  const checked: string[] = [];
  return {
    findings,
    checked,
    /** Runs a check, and adds its sentence if there was no finding. */
    async prove<Result>(sentence: string, check: () => Promise<Result>): Promise<Result> {
      const before = findings.count;
      const result = await check();
      if (findings.count === before) checked.push(sentence);
      return result;
    },
    found: () => ({
      ok: findings.list.length === 0,
      findings: findings.list,
      findings_unlisted: findings.unlisted,
      checked,
      notes: findings.notes,
      doubts: findings.doubts,
    }),
  };
}

type Proof = ReturnType<typeof makeProof>;

/**
 * Proves, from a folder of reports alone, that they are complete, unchanged and consistent. It works offline, and
 * shares no code with the program that made them; it is short, so that an auditor's own engineer can read it. Rejects
 * with `InputError` if a file to compare with is not what it should be.
 */
export async function verifyReports(dir: string, options: VerifyOptions = {}): Promise<Verification> {
  const { publicKey = null, ledger, serviceList, anchors } = options;
  const proof = makeProof();
  const { findings, prove, found } = proof;
  if (await isReconciliation(dir)) return verifyReconciliation(dir, options, proof);
  const signed = await prove(
    publicKey === null ? 'The signature of the manifest is valid.' : 'The manifest was signed by the given key.',
    () => readManifest(dir, publicKey, findings),
  );
  if (!signed) return { ...found(), ...nothingOfBatch, reconciliation_id: null, key_fingerprint: null };
  const { manifest, signedBy } = signed;
  checkFolderName(dir, manifest, findings);
  const unread = filesForPeople.filter((name) => manifest.files.some((file) => file.name === name));
  await prove(
    `All files are present and unchanged since they were signed, and there is no other file. The content of ${listed(unread)} was not checked beyond that.`,
    () => checkFiles(dir, manifest, findings),
  );
  const kept = await readEarlierVersions(dir, manifest, findings);
  const { chain, coverage } = await proveChain(dir, { manifest, kept, anchors }, proof);
  const summary = await attempt(findings, 'summary.json', () => readSummary(dir, manifest, findings));
  const rows = chain && summary && (await proveRows(dir, { manifest, kept, chain, summary }, proof));
  const later =
    ledger === undefined
      ? null
      : await prove("The audit chain is the beginning of the ledger's.", () => checkLedger(ledger, manifest, findings));
  if (serviceList !== undefined)
    await prove("The results agree with the service's own list.", () =>
      attempt(findings, 'results.csv', () => checkServiceList(dir, serviceList, manifest, findings)),
    );
  noteHowFar(findings);
  return {
    ...found(),
    reconciliation_id: null,
    batch_id: manifest.batch_id,
    run_id: manifest.run_id,
    file_name: summary?.file_name ?? null,
    rejected_by: chain ? whoCancelled(chain, 'rejected') : null,
    withdrawn_by: chain ? whoCancelled(chain, 'withdrawn') : null,
    status: summary?.status ?? null,
    version: manifest.version ?? null,
    as_of: manifest.as_of ?? null,
    rows,
    events: manifest.audit.events,
    later,
    key_fingerprint: signedBy,
    covered_events: coverage?.covered_events ?? null,
    coverage: coverage?.coverage ?? null,
  };
}

async function verifyReconciliation(
  dir: string,
  { publicKey, ledger, serviceList, anchors }: VerifyOptions,
  { findings, prove, found }: Proof,
): Promise<Verification> {
  if (ledger !== undefined || serviceList !== undefined || anchors !== undefined)
    throw new InputError('a reconciliation has no rows and no chain to compare: leave out everything but --key');
  const proven = await prove(
    'The reconciliation matches its signature and its digests, and its counts are those of its lines.',
    () => checkReconciliation(dir, publicKey ?? null, findings),
  );
  return {
    ...found(),
    ...nothingOfBatch,
    reconciliation_id: proven?.reconciliation_id ?? null,
    as_of: proven?.finished_at ?? null,
    rows: proven?.items ?? null,
    key_fingerprint: proven?.signedBy ?? null,
  };
}

/** Proves the chain and which of its heads were anchored. Returns it with what these cover. */
async function proveChain(
  dir: string,
  { manifest, kept, anchors }: { manifest: Manifest; kept: readonly EarlierVersion[]; anchors: string | undefined },
  { findings, checked, prove }: Proof,
): Promise<{ chain: ChainFacts | null; coverage: Coverage | null }> {
  const before = findings.count;
  const outside = anchors === undefined ? [] : await readAnchors(anchors, manifest, findings);
  const own = await readOwnAnchors(dir, manifest, findings);
  const anchored = headsByEvents([...own, ...outside], findings);
  const wanted = new Set(
    [manifest, ...kept.map((one) => one.manifest)].flatMap(({ previous, audit }) => [
      audit.events,
      previous?.events ?? 0,
    ]),
  );
  const chain = await prove(
    'The audit chain is unbroken from its first event to the head that the manifest names.',
    () =>
      attempt(findings, 'events.jsonl', () =>
        walkChain(dir, manifest, findings, { anchored, outside: outsideHeads(outside, own, manifest), wanted }),
      ),
  );
  if (anchors !== undefined && chain && findings.count === before) checked.push(proveHeads(chain, findings));
  const given = anchors === undefined ? null : outside;
  return { chain, coverage: chain && coverageOf(manifest.audit.events, { given, own }) };
}

/** Proves results.csv, and the earlier versions. Returns how many rows there are. */
async function proveRows(
  dir: string,
  {
    manifest,
    kept,
    chain,
    summary,
  }: { manifest: Manifest; kept: readonly EarlierVersion[]; chain: ChainFacts; summary: Summary },
  { findings, checked, prove }: Proof,
): Promise<number | null> {
  const rows = await prove(
    'Each row is in results.csv once, in the state that the chain shows; no key is used twice; counts and sums agree; and the batch is the one in the chain.',
    () => attempt(findings, 'results.csv', () => checkResults(dir, { manifest, summary, chain }, findings)),
  );
  const older = checkEarlierVersions(kept, { manifest, chain }, findings);
  if (older !== null) checked.push(older);
  const proven = await attempt(findings, 'manifest.json', () =>
    checkVersion({ dir, manifest, summary, chain }, kept, findings),
  );
  if (proven !== null) checked.push(proven);
  return rows;
}

function whoCancelled({ batch: { cancelled } }: ChainFacts, how: 'rejected' | 'withdrawn'): string | null {
  return cancelled?.data[how] ? cancelled.actor : null;
}

/**
 * The places of the anchored heads. If the reports themselves list one beyond the chain's end, the chain was cut there.
 */
function outsideHeads(outside: readonly Head[], own: readonly Head[], { audit }: Manifest): Set<number> {
  const cutOff = new Set(own.map(({ events }) => events).filter((events) => events > audit.events));
  return new Set(outside.map(({ events }) => events).filter((events) => !cutOff.has(events)));
}

/** Says what the anchored heads prove about a chain that contains them. */
function proveHeads({ wentOnTo }: ChainFacts, findings: Findings): string {
  if (wentOnTo === null) return 'The chain has every anchored head: nothing was cut off.';
  findings.doubt(
    `These reports are an earlier version: they were published when the chain had this length. It has at least ${wentOnTo} events now. A newer version has what came later.`,
  );
  return 'The chain has every anchored head up to its end: until there, nothing was changed or cut off.';
}

/** A folder may have any name but that of another batch: a reader who wants that one must be warned. */
function checkFolderName(dir: string, { batch_id }: Manifest, findings: Findings): void {
  const name = basename(resolve(dir));
  if (name !== batch_id && /^\d{8}-\d{6}-[0-9a-f]{4}$/.test(name))
    findings.doubt(`The folder has the name of batch ${name}, but these are the reports of batch ${batch_id}.`);
}

/** The files that only their digests protect: people read them, and nothing is compared with them. */
const filesForPeople = ['report.html', 'results.xlsx', 'failed.csv', 'failed.xlsx'];

function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** The files that list rows to correct, and nothing else. */
const toCorrect = ['failed.csv', 'failed.xlsx'];

/** If files were changed after they were signed, an auditor must know how far that goes. */
function noteHowFar(findings: Findings): void {
  const { list, count } = findings;
  if (count === 0) return;
  // Typical for a file that was corrected in place.
  const corrected = toCorrect.filter((name) => list.some(({ file }) => file === name));
  if (count === list.length && list.every(({ file }) => corrected.includes(file)))
    findings.note(
      `Only ${corrected.join(' and ')} ${corrected.length === 1 ? 'was' : 'were'} changed or removed after the reports were signed, as happens when somebody corrects rows in place. Rows to correct are all that is in it; the other files, which show what was paid, are unchanged.`,
    );
  else if (count === list.length && list.every(({ file }) => file.startsWith(join(versionsFolder, '/'))))
    findings.note('All findings are in earlier versions: the files of this version are correct.');
}
