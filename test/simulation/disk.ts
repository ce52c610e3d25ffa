import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AirbatchError } from '../../src/core/errors.ts';
import type { Database } from '../../src/ledger/database.ts';
import { migrate } from '../../src/ledger/schema.ts';
import { openSqlite } from '../../src/ledger/sqlite.ts';
import { holderName, type SimulatedProcess } from './process.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What the disk does to the next transactions. */
export type DiskFault = 'LEDGER_FULL' | 'LEDGER_IO';

/** The ledger's file over the lives of many processes. */
export interface Disk {
  /** Opens the ledger for a process, as the last one left it. */
  open(process: SimulatedProcess): Promise<Database>;
  /** Transactions fail with this: the next one only, or all until it is taken back. */
  fail(fault: DiskFault | null, once?: boolean): void;
  /** What a killed process leaves: every byte it wrote. Or, after a power loss, only what was acknowledged and a torn tail. */
  loseMemory(options: { powerLoss: boolean }): void;
  /** For the judge: the ledger as it is on the disk now. */
  inspect(): Promise<Database>;
  close(): Promise<void>;
  /** Who holds the account, as the ledger says. */
  holder(): string | null;
  /** How often a process that no longer held the account wrote something all the same. */
  staleWrites(): number;
  /** How often the disk came back with less than it had acknowledged. */
  losses(): number;
  /** The body that is bound to a reference by what was committed so far, or null: seen from outside the process. */
  intentOf(reference: string): string | null;
}

export interface DiskOptions {
  folder: string;
  random: SeededRandom;
  /** A control that the checks must catch: cuts bytes that were acknowledged. */
  cutAcknowledged?: boolean;
}

export function makeDisk({ folder, random, cutAcknowledged = false }: DiskOptions): Disk {
  let generation = 0;
  let fault: DiskFault | null = null;
  let failsOnce = false;
  let current: Database | null = null;
  let outside: DatabaseSync | null = null;
  let losses = 0;
  let staleWrites = 0;
  const hasHeld = new Set<SimulatedProcess>();
  // The audit events that were there when the last commit was acknowledged: they only ever grow in number.
  let acknowledgedEvents = 0;
  // How long the log was when the last commit was acknowledged to the process.
  let acknowledgedWalBytes = 0;

  const path = () => join(folder, `ledger-${generation}.db`);
  const wal = (of: string) => `${of}-wal`;
  const walBytes = () => (existsSync(wal(path())) ? statSync(wal(path())).size : 0);

  const look = () => {
    outside ??= new DatabaseSync(path(), { readOnly: true });
    return outside;
  };
  const events = () => Number(look().prepare('SELECT COALESCE(SUM(audit_seq), 0) AS count FROM batches').get()?.count);

  const holder = () => {
    const lease = look().prepare('SELECT holder FROM leases WHERE account = ?').get('main');
    return lease ? String(lease.holder) : null;
  };

  /** What a runner writes, it writes as the holder of the account: from when it took it on. */
  const checkFence = (process: SimulatedProcess, eventsBefore: number) => {
    const holds = holder() === holderName(process.life);
    if (holds) hasHeld.add(process);
    else if (hasHeld.has(process) && events() > eventsBefore) staleWrites += 1;
  };

  /** A write: it may fail, and once it is told to be durable no loss of power may undo it. */
  const durably = async <Result>(process: SimulatedProcess, work: () => Promise<Result>): Promise<Result> => {
    const { result, written, known } = await process.step('commit', async () => {
      const failing = fault;
      if (failsOnce) fault = null;
      if (failing) throw new AirbatchError(failing, 'the simulated disk failed');
      const before = events();
      const result = await work();
      checkFence(process, before);
      return { result, written: walBytes(), known: events() };
    });
    // Whoever dies before this line was told nothing: what it wrote may be torn.
    acknowledgedWalBytes = Math.max(acknowledgedWalBytes, written);
    acknowledgedEvents = Math.max(acknowledgedEvents, known);
    return result;
  };

  const faulty = (database: Database, process: SimulatedProcess): Database => ({
    query: (sql, params) => process.read(() => database.query(sql, params)),
    values: (sql, params) => process.read(() => database.values(sql, params)),
    execute: (sql, params) => durably(process, () => database.execute(sql, params)),
    snapshot: (work) => process.read(() => database.snapshot(work)),
    transact: (work) => durably(process, () => database.transact(work)),
    compact: () => process.read(() => database.compact()),
    close: async () => undefined,
  });

  return {
    async open(process) {
      current ??= openSqlite(path());
      if (generation === 0 && acknowledgedWalBytes === 0) {
        await migrate(current);
        acknowledgedWalBytes = walBytes();
      }
      return faulty(current, process);
    },
    fail(next, once = false) {
      fault = next;
      failsOnce = once;
    },
    loseMemory({ powerLoss }) {
      const from = path();
      const bytes = existsSync(wal(from)) ? readFileSync(wal(from)) : Buffer.alloc(0);
      const kept = cutAcknowledged ? Math.max(0, acknowledgedWalBytes - 4_096 * 2) : acknowledgedWalBytes;
      const tail = Math.max(0, bytes.length - kept);
      generation += 1;
      copyFileSync(from, path());
      const torn = cutAcknowledged ? kept : kept + random.between(0, tail);
      const survived = powerLoss || cutAcknowledged ? bytes.subarray(0, torn) : bytes;
      writeFileSync(wal(path()), survived);
      if (powerLoss && survived.length > kept) flipByte(wal(path()), random.between(kept, survived.length - 1));
      current?.close().catch(() => undefined);
      current = null;
      outside?.close();
      outside = null;
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${from}${suffix}`, { force: true });
      acknowledgedWalBytes = walBytes();
      if (events() < acknowledgedEvents) losses += 1;
      acknowledgedEvents = events();
    },
    async close() {
      outside?.close();
      outside = null;
      await current?.close();
      current = null;
    },
    holder,
    staleWrites: () => staleWrites,
    losses: () => losses,
    intentOf(reference) {
      const intent = look().prepare('SELECT body FROM payments WHERE reference = ?').get(reference);
      return intent ? String(intent.body) : null;
    },
    async inspect() {
      current ??= openSqlite(path());
      return current;
    },
  };
}

function flipByte(path: string, at: number): void {
  const byte = readFileSync(path)[at] ?? 0;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from([byte ^ 0xff]), 0, 1, at);
  closeSync(file);
}
