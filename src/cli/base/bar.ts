const barLength = 24;

/** How much of something is done. */
export function bar(done: number, total: number): string {
  const full = Math.floor((total === 0 ? 1 : done / total) * barLength);
  return '█'.repeat(full) + '░'.repeat(barLength - full);
}
