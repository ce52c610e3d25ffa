import { hash } from 'node:crypto';
import type { ChainFacts } from '../chain/chain-facts.ts';
import { fingerprint, reasonMark } from '../chain/fingerprint.ts';
import { attemptsMax } from '../chain/sendings.ts';
import { ExactSums, sameDecimal } from '../input/decimal.ts';
import type { Findings } from '../input/findings.ts';
import { unguarded, withoutInnerGuards } from '../input/guards.ts';
import type { Manifest } from '../input/manifest.ts';
import { type ResultRow, resultRows } from '../input/rows.ts';
import { checkBalanceProof } from './balance.ts';
import { checkDerived, DerivedNumbers } from './derived.ts';
import { malformedCells } from './forms.ts';
import { InputAmounts } from './input-amount.ts';
import { checkKeys, KeyMarks } from './key-marks.ts';
import { checkOrigin, OriginTotals } from './origin.ts';
import { checkLateCharges, checkRefunds } from './refund-sums.ts';
import type { Summary } from './summary.ts';

/** States that intake gives, for which the row need not have an event. */
const statesOfIntake = ['invalid', 'held', 'ready', 'skipped'];

/** States in which the service has nothing of the row's current generation. */
const statesUnpaid = ['invalid', 'skipped', 'cancelled', 'held', 'ready'];

/** Columns that only a payment fills. */
const columnsOfPayment = ['topup_id', 'provider_reference', 'cost', 'cost_currency', 'completed_at'];

/**
 * Each row of the file must be in results.csv once, in one state, which the audit chain confirms. No key may be used
 * twice. Counts and sums must be those of the summary.
 */
export async function checkResults(
  dir: string,
  { manifest, summary, chain }: { manifest: Manifest; summary: Summary; chain: ChainFacts },
  findings: Findings,
): Promise<number> {
  const counts = new Map<string, number>();
  const [requested, charged] = [new ExactSums(), new ExactSums()];
  const keys = new KeyMarks();
  const origin = new OriginTotals(chain, summary.balance);
  const derived = new DerivedNumbers();
  const inputs = new InputAmounts(chain.batch.validated?.data.amount_column);
  let [count, keysLeftOut, line] = [0, 0, 0];
  for await (const row of resultRows(dir)) {
    count += 1;
    const { status = '', idempotency_key: key = '' } = row;
    // A masked row has no key if trying all numbers could reveal the number from the key.
    const isKeyLeftOut = manifest.masked && key === '' && chain.sentOf(count) !== 0;
    if (isKeyLeftOut) keysLeftOut += 1;
    if (row.row !== String(count)) {
      findings.add(
        'results.csv',
        `line ${count + 1} has row ${row.row}, not ${count}: rows are missing, doubled or moved.`,
      );
    }
    const malformed = malformedCells(row, line);
    line = Number(row.line ?? 0);
    if (malformed.length > 0)
      findings.add('results.csv', `row ${count} has ${malformed.join(', ')} in another form than results have.`);
    if (key !== '') keys.add(key);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (status !== 'invalid' && row.amount) requested.add(`${status} ${row.currency}`, row.amount);
    if (status !== 'invalid' && row.cost) charged.add(`${status} ${row.cost_currency}`, row.cost);
    checkAgainstChain(row, count, chain, findings);
    if (!manifest.masked && chain.batch.forgotten === null) checkReason(row, count, chain, findings);
    derived.add(row);
    if (!isKeyLeftOut) checkSent(row, count, chain, findings);
    origin.add(row, count);
    inputs.add(row, count);
    if (!manifest.masked && key !== '') checkNames(row, count, manifest, findings);
  }
  await checkKeys(dir, keys.doubled(), findings);
  if (keysLeftOut > 0)
    findings.note(`The keys of ${keysLeftOut} rows are left out of the masked results: they were not checked.`);
  checkSummary(summary, manifest, findings);
  checkCounts(summary.rows, counts, count, findings);
  checkSums('requested', summary.requested, requested, findings);
  checkSums('charged', summary.charged, charged, findings);
  checkDerived(summary, derived, { masked: manifest.masked, activeMs: chain.activeMs() }, findings);
  checkBalanceProof(summary, origin.sentBefore, findings);
  checkRefunds(summary, { chain, refunded: origin.refundsByReading }, findings);
  checkLateCharges(summary, origin, findings);
  const isChanged = await checkOrigin({ dir, manifest, summary, chain, totals: origin }, findings);
  inputs.report(isChanged, findings);
  return count;
}

/** The row's state, attempts, payment, cost and end must be the last ones in the chain. */
export function checkAgainstChain(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const state = chain.stateOf(rowNo);
  const { status = '' } = row;
  if (state === null ? !statesOfIntake.includes(status) : state !== status) {
    findings.add(
      'results.csv',
      `row ${rowNo} is ${status}; the audit chain says ${state ?? 'that nothing happened to it'}.`,
    );
  }
  checkSending(row, rowNo, chain, findings);
  const paid = chain.paidOf(rowNo);
  if (statesUnpaid.includes(status)) checkUnpaid(row, rowNo, chain, findings);
  if (paid !== 0 && paid !== fingerprint(row.topup_id, row.cost, row.cost_currency)) {
    findings.add(
      'results.csv',
      `row ${rowNo} has ${paymentText(row)}; event ${chain.paidIn(rowNo)} of the audit chain has another payment or cost.`,
    );
  }
  checkRefund(row, rowNo, chain, findings);
  checkContradiction(row, rowNo, chain, findings);
  checkEnd(row, rowNo, chain, findings);
}

function paymentText({ topup_id: id = '', cost = '', cost_currency: currency = '' }: ResultRow): string {
  return `${id === '' ? 'no payment' : `the payment ${id}`} and ${cost === '' ? 'no cost' : `the cost ${currency} ${cost}`}`;
}

/** What the service says now must be in the chain, and the other way round. Older chains do not say it row by row. */
function checkContradiction(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const { status = '', contradicted = '', second_topup_id: second = '' } = row;
  if (second === '' && chain.secondOf(rowNo) !== null)
    findings.add('results.csv', `row ${rowNo} has no second payment; the audit chain has one.`);
  if (status === 'failed' && contradicted === '' && chain.contradictedOf(rowNo) !== null)
    findings.add('results.csv', `row ${rowNo} does not say that the service contradicts it; the audit chain does.`);
  if (second !== '' && !chain.wasReportedLate(rowNo, `topup ${unguarded(second)}`))
    findings.add('results.csv', `row ${rowNo} has a second payment that the audit chain does not have.`);
  if (contradicted !== '' && (status !== 'failed' || !chain.wasReportedLate(rowNo, unguarded(contradicted) ?? '')))
    findings.add('results.csv', `row ${rowNo} has another status at the service than the audit chain.`);
}

function checkUnpaid(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const columns = chain.mayBear(rowNo) ? columnsOfPayment : [...columnsOfPayment, 'service_status'];
  const found = columns.filter((name) => row[name]);
  if (found.length > 0)
    findings.add('results.csv', `row ${rowNo} has ${found.join(', ')}, and was never paid: it is ${row.status}.`);
}

function checkEnd(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const ended = chain.endedOf(rowNo);
  if (ended === 0) return;
  const when = [Date.parse(row.completed_at ?? ''), unguarded(row.service_status)];
  if (ended === fingerprint(...when, unguarded(row.failure_code)) || ended === fingerprint(...when)) return;
  findings.add(
    'results.csv',
    `row ${rowNo} has another end time, status at the service or failure code than the audit chain.`,
  );
}

/**
 * The text of why the row failed, or who decided that it did not, and on what evidence. Numbers in it are not compared.
 */
export function checkReason(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const reason = chain.reasonOf(rowNo);
  if (reason !== 0 && reason !== reasonMark(row.failure_reason ?? ''))
    findings.add('results.csv', `row ${rowNo} has another failure reason than the audit chain.`);
}

function checkSending(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const { attempts = '', first_sent_at: firstSentAt = '' } = row;
  const noted = chain.attemptsOf(rowNo);
  if (noted === attemptsMax ? !(Number(attempts) >= noted) : attempts !== String(noted))
    findings.add('results.csv', `row ${rowNo} has ${attempts} attempts; the audit chain says ${noted}.`);
  const first = chain.firstSentOf(rowNo);
  if (!Number.isNaN(first) && (firstSentAt === '' ? 0 : Date.parse(firstSentAt)) !== first) {
    const [said, expected] = [firstSentAt || 'nothing', first === 0 ? 'nothing' : new Date(first).toISOString()];
    findings.add(
      'results.csv',
      `row ${rowNo} has ${said} as when it was first sent; the audit chain says ${expected}.`,
    );
  }
}

/** A refund in a row must be in the chain. Reports without refunds have no such columns. */
function checkRefund(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const { status, cost = '', cost_currency = '', refunded_at: at, refund_amount = '', refund_currency = '' } = row;
  const refund = status === 'completed' ? chain.refundOf(rowNo, row.topup_id ?? '') : null;
  if (at === undefined) {
    if (refund !== null && refund.at !== null && refund.amount !== 'cost')
      findings.add('results.csv', `row ${rowNo} has no refund; the audit chain has one.`);
    return;
  }
  const noted = refund?.amount === 'cost' ? [cost, cost_currency] : [refund?.amount ?? '', refund?.currency ?? ''];
  const [amount = '', currency] = noted;
  const isSame = amount === '' || refund_amount === '' ? amount === refund_amount : sameDecimal(amount, refund_amount);
  const isTime = typeof refund?.at !== 'number' || refund.at === Date.parse(at);
  if ((at !== '') === (refund !== null) && isSame && isTime && currency === refund_currency) return;
  findings.add('results.csv', `row ${rowNo} has another refund than the audit chain.`);
}

/** The row's key and generation must be those of its last request. */
export function checkSent(row: ResultRow, rowNo: number, chain: ChainFacts, findings: Findings): void {
  const sent = chain.sentOf(rowNo);
  // Results do not show a request that did not count, if an earlier payment of the row may have arrived.
  if (row.attempts === '0' && row.first_sent_at === '') {
    if (row.idempotency_key || row.reference)
      findings.add('results.csv', `row ${rowNo} has a key or reference, and was never sent.`);
    return;
  }
  if (sent !== 0 && sent !== fingerprint(row.generation, row.idempotency_key)) {
    findings.add('results.csv', `row ${rowNo} has another key or generation than the audit chain.`);
  }
}

/** Key and reference must follow from account, run, row and generation, so that no row can have two. */
function checkNames(row: ResultRow, rowNo: number, { account, run_id }: Manifest, findings: Findings): void {
  const generation = Number(row.generation);
  // If a spreadsheet would run a row ref, or a part after a semicolon, as a formula, an apostrophe is before it.
  const written = [row.row_ref ?? '', withoutInnerGuards(row.row_ref ?? '')];
  const candidates = written.flatMap((ref) => [ref, ref.replace(/^'/, '')]);
  const references = [row.reference ?? '', withoutInnerGuards(row.reference ?? '')];
  const fits = candidates.some(
    (ref) =>
      row.idempotency_key === uuidV5(JSON.stringify([account, run_id, ref, generation])) &&
      references.includes(`${run_id}/${ref}${generation === 1 ? '' : `~${generation}`}`),
  );
  if (!fits) findings.add('results.csv', `row ${rowNo} has a key or reference that does not belong to it.`);
}

/** RFC 9562, version 5, in the name space of airbatch's keys. */
function uuidV5(name: string): string {
  const space = Buffer.from('6f0f6a5294b15f0e8d6c0a8d6b6f2c11', 'hex');
  const bytes = hash('sha1', Buffer.concat([space, Buffer.from(name)]), 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function checkSummary(summary: Summary, manifest: Manifest, findings: Findings): void {
  for (const name of ['run_id', 'account', 'program', 'input_sha256', 'content_sha256'] as const) {
    if (summary[name] !== manifest[name]) findings.add('summary.json', `has another ${name} than the manifest.`);
  }
  if (manifest.status !== undefined && summary.status !== manifest.status)
    findings.add('summary.json', 'has another status than the manifest.');
  if (summary.audit.events !== manifest.audit.events || summary.audit.head !== manifest.audit.head) {
    findings.add('summary.json', 'was made at another point of the audit chain than the manifest.');
  }
}

function checkCounts(rows: Summary['rows'], counts: Map<string, number>, total: number, findings: Findings): void {
  if (rows.total !== total) findings.add('summary.json', `counts ${rows.total} rows; results.csv has ${total}.`);
  const byState: Record<string, number> = rows.by_status;
  for (const state of new Set([...Object.keys(byState), ...counts.keys()])) {
    const [said, found] = [byState[state] ?? 0, counts.get(state) ?? 0];
    if (said !== found) findings.add('summary.json', `counts ${said} rows as ${state}; results.csv has ${found}.`);
  }
  const valid = total - (counts.get('invalid') ?? 0) - (counts.get('skipped') ?? 0);
  if (rows.valid !== valid) findings.add('summary.json', `counts ${rows.valid} valid rows; results.csv has ${valid}.`);
}

function checkSums(
  what: 'requested' | 'charged',
  said: Summary['requested'] | Summary['charged'],
  found: ExactSums,
  findings: Findings,
): void {
  const sums = new ExactSums();
  const [whole, parts, completed, paid] = [new ExactSums(), new ExactSums(), new ExactSums(), new ExactSums()];
  for (const [state, byCurrency] of Object.entries(said.by_status)) {
    for (const [currency, value] of Object.entries(byCurrency)) {
      sums.add(`${state} ${currency}`, value);
      if (what === 'charged' || state !== 'skipped') parts.add(currency, value);
      if (state === 'completed') paid.add(currency, value);
    }
  }
  if ('earlier' in said) for (const [currency, value] of Object.entries(said.earlier)) parts.add(currency, value);
  for (const [currency, value] of Object.entries('valid' in said ? said.valid : said.total)) whole.add(currency, value);
  for (const [currency, value] of Object.entries(said.completed)) completed.add(currency, value);
  for (const name of sums.differences(found))
    findings.add('summary.json', `${what} for ${name} is not the sum of the rows.`);
  for (const name of whole.differences(parts))
    findings.add('summary.json', `${what} in ${name} is not the sum of its parts.`);
  for (const name of completed.differences(paid))
    findings.add('summary.json', `${what} in ${name} is not that of the completed rows.`);
}
