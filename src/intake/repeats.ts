import { hash } from 'node:crypto';
import { addAmounts, compareAmounts } from '../core/money.ts';
import type { FileRow } from './file-rows.ts';
import { makeSpill, type Scratch, type Spill } from './scratch.ts';

/** What a row has in common with other rows of its file. */
export interface Repeat {
  /** The line of another row with the same reference. */
  referenceLine: number | null;
  /** The line of the first row whose number gets the same. */
  contentLine: number | null;
  /** Which one of the rows without a reference of their own, and with the same content, it is: 1 for the first. */
  occurrence: number;
  /** Whether its number gets more than the maximum up to this row. */
  isBeyondMaximum: boolean;
}

export interface Repeats {
  /** Notes a row, in file order. */
  note(row: FileRow): void;
  /** Compares the rows that were noted. True when any of them have something in common. */
  compare(): boolean;
  /** What is repeated in a row; asked for in file order. */
  of(rowNo: number): Repeat | undefined;
}

/** Rows meet in one of these buckets by their digest: of ten million rows each has some 40,000, which fit into memory. */
const bucketCount = 256;
/** Rows whose findings are read into memory together. */
const rowsPerPage = 65_536;

const digestBytes = 12;
const keyBytes = digestBytes + 4 + 4 + 1;
const findingBytes = 4 + 4 + 1;
const amountBytes = 24;

type Finding = 'reference' | 'content' | 'occurrence' | 'maximum';
const findings = ['reference', 'content', 'occurrence', 'maximum'] as const satisfies readonly Finding[];

/**
 * Finds repeated references, repeated payments and numbers that get too much, in files of any size with little memory: digests
 * of the rows go to buckets on the disk, and each bucket is compared by itself. `numberMax` is by currency.
 */
export function makeRepeats(scratch: Scratch, numberMax: Readonly<Record<string, string>>): Repeats {
  const references = makeSpill(scratch, keyBytes);
  const contents = makeSpill(scratch, keyBytes);
  const amounts = makeSpill(scratch, keyBytes + amountBytes);
  const found = makeSpill(scratch, findingBytes);
  let page = -1;
  let ofPage = new Map<number, Repeat>();
  return {
    note(row) {
      if (row.row_ref !== null && row.has_reference) addKey(references, row.row_ref, row);
      if (row.status === 'invalid') return;
      addKey(contents, contentOf(row), row);
      if (row.amount === null || row.currency === null || numberMax[row.currency] === undefined) return;
      const { bytes, at } = addKey(amounts, `${row.phone_number}\t${row.currency}`, row);
      bytes.write(`${row.amount} ${row.currency}`.padEnd(amountBytes), at + keyBytes, 'latin1');
    },
    compare() {
      for (const bucket of references.buckets()) compareReferences(references.read(bucket), found);
      for (const bucket of contents.buckets()) compareContents(contents.read(bucket), found);
      for (const bucket of amounts.buckets()) compareAmountsOf(amounts.read(bucket), numberMax, found);
      return found.buckets().length > 0;
    },
    of(rowNo) {
      const wanted = Math.floor(rowNo / rowsPerPage);
      if (wanted !== page) {
        page = wanted;
        ofPage = repeatsOf(found.read(page));
      }
      return ofPage.get(rowNo);
    },
  };
}

/** What makes two rows the same payment: the person, and the amount or product. None of them has a tab in it. */
function contentOf({ phone_number, amount, currency, product_id }: FileRow): string {
  return `${phone_number}\t${amount}\t${currency}\t${product_id}`;
}

interface Keyed {
  digest: string;
  rowNo: number;
  line: number;
  hasReference: boolean;
}

function addKey(spill: Spill, key: string, row: FileRow): { bytes: Buffer; at: number } {
  // As a text of bytes: a buffer for each digest takes three times as long.
  const digest = hash('sha1', key, 'binary');
  const place = spill.add(digest.charCodeAt(digestBytes) % bucketCount);
  const { bytes, at } = place;
  bytes.write(digest, at, digestBytes, 'latin1');
  bytes.writeUInt32LE(row.row_no, at + digestBytes);
  bytes.writeUInt32LE(row.line, at + digestBytes + 4);
  bytes[at + digestBytes + 8] = row.has_reference ? 1 : 0;
  return place;
}

function* keysIn(bytes: Buffer, recordBytes: number): Generator<Keyed & { at: number }> {
  for (let at = 0; at < bytes.length; at += recordBytes) {
    yield {
      at,
      digest: bytes.toString('latin1', at, at + digestBytes),
      rowNo: bytes.readUInt32LE(at + digestBytes),
      line: bytes.readUInt32LE(at + digestBytes + 4),
      hasReference: bytes[at + digestBytes + 8] === 1,
    };
  }
}

function addFinding(found: Spill, rowNo: number, finding: Finding, value: number): void {
  const { bytes, at } = found.add(Math.floor(rowNo / rowsPerPage));
  bytes.writeUInt32LE(rowNo, at);
  bytes.writeUInt32LE(value, at + 4);
  bytes[at + 8] = findings.indexOf(finding);
}

/** Of rows with one reference nobody knows which is meant: each of them is named, with the line of another. */
function compareReferences(bytes: Buffer, found: Spill): void {
  const firsts = new Map<string, { rowNo: number; line: number; isNamed: boolean }>();
  for (const { digest, rowNo, line } of keysIn(bytes, keyBytes)) {
    const first = firsts.get(digest);
    if (!first) {
      firsts.set(digest, { rowNo, line, isNamed: false });
      continue;
    }
    if (!first.isNamed) addFinding(found, first.rowNo, 'reference', line);
    first.isNamed = true;
    addFinding(found, rowNo, 'reference', first.line);
  }
}

function compareContents(bytes: Buffer, found: Spill): void {
  const firsts = new Map<string, { line: number; withoutReference: number }>();
  for (const { digest, rowNo, line, hasReference } of keysIn(bytes, keyBytes)) {
    const first = firsts.get(digest);
    if (!first) {
      firsts.set(digest, { line, withoutReference: hasReference ? 0 : 1 });
      continue;
    }
    addFinding(found, rowNo, 'content', first.line);
    if (hasReference) continue;
    first.withoutReference += 1;
    if (first.withoutReference > 1) addFinding(found, rowNo, 'occurrence', first.withoutReference);
  }
}

function compareAmountsOf(bytes: Buffer, numberMax: Readonly<Record<string, string>>, found: Spill): void {
  const sums = new Map<string, string>();
  for (const { digest, rowNo, at } of keysIn(bytes, keyBytes + amountBytes)) {
    const [amount = '0', currency = ''] = bytes
      .toString('latin1', at + keyBytes, at + keyBytes + amountBytes)
      .split(' ');
    const sum = addAmounts(sums.get(digest) ?? '0', amount);
    sums.set(digest, sum);
    if (compareAmounts(sum, numberMax[currency] ?? sum) > 0) addFinding(found, rowNo, 'maximum', 0);
  }
}

function repeatsOf(bytes: Buffer): Map<number, Repeat> {
  const repeats = new Map<number, Repeat>();
  for (let at = 0; at < bytes.length; at += findingBytes) {
    const rowNo = bytes.readUInt32LE(at);
    const value = bytes.readUInt32LE(at + 4);
    const repeat = repeats.get(rowNo) ?? {
      referenceLine: null,
      contentLine: null,
      occurrence: 1,
      isBeyondMaximum: false,
    };
    const finding = findings[bytes[at + 8] as number];
    if (finding === 'reference') repeat.referenceLine = value;
    else if (finding === 'content') repeat.contentLine = value;
    else if (finding === 'occurrence') repeat.occurrence = value;
    else repeat.isBeyondMaximum = true;
    repeats.set(rowNo, repeat);
  }
  return repeats;
}
