/**
 * Proves a folder of reports in the browser, from its bytes alone: digests, signature and audit chain, as
 * docs/report-format.md has them. The server's own result is not used.
 */

/** Reads the bytes of a file of the reports; null if there is none. */
export type ReadFile = (name: string) => Promise<Uint8Array<ArrayBuffer> | null>;

/** The result of a check: `faults` is empty if all is correct. */
export interface Check {
  what: 'signature' | 'version' | 'files' | 'chain' | 'head';
  faults: string[];
}

/**
 * The report that the page shows. The files must be those of this report: a server could send another report that is
 * signed as well.
 */
export interface Wanted {
  batchId: string;
  version: number | null;
  isMasked: boolean;
  names: readonly string[];
}

export interface Verdict {
  checks: Check[];
  /** SHA-256 of the key that signed: the auditor compares it with the one that its owner gave them. */
  fingerprint: string;
  events: number;
}

interface Manifest {
  batch_id: string;
  version?: number | null;
  masked: boolean;
  audit: { events: number; head: string };
  files: { name: string; bytes: number; sha256: string }[];
  public_key: string;
}

/** The reports cannot be checked: the manifest is missing or not readable. */
export class NotVerifiable extends Error {}

/** How many events are hashed before the page draws its progress. */
const eventsPerStep = 2_000;

export async function verifyReports(
  read: ReadFile,
  wanted: Wanted,
  onProgress: (events: number) => void,
): Promise<Verdict> {
  const [manifestBytes, signature] = await Promise.all([read('manifest.json'), read('manifest.sig')]);
  if (manifestBytes === null || signature === null) throw new NotVerifiable('manifest.json, manifest.sig');
  const manifest = readManifest(manifestBytes);
  const der = derOf(manifest.public_key);
  const chain = await checkChain(manifest, read, onProgress);
  return {
    checks: [
      { what: 'signature', faults: (await isSigned(der, signature, manifestBytes)) ? [] : ['manifest.sig'] },
      { what: 'version', faults: isWanted(manifest, wanted) ? [] : ['manifest.json'] },
      { what: 'files', faults: [...(await checkFiles(manifest, read)), ...unlisted(manifest, wanted.names)] },
      ...chain,
    ],
    fingerprint: await sha256(der),
    events: manifest.audit.events,
  };
}

function readManifest(bytes: Uint8Array<ArrayBuffer>): Manifest {
  try {
    const manifest = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Manifest;
    if (!Array.isArray(manifest.files) || typeof manifest.public_key !== 'string' || !manifest.audit)
      throw new Error('no manifest');
    return manifest;
  } catch {
    throw new NotVerifiable('manifest.json');
  }
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const base64 = pem.replace(/-----[^-]+-----|\s/g, '');
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new NotVerifiable('manifest.json (public_key)');
  }
}

async function isSigned(
  der: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await crypto.subtle.importKey('spki', der, { name: 'Ed25519' }, false, ['verify']).catch(() => {
    throw new NotVerifiable('manifest.json (public_key)');
  });
  return crypto.subtle.verify({ name: 'Ed25519' }, key, signature, signed);
}

function isWanted({ batch_id, version = null, masked }: Manifest, wanted: Wanted): boolean {
  return batch_id === wanted.batchId && version === wanted.version && masked === wanted.isMasked;
}

/** Files that the page shows, but nobody has signed. */
function unlisted({ files }: Manifest, names: readonly string[]): string[] {
  const known = new Set(['manifest.json', 'manifest.sig', ...files.map(({ name }) => name)]);
  return names.filter((name) => !known.has(name));
}

async function checkFiles({ files }: Manifest, read: ReadFile): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, bytes, sha256: wanted } of files) {
    const content = await read(name);
    if (content === null || content.length !== bytes || (await sha256(content)) !== wanted) faults.push(name);
  }
  return faults;
}

/** Every event must follow from the one before, and the last must be the head that is signed. */
async function checkChain(
  { batch_id, audit }: Manifest,
  read: ReadFile,
  onProgress: (events: number) => void,
): Promise<Check[]> {
  const bytes = await read('events.jsonl');
  const lines = bytes === null ? [] : new TextDecoder().decode(bytes).split('\n');
  const faults: string[] = [];
  // The last line ends with a line feed, after which nothing comes.
  if (lines.pop() !== '') faults.push('events.jsonl');
  let previous = '0'.repeat(64);
  let seq = 0;
  for (const line of lines) {
    seq += 1;
    const hash = await hashAfter(previous, line, { batch_id, seq });
    if (hash === null) {
      faults.push(`events.jsonl:${seq}`);
      break;
    }
    previous = hash;
    if (seq % eventsPerStep === 0) {
      onProgress(seq);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
  const broken = await saidBroken(read);
  const isHead = faults.length === 0 && previous === audit.head && seq === audit.events;
  return [
    { what: 'chain', faults: broken === null ? faults : [...faults, `summary.json: ${broken}`] },
    { what: 'head', faults: isHead ? [] : ['events.jsonl'] },
  ];
}

/**
 * The fault of the chain that the program itself has found, and that these files alone may not show: an event that
 * differs from its anchored head. Null if there is none.
 */
async function saidBroken(read: ReadFile): Promise<string | null> {
  try {
    const summary = JSON.parse(new TextDecoder().decode((await read('summary.json')) ?? undefined));
    return summary.audit.broken ?? null;
  } catch {
    return 'not readable';
  }
}

/** The hash of an event; null if the line is not an event, or does not follow. */
async function hashAfter(
  previous: string,
  line: string,
  wanted: { batch_id: string; seq: number },
): Promise<string | null> {
  try {
    const { batch_id, seq, at, actor, kind, row_no, body, hash } = JSON.parse(line) as Record<string, unknown>;
    if (batch_id !== wanted.batch_id || seq !== wanted.seq) return null;
    const covered = JSON.stringify([batch_id, seq, at, actor, kind, row_no, body]);
    const isSame = (await sha256(new TextEncoder().encode(previous + covered))) === hash;
    return isSame ? String(hash) : null;
  } catch {
    return null;
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
