import { AirbatchError } from '../../core/basics/errors.ts';
import type { AccountRunner } from '../../engine/account-runner.ts';
import { canProgress } from '../../engine/forecast/can-progress.ts';
import { unfinishedBatches } from '../../ledger/batches/batches.ts';
import { verdictOf } from '../../reports/sentences/verdict.ts';
import { isBucketPlace } from '../../reports/store/object-store.ts';
import { batchSummary } from '../../reports/summary/summary.ts';
import { makeFolder } from '../../reports/versions/files.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { runnerOf } from '../../runtime/accounts/runner-of.ts';
import type { Session } from '../../runtime/session/session.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { makeNotifier } from '../../runtime/upkeep/notifier.ts';
import { keepReports } from '../../runtime/upkeep/report-store.ts';
import { hasWorker } from '../base/account-now.ts';
import { interruptedExitCode } from '../base/exit-codes.ts';
import type { OperationContext } from '../base/operation.ts';
import { type BatchResult, resultOf } from './batch-result.ts';
import { rememberPlace } from './missing-reports.ts';
import { reportProgress } from './progress.ts';
import { makeWatching, type Watching } from './watching.ts';

/**
 * How long the work waits for rows in doubt whose next lookup is not due yet. Then it leaves them to a later `resume`.
 */
const patienceMs = 20 * 60_000;

/**
 * Works on the account's open batches and reports progress until nothing is left to do for `batchIds`; then writes
 * their reports. It does not wait for other batches: a person who runs a file should not wait for another file's row
 * that the service takes hours over. If the signal is aborted, nothing more is sent, and requests in flight end. If the
 * context leaves the work to another part of the program, this only writes the reports.
 */
export async function workOn(
  context: OperationContext,
  account: OpenAccount,
  options: { batchIds: readonly string[]; out: string; restored: boolean },
): Promise<BatchResult[]> {
  const { session, emit, signal, leavesWork } = context;
  const { batchIds, out, restored } = options;
  if (leavesWork) return reportOn(context, account, { batchIds, out });
  // What was last reported about the process that holds the account, while this process watches it.
  let watched: string | null = null;
  const onLeaseTaken = () => {
    if (watched !== null) emit({ kind: 'taken_over' });
    watched = null;
  };
  const onBusy = (text: string) => {
    if (text !== watched) emit({ kind: 'watching', text });
    watched = text;
  };
  const runner = runnerOf(session, account, { restored, onLeaseTaken });
  const watching = makeWatching(session, emit, {
    batchIds,
    patienceMs,
    promisedMs: account.gateway.policy.settleAlertMs,
  });
  const notifier = makeNotifier(session, null);
  const stop = () => {
    runner.stop();
    const [stage, unpaused] = watched === null ? ['sending' as const, []] : ['watching' as const, watching.unpaused()];
    emit({ kind: 'stopping', stage, unpaused: [...unpaused] });
  };
  signal.addEventListener('abort', stop, { once: true });
  const progress = reportProgress(context, batchIds);
  try {
    // Finds an unwritable folder before anything is sent. A bucket that cannot be reached does not delay payments.
    if (!isBucketPlace(out)) await makeFolder(out, session.config);
    await rememberPlace(session, batchIds, out);
    await notifier.begin();
    if (!signal.aborted) await runOrWatch(context, runner, watching, { batchIds, onBusy });
  } finally {
    await progress.end();
    signal.removeEventListener('abort', stop);
  }
  if (!signal.aborted) await reportOthersLeft(context, account, batchIds);
  const results = await reportOn(context, account, { batchIds, out });
  await notifier.stop();
  return results;
}

/** Writes the reports of batches in their current state, and sends nothing. */
export async function reportOn(
  context: OperationContext,
  account: OpenAccount,
  { batchIds, out }: { batchIds: readonly string[]; out: string },
): Promise<BatchResult[]> {
  const { session, signal } = context;
  await anchorFinished(session);
  const results: BatchResult[] = [];
  for (const batchId of batchIds) {
    const reports = await keepReports(session, batchId, out).catch((error: unknown) =>
      reportUnwritten(context, { batchId, out }, error),
    );
    const result = await resultOf(session, account, batchId, reports);
    results.push(signal.aborted ? { ...result, exit_code: interruptedExitCode } : result);
  }
  return results;
}

/** The reports would have said what was paid. If they cannot be written, a note does. */
async function reportUnwritten(
  { session, emit }: OperationContext,
  { batchId, out }: { batchId: string; out: string },
  error: unknown,
): Promise<never> {
  if (!(error instanceof AirbatchError) || error.code !== 'FOLDER_UNWRITABLE') throw error;
  emit({ kind: 'note', text: verdictOf(await batchSummary(session.db, batchId)).headline });
  throw new AirbatchError(error.code, error.message, {
    hint: isBucketPlace(out)
      ? `${error.hint} Then: "airbatch report ${batchId}".`
      : `Make the folder writable, or choose another with --out, then "airbatch report ${batchId}". The ledger has everything that was paid.`,
    cause: error,
  });
}

/** How often this process checks whether the process that holds the account has finished or died. */
const watchMs = 1_000;

/** Reports other open batches of the account that no program continues. */
async function reportOthersLeft(
  { session, emit }: OperationContext,
  { name }: OpenAccount,
  batchIds: readonly string[],
): Promise<void> {
  if (await hasWorker(session, name)) return;
  let left = 0;
  for (const batch of await unfinishedBatches(session.db)) {
    const isOther = batch.account === name && !batchIds.includes(batch.batch_id);
    if (isOther && (await canProgress(session.db, batch, session.clock.now(), Number.POSITIVE_INFINITY))) left++;
  }
  if (left > 0) emit({ kind: 'can_continue', batches: left });
}

/**
 * Works on the batches. While another process holds the account (`airbatch serve`, or another run), that process works
 * on them. This one watches, and takes over if the other ends.
 */
async function runOrWatch(
  { session, signal }: OperationContext,
  runner: AccountRunner,
  watching: Watching,
  { batchIds, onBusy }: { batchIds: readonly string[]; onBusy: (message: string) => void },
): Promise<void> {
  for (;;) {
    try {
      return await showingWaits(session, watching, () => runner.run(patienceMs, batchIds));
    } catch (error) {
      if (!(error instanceof AirbatchError) || error.code !== 'ACCOUNT_BUSY') throw error;
      onBusy(error.message);
    }
    await session.clock.sleep(watchMs);
    if (signal.aborted || !(await watching.look())) return;
  }
}

/** How often the command checks whether to explain a wait. */
const waitLookMs = 3_000;

/** Explains what the batches wait for while the work continues. */
async function showingWaits(
  { clock }: Session,
  watching: Pick<Watching, 'showWaits'>,
  work: () => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const showing = async () => {
    for (;;) {
      await clock.sleep(waitLookMs, ended.signal);
      if (ended.signal.aborted) return;
      await watching.showWaits();
    }
  };
  const shown = showing();
  try {
    await work();
  } finally {
    ended.abort();
    await shown;
  }
}
