import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './figures.ts';
import { type BenchRecord, figureTable, keepRecord } from './records.ts';

/** Every bench, in the order in which all of them run. Each exports its work as `bench`. */
const benches: Record<string, () => Promise<{ bench: Bench }>> = {
  start: () => import('./start.ts'),
  intake: () => import('./intake.ts'),
  pace: () => import('./pace.ts'),
  engine: () => import('./engine.ts'),
  scale: () => import('./scale.ts'),
  restart: () => import('./restart.ts'),
  tracking: () => import('./tracking.ts'),
  accounts: () => import('./accounts.ts'),
  fleet: () => import('./fleet.ts'),
  fleetpace: () => import('./fleet-pace.ts'),
  takeover: () => import('./take-over.ts'),
  reports: () => import('./reports.ts'),
  drafts: () => import('./drafts.ts'),
  console: () => import('./console.ts'),
  scrape: () => import('./scrape.ts'),
  questions: () => import('./questions.ts'),
};

/** Left out of `--quick` unless it is named: workers share their accounts within a minute, however few those are. */
const neverQuick = 'takeover';

/**
 * `npm run bench`: runs all benches, prints one table, and keeps the figures in `bench/results/` and
 * `docs/performance.md`. `npm run bench -- NAME...` runs those alone. `--quick` takes sizes so small that all work
 * within a minute; its figures mean nothing and are not kept. Nor are those of another size than the bench's own
 * (`--rows N`), or of a database that is so far away (`fleet --distance MS`: a round trip takes so much longer).
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, rows: { type: 'string' }, distance: { type: 'string' } },
});
const unknown = positionals.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join('", "')}". There are: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
const numberOf = (text: string | undefined) => (text === undefined ? null : Number(text));
const options: BenchOptions = {
  quick: values.quick,
  rows: numberOf(values.rows),
  distanceMs: numberOf(values.distance),
};
const isKept = !options.quick && options.rows === null && options.distanceMs === null;

const records: BenchRecord[] = [];
const all = Object.keys(benches).filter((name) => !values.quick || name !== neverQuick);
for (const name of positionals.length > 0 ? positionals : all) {
  process.stderr.write(`${name} ...`);
  const begun = performance.now();
  const load = benches[name];
  if (!load) continue;
  const { bench } = await load();
  const { figures, notes = [] } = await bench(options);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  process.stderr.write(` ${seconds} s\n`);
  const record: BenchRecord = {
    bench: name,
    command: `npm run bench -- ${name}`,
    at: new Date().toISOString(),
    machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.versions.node,
    seconds,
    figures,
    notes,
  };
  records.push(record);
  if (isKept) await keepRecord(record);
}
console.log(figureTable(records, { judged: !options.quick }));
for (const { bench, notes } of records) for (const note of notes) console.log(`${bench}: ${note}`);
