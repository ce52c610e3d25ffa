import { fork } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import papaparse from 'papaparse';
import { systemRandom } from '../src/core/basics/random.ts';
import { systemClock } from '../src/core/time/clock.ts';
import { intakeFile } from '../src/intake/intake.ts';
import { validateFile } from '../src/intake/validate.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { asLauncher, peakMiB } from './memory.ts';
import { inWorkplace } from './workplace.ts';

interface Measured {
  rows: number;
  seconds: number;
  /** Of all threads together. */
  processorSeconds: number;
  peakMiB: number;
}

/** What is measured, each in a process of its own, so that its peak memory is its own. */
const parts = {
  'csv-parse alone': floor,
  'validation, nothing stored': validation,
  'the whole intake': wholeIntake,
  'a script': script,
} as const;
type Part = keyof typeof parts;

const thousand = 1_000;
const few = 100 * thousand;
const many = 1_000 * thousand;
const most = 10_000 * thousand;
const allParts = Object.keys(parts) as Part[];

interface Size {
  count: number;
  /** How often its parts are measured, by turns. */
  rounds: number;
  measured: readonly Part[];
}

/**
 * Of the largest file, which takes minutes, only what something is to be reached for; `--rows 10000000` measures all
 * parts of it.
 */
const sizes: readonly Size[] = [
  { count: 10 * thousand, rounds: 3, measured: allParts },
  { count: few, rounds: 3, measured: allParts },
  { count: many, rounds: 3, measured: allParts },
  { count: most, rounds: 1, measured: ['csv-parse alone', 'the whole intake'] },
];

/** The same file for the same number of rows: made of a row's own number alone. */
async function writePayroll(path: string, rows: number): Promise<void> {
  const countries = [
    ['25471', 7, 1, 'KES'],
    ['23480', 8, 13, 'NGN'],
    ['25677', 7, 5, 'UGX'],
    ['25574', 7, 9, 'TZS'],
  ] as const;
  function* lines() {
    yield 'phone_number,network_id,amount,currency,reference,employee,department\n';
    let chunk = '';
    for (let row = 1; row <= rows; row++) {
      const [prefix, digits, network, currency] = countries[row % countries.length] ?? countries[0];
      const number = String((row * 7_919) % 10 ** digits).padStart(digits, '0');
      chunk += `+${prefix}${number},${network},${10 + (row % 4_990)},${currency},R-${row},Employee ${row},Dept ${row % 40}\n`;
      if (row % thousand === 0 || row === rows) {
        yield chunk;
        chunk = '';
      }
    }
  }
  await pipeline(lines, createWriteStream(path));
}

/** What csv-parse alone takes to make objects of the file. */
async function floor(folder: string): Promise<number> {
  let rows = 0;
  const parser = createReadStream(join(folder, 'payroll.csv')).pipe(parse({ columns: true }));
  for await (const record of parser) if (record) rows += 1;
  return rows;
}

async function validation(folder: string): Promise<number> {
  const { counts } = await validateFile({ file: join(folder, 'payroll.csv'), settings: {} });
  return counts.rows;
}

async function wholeIntake(folder: string): Promise<number> {
  const db = await openLedger(join(folder, `ledger-${process.pid}.db`));
  const { counts } = await intakeFile(
    { db, clock: systemClock, random: systemRandom },
    {
      account: 'main',
      service: 'bench',
      runId: null,
      file: join(folder, 'payroll.csv'),
      through: 'library',
      createdBy: 'bench',
      program: 'bench',
      holder: 'bench',
      priority: 'normal',
      settings: {},
    },
  );
  await db.close();
  return counts.rows;
}

/**
 * What somebody would otherwise write in an afternoon: papaparse, the phone library and one INSERT a row, in one loop.
 */
async function script(folder: string): Promise<number> {
  const database = new Database(join(folder, `script-${process.pid}.db`));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(
    'CREATE TABLE rows (row INTEGER PRIMARY KEY, phone TEXT, network INTEGER, amount TEXT, currency TEXT, reference TEXT UNIQUE, problem TEXT)',
  );
  const insert = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)');
  let rows = 0;
  database.exec('BEGIN');
  await new Promise<void>((resolve, reject) => {
    papaparse.parse<Record<string, string>>(createReadStream(join(folder, 'payroll.csv')), {
      header: true,
      step({ data }) {
        const phone = parsePhoneNumberFromString(data.phone_number ?? '');
        const isValid = phone?.isValid() === true && Number(data.amount) > 0;
        rows += 1;
        insert.run(
          rows,
          phone?.number ?? null,
          Number(data.network_id),
          data.amount ?? null,
          data.currency ?? null,
          data.reference ?? null,
          isValid ? null : 'invalid',
        );
        if (rows % thousand === 0) database.exec('COMMIT; BEGIN');
      },
      complete: () => resolve(),
      error: reject,
    });
  });
  database.exec('COMMIT');
  database.close();
  return rows;
}

/**
 * Compiled code is kept in the folder `compiled`, as the command keeps it: from the second start on, nothing is
 * compiled.
 */
function inChild(folder: string, part: Part, compiled: string): Promise<Measured> {
  return new Promise((resolve, reject) => {
    // As the commands start that go through whole files (`src/cli/airbatch.js`); the others are measured as they are.
    const isCommand = part !== 'csv-parse alone' && part !== 'a script';
    const { env, execArgv } = isCommand ? asLauncher : { env: {}, execArgv: [] };
    const child = fork(import.meta.filename, [folder, part], {
      stdio: 'inherit',
      env: { ...process.env, ...env, NODE_COMPILE_CACHE: compiled },
      execArgv,
    });
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('exit', (code) => reject(new Error(`${part} ended with code ${code}`)));
  });
}

/** What is measured several times is told by its medians. */
function medians(runs: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(runs.map((run) => run[name]));
  return { rows: of('rows'), seconds: of('seconds'), processorSeconds: of('processorSeconds'), peakMiB: of('peakMiB') };
}

async function measure({ count, rounds, measured }: Size, compiled: string): Promise<Map<Part, Measured>> {
  const runs = new Map<Part, Measured[]>();
  await inWorkplace(async (folder) => {
    await writePayroll(join(folder, 'payroll.csv'), count);
    for (let round = 0; round < rounds; round++) {
      for (const part of measured) {
        const one = await inChild(folder, part, compiled);
        if (one.rows !== count) throw new Error(`${part} has seen ${one.rows} of ${count} rows`);
        runs.set(part, [...(runs.get(part) ?? []), one]);
      }
    }
  });
  return new Map([...runs].map(([part, ofPart]) => [part, medians(ofPart)]));
}

/** The figures of one size. Speeds and memory first, and then the ratios. */
function figuresOf(count: number, measured: ReadonlyMap<Part, Measured>): Figure[] {
  const figures: Figure[] = [];
  const name = (what: string) => `${count} rows: ${what}`;
  for (const [part, { rows, seconds, processorSeconds, peakMiB: peak }] of measured) {
    figures.push({ name: name(part), value: rows / seconds, unit: 'rows/s' });
    figures.push({ name: name(`${part}, processor`), value: (processorSeconds * 1e6) / rows, unit: 'us/row' });
    const goal = part === 'the whole intake' && count >= many ? { goal: { atMost: 200 } } : {};
    figures.push({ name: name(`${part}, peak memory`), value: peak, unit: 'MiB', ...goal });
  }
  const seconds = (part: Part) => measured.get(part)?.seconds ?? Number.NaN;
  const isJudged = count === many;
  for (const part of measured.keys()) {
    if (part === 'csv-parse alone') continue;
    const goal = isJudged && part === 'the whole intake' ? { goal: { atMost: 4 } } : {};
    const value = seconds(part) / seconds('csv-parse alone');
    figures.push({ name: name(`${part} / csv-parse alone`), value, unit: 'x', ...goal });
  }
  if (!measured.has('a script')) return figures;
  const value = seconds('a script') / seconds('the whole intake');
  figures.push({
    name: name('a script / the whole intake'),
    value,
    unit: 'x',
    ...(isJudged ? { goal: { atLeast: 2 } } : {}),
  });
  return figures;
}

/** Files from ten thousand to ten million rows: csv-parse alone, validation, the whole intake, and a script. */
export const bench: Bench = async ({ quick, rows }) => {
  const figures: Figure[] = [];
  const whole = new Map<number, Measured>();
  const asked = rows !== null ? [{ count: rows, rounds: 3, measured: allParts }] : sizes;
  await inWorkplace(async (compiled) => {
    for (const size of quick ? [{ count: 2 * thousand, rounds: 1, measured: allParts }] : asked) {
      const measured = await measure(size, compiled);
      figures.push(...figuresOf(size.count, measured));
      const one = measured.get('the whole intake');
      if (one) whole.set(size.count, one);
    }
  });
  const [small, large, largest] = [few, many, most].map((count) => whole.get(count));
  if (small && large && largest) {
    const perRow = (one: Measured) => one.seconds / one.rows;
    figures.push({
      name: `the whole intake: time a row, ${most} / ${few} rows`,
      value: perRow(largest) / perRow(small),
      unit: 'x',
      goal: { atMost: 1.1 },
    });
    figures.push({
      name: `the whole intake: peak memory, ${most} / ${many} rows`,
      value: largest.peakMiB / large.peakMiB,
      unit: 'x',
      goal: { atMost: 1.1 },
    });
  }
  return {
    figures,
    notes: [
      'Each part in a process of its own, on the same file, by turns; medians. The script: papaparse, libphonenumber-js and better-sqlite3 in one loop, a commit every 1,000 rows.',
      'Processor time is that of all threads together; it includes the start of the program, as memory does.',
    ],
  };
};

if (process.send) {
  const [folder = '', part = ''] = process.argv.slice(2);
  const begun = performance.now();
  const rows = await parts[part as Part](folder);
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage();
  const measured: Measured = { rows, seconds, processorSeconds: (user + system) / 1e6, peakMiB: peakMiB() };
  process.send(measured, () => process.exit(0));
}
