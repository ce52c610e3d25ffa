import { isoTime } from '../core/clock.ts';
import { makeContentDigest } from '../core/content-digest.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import { type ChainState, walkChain } from '../ledger/chain-walk.ts';
import type { Database } from '../ledger/database.ts';
import type { AuditEvent } from '../ledger/events.ts';
import { pageRows } from '../ledger/rows.ts';

/** The chain of a batch, and in what the ledger's batch and rows are not as it tells. */
export interface BatchAudit extends ChainState {
  edited: string[];
  /** Why the digest of the rows was not compared; null where it was. */
  unread: string | null;
}

interface Act {
  actor: string;
  at: number;
  data: Record<string, unknown>;
}

const kinds = ['batch.received', 'batch.validate', 'batch.approve', 'batch.forget'];
const rowsPerPage = 2_000;

/**
 * Walks the chain of a batch, then compares what intake and an approval wrote into it with the batch and the rows as they are now. What
 * they wrote of a batch never changes, so that a difference is an edit of the ledger.
 */
export async function auditBatch(
  db: Database,
  batch: BatchRecord,
  each: (events: readonly AuditEvent[]) => Promise<void> = async () => undefined,
): Promise<BatchAudit> {
  const acts = new Map<string, Act>();
  const chain = await walkChain(db, batch, (events) => {
    for (const event of events) if (kinds.includes(event.kind)) acts.set(event.kind, actOf(event));
    return each(events);
  });
  // A broken chain proves nothing of the rows.
  if (chain.broken !== null) return { ...chain, edited: [], unread: null };
  const said = saidDifferences(batch, acts);
  const validated = acts.get('batch.validate')?.data.content_sha256;
  if (typeof validated !== 'string') return { ...chain, edited: said, unread: 'it was never validated' };
  const { differences, isRead } = await rowDifferences(db, batch, acts);
  return { ...chain, edited: [...said, ...differences], unread: isRead ? null : 'whom its rows paid was forgotten' };
}

function actOf({ actor, at, body }: AuditEvent): Act {
  try {
    return { actor, at, data: JSON.parse(body) as Record<string, unknown> };
  } catch {
    // The chain is broken there, which is told.
    return { actor, at, data: {} };
  }
}

function saidDifferences(batch: BatchRecord, acts: ReadonlyMap<string, Act>): string[] {
  const [received, validated, approved] = kinds.map((kind) => acts.get(kind));
  const time = (at: number | null | undefined) => (at === null || at === undefined ? null : isoTime(at));
  const pairs: [what: string, found: string | null, said: unknown][] = [
    ['the run', batch.run_id, received?.data.run_id],
    ['the account', batch.account, received?.data.account],
    ['the digest of the file', batch.file_sha256, received?.data.file_sha256],
    ['who submitted it', batch.created_by, received?.data.created_by],
    ['the digest of the rows', batch.content_sha256, validated ? validated.data.content_sha256 : null],
    ['who approved it', batch.approved_by, approved?.actor ?? null],
    ['when it was approved', time(batch.approved_at), time(approved?.at)],
  ];
  return pairs
    .filter(([, found, said]) => said !== undefined && said !== found)
    .map(([what, found, said]) => `it has ${found ?? 'nothing'} as ${what}, and the chain says ${said ?? 'nothing'}`);
}

async function rowDifferences(
  db: Database,
  { batch_id, forgotten_at }: BatchRecord,
  acts: ReadonlyMap<string, Act>,
): Promise<{ differences: string[]; isRead: boolean }> {
  const digest = makeContentDigest();
  const found = { rows: 0, invalid: 0 };
  for (let after = 0; ; ) {
    const rows = await pageRows(db, batch_id, after, rowsPerPage);
    for (const row of rows) {
      digest.add(row);
      found.rows += 1;
      if (row.status === 'invalid') found.invalid += 1;
    }
    if (rows.length < rowsPerPage) break;
    after = rows.at(-1)?.row_no ?? after;
  }
  const validated = acts.get('batch.validate')?.data ?? {};
  const differences: string[] = [];
  for (const [name, what] of Object.entries({ rows: 'rows', invalid: 'invalid rows' })) {
    const [said, has] = [validated[name], name === 'rows' ? found.rows : found.invalid];
    if (typeof said === 'number' && said !== has) differences.push(`it has ${has} ${what}, and the chain says ${said}`);
  }
  if (acts.has('batch.forget') || forgotten_at !== null) return { differences, isRead: false };
  const [hex, approved] = [digest.hex(), acts.get('batch.approve')?.data.content_sha256];
  if (hex !== validated.content_sha256) differences.push('its rows are not those that were validated');
  if (typeof approved === 'string' && hex !== approved) differences.push('its rows are not those that were approved');
  return { differences, isRead: true };
}
