import { maySend } from '../../core/state/batch-state.ts';
import { isTerminal, type RowState } from '../../core/state/row-state.ts';
import { pauseReasonTexts, rowStateTexts } from '../../core/state/state-words.ts';
import { visible } from '../../core/text/visible.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { manualPause } from '../../engine/batches/manual-pause.ts';
import { lastEvidence } from '../../engine/doubts/in-doubt.ts';
import { paymentNames } from '../../engine/payments/payment-request.ts';
import { requestedNow } from '../../engine/plan/preflight.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import { type BatchRecord, batchesNotEnded, listBatches } from '../../ledger/batches/batches.ts';
import { contradictedRows, countContradicted } from '../../ledger/reporting/contradictions.ts';
import { paidSince } from '../../ledger/reporting/shared-rows.ts';
import { costsOfBatch } from '../../ledger/rows/costs.ts';
import { countOverdue, firstOverdue } from '../../ledger/rows/in-flight-rows.ts';
import { findPayment } from '../../ledger/rows/payments.ts';
import { pageRowsInState, type RowRecord } from '../../ledger/rows/rows.ts';
import { type AccountNow, accountNow, accountsNow } from '../../operations/base/account-now.ts';
import { standsAt, waitsFor } from '../../operations/base/blockers.ts';
import { expectedCost, expectedCostText } from '../../reports/sentences/expected-cost.ts';
import { minuteText } from '../../reports/sentences/finish-text.ts';
import { durationText, sumsText, timeText } from '../../reports/sentences/format.ts';
import { personOf } from '../../reports/summary/stored.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import type { Session } from '../../runtime/session/session.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable, type TableColumn } from '../base/table.ts';
import { type FinishNow, finishJson, finishNow, finishText } from '../session/finish-now.ts';
import { withLedger } from '../session/session.ts';
import { correctedLines } from '../text/corrected.ts';
import { submittedLines } from '../text/submitted.ts';
import { watchStatus } from './status-watch.ts';

/** Batches that the list shows, and older ones that are not at their end; others are there by name. */
const batchesMax = 50;
const olderMax = 200;
/** Rows in need of a person that are shown by name. */
const rowsMax = 20;

interface BatchStatus {
  batch_id: string;
  run_id: string;
  account: string;
  service: string;
  file_name: string;
  status: BatchRecord['status'];
  /** The process that works for the account of the batch now (`host/pid/start`), or null where none does. */
  worker: string | null;
  pause_reason: BatchRecord['pause_reason'];
  pause_detail: string | null;
  /** Why a person paused it, whatever else it is paused for; null where nobody did. */
  paused_by_person: string | null;
  /** Why a person rejected it (`cancelled`), or why its file could not be read (`rejected`). */
  rejection: string | null;
  created_by: string;
  created_at: string;
  approved_by: string | null;
  approved_at: string | null;
  priority: BatchRecord['priority'];
  /**
   * When it is, or was, to be done; when it was, or will be; whether that is in time; and whether it goes before
   * others for it.
   */
  finish_by: string | null;
  done_at: string | null;
  in_time: boolean | null;
  goes_first: boolean;
  counts: Record<string, number>;
  /** Failed rows that count as paid, since the service has not failed them. */
  contradicted: number;
  /** What it was charged so far, by the currency of the wallets. */
  charged: Record<string, string>;
}

/** `airbatch status [BATCH]`: where the batches stand. */
export function execute(
  context: CommandContext,
  [batchId]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  return withLedger(context, async (session) => {
    const batch = batchId === undefined ? null : await requireBatch(session.db, batchId);
    if (options.watch === true) return await watchStatus(context, session, batchId);
    if (batch === null) await showAll(context, session);
    else await showOne(context, session, batch);
    return 0;
  });
}

async function statusOf(session: Session, batch: BatchRecord, account: AccountNow): Promise<BatchStatus> {
  return {
    batch_id: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    service: batch.service,
    file_name: batch.file_name,
    status: batch.status,
    worker: account.worker,
    pause_reason: batch.pause_reason,
    pause_detail: batch.pause_detail,
    paused_by_person: await manualPause(session.db, batch),
    rejection: batch.rejection,
    created_by: batch.created_by,
    created_at: isoTime(batch.created_at),
    approved_by: batch.approved_by,
    approved_at: isoOrNull(batch.approved_at),
    priority: batch.priority,
    ...finishJson(finishNow(batch, account, session.clock.now())),
    counts: Object.fromEntries(await countRows(session.db, batch.batch_id)),
    contradicted: await countContradicted(session.db, batch.batch_id),
    charged: Object.fromEntries(await costsOfBatch(session.db, batch.batch_id)),
  };
}

const columns: readonly TableColumn[] = [
  { name: 'batch' },
  { name: 'file', breaksInWords: true },
  ...['account', 'status', 'done by'].map((name) => ({ name })),
  ...['rows', 'paid', 'failed', 'open', 'in doubt', 'wrong', 'skipped', 'cancelled'].map((name) => ({
    name,
    align: 'right' as const,
  })),
];

async function showAll(context: CommandContext, session: Session): Promise<void> {
  const last = await listBatches(session.db, batchesMax);
  const isOlder = ({ batch_id }: BatchRecord) => !last.some((one) => one.batch_id === batch_id);
  const found = [...last, ...(await batchesNotEnded(session.db, olderMax)).filter(isOlder)];
  const batches: BatchStatus[] = [];
  const lines: string[][] = [];
  let isLeft = false;
  const accountOf = accountsNow(session);
  for (const one of found) {
    const account = await accountOf(one.account);
    const status = await statusOf(session, one, account);
    const { batch_id, file_name, worker, counts, contradicted } = status;
    const stands = await standsAt(session, one, worker);
    if (stands === 'interrupted' || (stands === 'approved' && worker === null)) isLeft = true;
    batches.push(status);
    lines.push([
      batch_id,
      file_name,
      one.account,
      stands,
      timeCell(finishNow(one, account, session.clock.now())),
      grouped(total(counts)),
      grouped((counts.completed ?? 0) + contradicted),
      grouped((counts.failed ?? 0) - contradicted),
      // The numbers of a line add up to its rows: a doubt is in its own column alone.
      ifAny(open(counts) - (counts.in_doubt ?? 0)),
      ifAny(counts.in_doubt),
      grouped(counts.invalid ?? 0),
      ifAny(counts.skipped),
      ifAny(counts.cancelled),
    ]);
  }
  printTable(context, columns, lines, { json: { batches }, none: 'No batches yet. Begin with: airbatch run FILE' });
  if (isLeft && !context.json)
    context.terminal.print(
      'Some batches are approved or interrupted, and no program is working on them: start "airbatch resume" or "airbatch serve".\n',
    );
}

/** For columns that stand there only where some batch has such rows: so that the list fits a screen of 80. */
function ifAny(count = 0): string {
  return count === 0 ? '' : grouped(count);
}

/** By when a batch that has not ended is to be done, and whether it is late or goes first. */
function timeCell({ finishBy, inTime, goesFirst, hasEnded }: FinishNow): string {
  if (finishBy === null || hasEnded) return '';
  return `${minuteText(finishBy)}${inTime === false ? ', late' : goesFirst ? ', goes first' : ''}`;
}

async function showOne(context: CommandContext, session: Session, batch: BatchRecord): Promise<void> {
  const account = await accountNow(session, batch.account);
  const status = await statusOf(session, batch, account);
  const counts = new Map(Object.entries(status.counts));
  const waits = await waitsFor(session, batch, counts, account);
  const finish = finishText(finishNow(batch, account, session.clock.now()));
  const attention = [
    ...(await pageRowsInState(session.db, batch.batch_id, 'held', 0, rowsMax)),
    ...(await pageRowsInState(session.db, batch.batch_id, 'in_doubt', 0, rowsMax)),
    ...(await firstOverdue(session.db, batch.batch_id, rowsMax)),
  ];
  const detail = await standsWhy(session, batch);
  const rows = [...counts].map(([state, count]) => `${grouped(count)} ${rowStateTexts[state as RowState].label}`);
  const lines = [
    `Batch      ${status.batch_id} (run ${status.run_id})`,
    `File       ${status.file_name}, ${counted(total(status.counts), 'row')}`,
    `Account    ${status.account}, ${status.service}`,
    ...submittedLines(status),
    `Status     ${await standsAt(session, batch, status.worker)}${detail === null ? '' : ` (${detail})`}`,
    ...(rows.length === 0 ? [] : [`Rows       ${rows.join(', ')}`]),
    ...(status.counts.failed || status.counts.invalid ? correctedLines(await paidSince(session.db, batch)) : []),
    ...(await costLines(session, batch, status)),
    ...(finish === null ? [] : [`Finish     ${finish}`]),
    ...(waits === null ? [] : [`Waits for  ${waits}`]),
  ];
  const advised = Map.groupBy(
    attention.filter(({ status: is }) => is === 'held'),
    (row) => heldOf(row).advice,
  );
  for (const row of attention) {
    const { why: whole, next } = attentionOf(row);
    const { reason, advice } = heldOf(row);
    // What is the same of several rows is said once, after them.
    const why = (advised.get(advice)?.length ?? 0) > 1 && row.status === 'held' ? reason : whole;
    const name = personOf(batch, row, { mask: false });
    const answered = row.status === 'in_doubt' ? await lastAnswer(session, batch, row) : '';
    const since = row.status === 'accepted' ? sinceText(session, row) : '';
    lines.push(
      `Row ${row.row_no} (line ${row.line}${name === null ? '' : `, ${name}`}) is ${rowStateTexts[row.status].label}: ${why}${answered}${since}${next && status.worker ? ` Next look-up: ${timeText(next)}.` : ''}`,
    );
  }
  for (const [advice, rows] of advised)
    if (rows.length > 1) lines.push(`Rows ${rows.map(({ row_no }) => row_no).join(', ')}: ${advice}`);
  for (const row of await contradictedRows(session.db, batch.batch_id, rowsMax))
    lines.push(
      `Row ${row.row_no} (line ${row.line}) failed at first, and the service now says ${row.contradicted}: it counts as paid. Do not send it again.`,
    );
  if (status.contradicted > rowsMax) lines.push(`and ${counted(status.contradicted - rowsMax, 'more row')} like that`);
  const overdue = await countOverdue(session.db, batch.batch_id);
  const more = (counts.get('held') ?? 0) + (counts.get('in_doubt') ?? 0) + overdue - attention.length;
  if (more > 0) lines.push(`and ${counted(more, 'row')} more`);
  answer(
    context,
    { ...status, waits_for: waits, attention: attention.map(attentionOf) },
    lines.map(visible).join('\n'),
  );
}

/** Why a batch stands where it does: the person's reason first, since that pause is the last to be lifted. */
async function standsWhy({ db }: Session, batch: BatchRecord): Promise<string | null> {
  const { pause_reason: reason, pause_detail: detail, rejection } = batch;
  const stopped = await manualPause(db, batch);
  if (stopped === null || reason === null || reason === 'by_person') return detail ?? rejection;
  return `${stopped}; besides, ${pauseReasonTexts[reason].label}${detail === null ? '' : `: ${detail}`}`;
}

/** What a batch has cost in the wallets' currencies, or will probably cost if nothing was charged yet. */
async function costLines({ db }: Session, batch: BatchRecord, { charged }: BatchStatus): Promise<string[]> {
  if (Object.keys(charged).length > 0) return [`Charged    ${sumsText(charged)}`];
  if (batch.started_at !== null || !maySend(batch.status)) return [];
  const { toSend, sums, products } = await requestedNow(db, batch.batch_id);
  if (toSend === 0) return [];
  const productsText = products === 0 ? '' : `; ${counted(products, 'product')} not included`;
  return [`Cost       ${expectedCostText(await expectedCost(db, batch, sums))}${productsText}`];
}

/**
 * What is known of a row that a person must look at: why, when it was sent, if it was, and for a held one what can be
 * done about it.
 */
function attentionOf(row: RowRecord): {
  row: number;
  status: string;
  why: string;
  sent_at: string | null;
  next: string | null;
} {
  const why = row.status === 'held' ? heldOf(row).whole : (row.failure_reason ?? '');
  const next = row.next_action_at === null ? null : isoTime(row.next_action_at);
  const sent_at = row.first_sent_at === null ? null : isoTime(row.first_sent_at);
  return { row: row.row_no, status: row.status, why, sent_at, next };
}

/** Why a row is held, and what can be done about it. */
function heldOf({ problems }: RowRecord): { reason: string; advice: string; whole: string } {
  const all = problems === null ? [] : (JSON.parse(problems) as { message: string; suggestion: string }[]);
  return {
    reason: all.map(({ message }) => message).join(' '),
    advice: all.map(({ suggestion }) => suggestion).join(' '),
    // Each advice beside its reason.
    whole: all.flatMap(({ message, suggestion }) => [message, suggestion]).join(' '),
  };
}

function sinceText({ clock }: Session, { first_sent_at: sentAt, service_status: serviceStatus }: RowRecord): string {
  if (sentAt === null) return '';
  const age = durationText(Math.max(0, clock.now() - sentAt));
  return ` It was sent ${age} ago, on ${timeText(isoTime(sentAt))}; its last word: ${serviceStatus ?? 'none'}.`;
}

/** What the service last said to the request of a row in doubt: where it is an answer at all, it helps who decides. */
async function lastAnswer({ db }: Session, batch: BatchRecord, row: RowRecord): Promise<string> {
  const payment = await findPayment(db, paymentNames(batch, row, row.generation).key);
  const evidence = payment && lastEvidence(payment);
  return evidence ? ` Last answer to it: ${evidence.code}, ${evidence.message.replace(/\.$/, '')}.` : '';
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function open(counts: Record<string, number>): number {
  return Object.entries(counts).reduce((sum, [state, count]) => sum + (isTerminal(state) ? 0 : count), 0);
}
