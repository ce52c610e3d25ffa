import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../src/ledger/drivers/database.ts';

/** Calls of a ledger on another process that are under way: a virtual clock stands still meanwhile. */
let underWay = 0;
const waiting: (() => void)[] = [];

/** Resolves once no call is under way. It takes no processor time meanwhile, which the database needs. */
async function ledgerAnswers(): Promise<void> {
  if (underWay > 0) await new Promise<void>((resolve) => waiting.push(resolve));
}

/** A turn of the event loop, and then every call that is under way. Whether there was none. */
export async function quietTurn(): Promise<boolean> {
  await nextTurn();
  const isQuiet = underWay === 0;
  await ledgerAnswers();
  return isQuiet;
}

/** Waits until everything that can run has run, as far as some turns of the event loop and the ledger show it. */
export async function settled(turns = 30): Promise<void> {
  for (let turn = 0; turn < turns; turn = (await quietTurn()) ? turn + 1 : 0);
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
        if (underWay === 0) for (const wake of waiting.splice(0)) wake();
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
