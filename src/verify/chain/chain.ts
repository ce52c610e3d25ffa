import { hash as digest, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ownLines } from '../input/files.ts';
import { doubleMeaning, type Findings } from '../input/findings.ts';
import type { Manifest } from '../input/manifest.ts';
import { makeActiveTime } from './active-time.ts';
import { type FailedCharges, makeFailedCharges } from './failed-charges.ts';
import { failureIn, messagesOf } from './reasons.ts';
import { type Refund, refundIn } from './refunds.ts';
import { makeSendings, type Sendings } from './sendings.ts';

interface Event {
  batch_id: string;
  seq: number;
  at: number;
  actor: string;
  kind: string;
  row_no: number | null;
  /** JSON of an object. */
  body: string;
  hash: string;
}

/** What was done to the batch as a whole. */
export interface Act {
  actor: string;
  /** Epoch milliseconds. */
  at: number;
  data: Record<string, unknown>;
}

/** What the chain says of the batch as a whole: the last act of each kind, null where there was none. */
export interface BatchFacts {
  received: Act | null;
  validated: Act | null;
  approved: Act | null;
  /** When it began, for the first time. */
  started: Act | null;
  completed: Act | null;
  /** When a person last gave it another place among the batches of its account. */
  reordered: Act | null;
  /** When a person last said where its service has moved to. */
  moved: Act | null;
  /** When what names persons was taken out of the rows. */
  forgotten: Act | null;
  /** The state after the last change. */
  status: string | null;
}

/** A version of the reports that was given out. */
export interface PublishedVersion {
  version: number;
  /** Epoch milliseconds. */
  at: number;
  /** Its place in the chain, and its hash. */
  seq: number;
  hash: string;
}

/** What the chain says of each row, by row number. Flat memory: a few bytes a row. */
export interface ChainFacts extends Omit<Sendings, 'note'> {
  batch: BatchFacts;
  /** When its last event was (epoch ms). */
  lastAt: number | null;
  /**
   * Where the chain went on to after its end, by the latest head that was put outside: see `walkChain`. Null where
   * none tells of that.
   */
  wentOnTo: number | null;
  /** The versions of the reports that were given out, in their order: chains of before do not tell them. */
  published: PublishedVersion[];
  /** The hashes of the events that were asked for, by their place in the chain. */
  heads: Map<number, string>;
  /** The state after the row's last change, or null where the chain has none. */
  stateOf(rowNo: number): string | null;
  /** `fingerprint` of generation and key of the last request, or 0. */
  sentOf(rowNo: number): number;
  /** `fingerprint` of the service's id and cost as the row ended, or 0. */
  paidOf(rowNo: number): number;
  /**
   * `fingerprint` of when the row ended, the service's last word of it and its failure code (where the chain tells
   * one), or 0: chains of before do not tell it.
   */
  endedOf(rowNo: number): number;
  /** `reasonMark` of why the row ended as it did, or 0 where the chain does not tell it. */
  reasonOf(rowNo: number): number;
  /** The state that intake gave the row, or null where no event tells of the row. */
  intakeStateOf(rowNo: number): string | null;
  /** The state in which the row was when its batch was approved, or null where no event tells of the row. */
  approvedStateOf(rowNo: number): string | null;
  /**
   * The first money given back for the row's own payment, of which `topupId` is the service's id or empty; null where
   * there was none.
   */
  refundOf(rowNo: number, topupId: string): Refund | null;
  /** Whether the service was seen to give this status to a payment of the row after the row had ended. */
  wasSaidLate(rowNo: number, serviceStatus: string): boolean;
  /** How long payments were sent or followed (ms). */
  activeMs(): number;
  /** The money of payments that failed. */
  failed: Pick<FailedCharges, 'earlier' | 'earlierBack' | 'backBy'>;
}

const file = 'events.jsonl';

/**
 * Walks the audit chain from its first event to the head that the manifest names: each hash must follow from the one
 * before and from all that its event says, so that none was changed, left out, added or moved. `wanted` are the places
 * of which the hash is kept. `outside` are the places of the heads that the reports did not bring themselves: a chain
 * that ends in one of these, but for reports that were given out then, is whole as far as it goes, and later ones tell
 * where it went on to; any other was cut short. Null where it is the chain of another batch, with which nothing is to
 * be compared.
 */
export async function walkChain(
  dir: string,
  manifest: Manifest,
  findings: Findings,
  {
    anchored,
    outside,
    wanted,
  }: { anchored: ReadonlyMap<number, string>; outside: ReadonlySet<number>; wanted: ReadonlySet<number> },
): Promise<ChainFacts | null> {
  const facts = makeFacts();
  let previous = '0'.repeat(64);
  let seq = 0;
  let isAtHead = false;
  for await (const lines of ownLines(join(dir, file)))
    for (const line of lines) {
      seq += 1;
      const event = eventOf(line, seq);
      const { batch_id, at, actor, kind, row_no, body, hash } = event;
      if (seq === 1 && batch_id !== manifest.batch_id) {
        findings.add(file, `is the chain of another batch, ${batch_id}.`);
        return null;
      }
      if (line !== JSON.stringify({ batch_id, seq: event.seq, at, actor, kind, row_no, body, hash }))
        findings.add(file, `line ${seq} ${doubleMeaning}`);
      const text = JSON.stringify([batch_id, event.seq, at, actor, kind, row_no, body]);
      const expected = digest('sha256', previous + text);
      if (event.seq !== seq)
        findings.add(file, `line ${seq} has event ${event.seq}: events are missing, added or moved.`);
      else if (batch_id !== manifest.batch_id) findings.add(file, `event ${seq} is of another batch.`);
      else if (hash !== expected)
        findings.add(file, `event ${seq} does not follow from the one before it: it was changed.`);
      previous = hash;
      if ((anchored.get(seq) ?? hash) !== hash)
        findings.add(file, `event ${seq} is not the one that was anchored: the chain was written anew.`);
      // That reports were given out is no reason to put another head outside.
      isAtHead = outside.has(seq) || (isAtHead && kind === 'batch.report');
      const data = objectOf(body);
      if (body !== JSON.stringify(data)) findings.add(file, `the body of event ${seq} ${doubleMeaning}`);
      if (kind === 'batch.report') facts.published.push({ version: Number(data.version), at, seq, hash });
      if (wanted.has(seq)) facts.heads.set(seq, hash);
      noteEvent(facts, { ...event, data });
    }
  for (const events of anchored.keys())
    if (events > seq && isAtHead && outside.has(events)) facts.wentOnTo = Math.max(facts.wentOnTo ?? 0, events);
    else if (events > seq)
      findings.add(
        file,
        `was cut short, or is of an older version: ${events} events were anchored, and it has ${seq}.`,
      );
  if (seq !== manifest.audit.events)
    findings.add(file, `has ${seq} events; the manifest says ${manifest.audit.events}.`);
  if (previous !== manifest.audit.head) findings.add(file, 'does not end in the head that the manifest names.');
  return facts;
}

/** By hand, as there are millions of them: a general checker of shapes takes longer than all hashes together. */
function eventOf(line: string, seq: number): Event {
  const event = objectOf(line) as unknown as Event;
  const { batch_id, at, actor, kind, row_no, body, hash } = event;
  const isEvent =
    [batch_id, actor, kind, body, hash].every((text) => typeof text === 'string') &&
    [event.seq, at].every((number) => Number.isInteger(number)) &&
    (row_no === null || (Number.isInteger(row_no) && row_no > 0 && row_no < rowNoMax));
  if (!isEvent) throw new Error(`line ${seq} is no event`);
  return event;
}

/** Beyond any file: a row number is a place in memory here, and must not ask for all of it. */
const rowNoMax = 2 ** 28;

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${json} is no object`);
  return value as Record<string, unknown>;
}

export const rowStates = [
  'invalid',
  'skipped',
  'held',
  'ready',
  'sending',
  'accepted',
  'in_doubt',
  'completed',
  'failed',
  'cancelled',
] as const;
/** 0 stands for no state. */
const states: readonly string[] = ['', ...rowStates];

/** The acts that reports must tell of as the chain does. */
const actOfKind: Record<string, Exclude<keyof BatchFacts, 'status'>> = {
  'batch.received': 'received',
  'batch.validate': 'validated',
  'batch.approve': 'approved',
  'batch.start': 'started',
  // Where it was paused before it began.
  'batch.resume': 'started',
  'batch.complete': 'completed',
  'batch.reorder': 'reordered',
  'batch.service_moved': 'moved',
  'batch.forget': 'forgotten',
};

/** Takes down what an event tells of its row, or of the batch as a whole. */
export function noteEvent(
  facts: GatheredFacts,
  { row_no, kind, actor, at, data }: Pick<Event, 'row_no' | 'kind'> & Act,
): void {
  facts.lastAt = at;
  if (row_no !== null) facts.note(row_no, kind, { actor, at, data });
  else noteAct(facts.batch, kind, { actor, at, data });
}

function noteAct(batch: BatchFacts, kind: string, act: Act): void {
  const name = actOfKind[kind];
  if (name === 'started') batch.started ??= act;
  else if (name !== undefined) batch[name] = act;
  if (kind === 'batch.received') batch.status = 'received';
  if (typeof act.data.to === 'string') batch.status = act.data.to;
}

/**
 * What the acts of a batch say of it, by the name of each: times as ISO 8601 with milliseconds, null where there is
 * nothing, undefined where they do not say it, so that nothing is to be compared.
 */
export function stateFromEvents({
  received,
  validated,
  approved,
  started,
  completed,
  reordered,
  moved,
  forgotten,
  status,
}: BatchFacts) {
  const time = (act: Act | null) => act && new Date(act.at).toISOString();
  return {
    'the run': received?.data.run_id,
    'the account': received?.data.account,
    'the service': moved?.data.to ?? received?.data.service,
    'the digest of the file': received?.data.file_sha256,
    'who submitted it': received?.data.created_by,
    'when it was submitted': time(received),
    'the digest of the rows': validated ? validated.data.content_sha256 : null,
    'who approved it': approved === null ? null : approved.actor,
    'when it was approved': time(approved),
    'when it was to be done': timeSaid((reordered ?? received)?.data.finish_by),
    'when it began': time(started),
    'when it ended': status === 'completed' ? time(completed) : null,
    'the balance before it': approved?.data.balance,
    'the balance after it': completed?.data.balance,
    'when the balance before it was read': timeSaid(approved?.data.balance_read_at),
    'when the balance after it was read': timeSaid(completed?.data.balance_read_at),
    'when whom it paid was forgotten': time(forgotten),
    'its state': status,
  };
}

/** A time that an event says as epoch milliseconds: see `stateFromEvents`. */
function timeSaid(at: unknown): string | null | undefined {
  return typeof at === 'number' ? new Date(at).toISOString() : at === null ? null : undefined;
}

const placeOf = (state: unknown) => (typeof state === 'string' ? Math.max(0, states.indexOf(state)) : 0);

/** The facts of a chain while its events are gone through. */
interface GatheredFacts extends ChainFacts {
  note(rowNo: number, kind: string, act: Act): void;
}

export function makeFacts(): GatheredFacts {
  const batch: BatchFacts = {
    received: null,
    validated: null,
    approved: null,
    started: null,
    completed: null,
    reordered: null,
    moved: null,
    forgotten: null,
    status: null,
  };
  let [state, first, atApproval] = [new Uint8Array(1_024), new Uint8Array(1_024), new Uint8Array(1_024)];
  let sent = new Uint32Array(1_024);
  let paid = new Uint32Array(1_024);
  let [ended, reason] = [new Uint32Array(1_024), new Uint32Array(1_024)];
  const sendings = makeSendings();
  // Few rows have their money given back.
  const refunds = new Map<number, Refund[]>();
  const saidLate = new Set<string>();
  const failed = makeFailedCharges();
  const active = makeActiveTime();
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
    batch,
    lastAt: null,
    wentOnTo: null,
    published: [],
    heads: new Map(),
    note(rowNo, kind, { actor, at, data }) {
      if (rowNo >= state.length) grow(rowNo);
      if (typeof data.to === 'string') noteState(rowNo, data);
      sendings.note(rowNo, kind, at, data);
      failed.note(rowNo, kind, at, data);
      active.note(rowNo, kind, at);
      // What came back until then was an earlier payment's.
      if (kind === 'row.retry') refunds.delete(rowNo);
      if (kind === 'row.send' && data.key) sent[rowNo] = fingerprint(data.generation, data.key);
      // Nothing of the generation that this opens was sent yet, and perhaps nothing ever is; a restored ledger finds a
      // later one.
      if (kind === 'row.retry' || (kind === 'row.doubt' && data.from === 'ready'))
        [sent[rowNo], paid[rowNo], ended[rowNo], reason[rowNo]] = [0, 0, 0, 0];
      if (kind === 'row.complete' || kind === 'row.fail') {
        if (data.cost !== undefined) paid[rowNo] = fingerprint(data.topup_id, data.cost, data.cost_currency);
        if (typeof data.completed_at === 'number') {
          const failure = failureIn(kind, actor, data);
          const when = [data.completed_at, data.service_status];
          ended[rowNo] = failure ? fingerprint(...when, failure.code) : fingerprint(...when);
          reason[rowNo] = failure ? reasonMark(failure.reason) : 0;
        }
      }
      if (kind === 'row.contradicted' || kind === 'row.changed_late') {
        saidLate.add(`${rowNo} ${data.service_status}`);
        saidLate.add(`${rowNo} topup ${data.topup_id}`);
      }
      const refund = refundIn(kind, at, data);
      if (refund !== null) refunds.set(rowNo, [...(refunds.get(rowNo) ?? []), refund]);
    },
    stateOf: (rowNo) => states[state[rowNo] ?? 0] || null,
    sentOf: (rowNo) => sent[rowNo] ?? 0,
    attemptsOf: sendings.attemptsOf,
    firstSentOf: sendings.firstSentOf,
    mayBear: sendings.mayBear,
    paidOf: (rowNo) => paid[rowNo] ?? 0,
    endedOf: (rowNo) => ended[rowNo] ?? 0,
    reasonOf: (rowNo) => reason[rowNo] ?? 0,
    intakeStateOf: (rowNo) => states[first[rowNo] ?? 0] || null,
    approvedStateOf: (rowNo) => states[atApproval[rowNo] ?? 0] || null,
    refundOf: (rowNo, topupId) =>
      refunds.get(rowNo)?.find((one) => one.topupId === null || topupId === '' || one.topupId === topupId) ?? null,
    wasSaidLate: (rowNo, serviceStatus) => saidLate.has(`${rowNo} ${serviceStatus}`),
    activeMs: active.total,
    failed,
  };
}

/** Stands for the words of a reason; most rows end without any, for which nothing need be digested. Never 0. */
export function reasonMark(reason: string): number {
  return reason === '' ? 1 : fingerprint(messagesOf(reason));
}

/**
 * Of each process its own: else whoever forges could look for other facts that have the same 32 bits. Short, for one
 * block of the digest.
 */
const salt = randomBytes(5).toString('base64url');

/** 32 bits of a digest, never 0: enough to see that one row's facts differ, in four bytes a row. */
export function fingerprint(...facts: unknown[]): number {
  let text = salt;
  for (const fact of facts) text += `|${fact ?? ''}`;
  return Number.parseInt(digest('sha256', text).slice(0, 8), 16) || 1;
}
