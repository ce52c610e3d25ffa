import { isSameService } from '../../core/identity/service-name.ts';
import { addAmounts, type Money, multiplyAmount, Sums, subtractAmounts } from '../../core/money/money.ts';
import { type PlacedUnusualAmount, unusualAmounts, unusualLinesMax } from '../../core/money/unusual-amounts.ts';
import { type BatchState, openStates } from '../../core/state/batch-state.ts';
import type { Balance, BalanceOutcome } from '../../gateway/contract/gateway.ts';
import { type BatchRecord, openBatches } from '../../ledger/batches/batches.ts';
import {
  mostToOneNumber,
  type RequestedAmount,
  type RequestedOfNetwork,
  type RequestedProduct,
  readyAmounts,
  readyByNetwork,
  readyProducts,
  releasedAmounts,
  rowsAsking,
} from '../../ledger/batches/requested-amounts.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import type { RowRecord } from '../../ledger/rows/rows.ts';
import type { PaceAhead } from '../forecast/forecast.ts';
import { type PlannedFinish, plannedFinish } from '../forecast/planned-finish.ts';
import { batchesBefore, sendingOf } from '../forecast/sending.ts';

/** How much is missing in the wallets, and how much of the need comes from the account's other batches (null: none). */
export interface Shortfall {
  currency: string;
  missing: string;
  others: string | null;
}

/** What the rows to send ask for at one network. Products are in no sum. */
export interface NetworkTotals {
  networkId: number | null;
  /** "" if the catalog does not say. */
  name: string;
  /** Of the numbers. */
  country: string | null;
  rows: number;
  /** By currency of the destination. */
  sums: Record<string, string>;
}

/** The figures that a person sees before anything is sent. */
export interface Preflight {
  /** Rows by state; they add up to the rows of the file. */
  counts: Record<string, number>;
  rows: number;
  /** Rows that would be sent. */
  toSend: number;
  /** Rows to send that failed before and are retried. */
  again: number;
  /** The sums of the rows to send, by currency of the destination, without products. */
  sums: Record<string, string>;
  /** The same by network, the network with most rows first. */
  networks: NetworkTotals[];
  /** Rows to send that buy a product. */
  products: number;
  /** What the products cost by the catalog, by currency of the destination, on top of `sums`. */
  productSums: Record<string, string>;
  /** Rows to send that buy a product without a price in the catalog: their cost is in no sum. */
  productsUnpriced: number;
  /** Rows to send whose text message the service replaces with its own (V1). */
  textsLost: number;
  /** Amounts that a person should check before they are paid, with some of their rows and lines in the file. */
  unusual: (PlacedUnusualAmount & { rows: number[] })[];
  balance: Balance | null;
  /** Why the balance could not be read; null if it was. */
  balanceTrouble: string | null;
  /** Currencies in which the account's wallets hold less than the sum, and how much is missing. */
  short: Shortfall[];
  /**
   * Rows of the account's other batches that are sent before the last row of this one, if all of these batches
   * continue.
   */
  rowsBefore: number;
  /**
   * The least time in milliseconds that the rate limit allows for the rows to send and those before them; more if
   * `spaced` takes more.
   */
  estimateMs: number;
  /**
   * If rows to one number, spaced `apartMs` milliseconds apart, take longest: how many go to the number that gets
   * most. Else null.
   */
  spaced: { rows: number; apartMs: number } | null;
  /** When the batch will be done, and which other batches it makes late. */
  finish: PlannedFinish;
}

/** The totals of the rows that would be sent. An approval is bound to them. */
export type RequestedTotals = Pick<Preflight, 'toSend' | 'products' | 'sums'>;

/** The limits of an account's service, and its product prices. */
export interface PreflightService {
  limit: number;
  windowMs: number;
  sendsTexts: boolean;
  /** The least time between two payments to one number; 0 if the service does not demand any. */
  sameNumberSpacingMs: number;
  /** The price of a product in the currency of the destination; null if the catalog has no price. */
  priceOf: (product: RequestedProduct) => Promise<Money | null>;
  /** The name of a network in the catalog; "" if it does not say. */
  networkName: (network: Pick<NetworkTotals, 'networkId' | 'country'>) => Promise<string>;
  /** How fast the account sends now, or would send. */
  pace: PaceAhead;
  now: number;
}

/** Adds up the figures of a batch. It sends nothing and writes nothing. */
export async function preflight(
  db: Database,
  batch: BatchRecord,
  balance: BalanceOutcome,
  { limit, windowMs, sendsTexts, sameNumberSpacingMs, priceOf, networkName, pace, now }: PreflightService,
): Promise<Preflight> {
  const counts = Object.fromEntries(await countRows(db, batch.batch_id));
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const ofNetworks = await readyByNetwork(db, batch.batch_id);
  const asked = ofAllNetworks(ofNetworks);
  const totals = totalsOf(asked);
  const { toSend, sums } = totals;
  const sending = await sendingOf(db, batch.account);
  const before = batchesBefore(batch, { ready: toSend, pace, sending });
  const rowsBefore = before.reduce((sum, { rows: ofOther }) => sum + ofOther, 0);
  const rateMs = Math.floor(Math.max(0, rowsBefore + toSend - 1) / limit) * windowMs;
  const mostToOne = sameNumberSpacingMs === 0 ? 0 : await mostToOneNumber(db, batch.batch_id);
  const spacedMs = Math.max(0, mostToOne - 1) * sameNumberSpacingMs;
  const lastOfNumber = { rows: 0, nextAt: now, lastAt: now + spacedMs };
  const ahead = { ...pace, spaced: { ...pace.spaced, [batch.batch_id]: lastOfNumber } };
  const unusual = await Promise.all(
    unusualAmounts(asked).map(async (one) => {
      const found = await rowsAsking(db, batch.batch_id, one, unusualLinesMax);
      return { ...one, rows: found.map(({ row_no }) => row_no), lines: found.map(({ line }) => line) };
    }),
  );
  const read = balance.kind === 'balance' ? balance.balance : null;
  return {
    counts,
    rows,
    ...totals,
    networks: await networkTotals(ofNetworks, networkName),
    ...(await pricesOf(await readyProducts(db, batch.batch_id), priceOf)),
    again: asked.reduce((sum, { again }) => sum + again, 0),
    textsLost: sendsTexts ? 0 : asked.reduce((sum, { texts }) => sum + texts, 0),
    unusual,
    balance: read,
    balanceTrouble: balance.kind === 'balance' ? null : `${balance.evidence.code}: ${balance.evidence.message}`,
    short: read === null ? [] : shortfalls(read, sums, await requestedByOthers(db, batch, openStates)),
    rowsBefore,
    estimateMs: Math.max(rateMs, spacedMs),
    spaced: spacedMs > rateMs ? { rows: mostToOne, apartMs: sameNumberSpacingMs } : null,
    finish: await plannedFinish(db, batch, toSend, { sending, pace: ahead, now }),
  };
}

/** The totals of the rows that would be sent now. */
export async function requestedNow(db: Database, batchId: string): Promise<RequestedTotals> {
  return totalsOf(await readyAmounts(db, batchId));
}

/**
 * The totals of the batch after these held rows (null: all held rows) are released, including all rows that were
 * released before.
 */
export async function requestedOnceReleased(
  db: Queryable,
  batchId: string,
  held: readonly RowRecord[] | null,
): Promise<RequestedTotals> {
  const more = (held ?? []).map(({ currency, amount }) => ({ currency, amount, count: 1, again: 0, texts: 0 }));
  return totalsOf([...(await releasedAmounts(db, batchId, { held: held === null })), ...more]);
}

/** How much the balance lacks for the rows to send, if that is known: see `Preflight.short`. */
export async function shortOf(db: Database, batch: BatchRecord, outcome: BalanceOutcome): Promise<Preflight['short']> {
  if (outcome.kind !== 'balance') return [];
  const { sums } = await requestedNow(db, batch.batch_id);
  // Only running batches are counted: of batches that start together, the first ones may start, and a paused batch
  // spends nothing now.
  return shortfalls(outcome.balance, sums, await requestedByOthers(db, batch, ['running']));
}

/** The sums that the account's other batches in these states still have to send from the same wallets. */
async function requestedByOthers(
  db: Queryable,
  { account, batch_id, service }: BatchRecord,
  states: readonly BatchState[],
): Promise<Record<string, string>> {
  const sums = new Sums();
  for (const other of await openBatches(db, account)) {
    if (other.batch_id === batch_id || !states.includes(other.status) || !isSameService(other.service, service))
      continue;
    sums.addAll(totalsOf(await readyAmounts(db, other.batch_id)).sums);
  }
  return sums.toObject();
}

function totalsOf(asked: readonly RequestedAmount[]): RequestedTotals {
  const sums = new Sums();
  let [toSend, products] = [0, 0];
  for (const { currency, amount, count } of asked) {
    toSend += count;
    if (currency !== null && amount !== null) sums.add(currency, multiplyAmount(amount, count));
    else products += count;
  }
  return { toSend, products, sums: sums.toObject() };
}

/** One record for each currency and distinct amount, whichever networks have it. */
function ofAllNetworks(asked: readonly RequestedOfNetwork[]): RequestedAmount[] {
  const merged = new Map<string, RequestedAmount>();
  for (const { currency, amount, count, again, texts } of asked) {
    const key = `${currency} ${amount}`;
    const known = merged.get(key) ?? { currency, amount, count: 0, again: 0, texts: 0 };
    merged.set(key, {
      ...known,
      count: known.count + count,
      again: known.again + again,
      texts: known.texts + texts,
    });
  }
  return [...merged.values()];
}

async function networkTotals(
  asked: readonly RequestedOfNetwork[],
  networkName: PreflightService['networkName'],
): Promise<NetworkTotals[]> {
  const totals: NetworkTotals[] = [];
  for (const own of Map.groupBy(asked, ({ network_id, country }) => `${network_id} ${country}`).values()) {
    const { network_id: networkId, country } = own[0] as RequestedOfNetwork;
    const { toSend: rows, sums } = totalsOf(own);
    totals.push({ networkId, country, name: await networkName({ networkId, country }), rows, sums });
  }
  return totals.sort((one, other) => other.rows - one.rows);
}

async function pricesOf(
  asked: readonly RequestedProduct[],
  priceOf: PreflightService['priceOf'],
): Promise<Pick<Preflight, 'productSums' | 'productsUnpriced'>> {
  const sums = new Sums();
  let productsUnpriced = 0;
  for (const product of asked) {
    const price = await priceOf(product);
    if (price === null) productsUnpriced += product.count;
    else sums.add(price.currency, multiplyAmount(price.value, product.count));
  }
  return { productSums: sums.toObject(), productsUnpriced };
}

/**
 * Compares sums with wallets. Wallets pay across currencies at rates that only the service knows, so a shortfall is
 * certain only if every active wallet is in the requested currency.
 */
function shortfalls(
  balance: Balance,
  sums: Record<string, string>,
  ofOthers: Record<string, string>,
): Preflight['short'] {
  const wallets = balance.wallets.filter(({ active }) => active);
  return Object.entries(sums).flatMap(([currency, sum]) => {
    if (wallets.length === 0 || wallets.some((wallet) => wallet.currency !== currency)) return [];
    const others = ofOthers[currency] ?? null;
    const needed = addAmounts(sum, others ?? '0');
    const missing = wallets.reduce((left, wallet) => subtractAmounts(left, wallet.balance), needed);
    return missing.startsWith('-') || missing === '0' ? [] : [{ currency, missing, others }];
  });
}
