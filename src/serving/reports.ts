import { AirbatchError, errorMessage, isLedgerAway } from '../core/basics/errors.ts';
import { batchesWithoutReports, type Unreported } from '../operations/working/missing-reports.ts';
import { differenceText } from '../reports/sentences/version-text.ts';
import type { Session } from '../runtime/session/session.ts';
import { type Anchoring, makeAnchoring } from '../runtime/upkeep/anchoring.ts';
import { keepReports, reportStore } from '../runtime/upkeep/report-store.ts';
import type { Traces } from '../runtime/upkeep/traces.ts';
import { makeReportRefresh } from './report-refresh.ts';

/**
 * How often late status updates are looked for, and reports that another machine left out. A machine that still lives
 * has written them by then.
 */
const lookMs = 60_000;

/** The clocks of machines that share a ledger are set by NTP, and differ by less. */
const clocksApartMs = 5_000;

/**
 * How long to wait before reports that could not be written are tried again. Each failure doubles the wait, up to the
 * maximum.
 */
const retryFirstMs = 5_000;
const retryMostMs = 300_000;

export interface ReportWriterDeps {
  written: () => Promise<void> | undefined;
  onUnwritable: (error: AirbatchError) => void;
  /**
   * Since when this process writes the reports of an account (epoch ms); null: another machine does. All machines write
   * those of an account that is no longer configured.
   */
  oursSince: (account: string) => number | null;
}

export interface ReportWriter {
  areWritten: () => boolean;
  /** How many batches wait for their reports: to be written for the first time, or after a failure. */
  missing: () => number;
  /** The places for the heads of audit chains, and whether each is failing. */
  anchors: () => ReadonlyMap<string, boolean>;
  write: (batchId: string) => void;
  writeMissing: () => void;
  keep: () => void;
  stop: () => Promise<void>;
}

/**
 * Writes the reports of each batch when it completes, one batch after the other; then calls `written`. If their place
 * cannot be written to, it calls `onUnwritable`, `areWritten` is false, and it tries again with growing waits until all
 * reports are written. `writeMissing` writes reports that a killed program left out, or that did not fit on the disk.
 * From `keep` on, it refreshes reports after late status updates. `stop` resolves when all of this is done.
 */
export function makeReportWriter(
  session: Session,
  traces: Traces | null,
  { written, onUnwritable, oursSince }: ReportWriterDeps,
): ReportWriter {
  const { log, clock, config } = session;
  const anchoring = makeAnchoring(session);
  const stopping = new AbortController();
  let [starting, keeping]: Promise<void>[] = [Promise.resolve(), Promise.resolve()];
  const write = (batchId: string, out: string) => writeVersion(session, anchoring, batchId, out);
  const { next, isPending, areWritten, missing, idle } = makeWriteQueue(session, stopping.signal, onUnwritable);
  const writeFirst = (batchId: string, out = config.out) =>
    void next(batchId, out, async () => {
      const { dir } = await write(batchId, out);
      log.info('a batch is completed', { batch_id: batchId, reports: dir });
      traces?.send(batchId);
      await written();
    });
  const restate = (batchId: string, out: string) =>
    next(batchId, out, async () => {
      const reports = await write(batchId, out);
      const { dir, version } = reports;
      const facts = { batch_id: batchId, reports: dir, version, difference: differenceText(reports) };
      log.info('airbatch has written a new version of the reports of a batch', facts);
    });
  const writeMissing = async (isWanted: (one: Unreported) => boolean) => {
    for (const one of await batchesWithoutReports(session)) {
      const { batchId, account, endedAt, out } = one;
      const since = oursSince(account);
      // The reports of a batch that ends here wait until its details are read: `write` is called then.
      const isLeftOut = since !== null && endedAt <= since + clocksApartMs;
      if (isLeftOut && isWanted(one) && !isPending(batchId, out)) writeFirst(batchId, out);
    }
  };
  const reportAs = (message: Parameters<typeof log.warn>[0]) => (error: unknown) => {
    log.warn(message, { error: errorMessage(error) });
    const unwritable = unwritableOf(error, config.out);
    if (unwritable) onUnwritable(unwritable);
  };
  const unusable = reportAs('the place of the reports cannot be used now; payments continue');
  const unreadable = reportAs('late status changes could not be checked; airbatch tries again');
  return {
    areWritten,
    missing,
    anchors: anchoring.places,
    write: writeFirst,
    writeMissing() {
      starting = reportStore(session, config.out)
        .check()
        .then(() => writeMissing(() => true).catch(unreadable), unusable);
    },
    keep() {
      const refresh = makeReportRefresh(session, { isOurs: (account) => oursSince(account) !== null, restate });
      const look = async () => {
        // A late status update is left to `refresh`, which waits until no further one arrives.
        await writeMissing(({ endedAt, isReported }) => !isReported && endedAt <= clock.now() - lookMs);
        await refresh();
      };
      keeping = keepLooking(session, anchoring, { look, unreadable }, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await Promise.all([starting, keeping]);
      await idle();
      await anchoring.stop();
      await traces?.stop();
    },
  };
}

/**
 * Stores the heads of audit chains, and refreshes reports after late status updates, again and again. A ledger that is
 * away for an hour is logged once, and once when it is back.
 */
async function keepLooking(
  { clock, log }: Session,
  anchoring: Anchoring,
  { look, unreadable }: { look: () => Promise<void>; unreadable: (error: unknown) => void },
  stopping: AbortSignal,
): Promise<void> {
  let areChecked = true;
  const looked = () => {
    if (!areChecked) log.info('late status changes are checked again');
    areChecked = true;
  };
  const failed = (error: unknown) => {
    if (areChecked) unreadable(error);
    areChecked = false;
  };
  while (!stopping.aborted) {
    await anchoring.put();
    await look().then(looked, failed);
    await clock.sleep(lookMs, stopping);
  }
}

async function writeVersion(session: Session, anchoring: Anchoring, batchId: string, out: string) {
  await anchoring.put();
  const reports = await keepReports(session, batchId, out);
  if (reports.chain_broken !== null)
    session.log.warn('the audit chain of a batch is broken; its reports say so', {
      batch_id: batchId,
      why: reports.chain_broken,
    });
  return reports;
}

interface WriteQueue {
  /** Does the work after all earlier work. An error with one batch does not hold up the others. */
  next(batchId: string, out: string, work: () => Promise<void>): Promise<void>;
  /** Whether the reports are queued, being written, or tried again later. */
  isPending(batchId: string, out: string): boolean;
  areWritten(): boolean;
  /** How many batches wait for their reports, whether or not an attempt has failed. */
  missing(): number;
  /** Resolves when nothing is being written or tried again. */
  idle(): Promise<void>;
}

function makeWriteQueue(
  { clock, log }: Session,
  stopping: AbortSignal,
  onUnwritable: (error: AirbatchError) => void,
): WriteQueue {
  let last: Promise<void> = Promise.resolve();
  /** The work that failed because the folder or the ledger was away, by batch and folder. */
  const waiting = new Map<string, () => Promise<unknown>>();
  /** The work that is queued or running, each with its batch and folder. */
  const queued = new Set<{ key: string }>();
  const pending = () => new Set([...[...queued].map(({ key }) => key), ...waiting.keys()]);
  let retrying: Promise<void> | null = null;
  const retry = async () => {
    for (let waitMs = retryFirstMs; waiting.size > 0; waitMs = Math.min(2 * waitMs, retryMostMs)) {
      await clock.sleep(waitMs, stopping);
      if (stopping.aborted) return;
      for (const again of [...waiting.values()]) if (!stopping.aborted) await again();
    }
    retrying = null;
  };
  const keyOf = (batchId: string, out: string) => `${batchId} ${out}`;
  const next = (batchId: string, out: string, work: () => Promise<void>): Promise<void> => {
    const key = keyOf(batchId, out);
    const failed = (error: unknown) => {
      const facts = { batch_id: batchId, error: errorMessage(error) };
      const unwritable = unwritableOf(error, out);
      if (unwritable === null && !isLedgerAway(error)) {
        log.warn('the reports of a batch could not be written; "airbatch report" writes them', facts);
        return;
      }
      log.warn('the reports of a batch could not be written; airbatch tries again', facts);
      waiting.set(key, () => next(batchId, out, work));
      if (unwritable) onUnwritable(unwritable);
      retrying ??= retry();
    };
    const entry = { key };
    queued.add(entry);
    last = last
      .then(work)
      .then(() => void waiting.delete(key), failed)
      .finally(() => void queued.delete(entry));
    return last;
  };
  return {
    next,
    isPending: (batchId, out) => pending().has(keyOf(batchId, out)),
    areWritten: () => waiting.size === 0,
    missing: () => pending().size,
    async idle() {
      await retrying;
      await last;
    },
  };
}

/** The error of the folder `out`, or null for another error. */
function unwritableOf(error: unknown, out: string): AirbatchError | null {
  if (error instanceof AirbatchError) return error.code === 'FOLDER_UNWRITABLE' ? error : null;
  if (!(error instanceof Error) || !('path' in error) || !String(error.path).startsWith(out)) return null;
  return new AirbatchError('FOLDER_UNWRITABLE', `nothing can be written to ${out}: ${error.message}`, { cause: error });
}
