import type { z } from 'zod';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { auditLedger } from '../../operations/audit/audit-ledger.ts';
import { listEvents } from '../../operations/audit/list-events.ts';
import { showRow } from '../../operations/rows/show-row.ts';
import { auditSentence } from '../../reports/sentences/audit-sentences.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { rowNumbers } from '../base/row-numbers.ts';
import { type Call, withCalls } from '../session/call.ts';

type Audit = z.output<typeof auditLedger.result>;
type Row = z.output<typeof showRow.result>;

/**
 * `airbatch audit`: prints the history of a batch or a row in sentences. Then says whether the audit chain is whole and
 * whether the rows match it. Without a batch, it audits the whole ledger.
 */
export function execute(
  context: CommandContext,
  _args: string[],
  { batch: batch_id, row }: { batch?: string; row?: string },
): Promise<number> {
  const [rowNo] = rowNumbers(row === undefined ? [] : [row]);
  return withCalls(context, async (call) => {
    const found = batch_id && rowNo !== undefined ? await call(showRow, { batch_id, row: rowNo }) : null;
    const shown = await showEvents(context, call, { batch_id, row: rowNo });
    if (found)
      context.terminal.print(context.json ? jsonLine(found) : standingText(found, { isUntouched: shown === 0 }));
    const audit = await call(auditLedger, { batch_id });
    if (context.json) context.terminal.print(jsonLine(audit));
    else conclude(context, audit);
    await context.terminal.taken();
    return audit.is_good ? 0 : 5;
  });
}

/**
 * Reads page by page, each page in a snapshot of its own, because a person may read for an hour. Returns the number of
 * events.
 */
async function showEvents(
  { terminal, json }: CommandContext,
  call: Call,
  which: { batch_id: string | undefined; row: number | undefined },
): Promise<number> {
  let shown = 0;
  for (let after: number | null = 0; after !== null; ) {
    const { events, next }: z.output<typeof listEvents.result> = await call(listEvents, { ...which, after });
    const lines = events.map((event) => {
      if (json) return jsonLine(event);
      return `${which.batch_id === undefined ? `${event.batch_id}  ` : ''}${auditSentence(event)}\n`;
    });
    if (lines.length > 0) terminal.print(lines.join(''));
    // A history may be longer than memory, and its reader may be slow.
    await terminal.taken();
    shown += events.length;
    after = next;
  }
  return shown;
}

/** Why a row is not sent, or why it waits for a person. Empty for other rows: their events say everything. */
function standingText(
  { row_no, line, status, problems, is_forgotten }: Row,
  { isUntouched }: { isUntouched: boolean },
): string {
  const { label } = rowStateTexts[status];
  const lines = problems.flatMap(({ code, column, message, suggestion }) => [
    `  ${column === null ? '' : `${column}: `}${message} [${code}]`,
    ...(suggestion === '' ? [] : [`    ${suggestion}`]),
  ]);
  if (lines.length > 0) lines.unshift(`Row ${row_no} (line ${line}) is ${label}:`);
  else if (status === 'invalid' && is_forgotten)
    lines.push(
      `Row ${row_no} (line ${line}) was invalid. The reason was erased together with the personal data of the batch.`,
    );
  else if (isUntouched) lines.push(`Nothing has happened to row ${row_no}: it is ${label}.`);
  return lines.map((line) => `${visible(line)}\n`).join('');
}

/** Says whether the chains are whole and whether the batches match them. */
function conclude({ terminal }: CommandContext, audit: Audit): void {
  for (const { place, why } of audit.anchors.unread)
    terminal.error(`${terminal.paint('yellow', '!')} Not all heads in ${place} were compared: ${why}.\n`);
  for (const { isGood, text } of conclusion(audit))
    terminal.error(`${isGood ? terminal.paint('green', '✔') : terminal.paint('red', '✘')} ${visible(text)}\n`);
}

function conclusion(audit: Audit): { isGood: boolean; text: string }[] {
  const { access } = audit;
  if (access === null || access.events === 0) return ofBatches(audit);
  const text =
    access.broken === null
      ? `The chain of ${counted(access.events, 'access event')} is complete and unchanged.`
      : `The chain of access events is broken: ${access.broken}.`;
  return [...ofBatches(audit), { isGood: access.whole, text }];
}

function ofBatches({ batch_id: batchId, chain, rows }: Audit): { isGood: boolean; text: string }[] {
  const { batches, events, broken } = chain;
  const of = (id: string) => (batchId === null ? ` of batch ${id}` : '');
  const bad = [
    ...broken.map(({ batch_id, why }) => `The chain${of(batch_id)} is broken: ${why}.`),
    ...rows.edited.map(({ batch_id, why }) => `Batch ${batch_id} was edited: ${why}.`),
  ].map((text) => ({ isGood: false, text }));
  if (broken.length > 0) return bad;
  const many = `The chains of ${counted(batches, 'batch', 'batches')}, ${counted(events, 'event')} in all, are complete and unchanged`;
  const whole = batchId === null ? many : `The chain of ${counted(events, 'event')} is complete and unchanged`;
  if (bad.length > 0) return [...bad, { isGood: true, text: `${whole}; only the ledger differs from it.` }];
  return [{ isGood: true, text: `${whole}. ${rowsText(batchId, rows.unread)}` }];
}

function rowsText(batchId: string | null, [first, ...others]: Audit['rows']['unread']): string {
  const rows = batchId === null ? 'All' : 'Its';
  if (first === undefined) return `${rows} rows have the content that was checked, and the state that the chain shows.`;
  const compared = `${rows} rows have the state that the chain shows; their content`;
  if (batchId !== null) return `${compared} could not be compared, since ${first.why}.`;
  const count = counted(others.length + 1, 'batch', 'batches');
  return `${compared} could not be compared for ${count} (never checked, or forgotten).`;
}
