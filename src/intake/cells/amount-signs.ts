import { type AmountReading, hasThreeDecimals } from './amount.ts';

export type DecimalSign = '.' | ',';

/** The line of the first amount of a kind, by its sign; null where the column has none. */
type FirstLines = Record<DecimalSign, number | null>;

/** What a whole column of amounts shows about its decimal sign. It stays this small, however many rows there are. */
export interface SignEvidence {
  /** Amounts that can only be read with this sign as the decimal sign. */
  proof: FirstLines;
  /** Amounts with exactly three digits after this sign: thousands, or a slip. */
  doubtful: FirstLines;
}

export function noEvidence(): SignEvidence {
  return { proof: { '.': null, ',': null }, doubtful: { '.': null, ',': null } };
}

/** How a workbook stores a number, with a point wherever it was typed. */
const storedNumber = /^-?[0-9]+\.[0-9]+$/;

/** Notes what one amount shows. A number of a workbook (`isStored`) shows nothing of how people write the others. */
export function noteSign(
  { proof, doubtful }: SignEvidence,
  reading: AmountReading,
  { cell, line, isStored }: { cell: string; line: number; isStored: boolean },
): void {
  if (reading.kind === 'none' || (isStored && storedNumber.test(cell))) return;
  if (reading.kind === 'ambiguous') {
    doubtful[reading.separator] ??= line;
    return;
  }
  const { decimalSign } = reading;
  if (decimalSign === null) return;
  proof[decimalSign] ??= line;
  if (doubtful[decimalSign] === null && hasThreeDecimals(cell, decimalSign)) doubtful[decimalSign] = line;
}

type Doubtful = Extract<AmountReading, { kind: 'ambiguous' }>;

/**
 * The value of an amount with exactly three digits after its only sign, or null where a person must say it. `set` is
 * the decimal sign that a person gave for the file. Without it, three digits are thousands, and only where the column
 * is read the same way without exception: a currency with three decimals leaves two readings whatever the other
 * amounts show.
 */
export function valueOfDoubtful(
  { separator, grouped, decimal }: Doubtful,
  decimals: number,
  set: DecimalSign | 'auto',
  { proof, doubtful }: SignEvidence,
): string | null {
  const other = separator === '.' ? ',' : '.';
  if (set === separator) return proof[other] === null ? decimal : null;
  if (set === other) return decimals < 3 || proof[separator] === null ? grouped : null;
  if (decimals > 2 || proof[separator] !== null) return null;
  if (decimals === 0) return grouped;
  return proof[other] !== null && doubtful[other] === null ? grouped : null;
}

/** The one decimal sign of a column, `both`, or null where no amount shows one. */
export function signOf({ proof }: SignEvidence): DecimalSign | 'both' | null {
  if (proof['.'] !== null && proof[','] !== null) return 'both';
  if (proof['.'] !== null) return '.';
  return proof[','] === null ? null : ',';
}
