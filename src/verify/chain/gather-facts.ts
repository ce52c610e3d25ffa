import { makeActiveTime } from './active-time.ts';
import type { Act, BatchFacts, ChainFacts, Event } from './chain-facts.ts';
import { makeFailedCharges } from './failed-charges.ts';
import { makeLateCharges } from './late-charges.ts';
import { type Refund, refundIn } from './refunds.ts';
import { makeRowMarks } from './row-marks.ts';
import { makeSendings } from './sendings.ts';

/** The events of the batch that the reports must agree with. */
const actOfKind: Record<string, Exclude<keyof BatchFacts, 'status' | 'approvals' | 'approvalsNeeded'>> = {
  'batch.received': 'received',
  'batch.validate': 'validated',
  'batch.approve': 'approved',
  'batch.start': 'started',
  // If it was paused before it began.
  'batch.resume': 'started',
  'batch.complete': 'completed',
  'batch.reorder': 'reordered',
  'batch.service_moved': 'moved',
  'batch.forget': 'forgotten',
  'batch.cancel': 'cancelled',
};

/** Counts an event of a row, or of the batch as a whole. */
export function noteEvent(
  facts: GatheredFacts,
  { row_no, kind, seq, actor, at, data }: Pick<Event, 'row_no' | 'kind' | 'seq'> & Act,
): void {
  facts.lastAt = at;
  if (row_no !== null) facts.note(row_no, kind, { seq, actor, at, data });
  else noteAct(facts.batch, kind, { actor, at, data });
}

function noteAct(batch: BatchFacts, kind: string, act: Act): void {
  const name = actOfKind[kind];
  if (name === 'started') batch.started ??= act;
  else if (name !== undefined) batch[name] = act;
  noteApproval(batch, kind, act);
  if (kind === 'batch.received') batch.status = 'received';
  if (typeof act.data.to === 'string') batch.status = act.data.to;
}

/** Chains of old program versions do not say how many people a batch needs: then it was one. */
function noteApproval(batch: BatchFacts, kind: string, act: Act): void {
  const { approvals_needed: needed } = act.data;
  // Earlier versions had the first name.
  if (kind === 'batch.ask_approval' || kind === 'batch.request_approval') batch.approvalsNeeded = 1;
  if (typeof needed === 'number') batch.approvalsNeeded = needed;
  if (kind === 'batch.void_approvals') batch.approvals = [];
  if (kind === 'batch.give_approval' || (kind === 'batch.approve' && batch.approvalsNeeded > 0))
    batch.approvals = [...batch.approvals.filter(({ data }) => isSamePlan(data, act.data)), act];
}

/** An approval of other rows or of another plan does not count for this one. */
function isSamePlan(a: Act['data'], b: Act['data']): boolean {
  return ['content_sha256', 'rows', 'products', 'sums'].every((name) => a[name] === b[name]);
}

/** The facts of a chain while it is read. */
interface GatheredFacts extends ChainFacts {
  note(rowNo: number, kind: string, event: Pick<Event, 'seq'> & Act): void;
}

export function makeFacts(): GatheredFacts {
  const batch: BatchFacts = {
    received: null,
    validated: null,
    approved: null,
    approvals: [],
    approvalsNeeded: 0,
    started: null,
    completed: null,
    reordered: null,
    moved: null,
    forgotten: null,
    cancelled: null,
    status: null,
  };
  const { note: noteRow, ...marks } = makeRowMarks(batch);
  const sendings = makeSendings();
  // Few rows are refunded.
  const refunds = new Map<number, Refund[]>();
  const reportedLate = new Set<string>();
  const [contradicted, seconds] = [new Map<number, string>(), new Map<number, string>()];
  const failed = makeFailedCharges();
  const late = makeLateCharges();
  const active = makeActiveTime();
  return {
    batch,
    lastAt: null,
    wentOnTo: null,
    published: [],
    heads: new Map(),
    note(rowNo, kind, { seq, actor, at, data }) {
      noteRow(rowNo, kind, { seq, actor, data });
      sendings.note(rowNo, kind, at, data);
      failed.note(rowNo, kind, at, data);
      late.note(rowNo, kind, data);
      active.note(rowNo, kind, at);
      // The refunds so far were of an earlier payment.
      if (kind === 'row.retry') refunds.delete(rowNo);
      if (kind === 'row.contradicted' || kind === 'row.changed_late') {
        reportedLate.add(`${rowNo} ${data.service_status}`);
        reportedLate.add(`${rowNo} topup ${data.topup_id}`);
      }
      if (data.to === 'failed') contradicted.delete(rowNo);
      if (typeof data.contradicted === 'string') contradicted.set(rowNo, data.contradicted);
      if (typeof data.second_topup_id === 'string') seconds.set(rowNo, data.second_topup_id);
      const refund = refundIn(kind, at, data);
      if (refund !== null) refunds.set(rowNo, [...(refunds.get(rowNo) ?? []), refund]);
    },
    ...marks,
    attemptsOf: sendings.attemptsOf,
    firstSentOf: sendings.firstSentOf,
    mayBear: sendings.mayBear,
    refundOf: (rowNo, topupId) =>
      refunds.get(rowNo)?.find((one) => one.topupId === null || topupId === '' || one.topupId === topupId) ?? null,
    contradictedOf: (rowNo) => contradicted.get(rowNo) ?? null,
    secondOf: (rowNo) => seconds.get(rowNo) ?? null,
    wasReportedLate: (rowNo, serviceStatus) => reportedLate.has(`${rowNo} ${serviceStatus}`),
    activeMs: active.total,
    failed,
    lateOf: late.lateOf,
  };
}
