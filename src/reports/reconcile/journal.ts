import { subtractAmounts, sumsOf } from '../../core/money/money.ts';
import { dayMs, isoTime } from '../../core/time/clock.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { lateCosts } from '../../ledger/reporting/late-charges.ts';
import { zonesApartMs } from '../../ledger/rows/costs.ts';
import { type BatchCharge, chargesBetween } from '../summary/charges-between.ts';
import { explainWallets, readingSpan, readingsOf, type WalletProof } from './reconcile-wallets.ts';

/** What a batch was charged on one day (UTC) in the currency of one kind of wallet. */
export interface JournalEntry extends BatchCharge {
  /** `2026-11-26`. */
  date: string;
}

export interface Journal {
  /** By day, then by batch. */
  entries: JournalEntry[];
  /** What left the wallets, less what came back, by currency. */
  totals: Record<string, string>;
  /** Late charges that may or may not have been made in this time: they are in no entry. */
  uncertain: number;
  /** What left the wallets between the first and the last reading of the balance in this time, and its explanation. */
  wallets: WalletProof | null;
}

/**
 * The charges and refunds of an account in a time (epoch ms), a day and a batch at a time, by the same rules as the
 * balance proof and the reconciliation.
 */
export async function journalOf(
  view: Queryable,
  asked: { account: string; fromMs: number; toMs: number },
): Promise<Journal> {
  const span = { ...asked, batchId: '' };
  const entries: JournalEntry[] = [];
  for (let fromMs = span.fromMs; fromMs <= span.toMs; ) {
    const dayEnd = (Math.floor(fromMs / dayMs) + 1) * dayMs;
    const toMs = Math.min(dayEnd - 1, span.toMs);
    const { charges } = await chargesBetween(view, { ...span, fromMs, toMs, apartMs: zonesApartMs });
    entries.push(...addedUp(charges).map((charge) => ({ date: dayOf(fromMs), ...charge })));
    fromMs = dayEnd;
  }
  const late = await lateCosts(view, span);
  entries.push(...lateRest(entries, late, dayOf(span.toMs)));
  const uncertain = late.filter(({ isDated }) => !isDated).length;
  return { entries, totals: sumsOf(entries), uncertain, wallets: await walletsOf(view, span) };
}

/** The charges of one batch, kind and currency in one. */
function addedUp(charges: readonly BatchCharge[]): BatchCharge[] {
  const groups = Map.groupBy(charges, ({ batch_id, kind, currency }) => `${batch_id} ${kind} ${currency}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const [amount = '0'] = Object.values(sumsOf(group));
    const payments = group.reduce((sum, one) => sum + one.payments, 0);
    return first === undefined || amount === '0' ? [] : [{ ...first, amount, payments }];
  });
}

/** Late charges that were made in this time, on a day that the service does not say: they are put on the last day. */
function lateRest(
  entries: readonly JournalEntry[],
  late: Awaited<ReturnType<typeof lateCosts>>,
  date: string,
): JournalEntry[] {
  const whole = late
    .filter(({ isDated }) => isDated)
    .map(({ batch_id, cost_currency, cost }) => ({
      ...{ batch_id, kind: 'late' as const, currency: cost_currency, amount: cost, payments: 1 },
    }));
  const known = entries
    .filter(({ kind }) => kind === 'late')
    .map(({ date: _date, ...charge }) => ({ ...charge, amount: subtractAmounts('0', charge.amount), payments: 0 }));
  return addedUp([...whole, ...known]).map((charge) => ({ date, ...charge }));
}

async function walletsOf(
  view: Queryable,
  span: { account: string; batchId: string; fromMs: number; toMs: number },
): Promise<Journal['wallets']> {
  const readings = await readingsOf(view, span);
  const between = readingSpan(readings, false);
  if (between === null) return null;
  const { charges } = await chargesBetween(view, { ...span, ...between });
  return explainWallets(readings, sumsOf(charges));
}

function dayOf(ms: number): string {
  return isoTime(ms).slice(0, 10);
}
