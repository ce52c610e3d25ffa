import { parseArgs } from 'node:util';
import { fuzzApi } from './fuzz-run.ts';

/** `npm run fuzz:api`: requests made from the OpenAPI document, 10,000 or `--requests`, from `--seed`. */
const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = Number(values.requests ?? 10_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const ends: (() => unknown)[] = [];
try {
  const statuses = await fuzzApi({ after: (end) => void ends.push(end as () => unknown) }, { requests, seed });
  const lines = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(`${requests} requests with seed ${seed}: no error of the program\n${lines.join('\n')}\n`);
} finally {
  for (const end of ends.reverse()) await end();
}
