import { AirbatchError } from '../../core/basics/errors.ts';
import { visible } from '../../core/text/visible.ts';
import type { AccountRunner } from '../../engine/account-runner.ts';
import { canProgress } from '../../engine/forecast/can-progress.ts';
import { countRows } from '../../ledger/batches/batch-counts.ts';
import { findBatch, type ReadWith, unfinishedBatches } from '../../ledger/batches/batches.ts';
import { countContradicted, rowsPaidTwice } from '../../ledger/reporting/contradictions.ts';
import { paidSince } from '../../ledger/reporting/shared-rows.ts';
import { hasWorker } from '../../operations/base/account-now.ts';
import { type WrittenReports, writeReports } from '../../reports/reports.ts';
import { verdictOf } from '../../reports/sentences/verdict.ts';
import { type BatchSummary, batchSummary, findBatchOrFail } from '../../reports/summary/summary.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { makeFolder } from '../../reports/versions/files.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { runnerOf } from '../../runtime/accounts/runner-of.ts';
import { type Session, sessionSigning } from '../../runtime/session/session.ts';
import { anchorFinished } from '../../runtime/upkeep/anchoring.ts';
import { makeNotifier } from '../../runtime/upkeep/notifier.ts';
import type { CommandContext } from '../base/command.ts';
import { interruptedExitCode } from '../base/exit-codes.ts';
import { onInterrupt } from '../session/interrupt.ts';
import type { PaidSince } from '../text/corrected.ts';
import { rememberPlace } from './missing-reports.ts';
import { showProgress } from './progress.ts';
import { makeWatching, type Watching } from './watching.ts';

/** How long a run waits for doubts whose next look-up lies ahead, before it leaves them to a later `resume`. */
const patienceMs = 20 * 60_000;

/** What became of a batch when its work ended, for the closing lines and the JSON answer. */
export interface WorkResult {
  summary: BatchSummary;
  reports: WrittenReports;
  exitCode: number;
  /** How a file is read that corrects the batch's own; null where that is not known. */
  readWith: ReadWith | null;
  /** Whether another program works for the account, and so goes on with the batch. */
  isWorkedOn: boolean;
  /** Later batches of the run that have paid rows which failed or were invalid in this one. */
  paidSince: PaidSince[];
  /** Where the credentials of the batch's account come from (`AccountConfig`). */
  credentialsFrom: string;
}

/**
 * Works on the account's open batches until nothing is left to do for `batchIds`, with progress on the screen; then
 * writes the reports of these: whoever runs a file is not kept by a row of another one that the service takes hours
 * over. The first Ctrl-C stops sending and lets what is in flight end, the second ends the process at once.
 */
export async function workOn(
  context: CommandContext,
  session: Session,
  account: OpenAccount,
  options: { batchIds: readonly string[]; out: string; restored: boolean },
): Promise<WorkResult[]> {
  // Nothing is waited for before Ctrl-C is listened to: whoever read the file listens no longer.
  const { terminal } = context;
  // What was said of the process that has the account, while this one watches it.
  let watched: string | null = null;
  const onTaken = () => {
    if (watched !== null) terminal.error('The other airbatch has stopped: this command continues its work.\n');
    watched = null;
  };
  const onBusy = (message: string) => {
    if (message !== watched)
      terminal.error(`${visible(message.charAt(0).toUpperCase() + message.slice(1))}; showing its progress.\n`);
    watched = message;
  };
  const runner = runnerOf(session, account, { restored: options.restored, onTaken });
  const show = (line: string) => terminal.error(`${line}\n`);
  const watching = makeWatching(session, show, {
    batchIds: options.batchIds,
    patienceMs,
    promisedMs: account.gateway.policy.settleAlertMs,
  });
  const notifier = makeNotifier(session, null);
  const progress = showProgress(terminal, session, options.batchIds);
  const interrupt = onInterrupt(() => {
    progress.leave();
    runner.stop();
    terminal.error(
      watched !== null
        ? `This command stops, and the other airbatch ${goesOnWith(watching.unpaused())}\n`
        : 'Stopping: nothing more is sent; the answers to requests already sent are awaited. (Ctrl-C again stops at once.)\n',
    );
  });
  try {
    // Better known before anything is sent than after it.
    await makeFolder(options.out, session.config);
    await rememberPlace(session, options.batchIds, options.out);
    await notifier.begin();
    if (!interrupt.happened())
      await runOrWatch(session, runner, watching, {
        batchIds: options.batchIds,
        interrupted: interrupt.happened,
        onBusy,
      });
  } finally {
    await progress.end();
    interrupt.dispose();
  }
  if (!interrupt.happened()) await showLeft(context, session, account, options.batchIds);
  const results = await reportOn(context, session, account, options);
  await notifier.stop();
  return interrupt.happened() ? results.map((one) => ({ ...one, exitCode: interruptedExitCode })) : results;
}

/** Writes the reports of batches as they stand, and sends nothing. */
export async function reportOn(
  context: CommandContext,
  session: Session,
  { name, credentialsFrom }: OpenAccount,
  { batchIds, out }: { batchIds: readonly string[]; out: string },
): Promise<WorkResult[]> {
  await anchorFinished(session);
  const signing = await sessionSigning(session);
  const { readableByGroup } = session.config;
  const results: WorkResult[] = [];
  for (const batchId of batchIds) {
    const reports = await writeReports(session.db, batchId, out, { signing, readableByGroup }).catch((error: unknown) =>
      showUnreported(context, session, batchId, error),
    );
    const exitCode = await exitCodeOf(session, batchId);
    const readWith = await storedReadWith(session, batchId);
    const summary = await batchSummary(session.db, batchId);
    const isWorkedOn = await hasWorker(session, name);
    const since = await paidSince(session.db, await findBatchOrFail(session.db, batchId));
    results.push({ summary, reports, exitCode, readWith, isWorkedOn, paidSince: since, credentialsFrom });
  }
  return results;
}

/** What the process goes on with that has the account, and how to stop that where anything is left to be stopped. */
function goesOnWith(unpaused: readonly string[]): string {
  if (unpaused.length === 0) return 'follows the payments already sent; paused batches send nothing more.';
  return `continues. To stop a batch: airbatch pause ${unpaused.length === 1 ? unpaused[0] : 'BATCH'} --why TEXT`;
}

/** The reports would have told what was paid: where they cannot be written, the screen does. */
async function showUnreported(
  { terminal }: CommandContext,
  { db }: Session,
  batchId: string,
  error: unknown,
): Promise<never> {
  if (!(error instanceof AirbatchError) || error.code !== 'FOLDER_UNWRITABLE') throw error;
  terminal.error(`${verdictOf(await batchSummary(db, batchId)).headline}\n`);
  throw new AirbatchError(error.code, error.message, {
    hint: `Make the folder writable, or name another with --out, then "airbatch report ${batchId}". What was paid is in the ledger.`,
    cause: error,
  });
}

/** How often it is looked whether another process that has the account has finished, or ended. */
const watchMs = 1_000;

/** Says that other batches of the account are not at their end, where nobody goes on with them. */
async function showLeft(
  { terminal }: CommandContext,
  session: Session,
  { name }: OpenAccount,
  batchIds: readonly string[],
): Promise<void> {
  if (await hasWorker(session, name)) return;
  let left = 0;
  for (const batch of await unfinishedBatches(session.db)) {
    const isOther = batch.account === name && !batchIds.includes(batch.batch_id);
    if (isOther && (await canProgress(session.db, batch, session.clock.now(), Number.POSITIVE_INFINITY))) left++;
  }
  const [batches, them] = [counted(left, 'other batch', 'other batches'), left === 1 ? 'it' : 'them'];
  if (left > 0) terminal.error(`${batches} of the account can continue: "airbatch resume" sends ${them}.\n`);
}

/**
 * Works on the batches; while another process has the account (`airbatch serve`, or another run), that one works on
 * them, and this one watches, ready to go on should it end.
 */
async function runOrWatch(
  session: Session,
  runner: AccountRunner,
  watching: Watching,
  {
    batchIds,
    interrupted,
    onBusy,
  }: { batchIds: readonly string[]; interrupted: () => boolean; onBusy: (message: string) => void },
): Promise<void> {
  for (;;) {
    try {
      return await showingWaits(session, watching, () => runner.run(patienceMs, batchIds));
    } catch (error) {
      if (!(error instanceof AirbatchError) || error.code !== 'ACCOUNT_BUSY') throw error;
      onBusy(error.message);
    }
    await session.clock.sleep(watchMs);
    if (interrupted() || !(await watching.look())) return;
  }
}

/** How often the command looks whether it must say what a batch waits for. */
const waitLookMs = 3_000;

/** Says, while the work goes on, what its batches wait for. */
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

async function storedReadWith({ db }: Session, batchId: string): Promise<ReadWith | null> {
  const batch = await findBatch(db, batchId);
  return JSON.parse(batch?.read_with ?? 'null');
}

/**
 * 0 every row paid, also where the service says so of one that had failed; 4 finished with failed or invalid rows; 5
 * something waits for a person, or a row may have been paid twice.
 */
async function exitCodeOf(session: Session, batchId: string): Promise<number> {
  const batch = await findBatch(session.db, batchId);
  if (batch?.status !== 'completed') return 5;
  if ((await rowsPaidTwice(session.db, batchId, 1)).length > 0) return 5;
  const counts = await countRows(session.db, batchId);
  const failed = (counts.get('failed') ?? 0) - (await countContradicted(session.db, batchId));
  return failed > 0 || counts.has('invalid') ? 4 : 0;
}
