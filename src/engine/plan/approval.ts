import { AirbatchError, type ErrorReason, reasonOf } from '../../core/basics/errors.ts';
import { pagesOf } from '../../core/basics/pages.ts';
import { makeContentDigest } from '../../core/identity/content-digest.ts';
import { compareAmounts, moneyText, sameAmount } from '../../core/money/money.ts';
import { type BatchPolicy, storedPolicy } from '../../core/state/batch-policy.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { Actor } from '../../ledger/actor.ts';
import type { ApprovalRecord } from '../../ledger/batches/approvals.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { pageRows, type RowRecord } from '../../ledger/rows/rows.ts';
import { type RequestedTotals, requestedNow } from './preflight.ts';
import { authorsOf, type Humans, readHumans } from './same-human.ts';

/** The plan that was approved. It is stored with the batch, and the spending is compared with it. */
export interface ApprovedPlan {
  content_sha256: string;
  rows: number;
  products: number;
  /** By currency of the destination, as decimal texts. */
  sums: Record<string, string>;
  /** Whether the policy asked for a second person. */
  asked: boolean;
  /**
   * How much had been spent, by currency, when a person last resumed the batch although it had spent more than
   * approved; left out if nobody did.
   */
  looked?: Record<string, string>;
}

const rowsPerPage = 2_000;

/**
 * Why only another person can do it, by stable code; `OWN_RELEASE`: the released rows make the batch need approval;
 * `TIER_RELEASE`: they make it need more people than have approved it.
 */
export const secondPersonReasons = [
  'OWN_BATCH',
  'OWN_RELEASE',
  'TIER_RELEASE',
  'APPROVED_ALREADY',
  'APPROVAL_NEEDED',
] as const;
export type SecondPersonReason = (typeof secondPersonReasons)[number];

/** Why the policy wants a batch to be approved, by stable code, with what the text of the code names. */
export const approvalReasons = {
  APPROVAL_ALWAYS: ['approvers'],
  APPROVAL_ROWS: ['approvers', 'rows', 'most_rows'],
  APPROVAL_SUM: ['approvers', 'currency', 'amount', 'most_amount'],
  APPROVAL_PRODUCTS: ['approvers'],
} as const;
type ApprovalReason = keyof typeof approvalReasons;

/** How many different people must approve a batch besides its submitter, and why. */
export interface ApprovalNeeded {
  approvers: number;
  why: string;
  /** The same in a form that other languages can tell. */
  reason: ErrorReason;
}

/** How many people must approve the plan: as many as the highest tier that it exceeds asks for; null: nobody must. */
export function approvalNeeded({ approval }: BatchPolicy, plan: RequestedTotals): ApprovalNeeded | null {
  if (approval.needed === 'never') return null;
  for (const tier of approval.tiers.toSorted((a, b) => b.approvers - a.approvers)) {
    const needed = whyAbove(plan, tier, {
      approvers: tier.approvers,
      as: `above which ${tier.approvers} people approve`,
    });
    if (needed !== null) return needed;
  }
  if (approval.needed === 'always')
    return neededFor('APPROVAL_ALWAYS', { approvers: 1 }, 'every batch needs a second person');
  return whyAbove(plan, approval, { approvers: 1, as: 'that go without a second person' });
}

function neededFor<Code extends ApprovalReason>(
  code: Code,
  { approvers, ...values }: Record<(typeof approvalReasons)[Code][number] | 'approvers', string | number>,
  why: string,
): ApprovalNeeded {
  return { approvers: Number(approvers), why, reason: reasonOf(code, { approvers, ...values }) };
}

/** In what the plan exceeds the rows and sums; null if in nothing. */
function whyAbove(
  plan: RequestedTotals,
  { rows, sums }: { rows?: number | undefined; sums: Readonly<Record<string, string>> },
  { approvers, as }: { approvers: number; as: string },
): ApprovalNeeded | null {
  const { toSend } = plan;
  if (rows !== undefined && toSend > rows) {
    const why = `${toSend} rows are more than the ${rows} ${as}`;
    return neededFor('APPROVAL_ROWS', { approvers, rows: toSend, most_rows: rows }, why);
  }
  for (const [currency, value] of Object.entries(plan.sums)) {
    const most = sums[currency];
    if (most !== undefined && compareAmounts(value, most) > 0) {
      const why = `${moneyText(currency, value)} is more than the ${moneyText(currency, most)} ${as}`;
      return neededFor('APPROVAL_SUM', { approvers, currency, amount: value, most_amount: most }, why);
    }
  }
  const isUnpriced = plan.products > 0 && Object.keys(sums).length > 0;
  return isUnpriced
    ? neededFor('APPROVAL_PRODUCTS', { approvers }, 'it buys products, whose prices only the service knows')
    : null;
}

/**
 * Fails with `CONTENT_CHANGED` if the rows in the ledger differ from the validated rows, or from the rows that a person
 * saw.
 */
export async function checkContent(db: Database, batch: BatchRecord, seenDigest: string | null): Promise<string> {
  const digest = makeContentDigest();
  const read = (last: RowRecord | undefined, limit: number) => pageRows(db, batch.batch_id, last?.row_no ?? 0, limit);
  for await (const rows of pagesOf(rowsPerPage, read)) for (const row of rows) digest.add(row);
  const found = digest.hex();
  if (found === batch.content_sha256 && (seenDigest === null || found === seenDigest)) return found;
  throw new AirbatchError(
    'CONTENT_CHANGED',
    `the rows of batch ${batch.batch_id} have changed since they were shown for approval`,
  );
}

/**
 * Fails with `CONTENT_CHANGED` if the plan that a person saw is not what would be sent now: a row that was held then
 * may have been released, which does not change the digest of the rows. Returns what would be sent now. Null for
 * `seen`: any plan is accepted.
 */
export async function checkPlan(
  db: Database,
  batch: BatchRecord,
  seen: RequestedTotals | null,
): Promise<RequestedTotals> {
  const now = await requestedNow(db, batch.batch_id);
  if (seen === null || isSame(now, seen)) return now;
  throw planChanged(batch, `it would send ${planText(now)}, and what was to be approved is ${planText(seen)}`);
}

/** The error for a batch whose plan is no longer the one that a person saw. */
export function planChanged({ batch_id, status }: BatchRecord, what: string): AirbatchError {
  const hint =
    status === 'awaiting_approval'
      ? `Look at it again: "airbatch approve ${batch_id}" shows what it would do now.`
      : 'Nothing was sent: run the file again, and look at what it would do.';
  return new AirbatchError('CONTENT_CHANGED', `batch ${batch_id} has changed meanwhile: ${what}`, { hint });
}

/**
 * The approvals of other people that count for these rows and this plan, one a human. Fails with `SECOND_PERSON_NEEDED`
 * if this person has given one of them already.
 */
export function approvalsByOthers(
  { batch_id }: BatchRecord,
  approvals: readonly ApprovalRecord[],
  {
    content_sha256,
    plan,
    person,
    humans,
  }: { content_sha256: string; plan: RequestedTotals; person: string; humans: Humans },
): ApprovalRecord[] {
  const alike = approvals
    .filter((one) => one.content_sha256 === content_sha256 && isSame(approvedText(one.plan), plan))
    .filter((one, at, all) => !all.slice(0, at).some((earlier) => humans.areOne(earlier.person, one.person)));
  const others = alike.filter((one) => !humans.areOne(one.person, person));
  if (others.length === alike.length) return others;
  const names = alike.filter((one) => !others.includes(one)).map((one) => one.person);
  throw new AirbatchError(
    'SECOND_PERSON_NEEDED',
    `${person} has approved batch ${batch_id} already${asName(names[0] ?? person, person)}`,
    { reason: reasonOf<SecondPersonReason>('APPROVED_ALREADY', { name: names[0] ?? person }) },
  );
}

function approvedText(plan: string): RequestedTotals {
  const { rows: toSend, products, sums } = JSON.parse(plan) as ApprovedPlan;
  return { toSend, products, sums };
}

/** When a batch that waits can no longer be approved (epoch ms); null if that does not happen. */
export function approvalEndsAt({ policy, created_at }: Pick<BatchRecord, 'policy' | 'created_at'>): number | null {
  const days = storedPolicy(policy).approval.expiresAfterDays;
  return days === undefined ? null : created_at + days * dayMs;
}

/** Fails with `APPROVAL_EXPIRED` if the batch has waited for too long to be approved. */
export function requireUnexpired(batch: BatchRecord, now: number): void {
  const endsAt = approvalEndsAt(batch);
  if (endsAt === null || now <= endsAt) return;
  const days = storedPolicy(batch.policy).approval.expiresAfterDays;
  throw new AirbatchError('APPROVAL_EXPIRED', `batch ${batch.batch_id} was submitted more than ${days} days ago`);
}

function isSame(a: RequestedTotals, b: RequestedTotals): boolean {
  if (a.toSend !== b.toSend || a.products !== b.products) return false;
  const currencies = [...Object.keys(a.sums), ...Object.keys(b.sums)];
  return currencies.every((currency) => sameAmount(a.sums[currency] ?? '0', b.sums[currency] ?? '0'));
}

function planText({ toSend, products, sums }: RequestedTotals): string {
  const asked = Object.entries(sums).map(([currency, value]) => moneyText(currency, value));
  if (products > 0) asked.push(products === 1 ? 'a product' : `${products} products`);
  const rows = toSend === 1 ? '1 row' : `${toSend} rows`;
  return asked.length === 0 ? rows : `${rows} (${asked.join(', ')})`;
}

/**
 * Fails with `SECOND_PERSON_NEEDED` if the submitter of a batch, or somebody who has brought or mended its file, does
 * what only another person may do. `code`: of the reason.
 */
export async function requireSecondPerson(
  db: Queryable,
  { policy, batch_id, created_by }: BatchRecord,
  actor: Pick<Actor, 'person' | 'otherNames'>,
  what: string,
  code: SecondPersonReason = 'OWN_BATCH',
): Promise<void> {
  const { approval } = storedPolicy(policy);
  const { person } = actor;
  if (approval.bySubmitter) return;
  const humans = await readHumans(db, actor);
  const name = (await authorsOf(db, { batch_id, created_by })).find((author) => humans.areOne(author, person));
  if (name === undefined) return;
  const did = humans.areOne(name, created_by) ? 'submitted' : 'prepared';
  throw new AirbatchError(
    'SECOND_PERSON_NEEDED',
    `${person} ${did} batch ${batch_id}${asName(name, person)}, and cannot ${what}`,
    { reason: reasonOf(code, { did, name }) },
  );
}

/** Under which other name somebody did something; nothing if it is the same name. */
function asName(name: string, person: string): string {
  return name === person ? '' : ` as ${name}`;
}
