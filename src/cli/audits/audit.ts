import { AirbatchError } from '../../core/basics/errors.ts';
import { rowStateTexts } from '../../core/state/state-words.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { latestEvents, nextNamedBatch, orphanedPayments, pageRowEvents } from '../../ledger/audit/audit-pages.ts';
import { type AuditEvent, pageEvents } from '../../ledger/audit/events.ts';
import { type BatchRecord, findBatch, pageBatches } from '../../ledger/batches/batches.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { findRow, type RowRecord } from '../../ledger/rows/rows.ts';
import { auditSentence } from '../../reports/sentences/audit-sentences.ts';
import { problemsOf } from '../../reports/summary/stored.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { withLedger } from '../session/session.ts';
import { auditBatch, type BatchAudit } from './audit-rows.ts';
import { type OutsideHeads, readOutsideHeads } from './outside-heads.ts';

const eventsPerPage = 1_000;
const batchesPerPage = 100;
/** Events of all batches that are shown where none is named. */
const latestMax = 100;

/**
 * `airbatch audit`: the history of a batch or a row in sentences, and whether its chain is whole and its rows are as
 * it tells; else of the whole ledger.
 */
export function execute(context: CommandContext, _args: string[], options: Record<string, unknown>): Promise<number> {
  return withLedger(context, async (session) => {
    const { db } = session;
    if (typeof options.batch !== 'string') {
      if (options.row !== undefined) throw new AirbatchError('USAGE', '--row needs --batch: rows are numbered in it');
      const events = await latestEvents(db, latestMax);
      await show(context, events.reverse(), ({ batch_id }) => `${batch_id}  `);
      const outside = await readOutsideHeads(session, null);
      return await conclude(context, { batchId: null, outside }, walkAll(db, outside));
    }
    const batch = await requireBatch(db, options.batch);
    const rows = rowNumbers(options.row === undefined ? [] : [String(options.row)]);
    if (rows.length === 0) await showBatch(context, db, batch.batch_id);
    for (const row of rows) await showRow(context, db, batch, row);
    const outside = await readOutsideHeads(session, batch.batch_id);
    const audit = await auditBatch(db, batch.batch_id, outside.byBatch.get(batch.batch_id));
    return await conclude(context, { batchId: batch.batch_id, outside }, [audit]);
  });
}

async function show(
  { terminal, json }: CommandContext,
  events: readonly AuditEvent[],
  before: (event: AuditEvent) => string = () => '',
): Promise<void> {
  const lines = events.map((event) => (json ? jsonLine(event) : `${before(event)}${auditSentence(event)}\n`));
  if (lines.length > 0) terminal.print(lines.join(''));
  // A history may be longer than memory, and its reader slow.
  await terminal.taken();
}

/** Page by page, and not in the snapshot that is compared afterwards: its reader may take an hour. */
async function showBatch(context: CommandContext, db: Database, batchId: string): Promise<void> {
  for (let after = 0; ; ) {
    const page = await pageEvents(db, batchId, after, eventsPerPage);
    await show(context, page);
    after = page.at(-1)?.seq ?? after;
    if (page.length < eventsPerPage) return;
  }
}

async function showRow(
  context: CommandContext,
  db: Database,
  { batch_id: batchId, forgotten_at }: BatchRecord,
  rowNo: number,
): Promise<void> {
  const row = await findRow(db, batchId, rowNo);
  if (!row) throw new AirbatchError('ROW_UNKNOWN', `batch ${batchId} has no row ${rowNo}`);
  let shown = 0;
  for (let after = 0; ; ) {
    const page = await pageRowEvents(db, batchId, rowNo, after, eventsPerPage);
    await show(context, page);
    shown += page.length;
    after = page.at(-1)?.seq ?? 0;
    if (page.length < eventsPerPage) break;
  }
  if (context.json) context.terminal.print(jsonLine(standing(row)));
  else context.terminal.print(standingLines(row, { isUntouched: shown === 0, isForgotten: forgotten_at !== null }));
}

function standing(row: RowRecord): Record<string, unknown> {
  const { batch_id, row_no, line, status } = row;
  return { batch_id, row_no, line, status, problems: problemsOf(row) };
}

/**
 * Why a row is not sent, or waits for a person: what intake found is not in the chain, which names nobody. Nothing of
 * rows that went their way: their events say it all.
 */
function standingLines(
  row: RowRecord,
  { isUntouched, isForgotten }: { isUntouched: boolean; isForgotten: boolean },
): string {
  const problems = problemsOf(row);
  const { label } = rowStateTexts[row.status];
  const lines = problems.flatMap(({ code, column, message, suggestion }) => [
    `  ${column === null ? '' : `${column}: `}${message} [${code}]`,
    ...(suggestion === '' ? [] : [`    ${suggestion}`]),
  ]);
  if (lines.length > 0) lines.unshift(`Row ${row.row_no} (line ${row.line}) is ${label}:`);
  else if (row.status === 'invalid' && isForgotten)
    lines.push(
      `Row ${row.row_no} (line ${row.line}) was invalid; what was wrong with it was forgotten, with whom the batch paid.`,
    );
  else if (isUntouched) lines.push(`Nothing has happened to row ${row.row_no}: it is ${label}.`);
  return lines.map((line) => `${visible(line)}\n`).join('');
}

/**
 * The chains of all batches of the ledger, and what it or a place outside still tells of a batch that somebody has
 * deleted.
 */
async function* walkAll(db: Database, { byBatch }: OutsideHeads): AsyncGenerator<BatchAudit> {
  for (let after = ''; ; ) {
    const page = await pageBatches(db, after, batchesPerPage);
    const last = page.at(-1);
    if (!last) break;
    for (const { batch_id } of page) yield await auditBatch(db, batch_id, byBatch.get(batch_id));
    after = last.batch_id;
  }
  for (let id = await nextNamedBatch(db, ''); id !== null; id = await nextNamedBatch(db, id))
    if (!byBatch.has(id) && !(await findBatch(db, id))) yield gone(id, 'its batch is gone from the ledger');
  for (const [id, [head]] of byBatch)
    if (head && !(await findBatch(db, id)))
      yield gone(id, `its batch is gone from the ledger, and its head was put outside (${head.place})`);
  for (const { batch_id, count, first_row } of await orphanedPayments(db)) {
    const payments = `the ledger has ${counted(count, 'payment')} of rows that it does not have, the first of row ${first_row}`;
    yield { ...gone(batch_id, null), edited: [payments] };
  }
}

function gone(batchId: string, broken: string | null): BatchAudit {
  return { batch_id: batchId, events: 0, broken, edited: [], unread: null };
}

/**
 * Says whether chains are whole and batches as they tell, for people or as the last line of JSON, and by the exit
 * code.
 */
async function conclude(
  { terminal, json }: CommandContext,
  { batchId, outside }: { batchId: string | null; outside: OutsideHeads },
  audits: Iterable<BatchAudit> | AsyncIterable<BatchAudit>,
): Promise<number> {
  let [batches, events] = [0, 0];
  const broken: Why[] = [];
  const edited: Why[] = [];
  const unread: Why[] = [];
  for await (const audit of audits) {
    if (audit.events > 0) batches += 1;
    events += audit.events;
    const { batch_id } = audit;
    if (audit.broken !== null) broken.push({ batch_id, why: audit.broken });
    if (audit.unread !== null) unread.push({ batch_id, why: audit.unread });
    edited.push(...audit.edited.map((why) => ({ batch_id, why })));
  }
  const whole = broken.length === 0;
  if (json) {
    const rows = { agree: whole && edited.length === 0, edited, unread };
    const anchors = { unread: outside.unread };
    terminal.print(jsonLine({ batch_id: batchId, chain: { whole, batches, events, broken }, rows, anchors }));
  } else {
    for (const { place, why } of outside.unread)
      terminal.error(`${terminal.paint('yellow', '!')} The heads in ${place} were not all compared: ${why}.\n`);
    for (const line of conclusion(batchId, { batches, events, broken, edited, unread }))
      terminal.error(
        `${line.isGood ? terminal.paint('green', '✔') : terminal.paint('red', '✘')} ${visible(line.text)}\n`,
      );
  }
  await terminal.taken();
  return whole && edited.length === 0 ? 0 : 5;
}

interface Why {
  batch_id: string;
  why: string;
}

function conclusion(
  batchId: string | null,
  {
    batches,
    events,
    broken,
    edited,
    unread,
  }: { batches: number; events: number } & Record<'broken' | 'edited' | 'unread', Why[]>,
): { isGood: boolean; text: string }[] {
  const of = (id: string) => (batchId === null ? ` of batch ${id}` : '');
  const bad = [
    ...broken.map(({ batch_id, why }) => `The chain${of(batch_id)} is broken: ${why}.`),
    ...edited.map(({ batch_id, why }) => `Batch ${batch_id} was edited: ${why}.`),
  ].map((text) => ({ isGood: false, text }));
  if (broken.length > 0) return bad;
  const many = `The chains of ${counted(batches, 'batch', 'batches')}, ${counted(events, 'event')} in all, are whole`;
  const whole = batchId === null ? many : `The chain of ${counted(events, 'event')} is whole`;
  if (bad.length > 0) return [...bad, { isGood: true, text: `${whole}: it tells what was there before.` }];
  return [{ isGood: true, text: `${whole}. ${rowsText(batchId, unread)}` }];
}

function rowsText(batchId: string | null, [first, ...others]: Why[]): string {
  const rows = batchId === null ? 'All' : 'Its';
  if (first === undefined) return `${rows} rows are the validated ones, and match it.`;
  const compared = `${rows} rows match it; that they are the validated ones`;
  if (batchId !== null) return `${compared} was not compared, since ${first.why}.`;
  const count = counted(others.length + 1, 'batch', 'batches');
  return `${compared} was not compared for ${count} (never validated, or forgotten).`;
}
