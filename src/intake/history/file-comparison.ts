import type { SharedInFile } from '../../core/duplicates/question.ts';
import { compareAmounts } from '../../core/money/money.ts';
import { withoutIgnorable } from '../../core/text/ignorable.ts';
import { decimalsOf, fromMinorUnits, minorUnits } from '../cells/amount.ts';
import { digestWords, writeDigest } from '../cells/text-digest.ts';
import { makeSpill, type Scratch, type Spill } from '../file/scratch-files.ts';
import type { CheckedRow } from '../rows/file-rows.ts';

/** What a row has in common with other rows of its file, and which occurrence of its content it is. */
export interface ComparedInFile extends SharedInFile {
  /**
   * The number of this occurrence among rows with the same content and without a reference of their own: 1 for the
   * first.
   */
  occurrence: number;
}

export interface FileComparison {
  /** Notes a row, in file order. */
  note(row: CheckedRow): void;
  /** Compares the noted rows. True if any of them have something in common. */
  compare(): boolean;
  /** What a row has in common with others. Callers ask in file order. */
  of(rowNo: number): ComparedInFile | undefined;
}

/**
 * The digest of a row decides its bucket. With ten million rows, each bucket has about 40,000, which fit into memory.
 */
const bucketCount = 256;
/** How many rows' findings are read into memory at once. */
const rowsPerPage = 65_536;

/** The 32-bit words of a key: the digest, then the number of its row, its line, and whether it has a reference. */
const rowNoAt = digestWords;
const lineAt = digestWords + 1;
const hasReferenceAt = digestWords + 2;
const keyWords = digestWords + 3;
/** After a number's key comes its amount: the index of its currency, and the smallest units in two 32-bit words. */
const currencyAt = keyWords;
const minorHighAt = keyWords + 1;
const minorLowAt = keyWords + 2;
const amountWords = keyWords + 3;
/** A finding: the number of its row, the value that was found, and the kind of finding. */
const findingWords = 3;

type Finding = 'reference' | 'content' | 'occurrence' | 'maximum';
const findings = ['reference', 'content', 'occurrence', 'maximum'] as const satisfies readonly Finding[];

/**
 * Finds repeated references, repeated payments and numbers that get too much, in files of any size with little memory.
 * Digests of the rows go into buckets on the disk, and each bucket is compared separately. `numberMax` is by currency.
 */
export function makeFileComparison(scratch: Scratch, numberMax: Readonly<Record<string, string>>): FileComparison {
  const references = makeSpill(scratch, keyWords);
  const contents = makeSpill(scratch, keyWords);
  const amounts = makeSpill(scratch, amountWords);
  const found = makeSpill(scratch, findingWords);
  const limits = Object.entries(numberMax).map(([currency, most]) => ({ currency, most }));
  const indexByCurrency = new Map(limits.map(({ currency }, index) => [currency, index]));
  let page = -1;
  let ofPage = new Map<number, ComparedInFile>();
  return {
    note(row) {
      const { phone_number: number, amount, currency } = row;
      if (row.row_ref !== null && row.has_reference) addKey(references, [withoutIgnorable(row.row_ref)], row);
      if (row.status === 'invalid' || row.status === 'skipped') return;
      // Two rows are the same payment if they have the same person and the same amount or product.
      addKey(contents, [number, amount, currency, row.product_id], row);
      const index = currency === null ? undefined : indexByCurrency.get(currency);
      if (amount === null || currency === null || index === undefined) return;
      const { words, at } = addKey(amounts, [number, currency], row);
      const minor = minorUnits(amount, decimalsOf(currency) ?? 0);
      words[at + currencyAt] = index;
      words[at + minorHighAt] = Number(minor >> 32n);
      words[at + minorLowAt] = Number(minor & 0xffff_ffffn);
    },
    compare() {
      const firstsOf = makeFirsts();
      for (const bucket of references.buckets()) compareReferences(references.read(bucket), firstsOf, found);
      for (const bucket of contents.buckets()) compareContents(contents.read(bucket), firstsOf, found);
      for (const bucket of amounts.buckets()) compareAmountsOf(amounts.read(bucket), firstsOf, limits, found);
      return found.buckets().length > 0;
    },
    of(rowNo) {
      const wanted = Math.floor(rowNo / rowsPerPage);
      if (wanted !== page) {
        page = wanted;
        ofPage = sharedByRow(found.read(page));
      }
      return ofPage.get(rowNo);
    },
  };
}

const digest = new Uint32Array(digestWords);

function addKey(spill: Spill, parts: readonly (string | null)[], row: CheckedRow): ReturnType<Spill['add']> {
  writeDigest(parts, digest, 0);
  const place = spill.add((digest[0] as number) % bucketCount);
  const { words, at } = place;
  words[at] = digest[0] as number;
  words[at + 1] = digest[1] as number;
  words[at + 2] = digest[2] as number;
  words[at + rowNoAt] = row.row_no;
  words[at + lineAt] = row.line;
  words[at + hasReferenceAt] = row.has_reference ? 1 : 0;
  return place;
}

/**
 * For each record of a bucket, the position of the first record with the same digest. The next bucket overwrites the
 * array.
 */
type FirstsOf = (words: Uint32Array, recordWords: number) => Uint32Array;

/** A hash table in flat memory: several times as fast as a `Map` of texts for millions of rows. */
function makeFirsts(): FirstsOf {
  let firsts = new Uint32Array(0);
  let table = new Uint32Array(0);
  return (words, recordWords) => {
    const count = words.length / recordWords;
    // At least twice as many places as records, and a power of two, so that most searches are short.
    const places = 2 ** Math.ceil(Math.log2(2 * count + 1));
    if (table.length < places) table = new Uint32Array(places);
    if (firsts.length < count) firsts = new Uint32Array(places);
    table.fill(0, 0, places);
    for (let index = 0, at = 0; index < count; index++, at += recordWords) {
      let place = (words[at + 1] as number) & (places - 1);
      let other = table[place] as number;
      // The table holds a record's position plus one; 0 means that the place is empty.
      while (other !== 0 && !isSameDigest(words, at, other - 1)) {
        place = (place + 1) & (places - 1);
        other = table[place] as number;
      }
      if (other === 0) table[place] = at + 1;
      firsts[index] = other === 0 ? at : other - 1;
    }
    return firsts;
  };
}

function isSameDigest(words: Uint32Array, a: number, b: number): boolean {
  return words[a] === words[b] && words[a + 1] === words[b + 1] && words[a + 2] === words[b + 2];
}

function addFinding(found: Spill, rowNo: number, finding: Finding, value: number): void {
  const { words, at } = found.add(Math.floor(rowNo / rowsPerPage));
  words[at] = rowNo;
  words[at + 1] = value;
  words[at + 2] = findings.indexOf(finding);
}

/** If rows share a reference, nobody knows which of them is meant: each is reported with the line of another. */
function compareReferences(words: Uint32Array, firstsOf: FirstsOf, found: Spill): void {
  const firsts = firstsOf(words, keyWords);
  const named = new Set<number>();
  for (let index = 0, at = 0; at < words.length; index++, at += keyWords) {
    const first = firsts[index] as number;
    if (first === at) continue;
    if (!named.has(first))
      addFinding(found, words[first + rowNoAt] as number, 'reference', words[at + lineAt] as number);
    named.add(first);
    addFinding(found, words[at + rowNoAt] as number, 'reference', words[first + lineAt] as number);
  }
}

function compareContents(words: Uint32Array, firstsOf: FirstsOf, found: Spill): void {
  const firsts = firstsOf(words, keyWords);
  const withoutReference = new Map<number, number>();
  for (let index = 0, at = 0; at < words.length; index++, at += keyWords) {
    const first = firsts[index] as number;
    if (first === at) continue;
    const rowNo = words[at + rowNoAt] as number;
    addFinding(found, rowNo, 'content', words[first + lineAt] as number);
    if (words[at + hasReferenceAt] === 1) continue;
    const before = withoutReference.get(first) ?? (words[first + hasReferenceAt] === 1 ? 0 : 1);
    withoutReference.set(first, before + 1);
    if (before > 0) addFinding(found, rowNo, 'occurrence', before + 1);
  }
}

function compareAmountsOf(
  words: Uint32Array,
  firstsOf: FirstsOf,
  limits: readonly { currency: string; most: string }[],
  found: Spill,
): void {
  const firsts = firstsOf(words, amountWords);
  const sums = new Map<number, bigint>();
  for (let index = 0, at = 0; at < words.length; index++, at += amountWords) {
    const minor = (BigInt(words[at + minorHighAt] as number) << 32n) | BigInt(words[at + minorLowAt] as number);
    const sum = (sums.get(firsts[index] as number) ?? 0n) + minor;
    sums.set(firsts[index] as number, sum);
    const { currency, most } = limits[words[at + currencyAt] as number] as (typeof limits)[number];
    if (compareAmounts(fromMinorUnits(sum, decimalsOf(currency) ?? 0), most) <= 0) continue;
    addFinding(found, words[at + rowNoAt] as number, 'maximum', 0);
  }
}

function sharedByRow(words: Uint32Array): Map<number, ComparedInFile> {
  const byRow = new Map<number, ComparedInFile>();
  for (let at = 0; at < words.length; at += findingWords) {
    const rowNo = words[at] as number;
    const value = words[at + 1] as number;
    const shared = byRow.get(rowNo) ?? {
      referenceLine: null,
      contentLine: null,
      occurrence: 1,
      isBeyondMaximum: false,
    };
    const finding = findings[words[at + 2] as number];
    if (finding === 'reference') shared.referenceLine = value;
    else if (finding === 'content') shared.contentLine = value;
    else if (finding === 'occurrence') shared.occurrence = value;
    else shared.isBeyondMaximum = true;
    byRow.set(rowNo, shared);
  }
  return byRow;
}
