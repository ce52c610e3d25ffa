import { hash } from 'node:crypto';
import type { Findings } from '../input/findings.ts';
import { resultRows } from '../input/rows.ts';

/**
 * 52 bits of a digest of each key, which a number holds exactly: eight bytes a row, where a set of the keys would take
 * a hundred.
 */
export class KeyMarks {
  #marks = new Float64Array(1_024);
  #count = 0;

  add(key: string): void {
    if (this.#count === this.#marks.length) {
      const marks = new Float64Array(this.#count * 2);
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#marks[this.#count] = markOf(key);
    this.#count += 1;
  }

  /** The marks that occur more than once; after sorting, equal marks are neighbours. */
  doubled(): Set<number> {
    const marks = this.#marks.subarray(0, this.#count).sort();
    const doubled = new Set<number>();
    for (let at = 1; at < marks.length; at++) if (marks[at] === marks[at - 1]) doubled.add(marks[at] as number);
    return doubled;
  }
}

function markOf(key: string): number {
  return Number.parseInt(hash('sha256', key).slice(0, 13), 16);
}

/**
 * Two keys may have the same mark by chance. If there are such marks, the rows are read again, and the keys themselves
 * compared.
 */
export async function checkKeys(dir: string, doubled: ReadonlySet<number>, findings: Findings): Promise<void> {
  if (doubled.size === 0) return;
  const seen = new Set<string>();
  let count = 0;
  for await (const { idempotency_key: key = '' } of resultRows(dir)) {
    count += 1;
    if (key === '' || !doubled.has(markOf(key))) continue;
    if (seen.has(key)) findings.add('results.csv', `row ${count} uses a key that was used before: ${key}.`);
    seen.add(key);
  }
}
