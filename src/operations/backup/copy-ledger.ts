import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { ledgerUrlSecrets } from '../../ledger/drivers/postgres/ledger-url.ts';
import { copyLedger as copy, filesLeft } from '../../runtime/backup/copy-ledger.ts';
import { shownPlace } from '../../runtime/session/session.ts';
import { chooseLedger } from '../../runtime/settings/ledger-place.ts';
import { auditLedger } from '../audit/audit-ledger.ts';
import { defineOperation, performIn } from '../base/operation.ts';

/** The absolute path of a file, or the URL of a ledger on PostgreSQL. If it is left out: the session's ledger. */
const place = z.string().optional();

/** Moves the ledger to an empty database or file. The copy then works instead of it, and it never works again. */
export const copyLedger = defineOperation({
  name: 'copy-ledger',
  role: 'admin',
  // Neither of the two need be the configured one.
  ledger: 'none',
  input: z.strictObject({ from: place, to: place }),
  result: z.strictObject({
    /** Both places without user and password. */
    from: z.string(),
    to: z.string(),
    tables: z.array(z.strictObject({ table: z.string(), records: z.int(), sha256: z.string() })),
    /** Keys and files next to the old ledger that must be in the folder of the new one. */
    files_left: z.array(z.string()),
  }),
  async run({ session, ...door }, given) {
    const own = { ledger: session.ledgerPath, ledgerUrl: session.ledgerUrl };
    const chosen = (text: string | undefined) => chooseLedger(own, { cwd: '/', ledgerPath: text });
    const places = { from: chosen(given.from), to: chosen(given.to) };
    for (const { ledgerUrl } of Object.values(places))
      if (ledgerUrl !== null) session.config.secrets.push(...ledgerUrlSecrets(ledgerUrl));
    const tables = await copy(session, places, async (db) => {
      // The digests show that it is as the source, whose audit compares it with what is anchored outside.
      const config = { ...session.config, anchors: [] };
      const { is_good } = await performIn({ ...session, config, db }, auditLedger, door, {});
      if (is_good) return;
      throw new AirbatchError('LEDGER_DAMAGED', 'the ledger does not agree with its audit chains: nothing was moved', {
        hint: 'Look at the source: airbatch audit',
      });
    });
    return { from: shownPlace(places.from), to: shownPlace(places.to), tables, files_left: filesLeft(places) };
  },
});
