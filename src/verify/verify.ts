import { readAnchors } from './anchors.ts';
import { walkChain } from './chain.ts';
import { attempt, type Finding, Findings } from './findings.ts';
import { checkLedger } from './ledger.ts';
import { checkFiles, readManifest } from './manifest.ts';
import { checkResults } from './results.ts';
import { checkServiceList } from './service-list.ts';

export interface VerifyOptions {
  /** PEM of the key that must have signed. Without it the signature only shows that one hand made all of it. */
  publicKey?: string;
  /** A ledger (SQLite file) whose audit chain must begin with that of the reports. */
  ledger?: string;
  /** The service's own list of payments: a file with one JSON object a line, as `GET /v2/topups` lists them. */
  serviceList?: string;
  /** Heads of audit chains that were put outside: a file with one JSON object a line. The chain must have each of them. */
  anchors?: string;
}

export interface Verification {
  /** True when there is no finding. */
  ok: boolean;
  findings: Finding[];
  /** What was checked, in sentences: what was not asked for is not among them. */
  checked: string[];
  /** What could not be checked, or should be known besides, in sentences: nothing of it is wrong by itself. */
  notes: string[];
  batchId: string | null;
  rows: number | null;
  events: number | null;
  /** SHA-256 (hex) of the public key that signed: compare it with the one that you were given. */
  keyFingerprint: string | null;
}

/**
 * Proves, from a folder of reports alone, that they are whole and unchanged and agree with each other. It works offline and
 * shares no code with the program that made them: it is short so that an auditor's own engineer can read it.
 */
export async function verifyReports(dir: string, options: VerifyOptions = {}): Promise<Verification> {
  const { publicKey = null, ledger, serviceList, anchors } = options;
  const findings = new Findings();
  const checked: string[] = [];
  const signed = await readManifest(dir, publicKey, findings);
  checked.push(publicKey === null ? 'The manifest fits its signature.' : 'The manifest was signed by the given key.');
  if (!signed)
    return {
      ok: false,
      findings: findings.list,
      checked,
      notes: findings.notes,
      batchId: null,
      rows: null,
      events: null,
      keyFingerprint: null,
    };
  const { manifest, fingerprint } = signed;
  await checkFiles(dir, manifest, findings);
  checked.push('Every file is there, with the digest that the manifest names, and no other file.');
  const anchored =
    anchors === undefined
      ? null
      : await attempt(findings, 'events.jsonl', () => readAnchors(anchors, manifest, findings));
  const chain = await attempt(findings, 'events.jsonl', () =>
    walkChain(dir, manifest, findings, anchored ?? new Map()),
  );
  checked.push('The audit chain is unbroken from its first event to the head that the manifest names.');
  if (anchors !== undefined) checked.push('The chain has every head that was put outside: nothing was cut off since.');
  const rows = chain && (await attempt(findings, 'results.csv', () => checkResults(dir, manifest, chain, findings)));
  checked.push(
    'Each row is in the results once, in one state, as the chain has it; no key is used twice; counts and sums agree.',
  );
  if (ledger !== undefined) {
    await attempt(findings, 'events.jsonl', async () => checkLedger(ledger, manifest, findings));
    checked.push("The audit chain is the beginning of the ledger's.");
  }
  if (serviceList !== undefined) {
    await attempt(findings, 'results.csv', () => checkServiceList(dir, serviceList, manifest, findings));
    checked.push("The results agree with the service's own list.");
  }
  return {
    ok: findings.list.length === 0,
    findings: findings.list,
    checked,
    notes: findings.notes,
    batchId: manifest.batch_id,
    rows,
    events: manifest.audit.events,
    keyFingerprint: fingerprint,
  };
}
