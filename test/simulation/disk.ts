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
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { type Clock, dayMs } from '../../src/core/time/clock.ts';
import type { Database, Queryable } from '../../src/ledger/drivers/database.ts';
import { usualCheckpoints } from '../../src/ledger/drivers/sqlite/checkpoints.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../src/ledger/schema/schema.ts';
import { halfCheckpointed } from './half-checkpoint.ts';
import { holderName, type SimulatedProcess } from './process.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * What the disk does to the next transactions; with `LEDGER_SYNC` they are written, and the disk does not take them.
 */
export type DiskFault = 'LEDGER_FULL' | 'LEDGER_IO' | 'LEDGER_SYNC';

/** The ledger's file over the lives of many processes. */
export interface Disk {
  /** Opens the ledger for a process, as the last one left it. */
  open(process: SimulatedProcess): Promise<Database>;
  /** Transactions fail with this: the next one only, or all until it is taken back. */
  fail(fault: DiskFault | null, once?: boolean): void;
  /**
   * What a killed process leaves: every byte it wrote. Or, after a power loss, only what was acknowledged and a torn
   * tail; or, if power failed in the middle of a timed checkpoint, the whole log and a database in pieces.
   */
  loseMemory(options: { powerLoss: boolean }): void;
  /** Keeps the ledger as it is now, for `putBack`. */
  backUp(): void;
  /** Puts the backup back in the place of the ledger: what was written since is gone, and nobody is to blame. */
  putBack(): void;
  /** For the judge: the ledger as it is on the disk now. */
  inspect(): Promise<Database>;
  close(): Promise<void>;
  /** Time no longer goes on, in the middle of whatever did not come to rest: nobody waits for the disk any more. */
  endWaits(): void;
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
  clock: Pick<Clock, 'sleep'>;
  /** A control that the checks must catch: cuts bytes that were acknowledged. */
  cutAcknowledged?: boolean;
}

const eventCount = 'SELECT COALESCE(SUM(audit_seq), 0) AS count FROM batches';
const accountHolder = "SELECT holder FROM leases WHERE account = 'main'";

/** How long the disk takes at most. */
const syncMsMax = 20;

/**
 * A ledger in which nothing has happened yet, as bytes: each world begins with a copy, and brings none to the newest
 * schema.
 */
let newLedger: Promise<Buffer> | null = null;

async function readNewLedger(path: string): Promise<Buffer> {
  const database = openSqlite(path);
  await migrate(database);
  // The last connection to close leaves all of it in the one file.
  await database.close();
  return readFileSync(path);
}

export async function makeDisk({ folder, random, clock, cutAcknowledged = false }: DiskOptions): Promise<Disk> {
  const checkpoints = random.fork('checkpoints');
  let generation = 0;
  let fault: DiskFault | null = null;
  let failsOnce = false;
  let backup: { main: Buffer; log: Buffer } | null = null;
  let current: Database | null = null;
  const forsaken: Database[] = [];
  let outside: DatabaseSync | null = null;
  let losses = 0;
  let staleWrites = 0;
  const hasHeld = new Set<SimulatedProcess>();
  // The audit events that were there when the last commit was acknowledged: they only ever grow in number.
  let acknowledgedEvents = 0;
  // How long the log was when the last wait for the disk began that has ended, and of which the process has heard.
  let syncedWalBytes = 0;
  let acknowledgedWalBytes = 0;

  const waits = new AbortController();

  const path = () => join(folder, `ledger-${generation}.db`);
  const wal = (of: string) => `${of}-wal`;
  const walBytes = () => (existsSync(wal(path())) ? statSync(wal(path())).size : 0);

  const look = () => {
    outside ??= new DatabaseSync(path(), { readOnly: true });
    return outside;
  };
  const logBytes = () => (existsSync(wal(path())) ? readFileSync(wal(path())) : Buffer.alloc(0));
  const events = () => Number(look().prepare(eventCount).get()?.count);
  const eventsIn = async (tx: Queryable) => (await tx.query<{ count: number }>(eventCount))[0]?.count ?? 0;

  const holder = () => {
    const lease = look().prepare(accountHolder).get();
    return lease ? String(lease.holder) : null;
  };

  /** What a runner writes, it writes as the holder of the account: from when it took it on. */
  const checkFence = async (process: SimulatedProcess, tx: Queryable, hasWritten: boolean) => {
    const [lease] = await tx.query<{ holder: string | null }>(accountHolder);
    if (lease?.holder === holderName(process.life)) hasHeld.add(process);
    else if (hasHeld.has(process) && hasWritten) staleWrites += 1;
  };

  /**
   * The disk takes its time, in which the world goes on: what was written since the beginning is not among what it has
   * then.
   */
  const sync = async () => {
    const of = generation;
    const reached = walBytes();
    const failing = fault === 'LEDGER_SYNC';
    if (failing && failsOnce) fault = null;
    await clock.sleep(random.between(0, syncMsMax), waits.signal);
    if (failing) {
      forsake();
      throw new Error('the simulated disk failed');
    }
    if (of === generation) syncedWalBytes = Math.max(syncedWalBytes, reached);
  };
  /** A connection serves nobody any more after the disk has refused what it wrote, or when the machine died. */
  const forsake = () => {
    if (current) forsaken.push(current);
    current = null;
  };
  /** One connection for all processes. */
  const connect = () => {
    // The real clock would do it, and the bytes that were acknowledged are counted on a log that only grows: what a
    // loss of power leaves of a timed checkpoint, `loseMemory` makes.
    current ??= openSqlite(path(), {
      syncFile: sync,
      checkpoints: { ...usualCheckpoints, lateMs: dayMs },
      groupsApartMs: 0,
    });
    return current;
  };
  const closeAll = async () => {
    forsake();
    for (const database of forsaken.splice(0)) await database.close();
  };

  /** A write: it may fail, and once it is told to be durable no loss of power may undo it. */
  const durably = async <Result>(
    process: SimulatedProcess,
    work: () => Promise<{ result: Result; known: number }>,
  ): Promise<Result> => {
    const { result, synced, known } = await process.step('commit', async () => {
      const failing = fault;
      if (failing !== null && failing !== 'LEDGER_SYNC') {
        if (failsOnce) fault = null;
        throw new AirbatchError(failing, 'the simulated disk failed');
      }
      return { ...(await work()), synced: syncedWalBytes };
    });
    // Whoever dies before this line was told nothing: what it wrote may be torn.
    acknowledgedWalBytes = Math.max(acknowledgedWalBytes, synced);
    acknowledgedEvents = Math.max(acknowledgedEvents, known);
    return result;
  };

  const faulty = (database: Database, process: SimulatedProcess): Database => ({
    query: (sql, params) => process.read(() => database.query(sql, params)),
    values: (sql, params) => process.read(() => database.values(sql, params)),
    execute: (sql, params) =>
      durably(process, async () => ({ result: await database.execute(sql, params), known: acknowledgedEvents })),
    snapshot: (work) => process.read(() => database.snapshot(work)),
    transact: (work, options) =>
      durably(process, () =>
        database.transact(async (tx) => {
          const before = await eventsIn(tx);
          const result = await work(tx);
          const known = await eventsIn(tx);
          await checkFence(process, tx, known > before);
          return { result, known };
        }, options),
      ),
    compact: () => process.read(() => database.compact()),
    emptyLog: () => process.read(() => database.emptyLog()),
    checkIntegrity: () => process.read(() => database.checkIntegrity()),
    isEmpty: () => process.read(() => database.isEmpty()),
    listen: (onNotice) => database.listen(onNotice),
    close: async () => undefined,
  });

  /** Nobody works with the ledger of before any more: `from` is its path. */
  const leave = (from: string) => {
    closeAll().catch(() => undefined);
    outside?.close();
    outside = null;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${from}${suffix}`, { force: true });
    syncedWalBytes = walBytes();
    acknowledgedWalBytes = syncedWalBytes;
  };

  newLedger ??= readNewLedger(join(folder, 'new.db'));
  writeFileSync(path(), await newLedger);
  return {
    async open(process) {
      return faulty(connect(), process);
    },
    fail(next, once = false) {
      fault = next;
      failsOnce = once;
    },
    loseMemory({ powerLoss }) {
      const from = path();
      const bytes = logBytes();
      const kept = cutAcknowledged ? Math.max(0, acknowledgedWalBytes - 4_096 * 2) : acknowledgedWalBytes;
      const tail = Math.max(0, bytes.length - kept);
      generation += 1;
      copyFileSync(from, path());
      const torn = cutAcknowledged ? kept : kept + random.between(0, tail);
      // A checkpoint begins when all of the log is on the disk.
      const inCheckpoint = powerLoss && !cutAcknowledged && checkpoints.percent(50);
      if (inCheckpoint)
        writeFileSync(path(), halfCheckpointed(join(folder, 'half.db'), readFileSync(from), bytes, checkpoints));
      const isCut = cutAcknowledged || (powerLoss && !inCheckpoint);
      const survived = isCut ? bytes.subarray(0, torn) : bytes;
      writeFileSync(wal(path()), survived);
      if (isCut && powerLoss && survived.length > kept)
        flipByte(wal(path()), random.between(kept, survived.length - 1));
      leave(from);
      if (events() < acknowledgedEvents) losses += 1;
      acknowledgedEvents = events();
    },
    backUp() {
      backup = { main: readFileSync(path()), log: logBytes() };
    },
    putBack() {
      const from = path();
      generation += 1;
      writeFileSync(path(), backup?.main ?? '');
      writeFileSync(wal(path()), backup?.log ?? '');
      leave(from);
      acknowledgedEvents = events();
    },
    async close() {
      outside?.close();
      outside = null;
      await closeAll();
    },
    endWaits: () => waits.abort(),
    holder,
    staleWrites: () => staleWrites,
    losses: () => losses,
    intentOf(reference) {
      const intent = look().prepare('SELECT body FROM payments WHERE reference = ?').get(reference);
      return intent ? String(intent.body) : null;
    },
    async inspect() {
      return connect();
    },
  };
}

function flipByte(path: string, at: number): void {
  const byte = readFileSync(path)[at] ?? 0;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from([byte ^ 0xff]), 0, 1, at);
  closeSync(file);
}
