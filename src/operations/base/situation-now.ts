import { z } from 'zod';
import type { RowState } from '../../core/state/row-state.ts';
import {
  doings,
  holdReasons,
  needGivers,
  needKinds,
  type Situation,
  situationOf,
  situationRows,
} from '../../core/state/situation.ts';
import { isoOrNull } from '../../core/time/clock.ts';
import { waitsForFirstRows } from '../../engine/forecast/can-progress.ts';
import { causeOf } from '../../engine/pacing/account-gate.ts';
import { approvalEndsAt } from '../../engine/plan/approval.ts';
import { approvalsOf } from '../../ledger/batches/approvals.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { openPauses } from '../../ledger/batches/pauses.ts';
import { countContradicted, countPaidTwice } from '../../ledger/reporting/contradictions.ts';
import { countLeftToPerson, countOverdue, nextLookupAt } from '../../ledger/rows/in-flight-rows.ts';
import type { Session } from '../../runtime/session/session.ts';
import type { AccountConfig } from '../../runtime/settings/account-config.ts';
import { roles } from '../../runtime/settings/config-shape.ts';
import { type AccountNow, gateOfBatch, type LedgerNow } from './account-now.ts';
import { time } from './fields.ts';

/**
 * The ledger, and what the situation needs from the configuration: which accounts resume by themselves when they have
 * money again, and where their credentials come from.
 */
export interface WaitsSession extends LedgerNow {
  config: {
    accounts: ReadonlyMap<string, Pick<AccountConfig, 'resumeWhenFunded' | 'credentialsFrom'>>;
    people?: Session['config']['people'];
  };
}

const need = z.strictObject({
  what: z.enum(needKinds),
  from: z.enum(needGivers),
  /** The role of the person who can give it; null if no person can. */
  role: z.enum(roles).nullable(),
  rows: z.int(),
  /** When it is due, or ends; null if that is not known. */
  at: time.nullable(),
});

/** What a batch is doing, what keeps its rows from being sent, and what is needed next from whom. */
export const situation = z.strictObject({
  doing: z.enum(doings),
  /** The first hold must be dealt with first. */
  holds: z.array(z.enum(holdReasons)),
  /** What the batch waits for; null if nobody has to do anything now. */
  next: need.nullable(),
  /** What else is needed and can be given in the meantime. */
  meanwhile: z.array(need),
  /** How many different people have approved a batch that waits for approval, of how many; null for any other. */
  approvals: z.strictObject({ given: z.int(), needed: z.int() }).nullable(),
  rows: situationRows,
});

export function situationJson({
  doing,
  holds,
  next,
  meanwhile,
  approvals,
  rows,
}: Situation): z.output<typeof situation> {
  const [first, ...others] = [next, ...meanwhile].map((one) => one && { ...one, at: isoOrNull(one.at) });
  return { doing, holds, next: first ?? null, meanwhile: others.filter((one) => one !== null), approvals, rows };
}

/**
 * The situation of a batch at this moment. `paidSince` is the number of its failed and invalid rows that later batches
 * have paid. The caller passes it, because counting them means reading all of these rows.
 */
export async function situationNow(
  { db, config, clock }: WaitsSession,
  batch: BatchRecord,
  { counts, account, paidSince = 0 }: { counts: ReadonlyMap<string, number>; account: AccountNow; paidSince?: number },
): Promise<Situation> {
  const { batch_id: id, status } = batch;
  const gate = gateOfBatch(account, batch);
  return situationOf({
    status,
    approvals: {
      given: status === 'awaiting_approval' ? (await approvalsOf(db, id)).length : 0,
      needed: batch.approvals_needed,
      isExpired: (approvalEndsAt(batch) ?? Number.POSITIVE_INFINITY) < clock.now(),
    },
    counts: Object.fromEntries(counts) as Partial<Record<RowState, number>>,
    pauses: (await openPauses(db, batch)).map(({ reason }) => reason),
    leftToPerson: counts.has('in_doubt') ? await countLeftToPerson(db, id) : 0,
    lookupAt: counts.has('in_doubt') ? await nextLookupAt(db, id, clock.now()) : null,
    overdue: counts.has('accepted') ? await countOverdue(db, id) : 0,
    waitsForFirstRows: waitsForFirstRows(batch, counts),
    contradicted: counts.has('failed') ? await countContradicted(db, id) : 0,
    paidTwice: await countPaidTwice(db, id),
    paidSince,
    isWorkedOn: account.worker !== null,
    throttledUntil: causeOf(gate, 'throttled')?.until ?? null,
    isUnreachable: causeOf(gate, 'unreachable') !== null,
    isListUnread: account.isListUnread && counts.has('ready'),
    resumesWhenFunded: config.accounts.get(batch.account)?.resumeWhenFunded ?? false,
  });
}
