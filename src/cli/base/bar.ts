const barLength = 24;

/** A progress bar. */
export function bar(done: number, total: number): string {
  const full = Math.floor((total === 0 ? 1 : done / total) * barLength);
  return '█'.repeat(full) + '░'.repeat(barLength - full);
}
