import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../src/ledger/drivers/database.ts';

/** Calls of a ledger on another process that are under way: a virtual clock stands still meanwhile. */
let underWay = 0;

export function isLedgerBusy(): boolean {
  return underWay > 0;
}

/** Waits until everything that can run has run, as far as some turns of the event loop and the ledger show it. */
export async function settled(turns = 30): Promise<void> {
  for (let turn = 0; turn < turns; turn = isLedgerBusy() ? 0 : turn + 1) await nextTurn();
}

/** The same ledger, whose calls are counted as being under way. */
export function counted(db: Database): Database {
  const count =
    <Params extends unknown[], Result>(work: (...params: Params) => Promise<Result>) =>
    async (...params: Params): Promise<Result> => {
      underWay += 1;
      try {
        return await work(...params);
      } finally {
        underWay -= 1;
      }
    };
  return {
    query: count(db.query) as Database['query'],
    values: count(db.values) as Database['values'],
    execute: count(db.execute),
    transact: count(db.transact) as Database['transact'],
    snapshot: count(db.snapshot) as Database['snapshot'],
    compact: count(db.compact),
    emptyLog: count(db.emptyLog),
    checkIntegrity: count(db.checkIntegrity),
    isEmpty: count(db.isEmpty),
    listen: db.listen,
    close: db.close,
  };
}
