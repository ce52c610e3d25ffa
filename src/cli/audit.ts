import { AirbatchError } from '../core/errors.ts';
import { requireBatch } from '../engine/acts.ts';
import { latestEvents, pageRowEvents } from '../ledger/audit-pages.ts';
import { pageBatches } from '../ledger/batches.ts';
import { type ChainState, walkChain } from '../ledger/chain-walk.ts';
import type { Database } from '../ledger/database.ts';
import type { AuditEvent } from '../ledger/events.ts';
import { findRow } from '../ledger/rows.ts';
import { auditSentence } from '../reports/audit-sentences.ts';
import { counted } from '../reports/words.ts';
import type { CommandContext } from './command.ts';
import { openSession } from './session.ts';

const eventsPerPage = 1_000;
const batchesPerPage = 100;
/** Events of all batches that are shown where none is named. */
const latestMax = 100;

/** `airbatch audit`: the history of a batch or a row in sentences, and whether its chain is whole; else of the whole ledger. */
export async function execute(
  context: CommandContext,
  _args: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const { db } = await openSession(context);
  try {
    if (typeof options.batch !== 'string') {
      if (options.row !== undefined) throw new AirbatchError('USAGE', '--row needs --batch: rows are numbered in it');
      const events = await latestEvents(db, latestMax);
      await show(context, events.reverse(), ({ batch_id }) => `${batch_id}  `);
      return await conclude(context, null, walkAll(db));
    }
    const batch = await requireBatch(db, options.batch);
    if (options.row === undefined) {
      const chain = await walkChain(db, batch, (events) => show(context, events));
      return await conclude(context, batch.batch_id, [chain]);
    }
    await showRow(context, db, batch.batch_id, options.row);
    return await conclude(context, batch.batch_id, [await walkChain(db, batch)]);
  } finally {
    await db.close();
  }
}

async function show(
  { terminal, json }: CommandContext,
  events: readonly AuditEvent[],
  before: (event: AuditEvent) => string = () => '',
): Promise<void> {
  const lines = events.map((event) => (json ? JSON.stringify(event) : `${before(event)}${auditSentence(event)}`));
  if (lines.length > 0) terminal.print(`${lines.join('\n')}\n`);
  // A history may be longer than memory, and its reader slow.
  await terminal.taken();
}

async function showRow(context: CommandContext, db: Database, batchId: string, option: unknown): Promise<void> {
  const row = Number(option);
  if (!(Number.isInteger(row) && row > 0)) throw new AirbatchError('USAGE', `--row ${String(option)} is no row number`);
  if (!(await findRow(db, batchId, row))) throw new AirbatchError('ROW_UNKNOWN', `batch ${batchId} has no row ${row}`);
  let shown = 0;
  for (let after = 0; ; ) {
    const page = await pageRowEvents(db, batchId, row, after, eventsPerPage);
    await show(context, page);
    shown += page.length;
    after = page.at(-1)?.seq ?? 0;
    if (page.length < eventsPerPage) break;
  }
  if (shown === 0 && !context.json) context.terminal.print(`Nothing has happened to row ${row}: it was not sent.\n`);
}

/** The chains of all batches of the ledger. */
async function* walkAll(db: Database): AsyncGenerator<ChainState> {
  for (let after = ''; ; ) {
    const page = await pageBatches(db, after, batchesPerPage);
    const last = page.at(-1);
    if (!last) return;
    for (const batch of page) yield await walkChain(db, batch);
    after = last.batch_id;
  }
}

/** Says whether the chains are whole, for people or as the last line of JSON, and by the exit code. */
async function conclude(
  { terminal, json }: CommandContext,
  batchId: string | null,
  chains: Iterable<ChainState> | AsyncIterable<ChainState>,
): Promise<number> {
  let [batches, events] = [0, 0];
  const broken: { batch_id: string; why: string }[] = [];
  for await (const chain of chains) {
    batches += 1;
    events += chain.events;
    if (chain.broken !== null) broken.push({ batch_id: chain.batch_id, why: chain.broken });
  }
  const whole = broken.length === 0;
  if (json) terminal.print(`${JSON.stringify({ batch_id: batchId, chain: { whole, batches, events, broken } })}\n`);
  else if (whole) {
    const of = batchId === null ? `The chains of ${counted(batches, 'batch', 'batches')}, ` : 'The chain of ';
    const are = batchId === null ? ' in all, are whole' : ' is whole';
    terminal.error(`${terminal.paint('green', '✔')} ${of}${counted(events, 'event')}${are}.\n`);
  } else
    for (const { batch_id, why } of broken) {
      const of = batchId === null ? ` of batch ${batch_id}` : '';
      terminal.error(`${terminal.paint('red', '✘')} The chain${of} is broken: ${why}.\n`);
    }
  await terminal.taken();
  return whole ? 0 : 5;
}
