import type { Outcome } from './in-parallel.ts';

/** What many simulated runs came to. */
export interface Totals {
  runs: number;
  failed: number;
  steps: number;
  faults: Map<string, number>;
  startedAt: number;
  add(outcome: Outcome): void;
}

export function makeTotals(): Totals {
  const totals: Totals = {
    runs: 0,
    failed: 0,
    steps: 0,
    faults: new Map(),
    startedAt: performance.now(),
    add({ violations, steps, faults }) {
      totals.runs += 1;
      totals.steps += steps;
      if (violations.length > 0) totals.failed += 1;
      for (const [fault, count] of faults) totals.faults.set(fault, (totals.faults.get(fault) ?? 0) + count);
    },
  };
  return totals;
}

export function totalLines({ runs, failed, steps, faults, startedAt }: Totals, what: string): string[] {
  const seconds = (performance.now() - startedAt) / 1_000;
  const struck = [...faults].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${runs} ${what} in ${seconds.toFixed(1)} s (${(runs / seconds).toFixed(0)} a second), ${steps} steps`,
    ...struck.map(([fault, count]) => `  ${fault.padEnd(20)} ${count}`),
    `${failed} with violations`,
  ];
}
