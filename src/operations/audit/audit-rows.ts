import { ZodError } from 'zod';
import { makeContentDigest } from '../../core/identity/content-digest.ts';
import { isoOrNull, isoTime } from '../../core/time/clock.ts';
import { balanceEventText } from '../../engine/plan/known-balance.ts';
import { type AuditEvent, readData } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import { requireBatch } from '../../ledger/batches/require-batch.ts';
import type { Database, Queryable } from '../../ledger/drivers/database.ts';
import { type ChainState, type OutsideHead, walkChain } from '../../ledger/reporting/chain-walk.ts';
import { refundColumns, resultColumns, resultLine } from '../../reports/render/results.ts';
import { balanceOf, rowPages } from '../../reports/summary/stored.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { ChainFacts } from '../../verify/chain/chain-facts.ts';
import { makeFacts, noteEvent } from '../../verify/chain/gather-facts.ts';
import { stateFromEvents } from '../../verify/chain/state-from-events.ts';
import { checkAgainstChain, checkReason, checkSent } from '../../verify/checks/results.ts';
import { Findings } from '../../verify/input/findings.ts';
import { decisionDifferences } from './audit-decisions.ts';
import { makeDerivedChecks } from './audit-derived.ts';
import { checkPayments } from './audit-payments.ts';

/** The chain of a batch, and how the ledger's batch and rows differ from it. */
export interface BatchAudit extends ChainState {
  edited: string[];
  /** Why the digest of the rows was not compared; null if it was. */
  unread: string | null;
}

/**
 * Walks the chain of a batch, then compares it with the batch and the rows as of the same moment. What intake and an
 * approval wrote never changes, and every change of a state, a payment or a balance is in the chain. So a difference
 * means that somebody has edited the ledger. `outside`: chain heads that were read outside the ledger, in addition to
 * those from the places that the ledger itself names.
 */
export function auditBatch(db: Database, batchId: string, outside: readonly OutsideHead[] = []): Promise<BatchAudit> {
  return db.snapshot(async (view) => {
    const batch = await requireBatch(view, batchId);
    const facts = makeFacts();
    const each = (events: readonly AuditEvent[]) => {
      for (const event of events) noteEvent(facts, { ...event, data: readData(event.body) });
    };
    const chain = await walkChain(view, batch, { each, outside });
    // A broken chain proves nothing about the rows.
    if (chain.broken !== null) return { ...chain, edited: [], unread: null };
    const { differences, unread } = await rowDifferences(view, batch, facts);
    const decided = await decisionDifferences(view, batch, facts);
    return { ...chain, edited: [...statedDifferences(batch, facts), ...decided, ...differences], unread };
  });
}

function statedDifferences(batch: BatchRecord, facts: ChainFacts): string[] {
  const chainState = stateFromEvents(facts.batch);
  const unreadable: string[] = [];
  const balance = (when: 'before' | 'after') =>
    readOr(
      () => balanceOf(batch[`balance_${when}`]),
      () => unreadable.push(`it has a balance ${when} it that cannot be read`),
    );
  const [before, after] = [balance('before'), balance('after')];
  const pairs: [what: keyof typeof chainState, found: string | null][] = [
    ['the run', batch.run_id],
    ['the account', batch.account],
    ['the service', batch.service],
    ['the digest of the file', batch.file_sha256],
    ['who submitted it', batch.created_by],
    ['when it was submitted', isoTime(batch.created_at)],
    ['the digest of the rows', batch.content_sha256],
    ['who approved it', batch.approved_by],
    ['when it was approved', isoOrNull(batch.approved_at)],
    ['when it was due', isoOrNull(batch.finish_by)],
    ['when it began', isoOrNull(batch.started_at)],
    ['when it ended', isoOrNull(batch.completed_at)],
    ['the balance before it', balanceEventText(before)],
    ['the balance after it', balanceEventText(after)],
    ['when the balance before it was read', isoOrNull(before?.readAt ?? null)],
    ['when the balance after it was read', isoOrNull(after?.readAt ?? null)],
    ['when its people were forgotten', isoOrNull(batch.forgotten_at)],
    ['its state', batch.status],
  ];
  const differences = pairs
    .filter(([what, found]) => chainState[what] !== undefined && chainState[what] !== found)
    .map(
      ([what, found]) => `it has ${found ?? 'nothing'} as ${what}, but the chain says ${chainState[what] ?? 'nothing'}`,
    );
  return [...unreadable, ...differences];
}

/** What is stored as JSON. An edited ledger may contain anything there: then `unreadable` is called. */
function readOr<Value>(read: () => Value, unreadable: () => void): Value | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ZodError)) throw error;
    unreadable();
    return null;
  }
}

async function rowDifferences(
  view: Queryable,
  batch: BatchRecord,
  facts: ChainFacts,
): Promise<{ differences: string[]; unread: string | null }> {
  const digest = makeContentDigest();
  const derived = await makeDerivedChecks(view, batch, facts);
  const findings = new Findings();
  for await (const page of rowPages(view, batch.batch_id)) {
    for (const row of page) {
      digest.add(row);
      const line = readOr(
        () => resultLine(batch, row, { mask: false }),
        () => findings.add('results.csv', `row ${row.row_no} has a field that cannot be read.`),
      );
      derived.add(row, line?.input ?? null);
      if (line === null) continue;
      const { values, refund, contradicted, second } = line;
      const ledgerRow = Object.fromEntries(resultColumns.map((name, at) => [name, String(values[at] ?? '')]));
      for (const name of refundColumns) ledgerRow[name] = refund?.[name] ?? '';
      Object.assign(ledgerRow, { contradicted: contradicted ?? '', second_topup_id: second ?? '' });
      checkAgainstChain(ledgerRow, row.row_no, facts, findings);
      checkSent(ledgerRow, row.row_no, facts, findings);
      if (facts.batch.forgotten === null) checkReason(ledgerRow, row.row_no, facts, findings);
    }
    await checkPayments(view, batch, { rows: page, chain: facts }, findings);
  }
  const { validated, approved, forgotten } = facts.batch;
  const { counts } = derived;
  const differences: string[] = [];
  const found = {
    rows: [...counts.values()].reduce((sum, count) => sum + count, 0),
    invalid: counts.get('invalid') ?? 0,
  };
  for (const [name, what] of [
    ['rows', 'row'],
    ['invalid', 'invalid row'],
  ] as const) {
    const [said, has] = [validated?.data[name], found[name]];
    if (typeof said === 'number' && said !== has)
      differences.push(`it has ${counted(has, what)}, but the chain says ${said}`);
  }
  differences.push(...findings.list.map(({ message }) => message.replace(/\.$/, '')));
  if (findings.unlisted > 0) differences.push(`${counted(findings.unlisted, 'more difference')} in its rows`);
  const isValidated = typeof validated?.data.content_sha256 === 'string';
  const unread = !isValidated ? 'it was never validated' : forgotten && 'the people of its rows were forgotten';
  const hex = digest.hex();
  for (const [act, said] of Object.entries(unread === null ? { validated, approved } : {}))
    if (typeof said?.data.content_sha256 === 'string' && said.data.content_sha256 !== hex)
      differences.push(`its rows are not those that were ${act}`);
  differences.push(...(await derived.differences()));
  return { differences, unread };
}
