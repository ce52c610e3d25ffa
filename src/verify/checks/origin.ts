import type { ChainFacts } from '../chain/chain-facts.ts';
import type { Refund } from '../chain/refunds.ts';
import { stateFromEvents } from '../chain/state-from-events.ts';
import { ExactSums, lesser, rest } from '../input/decimal.ts';
import type { Findings } from '../input/findings.ts';
import type { Manifest } from '../input/manifest.ts';
import { type ResultRow, resultRows } from '../input/rows.ts';
import { ContentDigest } from './content.ts';
import type { Summary } from './summary.ts';

/** The column of results.csv with the text messages, if any row has one. */
const messageColumn = 'sms_message';

const wholeNumber = /^'?\+\d{7,15}$/;

/** Totals of the rows as they were when the batch was validated and approved, collected while the rows are read. */
export class OriginTotals {
  readonly digest = new ContentDigest(messageColumn);
  /** Rows by the state that intake gave them. */
  readonly intake = new Map<string, number>();
  /** Rows that were ready when the batch was approved, and their amounts. */
  approvedRows = 0;
  readonly approvedSums = new ExactSums();
  /** Completed rows that were refunded, and the amounts. */
  refundedRows = 0;
  readonly refunds = new ExactSums();
  /** The refunds of their costs before the wallets were read for the second time. */
  readonly refundsByReading = new ExactSums();
  /** The costs of rows that had been sent before the wallets were read for the first time. */
  readonly sentBefore = new ExactSums();
  /** Charges that are in no row's cost, less their refunds, between the two readings of the wallets. */
  readonly late = new ExactSums();
  /** Late charges that may have been in that time or not, by currency; and each of them, by `nameOfCharge`. */
  readonly undated = new ExactSums();
  readonly undatedCharges = new ExactSums();
  /** The first row with a whole phone number, or null. */
  firstNamed: number | null = null;
  readonly #chain: ChainFacts;
  readonly #readFirst: number;
  readonly #readAt: number;

  constructor(chain: ChainFacts, { before_read_at, after_read_at }: Summary['balance']) {
    this.#chain = chain;
    // NaN if the wallets were not read.
    this.#readFirst = Date.parse(before_read_at ?? '');
    this.#readAt = Date.parse(after_read_at ?? '');
  }

  add(row: ResultRow, rowNo: number): void {
    const { status = '', amount, currency } = row;
    this.digest.add(row);
    if (this.firstNamed === null && wholeNumber.test(row.phone_number ?? '')) this.firstNamed = rowNo;
    const first = this.#chain.intakeStateOf(rowNo) ?? status;
    this.intake.set(first, (this.intake.get(first) ?? 0) + 1);
    if ((this.#chain.approvedStateOf(rowNo) ?? status) === 'ready') {
      this.approvedRows += 1;
      if (amount && currency) this.approvedSums.add(currency, amount);
    }
    if (status === 'completed') this.#addRefund(row, rowNo);
    if (row.cost && Date.parse(row.first_sent_at ?? '') < this.#readFirst)
      this.sentBefore.add(row.cost_currency ?? '', row.cost);
    this.#addLate(row, rowNo);
  }

  /** The row may count a part of the charge, or all of it, as its cost. */
  #addLate({ topup_id, cost: own, cost_currency }: ResultRow, rowNo: number): void {
    const isThen = (time: number) => time >= this.#readFirst && time <= this.#readAt;
    for (const { topupId, cost, currency, at, from, refund } of this.#chain.lateOf(rowNo)) {
      const counted = own && topup_id === topupId && cost_currency === currency ? own : '0';
      const late = rest(cost, counted);
      if (from === null) {
        if (isThen(at)) this.late.add(currency, late);
      } else if (at >= this.#readFirst && from <= this.#readAt) {
        const isDated = isThen(at) && isThen(from);
        const name = nameOfCharge({ row: rowNo, topup_id: String(topupId), currency });
        for (const [sums, key] of isDated
          ? [[this.late, currency] as const]
          : [[this.undated, currency] as const, [this.undatedCharges, name] as const]) {
          sums.add(key, cost);
          sums.subtract(key, counted);
        }
      }
      if (refund && isThen(refund.at)) this.late.subtract(currency, lesser(refund.amount, late));
    }
  }

  #addRefund(row: ResultRow, rowNo: number): void {
    const refund = this.#chain.refundOf(rowNo, row.topup_id ?? '');
    if (refund === null) return;
    this.refundedRows += 1;
    if (refund.amount === 'cost') {
      if (row.cost) this.refunds.add(row.cost_currency ?? '', row.cost);
    } else if (refund.amount !== null) this.refunds.add(refund.currency, refund.amount);
    this.#addToWallets(row, refund);
  }

  /** A refund counts only as a part of the charge, in the same currency. */
  #addToWallets({ cost, cost_currency = '', refunded_at = '' }: ResultRow, { at, amount, currency }: Refund): void {
    // Chains of old program versions do not say when the refund was; the row does.
    if (!((at ?? Date.parse(refunded_at)) <= this.#readAt) || !cost || amount === null) return;
    if (amount === 'cost') this.refundsByReading.add(cost_currency, cost);
    else if (currency === cost_currency) this.refundsByReading.add(cost_currency, lesser(amount, cost));
  }
}

/** The name of a late charge. */
export function nameOfCharge({ row, topup_id, currency }: { row: number; topup_id: string | null; currency: string }) {
  return `${row} ${topup_id} ${currency}`;
}

interface Origin {
  dir: string;
  manifest: Manifest;
  summary: Summary;
  chain: ChainFacts;
  totals: OriginTotals;
}

/**
 * The reports must agree with what the chain recorded at the time: who submitted and approved which file under which
 * run, which rows were validated, and what was refunded. Somebody may have edited the ledger from which reports are
 * made, but not the chain. Returns whether the rows differ from those that were validated, if that can be known.
 */
export async function checkOrigin(origin: Origin, findings: Findings): Promise<boolean> {
  checkStated(origin, findings);
  checkApprovals(origin, findings);
  checkBalance(origin, findings);
  checkIntakeCounts(origin, findings);
  checkApprovedSums(origin, findings);
  checkRefunds(origin, findings);
  const before = findings.count;
  await checkContent(origin, findings);
  return findings.count > before;
}

/** A retry opens a batch again: until it has ended, its reports do not show the balance at its earlier end. */
function reportFacts({ batch }: ChainFacts) {
  const chainState = stateFromEvents(batch);
  const unread = { 'the balance after it': null, 'when the balance after it was read': null };
  return chainState['its state'] === 'completed' ? chainState : { ...chainState, ...unread };
}

/**
 * Compares the texts of summary.json with the event that recorded them. What the event does not record is not compared.
 */
function checkStated({ summary, chain }: Origin, findings: Findings): void {
  const chainState = reportFacts(chain);
  const pairs: [what: keyof typeof chainState, said: string | null][] = [
    ['the run', summary.run_id],
    ['the account', summary.account],
    ['the service', summary.service],
    ['the digest of the file', summary.input_sha256],
    ['who submitted it', summary.created_by],
    ['when it was submitted', summary.times.created_at],
    ['the digest of the rows', summary.content_sha256],
    ['who approved it', summary.approved_by],
    ['when it was approved', summary.times.approved_at],
    ['when it was due', summary.times.finish_by ?? null],
    ['when it began', summary.times.started_at],
    ['when it ended', summary.times.completed_at],
    ['when the balance before it was read', summary.balance.before_read_at],
    ['when the balance after it was read', summary.balance.after_read_at],
    ['its state', summary.status],
  ];
  for (const [what, said] of pairs) {
    const expected = chainState[what];
    if (expected === undefined || said === expected) continue;
    findings.add('summary.json', `has ${said ?? 'nothing'} as ${what}; the audit chain says ${expected ?? 'nothing'}.`);
  }
}

/**
 * Who approved the batch, as the chain says; and if other people were asked, whether enough different people approved
 * the same.
 */
function checkApprovals({ summary, chain: { batch } }: Origin, findings: Findings): void {
  const given = batch.approvals.map(({ actor, at }) => ({ person: actor, at: new Date(at).toISOString() }));
  const said = summary.approvals;
  // The chain has the order in which they were written, which may differ from that of the clocks of two machines.
  const asSet = (some: readonly { person: string; at: string }[]) =>
    some.map(({ person, at }) => `${at} ${person}`).sort();
  if (said !== undefined && JSON.stringify(asSet(said.given)) !== JSON.stringify(asSet(given)))
    findings.add('summary.json', 'has other approvals than the audit chain.');
  // An approval is asked for again when rows are released, and the chain then has the number with the next approval.
  if (said !== undefined && batch.approved !== null && said.needed !== batch.approvalsNeeded)
    findings.add('summary.json', `needs ${said.needed} approvals; the audit chain says ${batch.approvalsNeeded}.`);
  const people = new Set(given.map(({ person }) => person)).size;
  if (batch.approved !== null && people < batch.approvalsNeeded)
    findings.add('events.jsonl', `has ${people} of ${batch.approvalsNeeded} approvals by different people.`);
}

/** Compares the wallets before and after with the balances recorded when the batch was approved and when it ended. */
function checkBalance({ summary, chain }: Origin, findings: Findings): void {
  const { 'the balance before it': before, 'the balance after it': after } = reportFacts(chain);
  for (const [when, chainState] of [['before', before] as const, ['after', after] as const]) {
    if (chainState === undefined) continue;
    const expected = new Map(chainState === null ? [] : Object.entries(JSON.parse(String(chainState))));
    const wallets = new Map(summary.balance.wallets.map((wallet) => [wallet.wallet_id, wallet]));
    for (const id of new Set([...expected.keys(), ...wallets.keys()])) {
      const [said, held] = [wallets.get(id)?.[when] ?? null, expected.get(id) ?? null];
      if (said === held) continue;
      const message = `has ${said ?? 'nothing'} in wallet ${id} ${when} the batch; the audit chain says ${held ?? 'nothing'}.`;
      findings.add('summary.json', message);
    }
  }
}

function checkIntakeCounts({ chain, totals, summary }: Origin, findings: Findings): void {
  const said = chain.batch.validated?.data ?? {};
  if (typeof said.rows === 'number' && said.rows !== summary.rows.total)
    findings.add(
      'summary.json',
      `counts ${summary.rows.total} rows; the audit chain says that ${said.rows} were read.`,
    );
  const states = { valid: 'ready', invalid: 'invalid', held: 'held', skipped: 'skipped' };
  for (const [name, state] of Object.entries(states)) {
    const [expected, found] = [said[name], totals.intake.get(state) ?? 0];
    if (typeof expected !== 'number' || expected === found) continue;
    const message = `has ${found} rows that were ${state} when the file was read; the audit chain says ${expected}.`;
    findings.add('results.csv', message);
  }
}

/**
 * If a row was released or held between the preview and the approval, the plan is about other rows, and has another
 * count.
 */
function checkApprovedSums({ chain, totals }: Origin, findings: Findings): void {
  const { rows, sums } = chain.batch.approved?.data ?? {};
  if (typeof sums !== 'string' || rows !== totals.approvedRows) return;
  const approved = new ExactSums();
  for (const [currency, value] of Object.entries(JSON.parse(sums))) approved.add(currency, String(value));
  for (const currency of approved.differences(totals.approvedSums))
    findings.add('results.csv', `has another sum in ${currency} than the one that was approved.`);
}

function checkRefunds({ summary: { refunded }, totals }: Origin, findings: Findings): void {
  if (refunded.rows !== totals.refundedRows) {
    const message = `counts ${refunded.rows} refunded rows; the audit chain has ${totals.refundedRows}.`;
    findings.add('summary.json', message);
  }
  const said = new ExactSums();
  for (const [currency, value] of Object.entries(refunded.amounts)) said.add(currency, value);
  for (const currency of said.differences(totals.refunds))
    findings.add('summary.json', `has another sum of ${currency} refunded than the audit chain.`);
}

/** The digest of the rows, computed again, must be the one that was validated and approved. */
async function checkContent({ dir, manifest, chain, totals }: Origin, findings: Findings): Promise<void> {
  const { validated, approved, forgotten } = chain.batch;
  if (approved === null) findings.note('The batch was never approved: there is no approval to compare its rows with.');
  const digests = { validated: validated?.data.content_sha256, approved: approved?.data.content_sha256 };
  if (typeof digests.validated !== 'string') {
    findings.note('The chain has no digest of the rows, so it was not checked whether they are those of the file.');
    return;
  }
  const hidden = manifest.masked ? 'are masked' : forgotten ? 'no longer name people' : null;
  if (hidden !== null) {
    // In masked or forgotten reports, a whole number could be any: nothing would be compared with it.
    if (totals.firstNamed !== null)
      findings.add(
        'results.csv',
        `row ${totals.firstNamed} has a phone number, although the rows ${hidden}: nothing proves it.`,
      );
    findings.note(`The rows ${hidden}: their digest was not checked against the chain; counts and sums were.`);
    return;
  }
  const found = totals.digest.hex();
  for (const [act, expected] of Object.entries(digests)) {
    if (typeof expected !== 'string' || expected === found) continue;
    if (await hasDigest(dir, expected)) continue;
    findings.add(
      'results.csv',
      `has other rows than were ${act}: their digest is not that of the audit chain. A digest cannot show which row differs.`,
    );
  }
}

/**
 * Whether the rows have this digest if the messages are taken from one of the file's own columns, the only place where
 * old reports have them.
 */
async function hasDigest(dir: string, expected: string): Promise<boolean> {
  const digests: ContentDigest[] = [];
  let isFirst = true;
  for await (const row of resultRows(dir)) {
    if (isFirst && messageColumn in row) return false;
    if (isFirst)
      for (const name of Object.keys(row)) if (name.startsWith('input_')) digests.push(new ContentDigest(name));
    isFirst = false;
    for (const digest of digests) digest.add(row);
  }
  return digests.some((digest) => digest.hex() === expected);
}
