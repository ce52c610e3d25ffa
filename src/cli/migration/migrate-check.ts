import { resolve } from 'node:path';
import { migrateRow } from '../../gateway/migrate.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { configOf } from '../service/config.ts';
import { untilStopped } from '../session/interrupt.ts';
import { openMigrationAccounts } from './migration-accounts.ts';
import { type MigrationFactFinder, makeMigrationFactFinder } from './migration-facts.ts';
import { type CheckedRow, migrationJson, migrationLines, needsPerson } from './migration-lines.ts';
import { type V1FileRow, v1FileRows } from './v1-file.ts';

/** Rows that are asked about at once: enough to use the catalog's limit, which the account's limiter keeps. */
const rowsAtOnce = 16;
/** After how many rows it is said how far the check is: a catalog answers about a hundred numbers a minute. */
const progressRows = 100;

/** Shorter waits are not worth a line. */
const throttleNoticeMs = 2_000;

/**
 * `airbatch migrate-check FILE`: what becomes of a file of Version 1 when it is sent through Version 2. Nothing is
 * sent.
 */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const { terminal, cwd } = context;
  const config = await configOf(context);
  const names = { to: options.account as string | undefined, from: options.oldAccount as string | undefined };
  const accounts = await openMigrationAccounts(config, names);
  const exitCode = await untilStopped(async (signal) => {
    const stopped = () => terminal.error('\nStopping: nothing was sent. (Ctrl-C again ends at once.)\n');
    signal.addEventListener('abort', stopped, { once: true });
    if (accounts.isRehearsal)
      terminal.error('No account is configured: networks and products are those of the sandbox.\n');
    const facts = makeMigrationFactFinder({
      ...accounts,
      onWait: (networks, ms) => {
        if (ms < throttleNoticeMs) return;
        terminal.error(`Reading the products of the ${networks} networks of Version 1, about ${durationText(ms)}.\n`);
      },
    });
    const path = file === '-' ? '-' : resolve(cwd, file);
    const sheetIsNamed = options.sheet !== undefined;
    const settings = { ...config.intake, ...(sheetIsNamed ? { sheet: options.sheet } : {}) };
    const read = v1FileRows(path, settings, { signal, sheetIsNamed });
    const rows = await checkRows(read, facts, (count) => {
      signal.throwIfAborted();
      if (count % progressRows < rowsAtOnce && count >= progressRows)
        terminal.error(`${count} rows looked up so far.\n`);
    });
    const exitCode = rows.some(needsPerson) ? 4 : 0;
    const knowsProducts = accounts.from !== null;
    const lines = migrationLines(terminal, rows, { knowsProducts });
    answer(context, { exit_code: exitCode, ...migrationJson(rows) }, lines.join('\n'));
    return exitCode;
  }).finally(() => accounts.close());
  return exitCode ?? interruptedExitCode;
}

/** Checks the rows in file order, some at once. */
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
