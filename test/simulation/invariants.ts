import { makeContentDigest } from '../../src/core/identity/content-digest.ts';
import { addAmounts, Sums, sameAmount } from '../../src/core/money/money.ts';
import { storedPolicy } from '../../src/core/state/batch-policy.ts';
import { isTerminal } from '../../src/core/state/row-state.ts';
import { paymentNames } from '../../src/engine/payments/payment-request.ts';
import type { ApprovedPlan } from '../../src/engine/plan/approval.ts';
import { pageEvents } from '../../src/ledger/audit/events.ts';
import { type BatchRecord, listBatches, runSoFar } from '../../src/ledger/batches/batches.ts';
import { openPauses } from '../../src/ledger/batches/pauses.ts';
import { countRows } from '../../src/ledger/batches/row-counts.ts';
import type { Database, Queryable } from '../../src/ledger/drivers/database.ts';
import { costsOfBatch } from '../../src/ledger/rows/costs.ts';
import { findPayment } from '../../src/ledger/rows/payments.ts';
import { pageRows, type RowRecord } from '../../src/ledger/rows/rows.ts';
import { auditBatch } from '../../src/operations/audit/audit-rows.ts';
import { allSeen } from './all-seen.ts';
import type { OlderCopy } from './restore.ts';

/** One charge in the service's own log, which shares no code with the engine: the judge. */
export interface JudgedPayment {
  /** The service's id. */
  topupId: string;
  reference: string;
  /** E.164, as the service writes it. */
  number: string;
  /** A decimal, in the one currency of all rows. */
  amount: string;
  /** Epoch milliseconds, by the service's clock. */
  at: number;
  /** True unless the payment failed, and its money was given back. */
  live: boolean;
  cost: string;
  /** World time at which a payment that had failed was completed after all; null: it never failed, or stays so. */
  arrivedAfterAllAt: number | null;
}

/** One webhook that reached the program's door. */
export interface SeenWebhook {
  /** SHA-256 of its body. */
  digest: string;
  /** Whether the service signed it. */
  genuine: boolean;
  isAcknowledged: boolean;
}

/** One request to create, as the transport saw it leave. */
export interface SeenRequest {
  /** What the service is to tell it apart by: the idempotency key (V2), or the reference (V1). */
  key: string;
  reference: string;
  body: string;
  /** Whether the ledger had durably bound this body to this reference by then. */
  intended: boolean;
  /** Whether the process had been told to wait, and the time was not over. */
  throttleWait: boolean;
  /** Whether its process held the account at that moment, as the ledger says. */
  held: boolean;
  /** World time, which no clock set back or forward changes (ms). */
  at: number;
  process: number;
  /** Whether it was answered that nothing is paid. */
  isRefused: boolean;
}

export interface Verdict {
  invariant: string;
  what: string;
}

export interface Judged {
  db: Database;
  rowsByBatch: ReadonlyMap<string, number>;
  payments: readonly JudgedPayment[];
  requests: readonly SeenRequest[];
  webhooks: readonly SeenWebhook[];
  /** When a backup was put back (world time), or null: of what was sent before it the ledger may know nothing. */
  restoredAt: number | null;
  /**
   * Whether the ledger was restored where the service has no list, so that what has failed may be a lost payment.
   */
  isBlind: boolean;
  /**
   * References of payments that a restored ledger can neither list nor look up, since it has no row of them: nobody can
   * compare other rows with them.
   */
  unseen: ReadonlySet<string>;
  olderCopy: OlderCopy | null;
  /** Whether a program has read again what has ended, after all faults. */
  haveReadAgain: boolean;
}

/** The age past which no key is sent (invariant I4). */
const keyAgeMsMax = 23 * 3_600_000;

/** Checks every invariant of the reliability rules that a finished run can show. An empty list is a pass. */
export async function judge(judged: Judged): Promise<Verdict[]> {
  const batches = await listBatches(judged.db, 1_000);
  const rows: { batch: BatchRecord; row: RowRecord }[] = [];
  for (const batch of batches) {
    for (const row of await pageRows(judged.db, batch.batch_id, 0, 1_000_000)) rows.push({ batch, row });
  }
  const groups = await Promise.all([
    paidOnce(judged, rows),
    notPaidAgain(judged),
    allSeen(judged),
    newestLedger(judged),
    notRepeated(judged),
    notCorrected(judged),
    keysAndBodies(judged),
    buckets(judged, batches),
    pauses(judged, batches),
    scheduled(judged, rows),
    money(judged, rows),
    costs(judged, batches, rows),
    chains(judged.db, batches),
    intents(judged),
    patience(judged),
    halted(judged, batches),
    fenced(judged),
    acknowledged(judged),
    approvals(judged, batches, rows),
    slots(judged),
  ]);
  return groups.flat();
}

type Rows = readonly { batch: BatchRecord; row: RowRecord }[];

/** I1, and that what the ledger calls paid or not paid is so at the service. */
async function paidOnce({ db, payments, isBlind, restoredAt }: Judged, rows: Rows): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  const live = new Map<string, number>();
  const reversed = new Set<string>();
  for (const payment of payments) {
    const row = payment.reference.replace(/~[0-9]+$/, '');
    // What failed and arrived after all is I17's: the next payment may have been sent before that.
    if (payment.arrivedAfterAllAt !== null) reversed.add(row);
    else if (payment.live) live.set(row, (live.get(row) ?? 0) + 1);
  }
  for (const [reference, count] of live)
    if (count > 1) faults.push({ invariant: 'I1', what: `${reference} was paid ${count} times` });
  for (const { batch, row } of rows) {
    if (row.row_ref === null || row.status === 'skipped' || row.status === 'held') continue;
    const reference = `${batch.run_id}/${row.row_ref}`;
    const paid = live.get(reference) ?? 0;
    // A further generation may be another file's, in which the row was fed in again.
    const paidHere = payments.filter(
      (one) => one.live && one.arrivedAfterAllAt === null && generationOf(one.reference, reference) <= row.generation,
    );
    if (row.status === 'completed' && paid !== 1 && !reversed.has(reference))
      faults.push({ invariant: 'I1', what: `row ${row.row_no} is completed, and was paid ${paid} times` });
    // What a person has said of it, nobody vouches for but him; that it was not paid again for that is seen above.
    const isSaid = row.failure_code === 'RESOLVED_NOT_PAID';
    // What was lost, no look-up shows, and the service refuses when it is asked again, has failed for all that can be
    // known.
    const isKnown = row.status === 'cancelled' || (row.status === 'failed' && !isBlind && !isSaid);
    if (isKnown && paidHere.length !== 0)
      faults.push({ invariant: 'I1', what: `row ${row.row_no} is ${row.status}, but was paid` });
    // What a lost part of the ledger has paid, its row learns when it is about to be sent: not while its batch is
    // paused.
    if (restoredAt !== null && batch.status === 'paused') continue;
    const { key } = paymentNames(batch, row, row.generation);
    if (row.status === 'ready' && paid !== 0 && (await findPayment(db, key))?.batch_id === row.batch_id)
      faults.push({ invariant: 'I1', what: `row ${row.row_no} is ready to be sent, but was paid` });
  }
  return faults;
}

/**
 * How long the answer that a payment has failed may be trusted: reads of other rows, and waits between them and the
 * request, pass meanwhile.
 */
const trustMsMax = 300_000;

/**
 * I17: nothing pays a person the same again once an earlier payment that had failed has arrived after all. What was on
 * its way by then could not know; and of what a restore lost, or a service without a list does not show, nobody can.
 */
function notPaidAgain({ payments, requests, restoredAt }: Judged): Verdict[] {
  const sentAt = ({ reference, at }: JudgedPayment) =>
    requests.findLast((one) => one.reference === reference)?.at ?? at;
  const lastSent = new Map(payments.map((one) => [one, sentAt(one)]));
  return payments.flatMap((first) => {
    const { arrivedAfterAllAt: arrivedAt } = first;
    if (arrivedAt === null || (restoredAt !== null && (lastSent.get(first) ?? 0) <= restoredAt)) return [];
    // Whether the later one has failed by now does not matter: it was taken, and may arrive as the first one did.
    const again = payments.filter(
      (other) =>
        other !== first &&
        other.number === first.number &&
        (runOf(other) === runOf(first) || sameAmount(other.amount, first.amount)) &&
        Number(lastSent.get(other)) > arrivedAt + trustMsMax,
    );
    return again.map(({ reference }) => ({
      invariant: 'I17',
      what: `${reference} paid again what ${first.reference} had paid`,
    }));
  });
}

/** I18: of what an older copy of the ledger lacks nothing is sent before a person has said that it is one. */
function newestLedger({ requests, olderCopy, restoredAt }: Judged): Verdict[] {
  if (olderCopy === null || restoredAt === null) return [];
  const { lost, saidAt } = olderCopy;
  const isBefore = (at: number) => at >= restoredAt && at < (saidAt ?? Number.POSITIVE_INFINITY);
  return requests
    .filter(({ reference, at }) => lost.has(reference) && isBefore(at))
    .map(({ reference }) => ({ invariant: 'I18', what: `${reference} was sent again from an older copy` }));
}

/** Which generation of the row with this first reference a reference is; infinite where it is another row's. */
function generationOf(reference: string, first: string): number {
  if (reference === first) return 1;
  return reference.startsWith(`${first}~`) ? Number(reference.slice(first.length + 1)) : Number.POSITIVE_INFINITY;
}

/** The days within which the same number is not sent the same under two run ids, unless a person says so. */
const repeatMsMax = 7 * 24 * 3_600_000;

/** Under different run ids nobody is sent the same twice within a week: the guard holds the second for a person. */
function notRepeated({ payments, unseen }: Judged): Verdict[] {
  const live = payments.filter((one) => arrivedAtOnce(one) && !unseen.has(one.reference));
  return live.flatMap((one, index) => {
    const again = live
      .slice(index + 1)
      .find(
        (other) =>
          runOf(other) !== runOf(one) &&
          other.number === one.number &&
          sameAmount(other.amount, one.amount) &&
          Math.abs(other.at - one.at) < repeatMsMax,
      );
    return again ? [{ invariant: 'repeat', what: `${one.reference} and ${again.reference} paid the same` }] : [];
  });
}

/**
 * Each file asks for a number once: whatever was corrected between the files of a run, the number is paid once by it.
 */
function notCorrected({ payments, unseen }: Judged): Verdict[] {
  const seen = payments.filter((one) => arrivedAtOnce(one) && !unseen.has(one.reference));
  const live = seen.map((one) => `${one.number} in ${runOf(one)}`);
  const twice = live.filter((one, index) => live.indexOf(one) < index);
  return twice.map((one) => ({ invariant: 'corrected', what: `the number ${one} was paid more than once` }));
}

/** What failed first is judged by I17: nobody could know that it would arrive. */
function arrivedAtOnce({ live, arrivedAfterAllAt }: JudgedPayment): boolean {
  return live && arrivedAfterAllAt === null;
}

function runOf({ reference }: JudgedPayment): string | undefined {
  return reference.split('/')[0];
}

/** The age from which the service has forgotten a key: one of which every request was refused may begin anew. */
const forgottenAgeMsMin = 25 * 3_600_000;

/** I3 and I4: one key, one body; never sent when it is too old, as far as the ledger can know. */
function keysAndBodies({ requests, payments, restoredAt }: Judged): Verdict[] {
  const faults: Verdict[] = [];
  const first = new Map<string, SeenRequest>();
  const isLost = ({ at }: SeenRequest) => restoredAt !== null && at <= restoredAt;
  const isNew = (request: SeenRequest, known: SeenRequest) =>
    request.at - known.at >= forgottenAgeMsMin &&
    !payments.some(({ reference, at }) => reference === request.reference && at < request.at) &&
    requests.every(({ key, at, isRefused }) => key !== request.key || at < known.at || at >= request.at || isRefused);
  for (const request of requests) {
    const known = first.get(request.key);
    if (!known || (isLost(known) && !isLost(request))) first.set(request.key, request);
    else if (known.body === request.body && isNew(request, known)) first.set(request.key, request);
    else if (known.body !== request.body)
      faults.push({ invariant: 'I3', what: `key ${request.key} was sent with two bodies` });
    else if (request.at - known.at >= keyAgeMsMax)
      faults.push({ invariant: 'I4', what: `key ${request.key} was sent at ${request.at - known.at} ms of age` });
  }
  return faults;
}

/**
 * I2: every request had a durable intent before it, for these very bytes; and nothing was charged that was never sent.
 */
function intents({ requests, payments }: Judged): Verdict[] {
  const faults = requests
    .filter(({ intended }) => !intended)
    .map(({ reference }) => ({ invariant: 'I2', what: `${reference} was sent without a durable intent for its body` }));
  const sent = new Set(requests.map(({ reference }) => reference));
  const unsent = payments
    .filter(({ reference }) => !sent.has(reference))
    .map(({ reference }) => ({ invariant: 'I2', what: `${reference} was charged, and was never seen sent` }));
  return [...faults, ...unsent];
}

/** I11: nobody sends who does not hold the account. */
function fenced({ requests }: Judged): Verdict[] {
  return requests
    .filter(({ held }) => !held)
    .map(({ reference }) => ({
      invariant: 'I11',
      what: `${reference} was sent by a process that no longer held the account`,
    }));
}

/** I10: nothing is created while the service has said to wait. */
function patience({ requests }: Judged): Verdict[] {
  return requests
    .filter(({ throttleWait }) => throttleWait)
    .map(({ reference }) => ({ invariant: 'I10', what: `${reference} was sent while told to wait` }));
}

/** Once an answer has named another payment, nothing more of the batch is sent before a person has looked. */
async function halted({ db }: Judged, batches: readonly BatchRecord[]): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  for (const { batch_id } of batches) {
    let isHalted = false;
    for (const { kind, row_no, body } of await pageEvents(db, batch_id, 0, 1_000_000)) {
      if (kind === 'row.doubt' && body.includes('the answer names')) isHalted = true;
      if (kind === 'batch.resume' || kind === 'batch.reopen') isHalted = false;
      if (kind === 'row.send' && isHalted)
        faults.push({
          invariant: 'halt',
          what: `row ${row_no} of ${batch_id} was sent after an answer with another payment`,
        });
    }
  }
  return faults;
}

/** I5: the buckets add up to the file, and the counts that are kept are those of the rows. */
async function buckets({ db, rowsByBatch }: Judged, batches: readonly BatchRecord[]): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  for (const batch of batches) {
    const rows = await pageRows(db, batch.batch_id, 0, 1_000_000);
    const counted = Object.fromEntries([...(await countRows(db, batch.batch_id))].sort());
    const actual: Record<string, number> = {};
    for (const { status } of rows) actual[status] = (actual[status] ?? 0) + 1;
    const same = JSON.stringify(Object.entries(actual).sort()) === JSON.stringify(Object.entries(counted));
    if (!same)
      faults.push({
        invariant: 'I5',
        what: `batch ${batch.batch_id} counts ${JSON.stringify(counted)}, has ${JSON.stringify(actual)}`,
      });
    if (rows.length !== rowsByBatch.get(batch.batch_id))
      faults.push({ invariant: 'I5', what: `batch ${batch.batch_id} has ${rows.length} rows` });
  }
  return faults;
}

/** Whether the last that happened to a row in doubt is that it was left to a person. */
async function isReviewed(db: Database, { batch_id, row_no }: RowRecord): Promise<boolean> {
  const events = await pageEvents(db, batch_id, 0, 1_000_000);
  const isState = ({ kind }: { kind: string }) => kind === 'row.doubt' || kind === 'row.escalate';
  return events.findLast((event) => event.row_no === row_no && isState(event))?.kind === 'row.escalate';
}

/** I6 and I15: in the end every row is terminal, or waits for a person, of which the chain tells. */
/** A batch is paused while at least one pause of it stands, and only then. */
async function pauses({ db }: Judged, batches: readonly BatchRecord[]): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  for (const batch of batches) {
    const open = (await openPauses(db, batch)).length;
    if ((batch.status === 'paused') !== open > 0)
      faults.push({ invariant: 'pauses', what: `batch ${batch.batch_id} is ${batch.status} with ${open} pauses` });
  }
  return faults;
}

/** Whether the batch is paused for a payment that is not what was asked for: a person has to look. */
export async function isHalted(db: Queryable, batch: BatchRecord): Promise<boolean> {
  return (await openPauses(db, batch)).some(({ reason }) => reason === 'service_mismatch');
}

async function scheduled({ db }: Judged, rows: Rows): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  for (const { batch, row } of rows) {
    if (isTerminal(row.status) || row.status === 'held') continue;
    // A mismatch stops the account until a person has looked: nothing may go on without one.
    if (await isHalted(db, batch)) continue;
    const inReview = row.status === 'in_doubt' && row.next_action_at === null;
    if (inReview && (await isReviewed(db, row))) continue;
    const siblings = (await runSoFar(db, batch.account, batch.run_id)).batches;
    faults.push({
      invariant: 'I15',
      what: `row ${row.row_no} of ${batch.batch_id} (${batch.status}, ${siblings} of its run) is left ${row.status}`,
    });
  }
  return faults;
}

/** I8: what the ledger says was charged is what the service charged, in exact decimals. */
async function money({ db, payments }: Judged, rows: Rows): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  const costs = new Map(payments.filter(({ live }) => live).map(({ reference, cost }) => [reference, cost]));
  let ledger = '0';
  let service = '0';
  for (const { batch, row } of rows) {
    if (row.status !== 'completed') continue;
    const { key, reference } = paymentNames(batch, row, row.generation);
    const cost = costs.get(reference);
    ledger = addAmounts(ledger, row.cost ?? '0');
    service = addAmounts(service, cost ?? '0');
    const payment = await findPayment(db, key);
    if (payment?.batch_id !== row.batch_id)
      faults.push({ invariant: 'I8', what: `row ${row.row_no} is paid by another row's payment` });
  }
  if (!sameAmount(ledger, service))
    faults.push({ invariant: 'I8', what: `the ledger says ${ledger}, the service ${service}` });
  return faults;
}

/**
 * I8: what is kept of each batch's costs, by currency, is the sum of its rows' costs, and of what retried rows had
 * cost before.
 */
async function costs({ db }: Judged, batches: readonly BatchRecord[], rows: Rows): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  for (const batch of batches) {
    const sums = new Sums();
    for (const { row } of rows)
      if (row.batch_id === batch.batch_id && row.cost !== null && row.cost_currency !== null)
        sums.add(row.cost_currency, row.cost);
    const costs = new Map<number, { cost?: string | null; cost_currency?: string | null }>();
    for (const { kind, row_no, body } of await pageEvents(db, batch.batch_id, 0, 1_000_000)) {
      if (row_no === null) continue;
      if (kind === 'row.fail') costs.set(row_no, JSON.parse(body));
      const { cost, cost_currency } = (kind === 'row.retry' && costs.get(row_no)) || {};
      if (cost && cost_currency) sums.add(cost_currency, cost);
    }
    const kept = await costsOfBatch(db, batch.batch_id);
    const ofRows = new Map(Object.entries(sums.toObject()));
    for (const currency of new Set([...kept.keys(), ...ofRows.keys()])) {
      const [sum, cost] = [ofRows.get(currency) ?? '0', kept.get(currency) ?? '0'];
      if (!sameAmount(sum, cost))
        faults.push({
          invariant: 'I8',
          what: `batch ${batch.batch_id} keeps ${currency} ${cost} of costs, its rows have ${sum}`,
        });
    }
  }
  return faults;
}

/**
 * I12: what needed other people was approved by enough different ones, for the rows that were validated, and nothing of
 * it was sent before.
 */
async function approvals({ db }: Judged, batches: readonly BatchRecord[], rows: Rows): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  for (const batch of batches) {
    if (storedPolicy(batch.policy).approval.needed !== 'always') continue;
    const { batch_id: id, approved_by, approved_plan, created_by, content_sha256 } = batch;
    const events = await pageEvents(db, id, 0, 1_000_000);
    const kinds = events.map(({ kind }) => kind);
    const [approved, sent] = [kinds.indexOf('batch.approve'), kinds.indexOf('row.send')];
    if (sent >= 0 && (approved < 0 || approved > sent))
      faults.push({ invariant: 'I12', what: `${id} was sent before it was approved` });
    if (approved_by === created_by) faults.push({ invariant: 'I12', what: `${id} was approved by who submitted it` });
    const given = events.filter(({ kind }) => kind === 'batch.give_approval' || kind === 'batch.approve');
    const people = new Set(given.map(({ actor }) => actor)).size;
    const { rows: sending = 0 } = JSON.parse(events[approved]?.body ?? '{}') as { rows?: number };
    const tier = storedPolicy(batch.policy).approval.tiers.find(({ rows: most = 0 }) => sending > most);
    if (approved >= 0 && people < (tier?.approvers ?? 1))
      faults.push({ invariant: 'I12', what: `${id} was approved by ${people} of ${tier?.approvers} people` });
    const digest = makeContentDigest();
    for (const one of rows) if (one.batch === batch) digest.add(one.row);
    const approvedFor = approved_plan === null ? null : (JSON.parse(approved_plan) as ApprovedPlan).content_sha256;
    const isBound = approvedFor === content_sha256 && digest.hex() === content_sha256;
    if (approvedFor !== null && !isBound)
      faults.push({ invariant: 'I12', what: `${id} was approved for other rows than were validated and sent` });
  }
  return faults;
}

/** I16: a slot that is done has brought its file, and none has brought two. */
async function slots({ db }: Judged): Promise<Verdict[]> {
  const brought = await db.query<{ due_at: number; state: string; files: number }>(
    `SELECT slots.due_at, slots.state, COUNT(job_files.batch_id) AS files FROM slots
     LEFT JOIN job_files ON job_files.job = slots.job AND job_files.due_at = slots.due_at GROUP BY slots.job, slots.due_at`,
  );
  return brought
    .filter(({ state, files }) => files > 1 || (state === 'done' && files === 0))
    .map(({ due_at, state, files }) => ({
      invariant: 'I16',
      what: `the slot of ${due_at} (${state}) has brought ${files} files`,
    }));
}

/** I13: the audit chain of every batch verifies to its head, and the batch and its rows are as it tells. */
async function chains(db: Database, batches: readonly BatchRecord[]): Promise<Verdict[]> {
  // Nobody writes any more, and no process is left by whose steps a snapshot would be taken.
  const still: Database = { ...db, snapshot: (work) => work(db) };
  const faults: Verdict[] = [];
  for (const { batch_id } of batches) {
    const { broken, edited } = await auditBatch(still, batch_id);
    for (const what of [broken ?? [], edited].flat()) faults.push({ invariant: 'I13', what: `${batch_id}: ${what}` });
  }
  return faults;
}

/** I9 and I14: what was acknowledged is in the ledger, and nothing forged was taken. */
async function acknowledged({ db, webhooks }: Judged): Promise<Verdict[]> {
  const faults: Verdict[] = [];
  const kept = await db.query<{ body_digest: string }>('SELECT body_digest FROM inbox');
  const digests = new Set(kept.map(({ body_digest }) => body_digest));
  for (const { digest, genuine, isAcknowledged } of webhooks) {
    if (!genuine && isAcknowledged) faults.push({ invariant: 'I14', what: `a forged webhook was taken: ${digest}` });
    if (genuine && isAcknowledged && !digests.has(digest))
      faults.push({ invariant: 'I9', what: `an acknowledged webhook was lost: ${digest}` });
  }
  return faults;
}
