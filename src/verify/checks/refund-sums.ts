import type { ChainFacts } from '../chain/chain-facts.ts';
import { ExactSums, sumsOf } from '../input/decimal.ts';
import type { Findings } from '../input/findings.ts';
import { unnamed } from './balance.ts';
import { nameOfCharge, type OriginTotals } from './origin.ts';
import type { Summary } from './summary.ts';

const file = 'summary.json';

/**
 * The charges of earlier payments of retried rows, and all refunds, must agree with the chain. `refunded`: how much of
 * the costs of paid rows had been refunded when the wallets were read for the second time.
 */
export function checkRefunds(
  { charged, balance }: Summary,
  { chain, refunded }: { chain: ChainFacts; refunded: ExactSums },
  findings: Findings,
): void {
  const { earlier, earlier_came_back: back, total } = charged;
  // Reports of old program versions do not have it, and their chains do not say when balances were read.
  const isRecorded = chain.batch.completed?.data.balance_read_at !== undefined;
  if (back !== undefined || isRecorded) {
    for (const currency of sumsOf(earlier).differences(chain.failed.earlier()))
      findings.add(file, `has another sum of ${currency} charged for earlier payments than the audit chain.`);
    for (const currency of sumsOf(back ?? {}).differences(chain.failed.earlierRefunds()))
      findings.add(file, `has another sum of ${currency} refunded for earlier payments than the audit chain.`);
  }
  if (balance.explanation.length === 0) return;
  const walletOf = walletNames(balance);
  const [said, found] = [new ExactSums(), new ExactSums()];
  const by = chain.failed.refundedBy(Date.parse(balance.after_read_at ?? ''));
  for (const currency of Object.keys(total))
    for (const sums of [by, refunded]) found.addFrom(walletOf(currency), sums, currency);
  for (const { currency, came_back } of balance.explanation) {
    if (came_back === undefined && !isRecorded) return;
    said.add(currency, came_back ?? '0');
  }
  for (const currency of said.differences(found))
    findings.add(
      file,
      `has another sum ${inCurrency(currency)} refunded before the wallets were read than the audit chain.`,
    );
}

/**
 * The late charges between the two readings of the wallets must be those that the chain records. Those of an unknown
 * time are included all together, or not at all. Charges of other batches are in no place of these reports.
 */
export function checkLateCharges(
  { balance, batch_id }: Summary,
  { late, undated, undatedCharges }: Pick<OriginTotals, 'late' | 'undated' | 'undatedCharges'>,
  findings: Findings,
): void {
  if (balance.explanation.length === 0) return;
  const walletOf = walletNames(balance);
  const [said, dated, all] = [new ExactSums(), new ExactSums(), new ExactSums()];
  for (const sums of [late, undated])
    for (const currency of sums.differences(new ExactSums())) {
      if (sums === late) dated.addFrom(walletOf(currency), sums, currency);
      all.addFrom(walletOf(currency), sums, currency);
    }
  for (const { currency, charged_late } of balance.explanation) said.add(currency, charged_late ?? '0');
  const withUndated = new Set(said.differences(all));
  for (const currency of said.differences(dated).filter((name) => withUndated.has(name)))
    findings.add(file, `has another sum ${inCurrency(currency)} charged late than the audit chain.`);
  for (const { row, topup_id, currency, amount, ...of } of balance.uncertain?.first ?? []) {
    if (of.batch_id !== batch_id || amount === null || currency === null) continue;
    const name = nameOfCharge({ row, topup_id, currency });
    const rest = sumsOf({ [name]: amount });
    const found = new ExactSums();
    found.addFrom(name, undatedCharges, name);
    if (rest.differences(found).length > 0)
      findings.add(file, `names a charge of ${amount} ${currency} for row ${row} that the audit chain does not have.`);
  }
}

/** The name of the wallets that pay in a currency. */
function walletNames({ wallets }: Summary['balance']): (currency: string) => string {
  const named = new Set(wallets.map(({ currency }) => currency));
  return (currency) => (named.has(unnamed) && !named.has(currency) ? unnamed : currency);
}

function inCurrency(currency: string): string {
  return currency === unnamed ? 'without a currency' : `of ${currency}`;
}
