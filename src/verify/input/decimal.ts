/** Digits after the point in sums: more than any currency or service has. */
const scale = 18;

/** Exact sums of decimal texts, by name. */
export class ExactSums {
  readonly #sums = new Map<string, bigint>();

  add(name: string, decimal: string): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0n) + units(decimal));
  }

  subtract(name: string, decimal: string): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0n) - units(decimal));
  }

  /** Adds the sum that `others` have under one name. */
  addFrom(name: string, others: ExactSums, othersName: string): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0n) + (others.#sums.get(othersName) ?? 0n));
  }

  /** The sums as decimal texts, in alphabetical order of their names. */
  toObject(): Record<string, string> {
    const names = [...this.#sums.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, decimalOf(this.#sums.get(name) ?? 0n)]));
  }

  isZero(name: string): boolean {
    return (this.#sums.get(name) ?? 0n) === 0n;
  }

  /** The names under which these sums and `others` differ. */
  differences(others: ExactSums): string[] {
    const names = new Set([...this.#sums.keys(), ...others.#sums.keys()]);
    return [...names].filter((name) => (this.#sums.get(name) ?? 0n) !== (others.#sums.get(name) ?? 0n)).sort();
  }
}

/** Amounts by currency as sums. */
export function sumsOf(amounts: Record<string, string>): ExactSums {
  const sums = new ExactSums();
  for (const [currency, value] of Object.entries(amounts)) sums.add(currency, value);
  return sums;
}

/** Whether two decimal texts are the same amount. */
export function sameDecimal(a: string, b: string): boolean {
  return units(a) === units(b);
}

/** The smaller of two decimal texts. */
export function lesser(a: string, b: string): string {
  return units(a) < units(b) ? a : b;
}

/** `whole` minus `part`, as a decimal text; empty if `part` is larger. */
export function rest(whole: string, part: string): string {
  const left = units(whole) - units(part);
  return left <= 0n ? '0' : decimalOf(left);
}

function decimalOf(sum: bigint): string {
  const digits = String(sum < 0n ? -sum : sum).padStart(scale + 1, '0');
  const plain = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '');
  return sum < 0n ? `-${plain}` : plain;
}

/** The most zeros that an exponent may add: more than any amount of money has. */
const exponentMax = 40;

/** A JSON number ("1e3", "42.0") without an exponent. Throws if it is not one, or longer than any amount of money. */
export function plainDecimal(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(literal);
  const exponent = Number(match?.[4] ?? 0);
  if (!match || Math.abs(exponent) > exponentMax) throw new Error(`${literal} is not an amount`);
  const [, sign = '', whole = '', fraction = ''] = match;
  if (exponent === 0) return literal.replace(/[eE].*/, '');
  const digits = whole.padStart(exponentMax + 1, '0') + fraction.padEnd(exponentMax, '0');
  const point = exponentMax + 1 + exponent + Math.max(0, whole.length - exponentMax - 1);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`.replace(/(\.\d*?)0*$/, '$1').replace(/\.$/, '');
}

function units(decimal: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal);
  const fraction = match?.[3] ?? '';
  if (!match || fraction.length > scale) throw new Error(`"${decimal}" is not an amount`);
  return BigInt(`${match[1]}${match[2]}${fraction.padEnd(scale, '0')}`);
}
