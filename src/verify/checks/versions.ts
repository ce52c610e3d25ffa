import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join, relative } from 'node:path';
import type { ChainFacts } from '../chain/chain.ts';
import { ownBytes, ownFile, ownLines } from '../input/files.ts';
import { attempt, type Findings } from '../input/findings.ts';
import { unguarded } from '../input/guards.ts';
import { type Manifest, type Previous, versionsFolder } from '../input/manifest.ts';
import { csvLines, type ResultRow, resultRows } from '../input/rows.ts';
import { type Kept, numbersInOtherBatches, siblingsOf } from './kept.ts';
import { readSummary, type Summary } from './summary.ts';

const file = 'difference.csv';
const header = ['row', 'line', 'reference', 'column', 'before', 'after'];

/** What the service says of rows that had ended: their events. */
const lateKinds = ['row.refund', 'row.contradicted', 'row.changed_late'];

interface Versioned {
  dir: string;
  manifest: Manifest;
  summary: Summary;
  chain: ChainFacts;
}

/**
 * Which version the reports are, and what differs from the one before: that the chain goes on from where that one
 * ended; that difference.csv says what these reports say, and, where the one before lies beside them, what differs
 * between the two. Returns in a sentence what was proven of it, or null where there is nothing before or it could not
 * be compared.
 */
export async function checkVersion(
  reports: Versioned,
  kept: readonly Kept[],
  findings: Findings,
): Promise<string | null> {
  const { dir, manifest, summary, chain } = reports;
  const { previous } = manifest;
  if (!same(pick(manifest), pick(summary)))
    findings.add('summary.json', 'says otherwise than the manifest which version of the reports it is of.');
  const lastAt = chain.lastAt === null ? null : new Date(chain.lastAt).toISOString();
  if (manifest.as_of !== undefined && manifest.as_of !== lastAt)
    findings.add('manifest.json', `is as of ${manifest.as_of}; the last event of the audit chain was at ${lastAt}.`);
  const { difference, difference_unknown } = summary;
  const isFileThere = manifest.files.some(({ name }) => name === file);
  if ((difference !== null) !== isFileThere || (previous === null && difference !== null))
    findings.add('summary.json', 'tells of a difference that no difference.csv has, or not of the one that it has.');
  if ((difference_unknown !== null) !== (previous !== null && difference === null))
    findings.add('summary.json', 'says why it is not told what differs, where it is, or not where it is not.');
  checkNumber(manifest, chain, findings);
  await noteOthers(dir, manifest, chain, findings);
  if (previous === null) return null;
  checkPrevious(previous, manifest, chain, findings);
  if (difference === null) {
    findings.note(`${nameOf(previous)} came before, and what differs from it is not told: ${difference_unknown}.`);
    return null;
  }
  const before = findings.count;
  const late = await lateChangeLines(dir, previous);
  const earlier = await findEarlier(dir, { previous, kept }, findings);
  await attempt(findings, file, () => checkDifference(reports, { earlier, late, difference }, findings));
  if (findings.count > before) return null;
  if (earlier === null) {
    findings.note(
      `${nameOf(previous)} does not lie beside these reports: what difference.csv says that was before was not checked; what is now, was.`,
    );
    return null;
  }
  return `What differs from ${nameOf(previous, 'version')}, which lies beside these reports as it was signed, is what difference.csv says.`;
}

function nameOf({ version, as_of }: Previous, word = 'Version'): string {
  return `${word} ${version} of ${as_of.slice(0, 10)}`;
}

const pick = ({ version, as_of, previous }: Pick<Manifest, 'version' | 'as_of' | 'previous'>) => [
  version,
  as_of,
  previous && Object.entries(previous).sort(),
];

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** States in which a batch has ended: what is signed then is given out, and the chain says so. */
const finalStates = ['completed', 'cancelled', 'rejected'];

/** The number is the batch's own: the chain ends in it, or goes on from it where the batch is not at its end. */
function checkNumber({ version }: Manifest, { batch, published }: ChainFacts, findings: Findings): void {
  const last = published.at(-1);
  // Chains of before tell of no version.
  if (last === undefined) return;
  if (finalStates.includes(batch.status ?? '')) {
    if (last.version !== version)
      findings.add(
        'manifest.json',
        `is ${version ? `of version ${version}` : 'no version'}; by the audit chain version ${last.version} was given out last.`,
      );
  } else if (version && version <= last.version)
    findings.add('manifest.json', `is of version ${version}, and version ${last.version} was given out before.`);
}

/** The version before is one of which the chain tells, and from which it goes on. */
function checkPrevious(
  { version, events, head }: Previous,
  manifest: Manifest,
  { heads, published }: ChainFacts,
  findings: Findings,
): void {
  if (manifest.version !== null && (manifest.version ?? 0) <= version)
    findings.add('manifest.json', `is of version ${manifest.version}, and says that version ${version} came before.`);
  if (events > manifest.audit.events)
    findings.add(
      'events.jsonl',
      `has ${manifest.audit.events} events, fewer than version ${version}, which had ${events}.`,
    );
  else if (heads.get(events) !== head)
    findings.add('events.jsonl', `does not go on from where version ${version} ended: the chain was written anew.`);
  const told = published.find((one) => one.version === version);
  if (told !== undefined && told.seq !== events)
    findings.add('manifest.json', `names another version ${version} before it than the audit chain.`);
}

/** Other versions may have been written to other folders: whoever reads these should know of them. */
async function noteOthers(
  dir: string,
  { version, previous }: Manifest,
  { published }: ChainFacts,
  findings: Findings,
): Promise<void> {
  const earlier = published.filter((one) => one.version !== version);
  if (previous === null && earlier.length > 0)
    findings.add('manifest.json', 'names no version before it; by the audit chain there was one.');
  const beside = await numbersInOtherBatches(dir);
  const missing = earlier.filter((one) => one.version !== previous?.version && !beside.has(one.version));
  if (missing.length === 0) return;
  const names = missing.map(({ version: number, at }) => `${number} of ${new Date(at).toISOString().slice(0, 10)}`);
  const [versions, lie] =
    missing.length === 1
      ? ['Version', 'was given out as well, and does']
      : ['Versions', 'were given out as well, and do'];
  findings.note(`${versions} ${names.join(', ')} ${lie} not lie beside these reports.`);
}

/**
 * The lines that the chain after the version before must have in difference.csv, by their digest and number: it is not
 * held in memory.
 */
async function lateChangeLines(dir: string, { events }: Previous): Promise<LineMarks> {
  const marks = new LineMarks();
  let seq = 0;
  for await (const lines of ownLines(join(dir, 'events.jsonl')))
    for (const line of lines) {
      seq += 1;
      if (seq <= events) continue;
      const { kind, row_no, body } = JSON.parse(line);
      if (!lateKinds.includes(kind)) continue;
      const { why, amount, currency } = JSON.parse(body);
      marks.add([String(row_no ?? ''), '', '', kind, '', why ?? (amount ? `${currency} ${amount}` : '')]);
    }
  return marks;
}

/** Lines in their order, and how many there are: two that were added alike are the same. */
class LineMarks {
  readonly #digest = createHash('sha256');

  add(line: readonly string[]): void {
    this.#digest.update(`${JSON.stringify(line.map(unguarded))}\n`);
  }

  hex(): string {
    return this.#digest.copy().digest('hex');
  }
}

/** The folder of the version before, where it lies beside; its results and its summary must be as they were signed. */
async function findEarlier(
  dir: string,
  { previous, kept }: { previous: Previous; kept: readonly Kept[] },
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
    findings.add(versionsFolder, `has another version ${version} than the one of which these reports tell.`);
  return null;
}

/** These reports are signed, and name the digest of that manifest: what it says of its files was signed with them. */
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

/** Each line of difference.csv is true, there is no other, and summary.json counts them so. */
async function checkDifference(
  { dir, manifest, summary, chain }: Versioned,
  {
    earlier,
    late,
    difference,
  }: { earlier: string | null; late: LineMarks; difference: NonNullable<Summary['difference']> },
  findings: Findings,
): Promise<void> {
  const forgotten = chain.batch.forgotten !== null;
  const cells = earlier === null ? byOwn(dir) : byBoth(earlier, dir, forgotten);
  const told = { rows: 0, columns: new Map<string, number>(), late: new Map<string, number>() };
  const found = new LineMarks();
  let [lineNo, rowNo] = [0, ''];
  for await (const line of csvLines(join(dir, file))) {
    lineNo += 1;
    const [row = '', , , column = ''] = line;
    if (lineNo === 1) {
      if (!same(line, header)) findings.add(file, 'has other columns than it must have.');
    } else if (lateKinds.includes(column)) {
      found.add(line);
      told.late.set(column, (told.late.get(column) ?? 0) + 1);
    } else {
      if (told.late.size > 0) findings.add(file, `line ${lineNo} stands behind what the service has said late.`);
      if (row !== rowNo) told.rows += 1;
      rowNo = row;
      told.columns.set(column, (told.columns.get(column) ?? 0) + 1);
      if (await cells.holds(line)) continue;
      findings.add(file, `line ${lineNo} (row ${row}, ${column}) is not what these reports say.`);
      return;
    }
  }
  if (!(await cells.isAll())) findings.add(file, 'lacks something that differs from the version before.');
  if (found.hex() !== late.hex())
    findings.add(file, 'says otherwise than the audit chain what the service has said of rows that had ended.');
  const counts = { rows: told.rows, columns: sorted(told.columns), late: sorted(told.late), forgotten };
  const { rows, columns, late: words, forgotten: isSaid } = difference;
  const said = {
    rows,
    columns: sorted(Object.entries(columns)),
    late: sorted(Object.entries(words)),
    forgotten: isSaid,
  };
  if (!same(counts, said)) findings.add('summary.json', 'counts otherwise than difference.csv what differs.');
  await checkTotals({ manifest, summary, difference, earlier }, findings);
}

async function checkTotals(
  {
    manifest,
    summary,
    difference: { before, after },
    earlier,
  }: Pick<Versioned, 'manifest' | 'summary'> & {
    difference: NonNullable<Summary['difference']>;
    earlier: string | null;
  },
  findings: Findings,
): Promise<void> {
  const then = earlier === null ? null : await readSummary(earlier, manifest, findings);
  if (!same(totalsOf(summary), after) || (then !== null && !same(totalsOf(then), before)))
    findings.add('summary.json', 'has other counts and sums for a version than that version has.');
}

function totalsOf({ rows, requested, charged, refunded }: Summary) {
  return { rows: rows.by_status, paid: requested.completed, charged: charged.total, refunded };
}

const sorted = (counts: Iterable<[string, number]>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

/** The cells that differ between the results of two versions, which both have the rows in the order of the file. */
async function* differingCells(earlier: string, dir: string, forgotten: boolean): AsyncGenerator<string[], undefined> {
  const [then, now] = [earlier, dir].map((folder) => csvLines(join(folder, 'results.csv'))) as [Lines, Lines];
  const [was, is] = [uniqueNames(await then.next()), uniqueNames(await now.next())];
  const names = [...new Set([...is, ...was])].filter((name) => !forgotten || !namesPeople(name));
  const columns = names.map((name) => [name, was.indexOf(name), is.indexOf(name)] as const);
  const place = ['row', 'line', 'reference'].map((name) => [was.indexOf(name), is.indexOf(name)] as const);
  for (;;) {
    const [before, after] = await Promise.all([then.next(), now.next()]);
    if (before.done && after.done) return;
    const [old, row] = [before.value ?? [], after.value ?? []];
    const named = place.map(([at, to]) => row[to] || old[at] || '');
    for (const [name, at, to] of columns) {
      const [from, next] = [old[at] ?? '', row[to] ?? ''];
      if (from !== next) yield [...named, name, from, next];
    }
  }
}

type Lines = AsyncGenerator<string[], undefined>;

/** The second of two columns of one name has a number behind it. */
function uniqueNames({ value }: { value: string[] | undefined }): string[] {
  const seen = new Map<string, number>();
  return (value ?? []).map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

/** Once people are forgotten, nothing of the columns that name them is to be repeated. */
function namesPeople(name: string): boolean {
  return name.startsWith('input_') || ['phone_number', 'sms_message', 'failure_reason'].includes(name);
}

/** What proves the cells of difference.csv, which are asked about in their order. */
interface CellProof {
  holds(line: readonly string[]): Promise<boolean>;
  /** Whether nothing else differs, as far as that is known. */
  isAll(): Promise<boolean>;
}

function byBoth(earlier: string, dir: string, forgotten: boolean): CellProof {
  const cells = differingCells(earlier, dir, forgotten);
  return {
    holds: async (line) => same((await cells.next()).value, line),
    isAll: async () => (await cells.next()).done === true,
  };
}

/** By the results of the folder alone: what was before is taken as it is said. */
function byOwn(dir: string): CellProof {
  const rows = resultRows(dir);
  let row: ResultRow | null = null;
  return {
    async holds([rowNo = '', line, reference, column = '', , after]) {
      while (row === null || Number(row.row) < Number(rowNo)) {
        const { value, done } = await rows.next();
        if (done) return false;
        row = value;
      }
      // A number behind the name tells columns apart that are named alike.
      const isOne = column in row || !/#\d+$/.test(column);
      const isOfRow = row.row === rowNo && row.line === line && (!row.reference || row.reference === reference);
      return isOfRow && (!isOne || (row[column] ?? '') === after);
    },
    isAll: async () => true,
  };
}
