import { storedPolicy } from '../core/batch-policy.ts';
import type { BatchRecord } from '../ledger/batches.ts';
import { countRows, findBatch, listBatches } from '../ledger/batches.ts';
import { findLease } from '../ledger/leases.ts';
import { type NotedPace, notedPace } from '../ledger/pace.ts';
import { nextDueAt } from '../ledger/rows.ts';
import { durationText } from '../reports/format.ts';
import { pauseReasonWords } from '../reports/words.ts';
import type { Session } from '../runtime/session.ts';
import type { CommandContext } from './command.ts';

/** How often it is looked and drawn anew, and how often a line is written where nobody watches. */
const redrawMs = 1_000;
const lineMs = 10_000;
/** A pace that was noted longer ago says nothing of now. */
const paceStaleMs = 15_000;
const barLength = 24;
/** Batches that are looked through for those that are not finished. */
const batchesMax = 200;

/** One batch as it stands now, for people and for programs. */
interface Watched {
  batch: string;
  run_id: string;
  account: string;
  status: string;
  rows: number;
  settled: number;
  failed: number;
  rate_used: number | null;
  rate_allowed: number | null;
  window_ms: number | null;
  /** Milliseconds until the last row can have been sent, or null where that cannot be told. */
  left_ms: number | null;
  waits_for: string | null;
}

const open = ['awaiting_approval', 'approved', 'running', 'paused'];

/** Shows where the batches stand, again and again, until all of them have ended or Ctrl-C. */
export async function watchStatus(
  { terminal, json }: CommandContext,
  session: Session,
  batchId: string | undefined,
): Promise<number> {
  const { db, clock } = session;
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let drawn = 0;
  try {
    while (!stopping.signal.aborted) {
      const named = batchId === undefined ? await listBatches(db, batchesMax) : [await findBatch(db, batchId)];
      const batches = named.filter((batch) => batch !== null);
      const unfinished = batches.filter(({ status }) => open.includes(status));
      const shown = unfinished.length > 0 || batchId === undefined ? unfinished : batches;
      const watched: Watched[] = [];
      for (const batch of shown) watched.push(await watch(session, batch));
      if (json) for (const one of watched) terminal.print(`${JSON.stringify(one)}\n`);
      else if (terminal.isInteractive) drawn = redraw(terminal.error, watched, drawn);
      else for (const one of watched) terminal.print(`${linesOf(one).join(' · ').replace(/\s+/g, ' ')}\n`);
      if (unfinished.length === 0) {
        if (!json && watched.length === 0) terminal.print('Every batch of this ledger is finished.\n');
        return 0;
      }
      await clock.sleep(terminal.isInteractive || json ? redrawMs : lineMs, stopping.signal);
    }
    return 130;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** Draws over what was drawn before. Returns how many lines there are now. */
function redraw(print: (text: string) => void, watched: readonly Watched[], drawn: number): number {
  const lines = watched.flatMap((one) => [...linesOf(one), '']);
  const back = drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : '';
  print(`${back}${lines.map((line) => `${line}\n`).join('')}`);
  return lines.length;
}

function linesOf(one: Watched): string[] {
  const share = one.rows === 0 ? 1 : one.settled / one.rows;
  const full = Math.floor(share * barLength);
  const failed = one.failed > 0 ? `, ${one.failed} failed` : '';
  const lines = [
    `${one.batch} (run ${one.run_id}, account ${one.account})`,
    ` ${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${one.settled} of ${one.rows} rows settled${failed}`,
  ];
  const pace =
    one.rate_used === null || one.window_ms === null
      ? ''
      : `${one.rate_used} of ${one.rate_allowed} creations in the last ${durationText(one.window_ms)}`;
  const left = one.left_ms === null || one.left_ms === 0 ? '' : `all sent in about ${durationText(one.left_ms)}`;
  const waits = one.waits_for === null ? '' : `waits for ${one.waits_for}`;
  const details = [pace, left, waits].filter(Boolean).join('; ');
  return details ? [...lines, ` ${details}`] : lines;
}

async function watch({ db, clock }: Session, batch: BatchRecord): Promise<Watched> {
  const counts = await countRows(db, batch.batch_id);
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  const now = clock.now();
  const noted = await notedPace(db, batch.account);
  const pace = noted && now - noted.at < paceStaleMs && batch.status === 'running' ? noted : null;
  const ready = of('ready');
  return {
    batch: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    status: batch.status,
    rows: of('ready', 'held', 'sending', 'accepted', 'in_doubt', 'completed', 'failed'),
    settled: of('completed', 'failed'),
    failed: of('failed'),
    rate_used: pace?.used ?? null,
    rate_allowed: pace?.limit ?? null,
    window_ms: pace?.windowMs ?? null,
    left_ms: pace === null || batch.status !== 'running' ? null : leftMs(pace, ready, now),
    waits_for: await waitsFor(db, batch, { of, pace, now }),
  };
}

function leftMs({ limit, windowMs, nextAt }: NotedPace, ready: number, now: number): number {
  if (ready === 0) return 0;
  return Math.max(0, nextAt - now) + Math.ceil((ready / limit) * windowMs);
}

async function waitsFor(
  db: Session['db'],
  batch: BatchRecord,
  { of, pace, now }: { of: (...states: string[]) => number; pace: NotedPace | null; now: number },
): Promise<string | null> {
  if (batch.status === 'awaiting_approval') return `a second person ("airbatch approve ${batch.batch_id}")`;
  if (batch.status === 'paused')
    return `a person: ${batch.pause_reason === null ? 'paused' : pauseReasonWords[batch.pause_reason]}${batch.pause_detail ? ` (${batch.pause_detail})` : ''}`;
  if (batch.status !== 'approved' && batch.status !== 'running') return null;
  const lease = await findLease(db, batch.account);
  if (!lease || lease.expires_at <= now) return 'a program to send it ("airbatch resume" or "airbatch serve")';
  const { canary } = storedPolicy(batch.policy);
  const sent = of('sending', 'accepted', 'in_doubt', 'completed', 'failed');
  if (canary !== null && batch.canary_at === null && sent >= canary.rows)
    return `the first ${canary.rows} rows to end: they go alone`;
  if (of('ready') > 0) {
    return pace !== null && pace.nextAt > now + 1_000
      ? `the service's rate limit, ${durationText(pace.nextAt - now)} more${pace.shared ? '; others use the account' : ''}`
      : null;
  }
  if (of('sending', 'accepted') > 0) return `the service to end ${of('sending', 'accepted')} rows`;
  if (of('in_doubt') > 0) {
    const at = await nextDueAt(db, batch.batch_id, 'in_doubt');
    return at === null
      ? `a person to resolve ${of('in_doubt')} rows in doubt`
      : `the next look-up of ${of('in_doubt')} rows in doubt, in ${durationText(Math.max(0, at - now))}`;
  }
  return of('held') > 0 ? `a person to release or skip ${of('held')} held rows` : null;
}
