import { type AmountReading, hasThreeDecimals } from './amount.ts';

export type DecimalSign = '.' | ',';

/** The line of the first amount of a kind, by its sign; null if the column has none. */
type FirstLines = Record<DecimalSign, number | null>;

/** What a whole column of amounts shows about its decimal sign. Its size does not depend on the number of rows. */
export interface SignEvidence {
  /** Amounts that can only be read with this sign as the decimal sign. */
  proof: FirstLines;
  /** Amounts with exactly three digits after this sign: thousands, or a mistake. */
  doubtful: FirstLines;
}

export function noEvidence(): SignEvidence {
  return { proof: { '.': null, ',': null }, doubtful: { '.': null, ',': null } };
}

/** How a workbook stores a number: with a point, however it was typed. Its format may add a currency: "KES 99.5". */
const storedNumber = /^[^0-9]*[0-9]+\.[0-9]+[^0-9]*$/;

/**
 * Records what one amount shows. A stored number of a workbook (`isStored`) does not show how people write the others.
 */
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
 * The value of an amount with exactly three digits after its only sign, or null if a person must decide. `set` is the
 * decimal sign that a person gave for the file. Without it, the three digits are thousands, and only if no amount of
 * the column contradicts that. A currency with three decimals allows both readings, whatever the other amounts show.
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

/** The decimal sign of a column, `both` if it has two, or null if no amount shows one. */
export function signOf({ proof }: SignEvidence): DecimalSign | 'both' | null {
  if (proof['.'] !== null && proof[','] !== null) return 'both';
  if (proof['.'] !== null) return '.';
  return proof[','] === null ? null : ',';
}
