import { withoutNumbers } from '../../core/text/redact.ts';
import { isoTime } from '../../core/time/clock.ts';
import { approvalsOf } from '../../ledger/batches/approvals.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { Act, BatchFacts, ChainFacts } from '../../verify/chain/chain-facts.ts';

/** How what the ledger keeps of people's decisions about a batch differs from the events of these decisions. */
export async function decisionDifferences(
  view: Queryable,
  batch: BatchRecord,
  { batch: facts }: ChainFacts,
): Promise<string[]> {
  return [
    ...(facts.approved === null ? [] : await approvalDifferences(view, batch, facts)),
    ...(facts.approved === null ? [] : planDifferences(batch, facts.approved)),
    ...(facts.status === 'cancelled' ? cancelDifferences(batch, facts.cancelled) : []),
  ];
}

/**
 * An approval that no longer counts is deleted, and stays in the chain. So each approval must be in the chain, and
 * there must be as many as the batch needed.
 */
async function approvalDifferences(view: Queryable, batch: BatchRecord, facts: BatchFacts): Promise<string[]> {
  const { approvals: given, approvalsNeeded: needed } = facts;
  const kept = await approvalsOf(view, batch.batch_id);
  const forged = kept.filter(
    ({ person, approved_at, content_sha256 }) =>
      !given.some(
        ({ actor, at, data }) =>
          actor === person && at === approved_at && (data.content_sha256 ?? content_sha256) === content_sha256,
      ),
  );
  const differences = forged.map(
    ({ person, approved_at }) =>
      `it has an approval by ${person} of ${isoTime(approved_at)}, which the chain does not have`,
  );
  if (batch.approvals_needed !== needed)
    differences.push(`it needs ${counted(batch.approvals_needed, 'approval')}, but the chain says ${needed}`);
  if (forged.length === 0 && kept.length < needed)
    differences.push(`it has ${counted(kept.length, 'approval')}, but the chain has ${given.length}`);
  return differences;
}

/** What was approved, as the guards of spending use it. Early versions did not keep it. */
function planDifferences({ approved_plan }: BatchRecord, { data }: Act): string[] {
  if (approved_plan === null) return [];
  const plan = planIn(approved_plan);
  if (plan === null) return ['it has an approved plan that cannot be read'];
  const sums = plan.sums === undefined ? undefined : JSON.stringify(plan.sums);
  return Object.entries({ ...plan, sums })
    .filter(([name, said]) => ['content_sha256', 'rows', 'products', 'sums'].includes(name) && said !== undefined)
    .filter(([name, said]) => data[name] !== undefined && data[name] !== said)
    .map(
      ([name, said]) => `its approved plan has ${String(said)} as ${name}, but the chain says ${String(data[name])}`,
    );
}

function planIn(json: string): Record<string, unknown> | null {
  try {
    const plan: unknown = JSON.parse(json);
    return typeof plan === 'object' && plan !== null ? { ...plan } : null;
  } catch {
    return null;
  }
}

/** Who rejected or withdrew a cancelled batch, and why. Early versions did not keep who rejected it. */
function cancelDifferences(batch: BatchRecord, cancelled: Act | null): string[] {
  const { rejected, withdrawn, why } = cancelled?.data ?? {};
  const actor = cancelled?.actor ?? null;
  const pairs = [
    ['who rejected it', batch.rejected_by, rejected === 'true' ? actor : null],
    ['who withdrew it', batch.withdrawn_by, withdrawn === 'true' ? actor : null],
  ] as const;
  const differences = pairs
    .filter(([, said, expected]) => said !== null && said !== expected)
    .map(([what, said, expected]) => `it has ${said} as ${what}, but the chain says ${expected ?? 'nobody'}`);
  const reason = batch.rejection === null ? '' : withoutNumbers(batch.rejection);
  if ((rejected === 'true' || withdrawn === 'true') && reason !== (why ?? ''))
    differences.push(`it has "${reason}" as why it was cancelled, but the chain says "${why}"`);
  return differences;
}
