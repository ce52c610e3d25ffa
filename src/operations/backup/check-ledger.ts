import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { findOpenMove } from '../../ledger/schema/moves.ts';
import { schemaVersions } from '../../ledger/schema/schema.ts';
import { openAsItIs } from '../../runtime/session/ledger.ts';
import { type Session, shownPlace } from '../../runtime/session/session.ts';
import { auditLedger } from '../audit/audit-ledger.ts';
import { defineOperation, performIn } from '../base/operation.ts';

/** Looks for damage, and says what this version of airbatch would change. It changes nothing. */
export const checkLedger = defineOperation({
  name: 'check-ledger',
  role: 'admin',
  // Opening it would migrate it.
  ledger: 'none',
  input: z.strictObject({}),
  result: z.strictObject({
    ledger: z.string(),
    /** The version of its schema, and the newest one that this program knows. */
    schema: z.int(),
    newest: z.int(),
    /** How much of the database was checked for damage, and the damage that was found. */
    looked_at: z.enum(['everything', 'checksums', 'nothing']),
    faults: z.array(z.string()),
    /**
     * Where the ledger was moved to (`left`), or whose unfinished copy it is (`arriving`): it does not work. Null if it
     * works, or if the schema is not this program's.
     */
    moved: z.object({ state: z.enum(['left', 'arriving']), other_place: z.string() }).nullable(),
    /** As `audit-ledger` says it; null if the schema is not this program's, so that it cannot be read. */
    audit: auditLedger.result.nullable(),
    /** Whether no damage was found and all chains are whole. */
    is_good: z.boolean(),
  }),
  run: ({ session, ...door }) =>
    withLedgerAsItIs(session, async (db) => {
      const versions = await schemaVersions(db);
      const integrity = await db.checkIntegrity();
      const isCurrent = versions.schema === versions.newest;
      const moved = isCurrent ? await openMoveOf(db) : null;
      const audit = isCurrent ? await performIn({ ...session, db }, auditLedger, door, {}) : null;
      return {
        ...{ ledger: shownPlace(placeOf(session)), ...versions, ...integrity, moved, audit },
        is_good: integrity.faults.length === 0 && audit?.is_good !== false,
      };
    }),
});

async function openMoveOf(db: Database) {
  const move = await findOpenMove(db);
  return move && { state: move.state, other_place: move.other_place };
}

/** Opens the session's ledger without a migration. Throws `LEDGER_MISSING`. */
export async function withLedgerAsItIs<Result>(
  session: Session,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const place = placeOf(session);
  const db = await openAsItIs(place, { onlyIfThere: true });
  if (db === null) throw new AirbatchError('LEDGER_MISSING', `there is no ledger at ${shownPlace(place)}`);
  try {
    if (await db.isEmpty()) throw new AirbatchError('LEDGER_MISSING', `${shownPlace(place)} has no tables of a ledger`);
    return await work(db);
  } finally {
    await db.close();
  }
}

export function placeOf({ ledgerPath, ledgerUrl }: Pick<Session, 'ledgerPath' | 'ledgerUrl'>) {
  return { ledger: ledgerPath, ledgerUrl };
}
