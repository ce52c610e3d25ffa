// @ts-check
// The thread that brings the write-ahead log into the database (checkpoints.ts). Plain JavaScript: what strips the
// types of its first file takes a thread more memory than all else that it does.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Passes over a log that grows meanwhile: each is shorter than the one before, until one ends between two commits. */
const passesMax = 8;

/** @type {{ place: string, dev: bigint, ino: bigint, longPages: number }} */
const { place, dev, ino, longPages } = workerData;
const database = new DatabaseSync(new URL(place));
// Before anything is read of it: where another file was put in the ledger's place, that one would get what the ledger
// has in its log.
const found = statSync(new URL(place), { bigint: true });
if (found.dev !== dev || found.ino !== ino) throw new Error('the ledger was moved, and another file lies in its place');
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const measure = database.prepare('PRAGMA wal_checkpoint(NOOP)');

// SQLite begins the log anew only where all of it is in the database when a commit begins. What somebody still reads
// stays in the log.
function work() {
  let before = measure.get()?.checkpointed;
  for (let pass = 1; pass <= passesMax; pass++) {
    checkpoint.get();
    const { log, checkpointed } = measure.get() ?? {};
    if (log === checkpointed || Number(log) < longPages || checkpointed === before) return;
    before = checkpointed;
  }
}

parentPort?.on('message', (message) => {
  if (message === 'end') {
    database.close();
    parentPort?.close();
  } else {
    work();
    parentPort?.postMessage('worked');
  }
});
