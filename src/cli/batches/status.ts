import type { z } from 'zod';
import { hasEnded } from '../../core/state/batch-state.ts';
import { isTerminal, type RowState } from '../../core/state/row-state.ts';
import { pausesText, rowStateTexts } from '../../core/state/state-texts.ts';
import { visible } from '../../core/text/visible.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Status } from '../../operations/batches/batch-status.ts';
import { listBatches } from '../../operations/batches/list-batches.ts';
import { showStatus } from '../../operations/batches/show-status.ts';
import { expectedCostText } from '../../reports/sentences/expected-cost.ts';
import { minuteText } from '../../reports/sentences/finish-text.ts';
import { durationText, sumsText, timeText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { correctedLines } from '../text/corrected.ts';
import { finishLine } from '../text/finish-line.ts';
import { submittedLines } from '../text/submitted.ts';
import { waitLine } from '../text/ways.ts';
import { watchStatus } from './status-watch.ts';

type OneStatus = z.output<typeof showStatus.result>;
type Attention = OneStatus['attention'][number];

/** `airbatch status [BATCH]`: shows the state of the batches. */
export async function execute(
  context: CommandContext,
  [batch_id]: string[],
  { watch }: { watch?: boolean },
): Promise<number> {
  if (watch === true) return watchStatus(context, batch_id);
  if (batch_id === undefined) showAll(context, await call(context, listBatches, {}));
  else showOne(context, await call(context, showStatus, { batch_id }));
  return 0;
}

const columns: readonly Column<Status>[] = [
  { name: 'batch', cell: ({ batch_id }) => batch_id },
  { name: 'file', breaksInWords: true, cell: ({ file_name }) => file_name },
  { name: 'account', cell: ({ account }) => account },
  { name: 'status', cell: ({ stands }) => stands },
  { name: 'done by', cell: timeCell },
  { name: 'rows', align: 'right', cell: ({ counts }) => grouped(total(counts)) },
  { name: 'paid', align: 'right', cell: ({ counts, contradicted }) => grouped((counts.completed ?? 0) + contradicted) },
  { name: 'failed', align: 'right', cell: ({ counts, contradicted }) => grouped((counts.failed ?? 0) - contradicted) },
  // The numbers of a line add up to its rows, so rows in doubt are counted only in their own column.
  { name: 'open', align: 'right', cell: ({ counts }) => ifAny(open(counts) - (counts.in_doubt ?? 0)) },
  { name: 'in doubt', align: 'right', cell: ({ counts }) => ifAny(counts.in_doubt) },
  { name: 'wrong', align: 'right', cell: ({ counts }) => grouped(counts.invalid ?? 0) },
  { name: 'skipped', align: 'right', cell: ({ counts }) => ifAny(counts.skipped) },
  { name: 'cancelled', align: 'right', cell: ({ counts }) => ifAny(counts.cancelled) },
];

function showAll(context: CommandContext, found: z.output<typeof listBatches.result>): void {
  printTable(context, columns, found.batches, { json: found, none: 'No batches yet. Begin with: airbatch run FILE' });
  const isLeft = found.batches.some(
    ({ stands, worker }) => stands === 'interrupted' || (stands === 'approved' && worker === null),
  );
  if (isLeft && !context.json)
    context.terminal.print(
      'Some batches are approved or interrupted, and no program is working on them: start "airbatch resume" or "airbatch serve".\n',
    );
}

/**
 * Empty if the count is 0. Then the column is left out if no batch has such rows, so that the list fits a screen of 80
 * columns.
 */
function ifAny(count = 0): string {
  return count === 0 ? '' : grouped(count);
}

/** When an open batch must be done, and whether it is late or is sent first. */
function timeCell({ status, finish_by, in_time, goes_first }: Status): string {
  if (finish_by === null || hasEnded(status)) return '';
  return `${minuteText(Date.parse(finish_by))}${in_time === false ? ', late' : goes_first ? ', goes first' : ''}`;
}

function showOne(context: CommandContext, status: OneStatus): void {
  const { counts, waits_for: waits, waits_ways: ways } = status;
  const finish = finishLine(status);
  const why = status.pauses.length > 0 ? `paused (${pausesText(status.pauses)})` : status.stands;
  const rows = Object.entries(counts).map(
    ([state, count]) => `${grouped(count)} ${rowStateTexts[state as RowState].label}`,
  );
  const cost = costLine(status);
  const lines = [
    `Batch      ${status.batch_id} (run ${status.run_id})`,
    `File       ${status.file_name}, ${counted(total(counts), 'row')}`,
    `Account    ${status.account}, ${status.service}`,
    ...submittedLines(status),
    `Status     ${why}${status.rejection === null ? '' : ` (${status.rejection})`}`,
    ...(rows.length === 0 ? [] : [`Rows       ${rows.join(', ')}`]),
    ...correctedLines(status.paid_since),
    ...(cost === null ? [] : [cost]),
    ...(finish === null ? [] : [`Finish     ${finish}`]),
    ...(waits === null ? [] : [`Waits for  ${waitLine(waits, ways, status.batch_id)}`]),
    ...attentionLines(status),
    ...contradictedLines(status),
    ...paidTwiceLines(status),
  ];
  if (status.attention_more > 0) lines.push(`and ${counted(status.attention_more, 'row')} more`);
  answer(context, status, lines.map(visible).join('\n'));
}

/** Rows that need a person's attention. What can be done about several held rows is said once, after them. */
function attentionLines({ attention, worker }: OneStatus): string[] {
  const advised = Map.groupBy(
    attention.filter(({ status }) => status === 'held'),
    adviceOf,
  );
  const lines = attention.map((row) => {
    const isShared = row.status === 'held' && (advised.get(adviceOf(row))?.length ?? 0) > 1;
    const why = isShared ? row.problems.map(({ message }) => message).join(' ') : row.why;
    const name = row.person === null ? '' : `, ${row.person}`;
    const next = row.next && worker ? ` Next look-up: ${timeText(row.next)}.` : '';
    return `Row ${row.row} (line ${row.line}${name}) is ${rowStateTexts[row.status].label}: ${why}${answerText(row)}${sinceText(row)}${next}`;
  });
  for (const [advice, rows] of advised)
    if (rows.length > 1) lines.push(`Rows ${rows.map(({ row }) => row).join(', ')}: ${advice}`);
  return lines;
}

function adviceOf({ problems }: Attention): string {
  return problems.map(({ suggestion }) => suggestion).join(' ');
}

function contradictedLines({ contradicted, contradicted_rows }: OneStatus): string[] {
  const lines = contradicted_rows.map(
    ({ row, line, service_status }) =>
      `Row ${row} (line ${line}) failed at first, and the service now says ${service_status}: it counts as paid. Do not send it again.`,
  );
  const more = contradicted - contradicted_rows.length;
  return more > 0 ? [...lines, `and ${counted(more, 'more row')} like that`] : lines;
}

/** The reports name the payments. */
function paidTwiceLines({ batch_id, situation: { rows } }: OneStatus): string[] {
  if (rows.paid_twice === 0) return [];
  return [
    `${counted(rows.paid_twice, 'row')} may have been paid twice: "airbatch report ${batch_id}" names the payments. Ask the service to reverse one.`,
  ];
}

/** What a batch has cost in the wallets' currencies, or its expected cost if nothing was charged yet. */
function costLine({ charged, contradicted, expected_cost, situation: { rows } }: OneStatus): string | null {
  const isMore = contradicted > 0 || rows.paid_twice > 0;
  const later = isMore ? ' (later charges for failed rows and for second payments are not included)' : '';
  if (Object.keys(charged).length > 0) return `Charged    ${sumsText(charged)}${later}`;
  if (expected_cost === null) return null;
  const { products } = expected_cost;
  const productsText = products === 0 ? '' : `; ${counted(products, 'product')} not included`;
  return `Cost       ${expectedCostText(expected_cost)}${productsText}`;
}

function sinceText({ status, sent_at, service_status }: Attention): string {
  if (status !== 'accepted' || sent_at === null) return '';
  const age = durationText(Math.max(0, systemClock.now() - Date.parse(sent_at)));
  return ` It was sent ${age} ago, on ${timeText(sent_at)}; its last status: ${service_status ?? 'none'}.`;
}

/** The service's last answer to the request of a row in doubt: it helps the person who decides about the row. */
function answerText({ last_answer: last }: Attention): string {
  return last === null ? '' : ` Last answer to it: ${last.code}, ${last.message.replace(/\.$/, '')}.`;
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function open(counts: Record<string, number>): number {
  return Object.entries(counts).reduce((sum, [state, count]) => sum + (isTerminal(state) ? 0 : count), 0);
}
