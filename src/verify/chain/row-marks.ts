import { type Act, type BatchFacts, type ChainFacts, type Event, rowStates } from './chain-facts.ts';
import { fingerprint, reasonMark } from './fingerprint.ts';
import { failureIn } from './reasons.ts';

/** 0 means no state. */
const states: readonly string[] = ['', ...rowStates];

const placeOf = (state: unknown) => (typeof state === 'string' ? Math.max(0, states.indexOf(state)) : 0);

/** The facts of the chain in a few bytes a row: files have millions of rows. */
interface RowMarks
  extends Pick<
    ChainFacts,
    'stateOf' | 'sentOf' | 'paidOf' | 'paidIn' | 'endedOf' | 'reasonOf' | 'intakeStateOf' | 'approvedStateOf'
  > {
  note(rowNo: number, kind: string, event: Pick<Event, 'seq'> & Pick<Act, 'actor' | 'data'>): void;
}

export function makeRowMarks(batch: Pick<BatchFacts, 'approved'>): RowMarks {
  let [state, first, atApproval] = [new Uint8Array(1_024), new Uint8Array(1_024), new Uint8Array(1_024)];
  let [sent, paid, paidIn] = [new Uint32Array(1_024), new Uint32Array(1_024), new Uint32Array(1_024)];
  let [ended, reason] = [new Uint32Array(1_024), new Uint32Array(1_024)];
  const grow = (rowNo: number) => {
    const size = 2 ** Math.ceil(Math.log2(rowNo + 1));
    const larger = <Marks extends Uint8Array | Uint32Array>(marks: Marks, old: Marks): Marks => {
      marks.set(old);
      return marks;
    };
    state = larger(new Uint8Array(size), state);
    first = larger(new Uint8Array(size), first);
    atApproval = larger(new Uint8Array(size), atApproval);
    sent = larger(new Uint32Array(size), sent);
    paid = larger(new Uint32Array(size), paid);
    paidIn = larger(new Uint32Array(size), paidIn);
    ended = larger(new Uint32Array(size), ended);
    reason = larger(new Uint32Array(size), reason);
  };
  const noteState = (rowNo: number, { from, to }: Record<string, unknown>) => {
    state[rowNo] = placeOf(to);
    first[rowNo] ||= placeOf(from);
    if (batch.approved === null) atApproval[rowNo] = placeOf(to);
    else atApproval[rowNo] ||= placeOf(from);
  };
  return {
    note(rowNo, kind, { seq, actor, data }) {
      if (rowNo >= state.length) grow(rowNo);
      if (typeof data.to === 'string') noteState(rowNo, data);
      if (kind === 'row.send' && data.key) sent[rowNo] = fingerprint(data.generation, data.key);
      // Nothing of the new generation was sent yet, and perhaps nothing ever will be. A restored ledger may find a
      // later one.
      if (kind === 'row.retry' || (kind === 'row.doubt' && data.from === 'ready'))
        [sent[rowNo], paid[rowNo], ended[rowNo], reason[rowNo]] = [0, 0, 0, 0];
      if (kind === 'row.complete' || kind === 'row.fail') {
        if (data.cost !== undefined) {
          paid[rowNo] = fingerprint(data.topup_id, data.cost, data.cost_currency);
          paidIn[rowNo] = seq;
        }
        if (typeof data.completed_at === 'number') {
          const failure = failureIn(kind, actor, data);
          const when = [data.completed_at, data.service_status];
          ended[rowNo] = failure ? fingerprint(...when, failure.code) : fingerprint(...when);
          reason[rowNo] = failure ? reasonMark(failure.reason) : 0;
        }
      }
    },
    stateOf: (rowNo) => states[state[rowNo] ?? 0] || null,
    sentOf: (rowNo) => sent[rowNo] ?? 0,
    paidOf: (rowNo) => paid[rowNo] ?? 0,
    paidIn: (rowNo) => paidIn[rowNo] ?? 0,
    endedOf: (rowNo) => ended[rowNo] ?? 0,
    reasonOf: (rowNo) => reason[rowNo] ?? 0,
    intakeStateOf: (rowNo) => states[first[rowNo] ?? 0] || null,
    approvedStateOf: (rowNo) => states[atApproval[rowNo] ?? 0] || null,
  };
}
