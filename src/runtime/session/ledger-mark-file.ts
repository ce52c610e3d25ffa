import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { systemRandom } from '../../core/basics/random.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { LedgerMark, MarkedHold } from '../../engine/runner/ledger-mark.ts';
import { shareAsLedger } from '../../ledger/drivers/sqlite/file-permissions.ts';

const holdShape = z.object({ fence: z.number().int(), expiresAt: z.number() });
const holdsShape = z.record(z.string(), holdShape);

/** No account's name begins with this. */
const filePrefix = '+';
const markEnd = '.mark';

const marks = new Map<string, LedgerMark>();

/**
 * Marks next to the ledger: one small file for each process, with a mark for each of its accounts. A backup of the
 * ledger alone does not contain them. So airbatch can tell a restored ledger from the one that was last worked on. An
 * unreadable or unwritable mark is an error of the ledger (`LEDGER_FULL`, `LEDGER_IO`). All accounts of this process
 * share one file, so that a thousand of them do not write a thousand files every few seconds.
 */
export function makeLedgerMark(ledgerPath: string): LedgerMark {
  const mark = marks.get(ledgerPath) ?? makeMarkFile(ledgerPath);
  marks.set(ledgerPath, mark);
  return mark;
}

function makeMarkFile(ledgerPath: string): LedgerMark {
  const own = `${ledgerPath}.${filePrefix}${systemRandom.hex(8)}.mark`;
  const holds = new Map<string, MarkedHold>();
  let hasAbsorbed = false;
  let reading: Promise<Map<string, Map<string, MarkedHold>>> | null = null;
  let saving: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const save = async () => {
    const absorbed = hasAbsorbed ? [] : await absorbEnded(ledgerPath, own, holds);
    await writeWhole(own, ledgerPath, JSON.stringify(Object.fromEntries(holds)));
    hasAbsorbed = true;
    for (const path of absorbed) await rm(path, { force: true });
  };

  return {
    async read(account) {
      reading ??= readFiles(ledgerPath).finally(() => (reading = null));
      const files = await reading;
      const found = [...files.values()].flatMap((ofFile) => ofFile.get(account) ?? []);
      const earlier = await readEarlier(`${ledgerPath}.${account}.mark`);
      return [...found, ...(earlier ? [earlier] : [])].reduce<MarkedHold | null>(later, null);
    },
    /** Marks that are written at the same time share one write. */
    write(account, hold) {
      holds.set(account, hold);
      next ??= saving
        .catch(() => undefined)
        .then(() => {
          next = null;
          saving = save().catch((error: unknown) => {
            throw asLedgerError(own, error as NodeJS.ErrnoException);
          });
          return saving;
        });
      return next;
    },
  };
}

/** The latest mark of every account that has one. */
export async function readAllMarks(ledgerPath: string): Promise<Map<string, MarkedHold>> {
  const latest = new Map<string, MarkedHold>();
  for (const ofFile of (await readFiles(ledgerPath)).values())
    for (const [account, hold] of ofFile) latest.set(account, later(latest.get(account) ?? null, hold));
  for (const name of await markNames(ledgerPath)) {
    const account = name.slice(basename(ledgerPath).length + 1, -markEnd.length);
    const earlier = account.startsWith(filePrefix) ? null : await readEarlier(join(dirname(ledgerPath), name));
    if (earlier) latest.set(account, later(latest.get(account) ?? null, earlier));
  }
  return latest;
}

function later(one: MarkedHold | null, other: MarkedHold): MarkedHold {
  if (one === null || other.fence > one.fence) return other;
  return other.fence === one.fence && other.expiresAt > one.expiresAt ? other : one;
}

/**
 * Takes over the marks of processes whose leases have all ended. Returns their files, which are not needed once the own
 * file is written. A process that lives nevertheless writes its file again with its next renewal.
 */
async function absorbEnded(ledgerPath: string, own: string, holds: Map<string, MarkedHold>): Promise<string[]> {
  const now = systemClock.now();
  const ended: string[] = [];
  for (const [path, ofFile] of await readFiles(ledgerPath)) {
    if (path === own || [...ofFile.values()].some(({ expiresAt }) => expiresAt >= now)) continue;
    for (const [account, hold] of ofFile) holds.set(account, later(holds.get(account) ?? null, hold));
    ended.push(path);
  }
  return ended;
}

/** The marks of all processes, by file. */
async function readFiles(ledgerPath: string): Promise<Map<string, Map<string, MarkedHold>>> {
  const files = new Map<string, Map<string, MarkedHold>>();
  for (const name of await markNames(ledgerPath)) {
    if (!name.startsWith(`${basename(ledgerPath)}.${filePrefix}`)) continue;
    const path = join(dirname(ledgerPath), name);
    const text = await readText(path);
    files.set(path, new Map(Object.entries((text !== null && parsed(holdsShape, text)) || {})));
  }
  return files;
}

/** The names of all marks of a ledger. */
async function markNames(ledgerPath: string): Promise<string[]> {
  const names = await readdir(dirname(ledgerPath)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw asLedgerError(dirname(ledgerPath), error);
  });
  return names.filter((name) => name.startsWith(`${basename(ledgerPath)}.`) && name.endsWith(markEnd));
}

/** The mark of one account, as earlier versions wrote it. */
async function readEarlier(path: string): Promise<MarkedHold | null> {
  const text = await readText(path);
  return text === null ? null : parsed(holdShape, text);
}

/** Null if there is no such file. */
async function readText(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw asLedgerError(path, error);
  });
}

/** Null if the file is cut short, by a disk that did not write what it confirmed. It proves nothing. */
function parsed<Shape extends z.ZodType>(shape: Shape, text: string): z.infer<Shape> | null {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The new file is on the disk before it replaces the old one: an empty mark would let any backup pass. */
async function writeWhole(path: string, ledgerPath: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  await writeFile(fresh, text, { mode: 0o600, flush: true });
  await shareAsLedger(fresh, ledgerPath);
  await rename(fresh, path);
}

const fullCodes: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT'];
const shutCodes: readonly (string | undefined)[] = ['EACCES', 'EPERM'];

function asLedgerError(path: string, error: NodeJS.ErrnoException): AirbatchError {
  if (error instanceof AirbatchError) return error;
  const code = fullCodes.includes(error.code) ? 'LEDGER_FULL' : 'LEDGER_IO';
  return new AirbatchError(code, `the mark of the ledger ${path}: ${errorMessage(error)}`, {
    cause: error,
    ...(shutCodes.includes(error.code)
      ? { hint: 'Check that you may read and write that file, the ledger and its folder: ask its owner.' }
      : {}),
  });
}
