import type { BatchState, PauseReason } from './batch-state.ts';
import { lookedUp } from './doubt-texts.ts';
import type { RowState } from './row-state.ts';

/**
 * How people see a state: its name, and what it means for them. The command line, the reports and the notifications
 * share these texts.
 */
export interface StateTexts {
  /** One or two words in lower case, for a table or after a number: "12 failed". */
  label: string;
  /** The meaning in one sentence that a payroll clerk understands. */
  meaning: string;
}

export const rowStateTexts: Record<RowState, StateTexts> = {
  completed: {
    label: 'completed',
    meaning: 'The service says that the airtime was delivered, or a person decided so on evidence (RESOLVED_PAID).',
  },
  failed: { label: 'failed', meaning: 'The service refused it, or could not deliver it in full.' },
  invalid: { label: 'invalid', meaning: 'The row has mistakes and was not sent; correct it and send it again.' },
  skipped: {
    label: 'skipped',
    meaning:
      'It was not sent: another batch has paid it or is paying it, a person decided so, or it is the total of the rows.',
  },
  cancelled: { label: 'cancelled', meaning: 'The batch was cancelled before this row was sent.' },
  held: { label: 'held', meaning: 'It is waiting for a person to decide whether it is sent.' },
  ready: { label: 'not yet sent', meaning: 'It is correct and waits for its turn.' },
  sending: {
    label: 'being sent',
    meaning: 'It was being sent when this report was written; its result is not known yet.',
  },
  accepted: { label: 'accepted', meaning: 'The service has it and has not yet said whether it was delivered.' },
  in_doubt: {
    label: 'in doubt',
    meaning: `It is not known whether it was paid. It is ${lookedUp}, or a person must decide; do not pay it in any other way before that.`,
  },
};

export const batchStateTexts: Record<BatchState, StateTexts> = {
  received: { label: 'being read', meaning: 'The file is being read and checked.' },
  rejected: { label: 'could not be read', meaning: 'The file could not be read as a payout file. Nothing was sent.' },
  validated: { label: 'checked', meaning: 'The file was checked. Nothing was sent yet.' },
  awaiting_approval: {
    label: 'awaiting approval',
    meaning: 'A second person must approve it before anything is sent.',
  },
  approved: { label: 'approved', meaning: 'It may be sent, and starts when its turn comes.' },
  running: { label: 'running', meaning: 'It has begun, and not every row has ended.' },
  paused: { label: 'paused', meaning: 'Nothing more is sent until it is resumed; what was sent is followed.' },
  completed: { label: 'finished', meaning: 'Every row of the file has its final outcome.' },
  cancelled: { label: 'cancelled', meaning: 'It was cancelled; rows that had not been sent will not be.' },
};

/** The facts on which a batch's label depends. */
export interface Labelled {
  status: BatchState;
  rejection: string | null;
  rejected_by?: string | null;
  withdrawn_by?: string | null;
}

/**
 * The label of a batch. A batch that a person rejected or withdrew ends as cancelled and keeps their reason; people
 * look for who it was.
 */
export function batchLabel({ status, rejection, rejected_by, withdrawn_by = null }: Labelled): string {
  if (status === 'cancelled' && withdrawn_by !== null) return `withdrawn by ${withdrawn_by}`;
  if (status === 'cancelled' && rejection !== null) return `rejected by ${rejected_by ?? 'a person'}`;
  return batchStateTexts[status].label;
}

/** The label in a sentence, after the batch's name: "is paused", "could not be read". */
export function batchIs(batch: Labelled): string {
  return `${batch.status === 'rejected' ? '' : 'is '}${batchLabel(batch)}`;
}

/** `first`: what a person does before resuming, or null. */
export const pauseReasonTexts: Record<PauseReason, StateTexts & { first: string | null }> = {
  by_person: { label: 'by a person', meaning: 'A person paused it.', first: null },
  insufficient_balance: {
    label: 'balance too low',
    meaning: 'There is not enough money in the account.',
    first: 'fund the account',
  },
  credentials_rejected: {
    label: 'credentials rejected',
    meaning: 'The service does not accept the credentials.',
    first: 'correct the credentials',
  },
  guard_tripped: {
    label: 'a safety limit was reached',
    meaning: 'A safety limit was reached.',
    first: 'look at the reason',
  },
  service_mismatch: {
    label: 'the service answered about another payment',
    meaning: 'The service answered about a different payment.',
    first: 'find out why',
  },
  service_changed: {
    label: 'the account is at another service',
    meaning: 'The account now points to another service, which does not know what was sent.',
    first: 'set the address of the account back',
  },
};

/**
 * What a person does about a pause: each entry is one way. `resume` writes the command with an option (such as
 * " --service-moved"), `credentials` is where they are configured, and `service` the address of the batch's service.
 */
export function pauseSteps(
  reason: PauseReason,
  resume: (option: string) => string,
  { credentials, service }: { credentials?: string | undefined; service?: string } = {},
): string[] {
  const { first } = pauseReasonTexts[reason];
  if (reason === 'service_changed')
    return [
      `${first}${service === undefined ? '' : ` to ${service}`}, then ${resume('')}`,
      `or, if the same service has moved, ${resume(' --service-moved')}`,
    ];
  if (first === null) return [resume('')];
  const isNamed = reason === 'credentials_rejected' && credentials !== undefined;
  return [`${isNamed ? `correct ${credentials}` : first}, then ${resume('')}`];
}

/** The same in a sentence, where no batch is named: "Fund the account, then resume." */
export function pauseAdvice(reason: PauseReason): string {
  const steps = pauseSteps(reason, (option) => `resume${option}`).join('; ');
  return `${steps.charAt(0).toUpperCase()}${steps.slice(1)}.`;
}

/** A pause as texts show it. */
type ShownPause = { reason: PauseReason; detail: string | null };

/** All pauses, one by a person first: "by a person: month-end; balance too low: USD 3.00 are left". */
export function pausesText(pauses: readonly ShownPause[]): string {
  const isOwn = ({ reason }: ShownPause) => reason === 'by_person';
  return [...pauses.filter(isOwn), ...pauses.filter((pause) => !isOwn(pause))]
    .map(({ reason, detail }) => {
      const seen = pauseDetail(reason, detail);
      return `${pauseReasonTexts[reason].label}${seen ? `: ${seen.replace(/\.$/, '')}` : ''}`;
    })
    .join('; ');
}

/** The detail of a pause, without a code that only repeats the reason: "INSUFFICIENT_BALANCE: ...". */
export function pauseDetail(reason: PauseReason, detail: string | null): string | null {
  const code = `${reason.toUpperCase()}: `;
  return detail?.startsWith(code) ? detail.slice(code.length) : detail;
}
