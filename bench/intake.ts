import { fork } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import papaparse from 'papaparse';
import { systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/random.ts';
import { intakeFile } from '../src/intake/intake.ts';
import { validateFile } from '../src/intake/validate.ts';
import { openLedger } from '../src/runtime/ledger.ts';
import type { Bench, Figure } from './figures.ts';
import { peakMiB } from './memory.ts';
import { inWorkplace } from './workplace.ts';

interface Measured {
  rows: number;
  seconds: number;
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
/** The sizes of the files. The largest takes some ten minutes, so it is there where it is asked for. */
const sizes = [10 * thousand, 100 * thousand, 1_000 * thousand];
const largest = 10_000 * thousand;

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

/** What somebody would otherwise write in an afternoon: papaparse, the phone library and one INSERT a row, in one loop. */
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

function inChild(folder: string, part: Part): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [folder, part], { stdio: 'inherit' });
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('exit', (code) => reject(new Error(`${part} ended with code ${code}`)));
  });
}

/** Files from ten thousand to a million rows (`--rows 10000000` for more): csv-parse alone, validation, the whole intake, and a script. */
export const bench: Bench = async ({ quick, rows }) => {
  const counts = quick ? [2 * thousand] : rows === null ? sizes : rows >= largest ? [100 * thousand, rows] : [rows];
  const figures: Figure[] = [];
  const perRow = new Map<number, number>();
  const peaks = new Map<number, number>();
  for (const count of counts) {
    await inWorkplace(async (folder) => {
      await writePayroll(join(folder, 'payroll.csv'), count);
      const measured = new Map<Part, Measured>();
      for (const part of Object.keys(parts) as Part[]) {
        const one = await inChild(folder, part);
        if (one.rows !== count) throw new Error(`${part} has seen ${one.rows} of ${count} rows`);
        measured.set(part, one);
      }
      const seconds = (part: Part) => measured.get(part)?.seconds ?? Number.NaN;
      const isJudged = count === 1_000 * thousand;
      const name = (what: string) => `${count} rows: ${what}`;
      for (const [part, one] of measured) {
        figures.push({ name: name(part), value: one.rows / one.seconds, unit: 'rows/s' });
        figures.push({
          name: name(`${part}, peak memory`),
          value: one.peakMiB,
          unit: 'MiB',
          ...(part === 'the whole intake' ? { goal: { atMost: 200 } } : {}),
        });
      }
      const whole = seconds('the whole intake');
      figures.push({
        name: name('the whole intake / csv-parse alone'),
        value: whole / seconds('csv-parse alone'),
        unit: 'x',
        ...(isJudged ? { goal: { atMost: 4 } } : {}),
      });
      figures.push({
        name: name('a script / the whole intake'),
        value: seconds('a script') / whole,
        unit: 'x',
        ...(isJudged ? { goal: { atLeast: 2 } } : {}),
      });
      perRow.set(count, whole / count);
      peaks.set(count, measured.get('the whole intake')?.peakMiB ?? Number.NaN);
    });
  }
  const [many = 0, few = 0] = [counts.at(-1), counts.at(-2)];
  if (perRow.has(few)) {
    figures.push({
      name: `cost per row, ${many} / ${few} rows`,
      value: (perRow.get(many) ?? Number.NaN) / (perRow.get(few) ?? Number.NaN),
      unit: 'x',
      ...(many >= largest ? { goal: { atMost: 1.1 } } : {}),
    });
  }
  return {
    figures,
    notes: [
      'Each part in a process of its own, on the same file. The script: papaparse, libphonenumber-js and better-sqlite3 in one loop, a commit every 1,000 rows.',
    ],
  };
};

if (process.send) {
  const [folder = '', part = ''] = process.argv.slice(2);
  const begun = performance.now();
  const rows = await parts[part as Part](folder);
  const measured: Measured = { rows, seconds: (performance.now() - begun) / 1_000, peakMiB: peakMiB() };
  process.send(measured, () => process.exit(0));
}
