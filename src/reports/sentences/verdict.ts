import { sameAmount, sumOf } from '../../core/money/money.ts';
import { lookedUp } from '../../core/state/doubt-texts.ts';
import { batchStateTexts, pauseAdvice, pauseReasonTexts } from '../../core/state/state-texts.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { BatchSummary } from '../summary/summary-shape.ts';
import { situationOfSummary } from '../summary/summary-situation.ts';
import { counted, grouped } from '../text/counted-text.ts';
import { waitingApprovalsText } from './approvals-text.ts';
import { balanceSentences, paidTwiceSentences, paidUnsentSentences, takenBackSentences } from './balance-sentences.ts';
import { endedText, minuteText } from './finish-text.ts';
import { requestedText, sumsInBrackets, sumsText } from './format.ts';

/** The result of a batch, in sentences that a payroll clerk understands. */
export interface Verdict {
  /** `good`: every row is paid. `attention`: somebody has to act. `open`: the batch is not finished. */
  tone: 'good' | 'attention' | 'open';
  headline: string;
  details: string[];
}

/** The first sentence about a batch whose audit chain is broken, wherever its figures are shown. */
export const brokenChainText = 'The record of this batch was changed or damaged: do not rely on these figures.';

/** Who rejected or withdrew a batch; null if nobody did, or if it is unknown. */
type Decided = Pick<BatchRecord, 'rejected_by' | 'withdrawn_by'>;

export function verdictOf(
  summary: BatchSummary,
  decided: Decided = { rejected_by: null, withdrawn_by: null },
): Verdict {
  const verdict = verdictOfLedger(summary, decided);
  const { broken } = summary.audit;
  if (broken === undefined) return verdict;
  const details = [
    `Its audit chain is broken: ${broken}. The person who looks after airbatch must find out why: see "airbatch audit --batch ${summary.batch_id}".`,
    `In the ledger as it is now: ${verdict.headline}`,
  ];
  return { tone: 'attention', headline: brokenChainText, details: [...details, ...verdict.details] };
}

function verdictOfLedger(summary: BatchSummary, decided: Decided): Verdict {
  const { by_status: count, total } = summary.rows;
  const { open, unpaid, paid_twice } = situationOfSummary(summary).rows;
  const { not_sent = 0, taken_back = 0 } = summary.contradicted;
  const tone =
    open > 0
      ? 'open'
      : summary.status === 'rejected' ||
          unpaid + count.cancelled + summary.refunded.rows + paid_twice + not_sent + taken_back > 0 ||
          summary.balance.explained === false
        ? 'attention'
        : 'good';
  return { tone, headline: headlineOf(summary, total, count), details: detailsOf(summary, decided) };
}

/** The headline is the subject of a notification, too. It must not call rows unpaid that another batch has paid. */
function headlineOf(
  summary: BatchSummary,
  total: number,
  { completed, skipped }: Pick<BatchSummary['rows']['by_status'], 'completed' | 'skipped'>,
): string {
  if (summary.status === 'rejected') return 'The file could not be read. Nothing was sent.';
  if (total > 0 && skipped === total)
    return total === 1
      ? 'The row was skipped: this batch has not paid it.'
      : `All ${grouped(total)} rows were skipped: this batch has paid none of them.`;
  const { contradicted } = summary;
  const paidRows = completed + contradicted.rows;
  const products = summary.rows.with_product_completed + contradicted.with_product;
  const paid = requestedText(sumOf([summary.requested.completed, contradicted.requested]), products);
  const what = paid === 'none' ? '' : `: ${paid}`;
  if (total > 0 && paidRows === total)
    return total === 1 ? `The row was paid${what}.` : `All ${grouped(total)} rows were paid${what}.`;
  const skippedText = skipped === 0 ? '' : `; ${grouped(skipped)} ${skipped === 1 ? 'was' : 'were'} skipped`;
  if (paidRows === 0) {
    const none = total === 1 ? 'The row' : `None of ${counted(total, 'row')}`;
    const not = total === 1 ? ' not' : '';
    return `${none} ${notPaidText(summary, not)}${skippedText}.`;
  }
  return `${grouped(paidRows)} of ${counted(total, 'row')} ${paidRows === 1 ? 'was' : 'were'} paid${what}${skippedText}.`;
}

/** A row that was sent may be charged, and delivered, before the service says so. */
function notPaidText(summary: BatchSummary, not: string): string {
  const { sending, accepted, in_doubt } = summary.rows.by_status;
  if (sending + accepted + in_doubt > 0) return `is${not} known to be paid yet`;
  return situationOfSummary(summary).rows.open > 0 ? `has${not} been paid yet` : `was${not} paid`;
}

function detailsOf(summary: BatchSummary, decided: Decided): string[] {
  const { by_status: count } = summary.rows;
  const details: string[] = [];
  if (summary.status !== 'completed') details.push(stateSentence(summary, decided));
  details.push(...timeSentence(summary));
  const say = (rows: number, one: string, many: string) => {
    if (rows > 0) details.push(`${counted(rows, 'row')} ${rows === 1 ? one : many}`);
  };
  details.push(...paidTwiceSentences(summary), ...paidUnsentSentences(summary), ...takenBackSentences(summary));
  if (count.in_doubt > 0) details.push(doubtSentence(summary));
  say(
    count.held,
    'is held: a person must decide whether it is sent.',
    'are held: a person must decide whether they are sent.',
  );
  if (summary.overdue.rows > 0) details.push(overdueSentence(summary));
  say(
    count.accepted - summary.overdue.rows,
    'is with the service, not yet delivered.',
    'are with the service, not yet delivered.',
  );
  // A program that was killed also leaves rows in this state.
  say(
    count.sending,
    'was being sent when this report was written; its result is not known yet.',
    'were being sent when this report was written; their results are not known yet.',
  );
  say(count.ready, 'is not yet sent.', 'are not yet sent.');
  const failed = count.failed - summary.contradicted.rows;
  say(
    summary.contradicted.rows,
    'failed at first, but the service said later that it was, or may have been, paid: it counts as paid. Do not send it again.',
    'failed at first, but the service said later that they were, or may have been, paid: they count as paid. Do not send them again.',
  );
  const kept = chargedForFailed(summary);
  if (kept === null) {
    say(
      failed,
      'failed: nothing was paid for it. Correct it in a copy of failed.csv, and send that copy.',
      'failed: nothing was paid for them. Correct them in a copy of failed.csv, and send that copy.',
    );
  } else {
    say(failed, 'failed. failed.csv has it.', 'failed. failed.csv has them.');
    details.push(
      `${kept} was charged for rows that failed, for example because a part was delivered: ask the service before such a row is sent again (results.csv has its cost).`,
    );
  }
  if (Object.keys(summary.charged.earlier).length > 0) details.push(earlierSentence(summary));
  // These rows need not be wrong: a clerk would search for the fault in vain.
  const unresolved = summary.problems.NETWORK_UNRESOLVED ?? 0;
  say(
    unresolved,
    'was not sent: its network is a name, and the service did not say which network that is. Send the same file again later.',
    'were not sent: their networks are names, and the service did not say which networks those are. Send the same file again later.',
  );
  say(
    count.invalid - unresolved,
    'was invalid and not sent. failed.csv says what to correct.',
    'were invalid and not sent. failed.csv says what to correct.',
  );
  if (count.skipped > 0) details.push(skippedSentence(count.skipped, summary.problems));
  say(count.cancelled, 'was cancelled before it was sent.', 'were cancelled before they were sent.');
  say(
    summary.refunded.rows,
    'was paid, and the service refunded it afterwards: ask the service whether the recipient has the airtime.',
    'were paid, and the service refunded them afterwards: ask the service whether the recipients have the airtime.',
  );
  details.push(...balanceSentences(summary));
  return details;
}

/** How many rows have each problem, by its code. */
type Causes = Record<string, number | undefined>;

/** Rows that are still looked up end by themselves; the others wait for a person. */
function doubtSentence({ batch_id, pause, in_doubt: { rows, left_to_person: left, requested } }: BatchSummary): string {
  const [are, they, were] = rows === 1 ? ['is', 'it', 'was'] : ['are', 'they', 'were'];
  const said = `${counted(rows, 'row')} ${are} in doubt${sumsInBrackets(requested)}: it is not known whether ${they} ${were} paid.`;
  const when = whenLookedUp(batch_id, pause);
  if (left === 0) return `${said} ${rows === 1 ? 'It is' : 'They are'} ${when}.`;
  if (left === rows) return `${said} A person must decide: looking ${rows === 1 ? 'it' : 'them'} up gave no answer.`;
  return `${said} A person must decide on ${grouped(left)}; ${rows - left === 1 ? 'the other is' : 'the others are'} ${when}.`;
}

/**
 * A paused batch need not be resumed for that. A batch of another service is not looked up before its account is back.
 */
function whenLookedUp(batchId: string, pause: BatchSummary['pause']): string {
  if (pause === null) return `${lookedUp} ("airbatch resume ${batchId}", or "airbatch serve")`;
  return pause.reason === 'service_changed' ? 'looked up once the batch is resumed' : lookedUp;
}

function overdueSentence({ overdue: { rows, requested } }: BatchSummary): string {
  const [is, they, were] = rows === 1 ? ['is', 'it', 'was'] : ['are', 'they', 'were'];
  return `${counted(rows, 'row')} ${is} with the service for longer than it promises${sumsInBrackets(requested)}. Ask the service whether ${they} ${were} paid; a person may decide ("airbatch resolve").`;
}

/** Whether the batch finished in time. Whether an open batch will is a matter of `airbatch status`. */
function timeSentence({ status, times: { finish_by, completed_at, in_time } }: BatchSummary): string[] {
  if (finish_by === null || status === 'rejected' || status === 'cancelled') return [];
  const finishBy = Date.parse(finish_by);
  if (completed_at === null) return [`It should be finished by ${minuteText(finishBy)}.`];
  return [`It was finished ${in_time ? 'in time' : 'late'}: at ${endedText(Date.parse(completed_at), finishBy)}.`];
}

/** Why rows were skipped: each reason with its count, or one reason without counts. */
function skippedSentence(rows: number, causesOf: Causes): string {
  const { ALREADY_PAID = 0, ALREADY_SENT = 0, SKIPPED_BY_PERSON = 0, TOTAL_LINE = 0 } = causesOf;
  const causes: [count: number, one: string, many: string][] = [
    [ALREADY_PAID, 'was paid by an earlier batch of this run', 'were paid by an earlier batch of this run'],
    [
      ALREADY_SENT,
      'was still in progress in an earlier batch of this run',
      'were still in progress in an earlier batch of this run',
    ],
    [TOTAL_LINE, 'is the total of the rows', 'are totals of rows'],
    [SKIPPED_BY_PERSON, 'by the decision of a person', 'by the decision of a person'],
  ];
  const present = causes.filter(([count]) => count > 0);
  const skipped = `${counted(rows, 'row')} ${rows === 1 ? 'was' : 'were'} skipped`;
  const why = present.map(([count, one, many]) => {
    const text = count === 1 ? one : many;
    if (present.length > 1) return `${grouped(count)} ${text}`;
    return text.startsWith('by') ? text : `${rows === 1 ? 'it' : 'they'} ${text}`;
  });
  return `${skipped}${why.length === 0 ? '' : `: ${why.join(', ')}`}. results.csv has the reason of each.`;
}

/**
 * What the service charged for failed rows, as it does if a part was delivered (V1 `UNDERLIVERED`); null if nothing.
 */
function chargedForFailed({ charged }: BatchSummary): string | null {
  const sums = Object.entries(charged.by_status.failed ?? {}).filter(([, value]) => value !== '0');
  return sums.length === 0 ? null : sumsText(Object.fromEntries(sums));
}

/** Only what the service reported is stated. */
function earlierSentence({ batch_id, charged: { earlier, earlier_came_back: back } }: BatchSummary): string {
  const said = `${sumsText(earlier)} was charged for earlier payments of rows that were sent again, in addition to their last payments ("airbatch audit --batch ${batch_id}" names them)`;
  const isAll = Object.entries(earlier).every(([currency, value]) => sameAmount(back[currency] ?? '0', value));
  if (isAll) return `${said}. All of it was refunded.`;
  const some = Object.keys(back).length === 0 ? 'none' : sumsText(back);
  return `${said}. The service says that ${some} of it was refunded.`;
}

function stateSentence(summary: BatchSummary, decided: Decided): string {
  const { label, meaning } = batchStateTexts[summary.status];
  if (summary.status === 'rejected' && summary.rejection) return summary.rejection;
  // An approver rejected the batch before anything was sent, or its submitter withdrew it.
  if (summary.status === 'cancelled' && summary.rejection) {
    const { rejected_by: rejecter, withdrawn_by: submitter } = decided;
    const did = submitter === null ? `${rejecter ?? 'A person'} rejected` : `${submitter} withdrew`;
    return `${did} the batch, and nothing of it was sent: ${summary.rejection.replace(/\.$/, '')}.`;
  }
  const { doing, rows } = situationOfSummary(summary);
  if (doing === 'waiting') return 'Nothing is being sent: it is waiting for a person.';
  if (summary.status === 'running' && rows.open === 0) return batchStateTexts.completed.meaning;
  // The rows do not show whether a program works on the batch; `airbatch status` does.
  if (summary.status === 'running') return 'The batch is not finished: not every row has ended.';
  if (summary.pause === null)
    return [`The batch is ${label}. ${meaning}`, waitingApprovalsText(summary)].filter(Boolean).join(' ');
  const { reason, detail } = summary.pause;
  const seen = detail ? `: ${detail.replace(/\.$/, '')}` : '';
  return `The batch is ${label} (${pauseReasonTexts[reason].label}${seen}). ${reason === 'by_person' ? meaning : pauseAdvice(reason)}`;
}
