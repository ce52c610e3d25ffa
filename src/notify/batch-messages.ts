import type { Doing } from '../core/state/situation.ts';
import { pauseAdvice, pauseDetail, pauseReasonTexts, pausesText } from '../core/state/state-texts.ts';
import { isoOrNull } from '../core/time/clock.ts';
import { pageEvents } from '../ledger/audit/events.ts';
import { type BatchRecord, findBatch } from '../ledger/batches/batches.ts';
import { openPauses, type PauseRecord } from '../ledger/batches/pauses.ts';
import { readyProducts } from '../ledger/batches/requested-amounts.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { waitingApprovalsText } from '../reports/sentences/approvals-text.ts';
import { eventSentence } from '../reports/sentences/audit-sentences.ts';
import { forecastText, minuteText } from '../reports/sentences/finish-text.ts';
import { requestedText, sumsInBrackets, sumsText } from '../reports/sentences/format.ts';
import { verdictOf } from '../reports/sentences/verdict.ts';
import { sameRowsOf, sameRowsText } from '../reports/summary/repeated-rows.ts';
import { batchSummary } from '../reports/summary/summary.ts';
import type { BatchSummary } from '../reports/summary/summary-shape.ts';
import { situationOfSummary } from '../reports/summary/summary-situation.ts';
import { counted, grouped } from '../reports/text/counted-text.ts';
import type { Message, News } from './message.ts';

type BatchText = Pick<Message, 'subject' | 'lines' | 'open'>;

/** News about a batch. */
type NewsOfBatch = News & {
  kind: Exclude<News['kind'], 'slot_missed' | 'low_balance' | 'unreachable' | 'throttled' | 'webhook_disabled'>;
};

interface BatchNews {
  db: Database;
  news: NewsOfBatch;
  events: readonly string[];
  batch: BatchRecord;
  pauses: readonly PauseRecord[];
  summary: BatchSummary;
  /** The lines that name the batch. */
  about: readonly string[];
  consoleUrl: string | null;
}

/** The message about a batch; null if the news is no longer true. */
export async function batchMessage(
  db: Database,
  news: NewsOfBatch,
  events: readonly string[],
  consoleUrl: string | null,
): Promise<Message | null> {
  const batch = news.batch_id === null ? null : await findBatch(db, news.batch_id);
  if (!batch) return null;
  const summary = await batchSummary(db, batch.batch_id);
  const about = [
    `Run:     ${batch.run_id} (batch ${batch.batch_id})`,
    `File:    ${batch.file_name}`,
    ...(batch.job === null ? [] : [`Job:     ${batch.job}`]),
    `Account: ${batch.account}, ${batch.service}`,
    ...(batch.finish_by === null ? [] : [`Done by: ${minuteText(batch.finish_by)}`]),
  ];
  const pauses = await openPauses(db, batch);
  const text = await textOf({ db, news, events, batch, pauses, summary, about, consoleUrl });
  if (text === null) return null;
  const report = news.kind === 'finished' ? batch.batch_id : null;
  return { kind: news.kind, facts: factsOf(batch, pauses, summary), report, ...text };
}

async function textOf(one: BatchNews): Promise<BatchText | null> {
  switch (one.news.kind) {
    case 'needs_approval':
      return approvalText(one);
    case 'finished':
      return finishedText(one);
    case 'paused':
      return pausedText(one);
    case 'in_doubt':
      return doubtText(one);
    case 'overdue':
      return overdueText(one);
    case 'will_be_late':
      return willBeLateText(one);
    case 'late':
      return lateText(one);
    case 'held':
      return heldText(one);
    case 'changed_late':
      return changedLateText(one);
  }
}

async function approvalText({ db, batch, summary, about, consoleUrl }: BatchNews): Promise<BatchText> {
  const { needed, given } = summary.approvals;
  const before = needed > 1 ? `${needed} other people approve it` : 'another person approves it';
  const soFar = waitingApprovalsText(summary);
  const same = await sameRowsOf(db, batch);
  const [first] = same;
  return {
    subject: `Payout ${batch.run_id} waits for your approval: ${await toSendText(db, summary)}${first ? `, ${grouped(first.rows)} of them also in batch ${first.batch_id}` : ''}`,
    lines: [
      `${batch.created_by} has submitted ${await toSendText(db, summary)}. Nothing is sent before ${before}.${given.length > 0 && soFar ? ` ${soFar}` : ''}`,
      ...same.map((one) => `Note:    ${sameRowsText(one)}.`),
      ...notSentNotes(summary),
      ...about,
      `Next:    airbatch approve ${batch.batch_id}   (or airbatch reject ${batch.batch_id} --why ...)`,
    ],
    ...(consoleUrl !== null && { open: `${consoleUrl}/batches/${batch.batch_id}/approval` }),
  };
}

function finishedText({ batch, summary, about }: BatchNews): BatchText {
  const { headline, details } = verdictOf(summary, batch);
  return {
    subject: `Payout ${batch.run_id}: ${headline}`,
    lines: [headline, ...details, ...about, `Charged: ${sumsText(summary.charged.total)}`],
  };
}

function pausedText({ batch, pauses, about }: BatchNews): BatchText {
  const [first, ...others] = pauses;
  const reason = first?.reason ?? 'by_person';
  const { label, meaning } = pauseReasonTexts[reason];
  const detail = pauseDetail(reason, first?.detail ?? null);
  const why = detail ? `${meaning.replace(/\.$/, '')}: ${detail}${/[.!?]$/.test(detail) ? '' : '.'}` : meaning;
  return {
    subject: `Payout ${batch.run_id} is paused: ${label}`,
    lines: [
      reason === 'by_person' ? why : `${why} ${pauseAdvice(reason)}`,
      ...(others.length === 0 ? [] : [`It is also paused: ${pausesText(others)}.`]),
      'Nothing more is sent until it is resumed. No row was marked as failed.',
      ...about,
      `Next:    airbatch status ${batch.batch_id}, then airbatch resume ${batch.batch_id}`,
    ],
  };
}

function doubtText({ batch, summary, about }: BatchNews): BatchText {
  const doubted = counted(summary.rows.by_status.in_doubt, 'row');
  const sum = sumsInBrackets(summary.in_doubt.requested);
  return {
    subject: `Payout ${batch.run_id}: ${doubted} in doubt${sum}`,
    lines: [
      `It is not known whether ${doubted}${sum} ${summary.rows.by_status.in_doubt === 1 ? 'was' : 'were'} paid, and the service cannot say. Do not pay them in any other way.`,
      ...about,
      `Next:    airbatch status ${batch.batch_id}, ask the service, then airbatch resolve ${batch.batch_id} ROW --as paid|not-paid --evidence ...`,
    ],
  };
}

function overdueText({ batch, summary, about }: BatchNews): BatchText {
  const { rows, requested } = summary.overdue;
  const overdue = `${counted(rows, 'row')}${sumsInBrackets(requested)}`;
  const them = rows === 1 ? 'it' : 'them';
  return {
    subject: `Payout ${batch.run_id}: the service is late with ${overdue}`,
    lines: [
      `The service accepted ${overdue} longer ago than a delivery takes at most, and has not said whether ${them === 'it' ? 'it was' : 'they were'} delivered. airbatch keeps asking. Do not pay ${them} in any other way.`,
      ...about,
      `Next:    airbatch status ${batch.batch_id}, ask the service, then airbatch resolve ${batch.batch_id} ROW --as paid|not-paid --evidence ...`,
    ],
  };
}

function willBeLateText({ batch, summary, news, about }: BatchNews): BatchText | null {
  if (news.late === undefined || batch.finish_by !== news.late.finishBy || batch.status !== 'running') return null;
  return {
    subject: `Payout ${batch.run_id} will be late: it should be finished by ${minuteText(batch.finish_by)}`,
    lines: [
      `${counted(summary.rows.by_status.ready, 'row')} ${summary.rows.by_status.ready === 1 ? 'is' : 'are'} still to be sent. At the present pace it will be done ${forecastText(news.late.doneAt, batch.finish_by)}.`,
      ...about,
      `Next:    airbatch status ${batch.batch_id} shows what is sent before it; airbatch reorder changes the order or the time`,
    ],
  };
}

function lateText({ batch, summary, about }: BatchNews): BatchText | null {
  const { doing, rows } = situationOfSummary(summary);
  const { open } = rows;
  if (open === 0 || batch.finish_by === null) return null;
  return {
    subject: `Payout ${batch.run_id} is late: ${counted(open, 'row')} ${open === 1 ? 'has' : 'have'} not ended`,
    lines: [
      `It should have been finished by ${minuteText(batch.finish_by)}, and ${counted(open, 'row')} of ${grouped(summary.rows.total)} ${open === 1 ? 'has' : 'have'} not ended yet. ${lateMeaning(doing)}`,
      ...about,
      `Next:    airbatch status ${batch.batch_id} says what it waits for`,
    ],
  };
}

function heldText({ batch, summary, about }: BatchNews): BatchText {
  const held = `${counted(summary.rows.by_status.held, 'held row')}${sumsInBrackets(summary.requested.by_status.held ?? {})}`;
  return {
    subject: `Payout ${batch.run_id} waits for your decision on ${held}`,
    lines: [
      `Nothing more is sent until a person decides whether ${held} ${summary.rows.by_status.held === 1 ? 'is' : 'are'} sent.`,
      ...about,
      `Next:    airbatch status ${batch.batch_id}, then airbatch release ${batch.batch_id} [ROW...] or airbatch skip ${batch.batch_id} [ROW...] --why ...`,
    ],
  };
}

/** The most later changes that a message writes out; the batch's history has all of them. */
const lateChangesMax = 5;

async function changedLateText({ db, batch: { batch_id, run_id }, about, events }: BatchNews): Promise<BatchText> {
  const seqs = events.map((event) => Number(event.split(':').at(-1)));
  const said: string[] = [];
  for (const seq of seqs.slice(0, lateChangesMax))
    said.push(...(await pageEvents(db, batch_id, seq - 1, 1)).map(eventSentence));
  const more = seqs.length - said.length;
  const changes = counted(seqs.length, 'later change');
  return {
    subject: `Payout ${run_id}: ${changes} by the service to rows that had ended`,
    lines: [
      'The service now reports these rows differently than when they ended. Their state stays as it was, nothing is sent, and a new version of the reports shows the change.',
      ...said.map((sentence) => `  ${sentence}`),
      ...(more > 0 ? [`  and ${counted(more, 'more change')}`] : []),
      ...about,
      `Next:    airbatch audit --batch ${batch_id}, and ask the service where the money is before you pay any of them in another way`,
    ],
  };
}

/** Notes on rows that are not among those to be sent. */
function notSentNotes({ rows: { by_status: count } }: BatchSummary): string[] {
  const are = (rows: number) => `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'}`;
  return [
    ...(count.held > 0 ? [`Note:    ${are(count.held)} also held, and not sent unless somebody releases them.`] : []),
    ...(count.invalid > 0 ? [`Note:    ${are(count.invalid)} wrong, and not sent.`] : []),
    ...(count.skipped > 0 ? [`Note:    ${are(count.skipped)} skipped, and not sent.`] : []),
  ];
}

function lateMeaning(doing: Doing): string {
  if (doing === 'awaiting_approval') return 'It waits for approval, and nothing was sent.';
  if (doing === 'waiting') return "It waits for a person's decision.";
  return doing === 'paused' ? 'It is paused.' : 'Its remaining rows are sent before the other batches of the account.';
}

async function toSendText(db: Database, { batch_id, rows, requested }: BatchSummary): Promise<string> {
  const products = (await readyProducts(db, batch_id)).reduce((sum, { count }) => sum + count, 0);
  const asked = requestedText(requested.by_status.ready ?? {}, products);
  return `${counted(rows.by_status.ready, 'row')}${asked === 'none' ? '' : `, ${asked}`}`;
}

function factsOf(batch: BatchRecord, [pause]: readonly PauseRecord[], summary: BatchSummary): Message['facts'] {
  return {
    batch_id: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    job: batch.job,
    file_name: batch.file_name,
    status: batch.status,
    pause_reason: pause?.reason ?? null,
    finish_by: isoOrNull(batch.finish_by),
    rows: summary.rows.total,
    // All states, so that they add up to the rows.
    ...summary.rows.by_status,
    charged: sumsText(summary.charged.total),
  };
}
