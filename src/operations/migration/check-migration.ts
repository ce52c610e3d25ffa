import { z } from 'zod';
import { migrateRow, migrationNote, migrationRules } from '../../gateway/migrate.ts';
import { intakeShape } from '../../intake/columns/settings.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { accountName } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { openMigrationAccounts } from './migration-accounts.ts';
import { type MigrationFactFinder, makeMigrationFactFinder } from './migration-facts.ts';
import { type V1FileRow, v1FileRows } from './v1-file.ts';

/** Rows that are looked up at once: enough to use up the catalog's rate limit, which the account's limiter keeps. */
const rowsAtOnce = 16;
/** Progress is reported after this many rows: a catalog answers for about a hundred numbers a minute. */
const progressRows = 100;
/** Shorter waits are not reported. */
const throttleNoticeMs = 2_000;

/** `notes` is empty if the row can be sent as it is. */
const checkedRow = z.strictObject({ line: z.int(), notes: z.array(migrationNote) });
type CheckedRow = z.output<typeof checkedRow>;

/** Shows what happens to a Version 1 file when it is sent through Version 2. Sends nothing. */
export const checkMigration = defineOperation({
  name: 'check-migration',
  role: 'prepare',
  ledger: 'none',
  input: z.strictObject({
    /** An absolute path, or "-" for standard input. */
    file: z.string(),
    sheet: intakeShape.shape.sheet.unwrap().unwrap().optional(),
    /** The Version 2 account whose catalog is read. */
    account: accountName.optional(),
    /** The Version 1 account that knows its products. */
    old_account: accountName.optional(),
  }),
  result: z.strictObject({
    /** 4 if a person must fill something in, else 0. */
    exit_code: z.int(),
    counts: z.strictObject({ total: z.int(), as_they_are: z.int(), known: z.int(), person: z.int() }),
    /** What would change in each row. */
    rows: z.array(checkedRow),
    /** What is true of every file. */
    rules: z.array(z.string()),
    /** Whether the products of Version 1 could be looked up. */
    knows_products: z.boolean(),
  }),
  async run(context, { file, sheet, account, old_account }) {
    const { session, emit, signal } = context;
    const { config } = session;
    const accounts = await openMigrationAccounts(config, { to: account, from: old_account }, context.nameOf);
    const say = (text: string) => emit({ kind: 'note', text });
    try {
      return await whileNothingIsSent(context, async () => {
        if (accounts.isRehearsal) say('No account is configured: networks and products are those of the sandbox.');
        const facts = makeMigrationFactFinder({
          ...{ session, ...accounts },
          onWait: (networks, ms) => {
            if (ms >= throttleNoticeMs)
              say(`Reading the products of the ${networks} networks of Version 1, about ${durationText(ms)}.`);
          },
        });
        const sheetIsNamed = sheet !== undefined;
        const settings = { ...config.intake, ...(sheetIsNamed ? { sheet } : {}) };
        const rows = await checkRows(v1FileRows(file, settings, { signal, sheetIsNamed }), facts, (count) => {
          signal.throwIfAborted();
          if (count % progressRows < rowsAtOnce && count >= progressRows) say(`${count} rows looked up so far.`);
        });
        const counts = countRows(rows);
        const knows_products = accounts.from !== null;
        return { exit_code: counts.person > 0 ? 4 : 0, counts, rows, rules: [...migrationRules], knows_products };
      });
    } finally {
      await accounts.close();
    }
  },
});

function countRows(rows: readonly CheckedRow[]) {
  const person = rows.filter(({ notes }) => notes.some(({ effect }) => effect === 'needed')).length;
  const asTheyAre = rows.filter(({ notes }) => notes.length === 0).length;
  return { total: rows.length, as_they_are: asTheyAre, known: rows.length - asTheyAre - person, person };
}

/** Checks the rows in file order, several at once. */
async function checkRows(
  rows: AsyncIterable<V1FileRow>,
  facts: MigrationFactFinder,
  onProgress: (count: number) => void,
): Promise<CheckedRow[]> {
  const checked: CheckedRow[] = [];
  const check = async ({ line, row }: V1FileRow): Promise<CheckedRow> => ({
    line,
    notes: migrateRow(row, await facts.factsOf(row)),
  });
  let waiting: V1FileRow[] = [];
  const checkWaiting = async () => {
    checked.push(...(await Promise.all(waiting.map(check))));
    waiting = [];
    onProgress(checked.length);
  };
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length === rowsAtOnce) await checkWaiting();
  }
  await checkWaiting();
  return checked;
}
