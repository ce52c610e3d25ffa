import { batchLabel, pauseReasonTexts } from '../core/state/state-words.ts';
import { isoOrNull, isoTime } from '../core/time/clock.ts';
import type { ThrottleWait } from '../core/time/throttle-wait.ts';
import type { LateBatch } from '../ledger/accounts/pace.ts';
import { pageEvents } from '../ledger/audit/events.ts';
import type { BatchRecord } from '../ledger/batches/batches.ts';
import { findBatch } from '../ledger/batches/batches.ts';
import { readyProducts } from '../ledger/batches/row-totals.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { filesOfSlot, type JobFile } from '../ledger/jobs/job-files.ts';
import type { RetryGivenUp } from '../ledger/jobs/job-retries.ts';
import { findSlot } from '../ledger/jobs/slots.ts';
import type { LeftFile } from '../ledger/jobs/unprocessed-files.ts';
import { eventSentence } from '../reports/sentences/audit-sentences.ts';
import { forecastText, minuteText } from '../reports/sentences/finish-text.ts';
import { overlongText, requestedText, sumsText, timeText } from '../reports/sentences/format.ts';
import { leftFilesLines } from '../reports/sentences/unprocessed-files-text.ts';
import { verdictOf } from '../reports/sentences/verdict.ts';
import { sameRowsOf, sameRowsText } from '../reports/summary/repeated-rows.ts';
import { type BatchSummary, batchSummary } from '../reports/summary/summary.ts';
import { counted, grouped } from '../reports/text/counted-text.ts';
import type { NewsKind } from './recipients.ts';

/**
 * Something that happened, by what the ledger knows it by; that a program stands still is known to the program
 * (standstill.ts).
 */
export interface News {
  kind: Exclude<NewsKind, 'standstill'>;
  event_id: string;
  batch_id: string | null;
  account: string | null;
  job: string | null;
  /** That a batch will be late. */
  late?: LateBatch;
  /** That an account is told to wait. */
  throttleWait?: ThrottleWait;
  /** That files of a job were left behind. */
  left?: readonly LeftFile[];
  /** That failed rows of a job were not tried again. */
  retryGivenUp?: RetryGivenUp;
}

/** What is told: a subject, lines for people, and facts for programs. It names no recipient of airtime. */
export interface Message {
  kind: NewsKind;
  subject: string;
  lines: string[];
  facts: Record<string, string | number | null>;
  /** The batch whose report goes with it. */
  report: string | null;
}

/** Says what happened (`events`), in words that a clerk understands; null where it is no longer so. */
export async function messageOf(db: Database, news: News, events: readonly string[]): Promise<Message | null> {
  if (news.kind === 'slot_missed') {
    if (news.retryGivenUp) return retryMessage(db, news, news.retryGivenUp);
    return news.left ? leftFilesMessage(news, news.left) : slotMessage(db, news, events);
  }
  if (news.kind === 'low_balance') return lowBalanceMessage(news);
  if (news.kind === 'unreachable') return unreachableMessage(news);
  if (news.kind === 'told_to_wait') return news.throttleWait ? throttledMessage(news, news.throttleWait) : null;
  const batch = news.batch_id === null ? null : await findBatch(db, news.batch_id);
  if (!batch) return null;
  const summary = await batchSummary(db, batch.batch_id);
  const facts = factsOf(batch, summary);
  const about = [
    `Run:     ${batch.run_id} (batch ${batch.batch_id})`,
    `File:    ${batch.file_name}`,
    ...(batch.job === null ? [] : [`Job:     ${batch.job}`]),
    `Account: ${batch.account}, ${batch.service}`,
    ...(batch.finish_by === null ? [] : [`Done by: ${minuteText(batch.finish_by)}`]),
  ];
  const word = { kind: news.kind, facts, report: news.kind === 'finished' ? batch.batch_id : null };
  switch (news.kind) {
    case 'needs_approval': {
      const same = await sameRowsOf(db, batch);
      const [first] = same;
      return {
        ...word,
        subject: `Payout ${batch.run_id} waits for your approval: ${await toSendText(db, summary)}${first ? `, ${first.rows.toLocaleString('en-US')} of them also in batch ${first.batch_id}` : ''}`,
        lines: [
          `${batch.created_by} has submitted ${await toSendText(db, summary)}. Nothing is sent before another person approves it.`,
          ...same.map((one) => `Note:    ${sameRowsText(one)}.`),
          ...notSentNotes(summary),
          ...about,
          `Next:    airbatch approve ${batch.batch_id}   (or airbatch reject ${batch.batch_id} --why ...)`,
        ],
      };
    }
    case 'finished': {
      const { headline, details } = verdictOf(summary);
      return {
        ...word,
        subject: `Payout ${batch.run_id}: ${headline}`,
        lines: [headline, ...details, ...about, `Charged: ${sumsText(summary.charged.total)}`],
      };
    }
    case 'paused': {
      const { label, meaning } = pauseReasonTexts[batch.pause_reason ?? 'by_person'];
      return {
        ...word,
        subject: `Payout ${batch.run_id} has paused: ${label}`,
        lines: [
          `${meaning}${batch.pause_detail ? ` (${batch.pause_detail})` : ''}`,
          'Nothing more is sent until somebody resumes it. No row was marked as failed.',
          ...about,
          `Next:    airbatch status ${batch.batch_id}, then airbatch resume ${batch.batch_id}`,
        ],
      };
    }
    case 'in_doubt': {
      const doubted = counted(summary.rows.by_status.in_doubt, 'row');
      const sum = sumsText(summary.in_doubt.requested);
      return {
        ...word,
        subject: `Payout ${batch.run_id}: ${doubted} in doubt (${sum})`,
        lines: [
          `It is not known whether ${doubted} (${sum}) ${summary.rows.by_status.in_doubt === 1 ? 'was' : 'were'} paid, and the service cannot say. Do not pay them by other means.`,
          ...about,
          `Next:    airbatch status ${batch.batch_id}, ask the service, then airbatch resolve ${batch.batch_id} ROW --as paid|not-paid --evidence ...`,
        ],
      };
    }
    case 'overdue': {
      const { rows, requested } = summary.overdue;
      const overdue = `${counted(rows, 'row')}${Object.keys(requested).length === 0 ? '' : ` (${sumsText(requested)})`}`;
      const them = rows === 1 ? 'it' : 'them';
      return {
        ...word,
        subject: `Payout ${batch.run_id}: the service has ${overdue} for longer than it promises`,
        lines: [
          `The service has accepted ${overdue}, and has not said for longer than it promises whether ${them === 'it' ? 'it was' : 'they were'} delivered. airbatch keeps asking; do not pay ${them} by other means.`,
          ...about,
          `Next:    airbatch status ${batch.batch_id}, ask the service, then airbatch resolve ${batch.batch_id} ROW --as paid|not-paid --evidence ...`,
        ],
      };
    }
    case 'will_be_late': {
      if (news.late === undefined || batch.finish_by !== news.late.finishBy || batch.status !== 'running') return null;
      return {
        ...word,
        subject: `Payout ${batch.run_id} will be late: it should be finished by ${minuteText(batch.finish_by)}`,
        lines: [
          `${counted(summary.rows.by_status.ready, 'row')} of it ${summary.rows.by_status.ready === 1 ? 'is' : 'are'} still to be sent. At the present pace it will be done ${forecastText(news.late.doneAt, batch.finish_by)}.`,
          ...about,
          `Next:    airbatch status ${batch.batch_id} says what goes before it; airbatch reorder changes the order, or gives it another time`,
        ],
      };
    }
    case 'late': {
      const open = openOf(summary);
      if (open === 0 || batch.finish_by === null) return null;
      return {
        ...word,
        subject: `Payout ${batch.run_id} is late: ${counted(open, 'row')} ${open === 1 ? 'has' : 'have'} not ended`,
        lines: [
          `It should have been finished by ${minuteText(batch.finish_by)}, and ${counted(open, 'row')} of ${grouped(summary.rows.total)} ${open === 1 ? 'has' : 'have'} not ended yet. ${lateMeaning(batch.status)}`,
          ...about,
          `Next:    airbatch status ${batch.batch_id} says what it waits for`,
        ],
      };
    }
    case 'changed_late':
      return { ...word, ...(await changedLateText(db, batch, { about, events })) };
    case 'held': {
      const held = `${counted(summary.rows.by_status.held, 'held row')} (${sumsText(summary.requested.by_status.held ?? {})})`;
      return {
        ...word,
        subject: `Payout ${batch.run_id} waits for your decision on ${held}`,
        lines: [
          `Nothing more is sent until a person decides whether ${held} ${summary.rows.by_status.held === 1 ? 'is' : 'are'} sent.`,
          ...about,
          `Next:    airbatch status ${batch.batch_id}, then airbatch release ${batch.batch_id} [ROW...] or airbatch skip ${batch.batch_id} [ROW...] --why ...`,
        ],
      };
    }
  }
}

/** Late words that are written out; all of them are in the batch's history. */
const lateChangesMax = 5;

async function changedLateText(
  db: Database,
  { batch_id, run_id }: BatchRecord,
  { about, events }: { about: readonly string[]; events: readonly string[] },
): Promise<Pick<Message, 'subject' | 'lines'>> {
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
      `Next:    airbatch audit --batch ${batch_id}, and ask the service where the money is before any of them is paid by other means`,
    ],
  };
}

/** What of the file is in no number of what is to be sent. */
function notSentNotes({ rows: { by_status: count } }: BatchSummary): string[] {
  const are = (rows: number) => `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'}`;
  return [
    ...(count.held > 0 ? [`Note:    ${are(count.held)} also held, and not sent unless released.`] : []),
    ...(count.invalid > 0 ? [`Note:    ${are(count.invalid)} wrong, and not sent.`] : []),
    ...(count.skipped > 0 ? [`Note:    ${are(count.skipped)} skipped, and not sent.`] : []),
  ];
}

function openOf({ rows: { by_status: count } }: BatchSummary): number {
  return count.ready + count.sending + count.accepted + count.in_doubt + count.held;
}

function lateMeaning(status: BatchRecord['status']): string {
  if (status === 'awaiting_approval') return 'It waits for approval, and nothing of it was sent.';
  return status === 'paused' ? 'It is paused.' : 'Its remaining rows are sent before the other batches of the account.';
}

async function toSendText(db: Database, { batch_id, rows, requested }: BatchSummary): Promise<string> {
  const products = (await readyProducts(db, batch_id)).reduce((sum, { count }) => sum + count, 0);
  const asked = requestedText(requested.by_status.ready ?? {}, products);
  return `${counted(rows.by_status.ready, 'row')}${asked === 'none' ? '' : `, ${asked}`}`;
}

function factsOf(batch: BatchRecord, summary: BatchSummary): Message['facts'] {
  return {
    batch_id: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    job: batch.job,
    file_name: batch.file_name,
    status: batch.status,
    pause_reason: batch.pause_reason,
    finish_by: isoOrNull(batch.finish_by),
    rows: summary.rows.total,
    // Every state, so that they add up to the rows.
    ...summary.rows.by_status,
    charged: sumsText(summary.charged.total),
  };
}

async function slotMessage(db: Database, { job }: News, events: readonly string[]): Promise<Message | null> {
  const dueTimes = events.map((event) => Number(event.split(':')[2]));
  const [firstAt, lastAt] = [dueTimes.at(0), dueTimes.at(-1)];
  if (job === null || firstAt === undefined || lastAt === undefined) return null;
  const slot = await findSlot(db, job, lastAt);
  if (!slot) return null;
  const [first, last] = [firstAt, lastAt].map((at) => isoTime(at).slice(0, 16).replace('T', ' '));
  const isOne = events.length === 1;
  const which = isOne ? `the run of ${last} UTC` : `${counted(events.length, 'run')} from ${first} to ${last} UTC`;
  const became = isOne ? 'was missed' : 'were missed';
  const isFailed = slot.state === 'failed';
  const paid = isFailed ? await filesOfSlot(db, job, lastAt) : [];
  const part = paid.length === 0 ? 'has failed' : `has failed in part: ${counted(paid.length, 'file')} taken`;
  const what = `${which} ${isFailed ? part : became}`;
  return {
    kind: 'slot_missed',
    subject: `Job ${job}: ${what}`,
    lines: [
      `${what.charAt(0).toUpperCase()}${what.slice(1)}. ${slot.detail ?? 'No reason is known'}.`,
      ...(await Promise.all(paid.map(async (file) => takenText(file, await findBatch(db, file.batch_id))))),
      `Next:    airbatch jobs run ${job} --slot ${isoTime(lastAt)}${isOne ? '' : ', and so for each that is wanted'}`,
    ],
    facts: {
      job,
      due_at: isoTime(lastAt),
      slots: events.length,
      state: slot.state,
      detail: slot.detail,
      batches: paid.length,
    },
    report: null,
  };
}

/** A file of a slot that has failed for another one: what was taken is paid all the same. */
function takenText({ name, batch_id }: JobFile, batch: BatchRecord | null): string {
  const state = batch === null ? 'not in the ledger' : batchLabel(batch);
  return `Taken:   ${name} is batch ${batch_id}, ${state}`;
}

function leftFilesMessage({ job }: News, left: readonly LeftFile[]): Message | null {
  if (job === null) return null;
  return {
    kind: 'slot_missed',
    subject: `Job ${job}: ${counted(left.length, 'file')} of an earlier run ${left.length === 1 ? 'is' : 'are'} not paid`,
    lines: leftFilesLines(job, left),
    facts: { job, files: left.length },
    report: null,
  };
}

async function retryMessage(
  db: Database,
  { job, account }: News,
  { batch_id, rows, codes }: RetryGivenUp,
): Promise<Message | null> {
  const batch = await findBatch(db, batch_id);
  if (!batch) return null;
  const which = counted(rows, 'failed row');
  const [were, they] = rows === 1 ? ['was', 'it'] : ['were', 'they'];
  return {
    kind: 'slot_missed',
    subject: `Job ${job}: ${which} of payout ${batch.run_id} ${were} not tried again`,
    lines: [
      `${which} of payout ${batch.run_id} ${were} to be tried again, as the job says (${codes.join(', ')}). For a day it could not be looked up whether ${they} really failed, so ${they} stay${rows === 1 ? 's' : ''} failed: nothing more is sent by itself.`,
      `Run:     ${batch.run_id} (batch ${batch_id})`,
      `File:    ${batch.file_name}`,
      `Next:    airbatch retry ${batch_id} ${codes.map((code) => `--code ${code}`).join(' ')}`,
    ],
    facts: { job, account, batch_id, run_id: batch.run_id, file_name: batch.file_name, rows },
    report: null,
  };
}

function lowBalanceMessage({ account }: News): Message {
  return {
    kind: 'low_balance',
    subject: `The balance of account ${account} is low`,
    lines: [
      `The service says that a wallet of account ${account} is low. Batches pause when it is empty; no row is marked as failed.`,
      `Next:    airbatch balance --account ${account}, and fund it`,
    ],
    facts: { account },
    report: null,
  };
}

function unreachableMessage({ account, event_id }: News): Message {
  const since = isoTime(Number(event_id.split(':').at(-1)));
  return {
    kind: 'unreachable',
    subject: `The service of account ${account} gives no usable answer`,
    lines: [
      `Since ${since.slice(0, 16).replace('T', ' ')} UTC the service of account ${account} cannot be reached, or has given no payment a usable answer. Until it does, airbatch sends only one row now and then, to test it; then it goes on by itself.`,
      'Next:    airbatch status --watch, and check the network, the base URL and the certificate of the service, and whether a proxy or a firewall answers in its place',
    ],
    facts: { account, since },
    report: null,
  };
}

function throttledMessage({ account }: News, told: ThrottleWait): Message {
  const [since, until] = [isoTime(told.since), isoTime(told.until)];
  const overlong = overlongText(told);
  const untilText = overlong === null ? `until ${timeText(until)}` : `for ${overlong}`;
  const askedAgain =
    overlong === null
      ? 'Nothing of it is sent or asked until then'
      : `It is asked again all the same at ${timeText(until)}: nothing of it is sent or asked until then`;
  return {
    kind: 'told_to_wait',
    subject: `The service has told account ${account} to wait ${untilText}`,
    lines: [
      `The service answers account ${account} with 429 since ${timeText(since)}, and has told it to wait ${untilText}. ${askedAgain}; no row is lost, and then it goes on by itself.`,
      'Next:    ask the service why, since its limits count by the minute. Where it was its mistake: stop airbatch, and start it again a quarter of an hour after it was told, which asks anew.',
    ],
    facts: { account, since, until, retry_after_ms: told.saidMs },
    report: null,
  };
}
