import { existsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** `npm run bench -- NAME [--quick] [--rows N]`: runs `bench/NAME.ts`, which prints its table and what it ran on. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, rows: { type: 'string' } },
});
const [name = ''] = positionals;
const path = join(import.meta.dirname, `${name}.ts`);
if (!/^[a-z-]+$/.test(name) || name === 'main' || !existsSync(path)) {
  console.error(`There is no bench "${name}".`);
  process.exit(2);
}
console.log(
  `${cpus().length} x ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
);
const { bench } = await import(path);
await bench({ quick: values.quick, rows: values.rows === undefined ? null : Number(values.rows) });
