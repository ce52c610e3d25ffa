import { ExactSums, sumsOf } from '../input/decimal.ts';
import type { Findings } from '../input/findings.ts';
import { unguarded } from '../input/guards.ts';
import type { ResultRow } from '../input/rows.ts';
import type { Summary } from './summary.ts';

const file = 'summary.json';

/** States in which a row's codes are its own problems, and not an answer of the service. */
const statesOfProblems = ['invalid', 'held', 'skipped'];

interface Failed {
  rows: number;
  reason: string;
  otherReasons: number;
}

/** The most rows of one kind that summary.json names. */
const listedMax = 50;

/** The numbers of summary.json besides states and sums, counted again from the rows. */
export class DerivedNumbers {
  withProduct = 0;
  withProductCompleted = 0;
  withoutCost = 0;
  /** ISO 8601, as in the rows; null if none is in doubt. */
  oldestDoubt: string | null = null;
  overdueRows = 0;
  readonly overdueSums = new ExactSums();
  oldestOverdue: string | null = null;
  paidTwiceRows = 0;
  readonly paidTwice: string[] = [];
  contradictedRows = 0;
  contradictedProducts = 0;
  readonly contradictedSums = new ExactSums();
  readonly problems = new Map<string, number>();
  readonly failures = new Map<string, Failed>();

  add(row: ResultRow): void {
    const { status = '', product_id, cost, first_sent_at, failure_code = '' } = row;
    if (product_id && status !== 'invalid' && status !== 'skipped') this.withProduct += 1;
    if (product_id && status === 'completed') this.withProductCompleted += 1;
    if (status === 'completed' && !cost) this.withoutCost += 1;
    if (status === 'in_doubt' && first_sent_at && first_sent_at < (this.oldestDoubt ?? '~'))
      this.oldestDoubt = first_sent_at;
    if (status === 'accepted' && failure_code === 'overdue') this.#addOverdue(row);
    if (statesOfProblems.includes(status) && failure_code !== '')
      for (const code of failure_code.split('; ')) this.problems.set(code, (this.problems.get(code) ?? 0) + 1);
    if (row.second_topup_id) {
      this.paidTwiceRows += 1;
      if (this.paidTwice.length < listedMax)
        this.paidTwice.push([row.row, row.topup_id, row.second_topup_id].join(' '));
    }
    if (row.contradicted) this.#addContradicted(row);
    else if (status === 'failed') this.#addFailure(unguarded(failure_code) || 'UNKNOWN', row.failure_reason ?? '');
  }

  #addContradicted({ amount, currency = '' }: ResultRow): void {
    this.contradictedRows += 1;
    if (amount) this.contradictedSums.add(currency, amount);
    else this.contradictedProducts += 1;
  }

  #addOverdue({ amount, currency = '', first_sent_at }: ResultRow): void {
    this.overdueRows += 1;
    if (amount) this.overdueSums.add(currency, amount);
    if (first_sent_at && first_sent_at < (this.oldestOverdue ?? '~')) this.oldestOverdue = first_sent_at;
  }

  #addFailure(code: string, reason: string): void {
    const known = this.failures.get(code) ?? { rows: 0, reason, otherReasons: 0 };
    known.rows += 1;
    if (known.reason !== reason) known.otherReasons += 1;
    this.failures.set(code, known);
  }
}

/**
 * Checks the numbers of summary.json that follow from the rows of results.csv, or from other numbers in it. Reports of
 * old program versions, without a version number, lack some.
 */
export function checkDerived(
  { rows, charged, in_doubt, overdue, contradicted, times, service, sandbox, version, ...summary }: Summary,
  found: DerivedNumbers,
  { masked, activeMs }: { masked: boolean; activeMs: number },
  findings: Findings,
): void {
  const { started_at, completed_at, finish_by } = times;
  const isOfBefore = version === undefined;
  const [problems, failures] = isOfBefore
    ? [summary.problems, summary.failures]
    : [summary.problems ?? {}, summary.failures ?? {}];
  const lasted = started_at && completed_at ? Date.parse(completed_at) - Date.parse(started_at) : null;
  const isInTime = finish_by && completed_at ? completed_at <= finish_by : null;
  const pairs: [what: string, said: unknown, found: unknown][] = [
    ['rows.with_product', rows.with_product, found.withProduct],
    ['rows.with_product_completed', rows.with_product_completed, found.withProductCompleted],
    ['charged.rows_without_cost', charged.rows_without_cost, found.withoutCost],
    ['in_doubt.oldest_sent_at', in_doubt.oldest_sent_at, found.oldestDoubt],
    ['overdue.rows', overdue?.rows, found.overdueRows],
    ['paid_twice.rows', summary.paid_twice?.rows ?? 0, found.paidTwiceRows],
    [
      'paid_twice.first',
      (summary.paid_twice?.first ?? []).map((one) => `${one.row} ${one.topup_id} ${one.second_topup_id}`).join('; '),
      found.paidTwice.join('; '),
    ],
    ['contradicted.rows', contradicted?.rows ?? 0, found.contradictedRows],
    ['contradicted.with_product', contradicted?.with_product ?? 0, found.contradictedProducts],
    ['overdue.oldest_sent_at', overdue?.oldest_sent_at, found.oldestOverdue],
    ['times.duration_ms', times.duration_ms, lasted],
    // Reports of old program versions do not have these two.
    ['times.active_ms', times.active_ms, times.active_ms === undefined ? undefined : lasted === null ? null : activeMs],
    ['times.in_time', times.in_time, finish_by === undefined ? undefined : isInTime],
    ['sandbox', sandbox, service === 'embedded sandbox'],
  ];
  for (const code of new Set([...Object.keys(problems ?? {}), ...found.problems.keys()]))
    if (problems) pairs.push([`problems.${code}`, problems[code] ?? 0, found.problems.get(code) ?? 0]);
  for (const code of new Set([...Object.keys(failures ?? {}), ...found.failures.keys()])) {
    if (!failures) break;
    const [said, failed] = [failures[code], found.failures.get(code)];
    pairs.push([`failures.${code}.rows`, said?.rows ?? 0, failed?.rows ?? 0]);
    pairs.push([`failures.${code}.reason`, unguarded(said?.reason ?? ''), unguarded(failed?.reason ?? '')]);
    // Masked reasons may be equal although the numbers in them were not.
    if (!masked) pairs.push([`failures.${code}.other_reasons`, said?.other_reasons, failed?.otherReasons ?? 0]);
  }
  for (const currency of sumsOf(overdue?.requested ?? {}).differences(overdue ? found.overdueSums : new ExactSums()))
    findings.add(file, `has another sum of ${currency} as overdue.requested than its rows.`);
  for (const currency of sumsOf(contradicted?.requested ?? {}).differences(found.contradictedSums))
    findings.add(file, `has another sum of ${currency} as contradicted.requested than its rows.`);
  for (const [what, said, expected] of pairs) {
    if (said === expected || (said === undefined && isOfBefore)) continue;
    findings.add(file, `has ${shown(said)} as ${what}; by its rows and times it is ${shown(expected)}.`);
  }
}

/** Texts are quoted: a reason is a sentence of its own. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  return typeof value === 'string' ? `"${value}"` : String(value);
}
