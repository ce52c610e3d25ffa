import { maySend } from '../../core/state/batch-state.ts';
import { batchLabel } from '../../core/state/state-words.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { makeCachedForecast } from '../../engine/forecast/cached-forecast.ts';
import { batchesBefore } from '../../engine/forecast/sending.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import { type BatchRecord, batchesNotEnded, findBatch } from '../../ledger/batches/batches.ts';
import { type AccountNow, accountsNow, paceOf } from '../../operations/base/account-now.ts';
import { waitsFor } from '../../operations/base/blockers.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { grouped } from '../../reports/text/counted-text.ts';
import type { Session } from '../../runtime/session/session.ts';
import { bar } from '../base/bar.ts';
import type { CommandContext } from '../base/command.ts';
import { finishJson, finishNow, finishText } from '../session/finish-now.ts';
import { onInterrupt } from '../session/interrupt.ts';

/** How often it is looked and drawn anew, and how often a line is written where nobody watches. */
const redrawMs = 1_000;
const lineMs = 10_000;
/** Batches that are shown at once. */
const batchesMax = 200;

/** One batch as it stands now, for people and for programs. */
interface Watched {
  batch_id: string;
  run_id: string;
  account: string;
  status: BatchRecord['status'];
  /** The process that works for its account now (`host/pid/start`), or null where none does. */
  worker: string | null;
  rows: number;
  settled: number;
  failed: number;
  /** They wait for a person, and are among `rows`. */
  held: number;
  in_doubt: number;
  rate_used: number | null;
  rate_allowed: number | null;
  window_ms: number | null;
  /**
   * Whether that is of the service's window, with what others use of it, or what we sent ourselves in the last
   * `window_ms`.
   */
  rate_of: 'service_window' | 'own' | null;
  /** Milliseconds until the last row can have been sent, or null where that cannot be told. */
  left_ms: number | null;
  /** As of `BatchStatus` (status.ts). */
  finish_by: string | null;
  done_at: string | null;
  in_time: boolean | null;
  goes_first: boolean;
  waits_for: string | null;
  /** The batches of which rows are sent before its last one, and how many of each, as far as they can be sent now. */
  batches_before: { batch_id: string; rows: number; takes_turns: boolean }[];
}

/** The same with what came of it, once it has ended, and when it will be done, if by a time, in words. */
interface Seen {
  watched: Watched;
  stands: string | null;
  finish: string | null;
}

/** Shows where the batches stand, again and again, until all of them have ended or Ctrl-C. */
export async function watchStatus(
  { terminal, json }: CommandContext,
  session: Session,
  batchId: string | undefined,
): Promise<number> {
  const { clock } = session;
  const stopping = new AbortController();
  const cachedForecast = makeCachedForecast(clock);
  const interrupt = onInterrupt(() => stopping.abort());
  const isScreen = terminal.isInteractive && !json;
  // What has ended while somebody watched: a screen shows it on, below the others; elsewhere it is told of once.
  let followed = batchId === undefined ? [] : [batchId];
  try {
    while (!stopping.signal.aborted) {
      const open = (await batchesOf(session, batchId)).filter(({ status }) => maySend(status));
      const ended = await endedOf(session, followed);
      const seen: Seen[] = [];
      const accountOf = accountsNow(session, cachedForecast);
      for (const batch of [...open, ...ended]) seen.push(await watch(session, batch, await accountOf(batch.account)));
      if (json) for (const { watched } of seen) terminal.print(jsonLine(watched));
      else if (isScreen) terminal.show(seen.flatMap((one) => [...linesOf(one), '']));
      else for (const one of seen) terminal.print(`${linesOf(one).join(' · ').replace(/\s+/g, ' ')}\n`);
      if (open.length === 0) {
        if (!json && batchId === undefined) terminal.print('Every batch of this ledger is finished.\n');
        return 0;
      }
      followed = [...open, ...(isScreen ? ended : [])].map(({ batch_id }) => batch_id);
      await clock.sleep(terminal.isInteractive || json ? redrawMs : lineMs, stopping.signal);
    }
    return interruptedExitCode;
  } finally {
    terminal.keep();
    interrupt.dispose();
  }
}

/** The batches that are asked for, the latest first. */
async function batchesOf({ db }: Session, batchId: string | undefined): Promise<BatchRecord[]> {
  if (batchId === undefined) return batchesNotEnded(db, batchesMax);
  const batch = await findBatch(db, batchId);
  return batch === null ? [] : [batch];
}

/** Those of these batches that have ended. */
async function endedOf({ db }: Session, batchIds: readonly string[]): Promise<BatchRecord[]> {
  const batches = await Promise.all(batchIds.map((batchId) => findBatch(db, batchId)));
  return batches.filter((batch) => batch !== null).filter(({ status }) => !maySend(status));
}

function linesOf({ watched: one, stands, finish }: Seen): string[] {
  const held = one.held > 0 ? `, ${grouped(one.held)} held` : '';
  const doubts = one.in_doubt > 0 ? `, ${grouped(one.in_doubt)} in doubt` : '';
  const failed = one.failed > 0 ? `, ${grouped(one.failed)} failed` : '';
  const lines = [
    `${one.batch_id} (run ${one.run_id}, account ${one.account})`,
    ` ${bar(one.settled, one.rows)} ${grouped(one.settled)} of ${grouped(one.rows)} rows settled${held}${doubts}${failed}`,
  ];
  const pace = paceText(one);
  const left = one.left_ms === null || one.left_ms < 1_000 ? '' : `all sent in about ${durationText(one.left_ms)}`;
  const waits = one.waits_for === null ? '' : `waits for ${one.waits_for}`;
  const details = [stands ?? '', pace, left, waits].filter(Boolean).join('; ');
  if (finish !== null) lines.push(` ${finish}`);
  return (details ? [...lines, ` ${details}`] : lines).map(visible);
}

function paceText({ rate_used: used, rate_allowed: allowed, rate_of, window_ms: windowMs }: Watched): string {
  if (used === null || allowed === null || windowMs === null) return '';
  const last = windowMs === 60_000 ? 'minute' : durationText(windowMs);
  const window = rate_of === 'own' ? `the last ${last}` : `this window of ${durationText(windowMs)}`;
  return `${grouped(used)} of ${grouped(allowed)} creations in ${window}`;
}

async function watch(session: Session, batch: BatchRecord, account: AccountNow): Promise<Seen> {
  const counts = await countRows(session.db, batch.batch_id);
  const of = (...states: string[]) => states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  const pace = paceOf(account, batch);
  const ready = of('ready');
  const before = pace === null ? [] : batchesBefore(batch, { ready, pace, sending: account.sending });
  const finish = finishNow(batch, account, session.clock.now());
  const watched: Watched = {
    batch_id: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    status: batch.status,
    worker: account.worker,
    rows: of('ready', 'held', 'sending', 'accepted', 'in_doubt', 'completed', 'failed'),
    settled: of('completed', 'failed'),
    failed: of('failed'),
    held: of('held'),
    in_doubt: of('in_doubt'),
    rate_used: pace?.used ?? null,
    rate_allowed: pace?.limit ?? null,
    window_ms: pace?.outlook.windowMs ?? null,
    rate_of: pace && (pace.isFromService ? 'service_window' : 'own'),
    left_ms: pace && (ready === 0 ? 0 : (account.foreseen().get(batch.batch_id)?.sentMs ?? null)),
    ...finishJson(finish),
    waits_for: await waitsFor(session, batch, counts, account),
    batches_before: before
      .filter(({ stands }) => !stands)
      .map(({ batch: id, rows, takesTurns }) => ({ batch_id: id, rows, takes_turns: takesTurns })),
  };
  const stands = maySend(batch.status) ? null : batchLabel(batch);
  return { watched, stands, finish: finishText(finish) };
}
