import { z } from 'zod';
import { migrate, schemaVersions } from '../../ledger/schema/schema.ts';
import { isDeadProcess } from '../../runtime/session/process-holder.ts';
import { shownPlace } from '../../runtime/session/session.ts';
import { defineOperation } from '../base/operation.ts';
import { placeOf, withLedgerAsItIs } from './check-ledger.ts';

/** Brings the ledger to the schema of this version, as opening it does. */
export const migrateLedger = defineOperation({
  name: 'migrate-ledger',
  role: 'admin',
  ledger: 'none',
  input: z.strictObject({}),
  result: z.strictObject({
    ledger: z.string(),
    /** The versions of the schema before and now. */
    before: z.int(),
    schema: z.int(),
  }),
  run: ({ session }) =>
    withLedgerAsItIs(session, async (db) => {
      const { schema: before } = await schemaVersions(db);
      await migrate(db, { now: session.clock.now(), isDead: isDeadProcess });
      return { ledger: shownPlace(placeOf(session)), before, schema: (await schemaVersions(db)).schema };
    }),
});
