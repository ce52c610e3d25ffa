/**
 * The name that `given` was probably meant to be; null if none is similar enough. For names that a person typed: it
 * tolerates another case, a missing, extra or wrong letter, and two swapped letters. Without `slipsMax`, a third of the
 * letters may be wrong, and at least one.
 */
export function similarName(given: string, names: readonly string[], slipsMax?: number): string | null {
  const typed = given.toLowerCase();
  const distanceMax = slipsMax ?? Math.max(1, Math.floor(typed.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = distanceOf(typed, name.toLowerCase());
    if (distance <= distanceMax && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** 'Did you mean "main"?', or nothing. */
export function didYouMean(given: string, names: readonly string[]): string {
  const similar = similarName(given, names);
  return similar === null ? '' : `Did you mean "${similar}"?`;
}

/**
 * How many letters must be added, removed, replaced, or swapped with the next one to turn `a` into `b` (optimal string
 * alignment).
 */
function distanceOf(a: string, b: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
