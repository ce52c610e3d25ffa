import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { Bench, Figure } from './figures.ts';
import { newRow } from './ledger.ts';
import { type Usage, usageVariable } from './note-usage.ts';
import { startSwiftService } from './swift-service.ts';
import { furnish, inWorkplace, noLimits } from './workplace.ts';

const launcher = resolve(import.meta.dirname, '../src/cli/airbatch.js');
const noteUsage = pathToFileURL(join(import.meta.dirname, 'note-usage.ts')).href;
const linesAtOnce = 1_000;

interface Run extends Usage {
  rows: number;
  seconds: number;
}

/**
 * The whole job as a user has it, `airbatch run FILE`, from the file to the signed reports, without a limit: what a
 * row costs and how much memory it takes must not grow with the file.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const largest = rows ?? (quick ? 1_200 : 1_000_000);
  const sizes = [largest / 100, largest / 10, largest].map(Math.ceil).filter((size) => size > 1_000 || !quick);
  const runs: Run[] = [];
  for (const size of sizes) runs.push(await payOut(size));
  const figures: Figure[] = runs.flatMap((run) => [
    { name: `${run.rows} rows: time`, value: (run.seconds * 1_000_000) / run.rows, unit: 'us/row' as const },
    { name: `${run.rows} rows: processor`, value: (run.cpuSeconds * 1_000_000) / run.rows, unit: 'us/row' as const },
    { name: `${run.rows} rows: peak memory`, value: run.peakMiB, unit: 'MiB' as const, goal: { atMost: 250 } },
  ]);
  const [small, middle, large] = runs;
  if (small && middle && large) {
    const atFirst = added(small, middle);
    const later = added(middle, large);
    figures.push(
      {
        name: 'cost of a further row, the last nine tenths / the first',
        value: later / atFirst,
        unit: 'x',
        goal: { atMost: 1.1 },
      },
      {
        name: 'peak memory, the largest / the smallest',
        value: large.peakMiB / small.peakMiB,
        unit: 'x',
        goal: { atMost: 1.1 },
      },
    );
  }
  const notes = [
    'From the command to its end, with the file read and checked, every row sent and followed, and all reports written and signed. A run has costs that do not depend on its rows (its start, the last look at the list): the cost of a further row is the time that the next larger file takes more, by its rows more.',
  ];
  return { figures, notes };
};

const added = (less: Run, more: Run): number => (more.seconds - less.seconds) / (more.rows - less.rows);

async function payOut(count: number): Promise<Run> {
  await using service = await startSwiftService();
  const { url } = service;
  return await inWorkplace(async (folder) => {
    const { env } = await furnish(folder, { baseUrl: url, limits: noLimits });
    const file = join(folder, 'payroll.csv');
    await pipeline(lines(count), createWriteStream(file));
    const usagePath = join(folder, 'usage.json');
    const begun = performance.now();
    const child = spawn(process.execPath, ['--import', noteUsage, launcher, 'run', file, '--yes', '--json'], {
      cwd: folder,
      env: { ...process.env, ...env, [usageVariable]: usagePath },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
    const [code] = await once(child, 'exit');
    const seconds = (performance.now() - begun) / 1_000;
    if (code !== 0) throw new Error(`airbatch run ended with code ${code}: ${said}`);
    const { topups } = await service.seen();
    if (topups !== count) throw new Error(`${topups} rows arrived instead of ${count}`);
    const usage = JSON.parse(await readFile(usagePath, 'utf8')) as Usage;
    return { rows: count, seconds, ...usage };
  });
}

function* lines(count: number): Generator<string> {
  yield 'phone_number,network_id,amount,currency,reference,name\n';
  for (let from = 1; from <= count; from += linesAtOnce) {
    const until = Math.min(from + linesAtOnce - 1, count);
    let text = '';
    for (let rowNo = from; rowNo <= until; rowNo++) {
      const { phone_number, network_id, amount, currency, row_ref } = newRow(rowNo);
      text += `${phone_number},${network_id},${amount},${currency},${row_ref},Person ${rowNo}\n`;
    }
    yield text;
  }
}
