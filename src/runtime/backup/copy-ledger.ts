import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { processName } from '../../core/basics/processes.ts';
import { isOlderThan, raiseFences } from '../../engine/runner/ledger-mark.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { allLeases, findLease, presentHolders, raiseFence } from '../../ledger/schema/lease-table.ts';
import { isSameHistory } from '../../ledger/schema/ledger-state.ts';
import { migrations } from '../../ledger/schema/migrations.ts';
import { addMove, findOpenMove, finishMove, moved, requireNotMoved } from '../../ledger/schema/moves.ts';
import {
  copyTables,
  findFilledTable,
  measureTables,
  readTables,
  type TableContent,
} from '../../ledger/schema/table-copy.ts';
import { openLedger, openPlace } from '../session/ledger.ts';
import { makeLedgerMark, readAllMarks } from '../session/ledger-mark-file.ts';
import { isDeadProcess } from '../session/process-holder.ts';
import { noLedgerPath, type Session, shownPlace } from '../session/session.ts';
import type { LedgerPlace } from '../settings/ledger-place.ts';

/** The two ledgers of a move. */
interface Places {
  from: LedgerPlace;
  to: LedgerPlace;
}

type Tables = Awaited<ReturnType<typeof readTables>>;

/**
 * Moves the ledger: copies all of it to an empty place, checks the copy, and lets the copy work instead of the source.
 * At no moment do both work:
 *
 * 1. In one transaction on each, nobody else writes. The copy is committed as `arriving`: it does not work yet.
 * 2. The source is committed as `left`, with raised fences: it never works again, nor does a process that was frozen.
 * 3. The copy becomes `arrived`.
 *
 * If it is killed before 2, the source works as before; between 2 and 3 neither works, and the same call finishes it.
 * Nothing is lost, so the copy is not a restored ledger. `audit` throws if the copy is not as its audit chains say.
 */
export async function copyLedger(
  session: Session,
  places: Places,
  audit: (copy: Database) => Promise<void>,
): Promise<TableContent[]> {
  if (shownPlace(places.from) === shownPlace(places.to))
    throw new AirbatchError('USAGE', 'the ledger cannot be copied to its own place', {
      hint: 'Name its new place with --to, an empty database (postgres://...) or a file that does not exist. Nothing was copied.',
    });
  const source = await openPlace(places.from, { onlyIfThere: true, holdsTurn: true });
  if (source === null) throw new AirbatchError('LEDGER_MISSING', `there is no ledger at ${shownPlace(places.from)}`);
  try {
    // It is created, so it is never null.
    const target = (await openPlace(places.to, { onlyIfThere: false, holdsTurn: true })) as Database;
    try {
      const tables = await newestTables();
      if ((await findOpenMove(source))?.state !== 'left')
        await copyAll(session, { source, target }, places, { tables, audit });
      await finish(session, { source, target }, places);
      return await measureTables(target, tables);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface Ledgers {
  source: Database;
  target: Database;
}

async function newestTables(): Promise<Tables> {
  const newest = await openLedger(noLedgerPath);
  try {
    return await readTables(newest);
  } finally {
    await newest.close();
  }
}

/** Steps 1 and 2. */
async function copyAll(
  session: Session,
  { source, target }: Ledgers,
  { from, to }: Places,
  { tables, audit }: { tables: Tables; audit: (copy: Database) => Promise<void> },
): Promise<void> {
  const move_id = session.random.hex(16);
  await changeAccess({ ...session, db: source }, async ({ tx, at: moved_at, note }) => {
    await requireNotMoved(tx);
    await requireNobody(tx, moved_at);
    await requireNewest(tx, from);
    await target.transact(async (copy) => {
      await requireEmpty(copy, tables, shownPlace(to));
      const read = await copyTables(tx, copy, tables);
      requireSame(read, await measureTables(copy, tables));
      await audit(within(target, copy));
      await addMove(copy, { move_id, state: 'arriving', other_place: shownPlace(from), moved_at });
    });
    for (const { account, fence } of await allLeases(tx)) await raiseFence(tx, account, fence + 1);
    await addMove(tx, { move_id, state: 'left', other_place: shownPlace(to), moved_at });
    await note('ledger.leave', { to: shownPlace(to), move_id });
  });
}

/**
 * Step 3. The marks of a file say before that it goes on elsewhere: a copy of it from before the move is then known as
 * old. The copy itself is newer than all marks that are at its place.
 */
async function finish(session: Session, { source, target }: Ledgers, { from, to }: Places): Promise<void> {
  const left = await findOpenMove(source);
  if (left === null) throw new AirbatchError('LEDGER_IO', 'the source does not say that it was moved');
  if ((await findOpenMove(target))?.move_id !== left.move_id) throw moved(left);
  if (from.ledgerUrl === null)
    for (const { account, fence } of await allLeases(source))
      await makeLedgerMark(from.ledger).write(account, { fence, expiresAt: 0 });
  const marks = to.ledgerUrl === null ? await readAllMarks(to.ledger) : new Map();
  await changeAccess({ ...session, db: target }, async ({ tx, note }) => {
    if (!(await finishMove(tx, left.move_id))) throw moved(left);
    await raiseFences(tx, marks);
    await note('ledger.copy', { from: shownPlace(from), move_id: left.move_id });
  });
}

async function requireNobody(tx: Queryable, now: number): Promise<void> {
  const holder = (await presentHolders(tx, now, migrations.length)).find((one) => !isDeadProcess(one));
  if (holder === undefined) return;
  throw new AirbatchError('LEDGER_BUSY', `a program works on the ledger: ${processName(holder)}`);
}

/** A ledger that lacks the last payments must not lose what shows it. */
async function requireNewest(tx: Queryable, from: LedgerPlace): Promise<void> {
  const marks = from.ledgerUrl === null ? await readAllMarks(from.ledger) : new Map();
  let isNewest = await isSameHistory(tx);
  for (const [account, mark] of marks) isNewest &&= !isOlderThan(mark, await findLease(tx, account));
  if (isNewest) return;
  throw new AirbatchError('LEDGER_RESTORED', 'the ledger seems to have been restored from a backup', {
    hint: 'Run "airbatch resume --restored" with it first: after the copy, nothing shows any more that it is an old ledger.',
  });
}

async function requireEmpty(copy: Queryable, tables: Tables, place: string): Promise<void> {
  const filled = (await findOpenMove(copy)) === null ? await findFilledTable(copy, tables) : 'moves';
  if (filled === null) return;
  throw new AirbatchError(
    'LEDGER_EXISTS',
    `there is a ledger at ${place} (table "${filled}"), and nothing is overwritten`,
    {
      hint: 'Name an empty database, or a file that does not exist.',
    },
  );
}

function requireSame(read: readonly TableContent[], written: readonly TableContent[]): void {
  for (const [index, { table, records, sha256 }] of read.entries()) {
    if (written[index]?.records === records && written[index]?.sha256 === sha256) continue;
    throw new AirbatchError('LEDGER_IO', `table "${table}" of the copy differs from the ledger's`, {
      hint: 'Nothing was changed. The other database cannot store all texts of this ledger as they are.',
    });
  }
}

/** The ledger as its open transaction sees it, for work that reads. */
function within(db: Database, tx: Queryable): Database {
  return { ...db, query: tx.query, values: tx.values, execute: tx.execute, snapshot: (work) => work(tx) };
}

/** What belongs to a ledger and is in the folder of its file, if the copy's folder is another one. */
export function filesLeft({ from, to }: Places): string[] {
  const folder = dirname(from.ledger);
  if (folder === dirname(to.ledger)) return [];
  const names = ['signing-key.pem', 'secrets.key', 'drafts', 'jobs'];
  return names.map((name) => join(folder, name)).filter((path) => existsSync(path));
}
