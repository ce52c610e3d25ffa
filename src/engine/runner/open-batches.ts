import type { BatchPolicy } from '../../core/state/batch-policy.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { FileRefs } from '../../ledger/rows/file-refs.ts';
import type { BatchWatch } from './batch-watch.ts';
import type { RowMarks } from './row-marks.ts';

/** A batch that is approved, running or paused. */
export interface OpenBatch {
  batch: BatchRecord;
  policy: BatchPolicy;
  watch: BatchWatch;
  /** The row refs of its file. */
  file: FileRefs;
  /** Rows that a person ended and that were logged, because the service's list contradicts the end. */
  contradicted: RowMarks;
  /** Second payments of its rows that were logged, by the service's ids. */
  seconds: Set<string>;
}

/** The open batches of an account, as its runner last read them from the ledger. */
export interface OpenBatches {
  /** The batches of the account's service, by id. */
  all(): ReadonlyMap<string, OpenBatch>;
  get(batchId: string): OpenBatch | undefined;
  /** The batches of another service, by id: nothing is sent or asked for them. */
  moved(): ReadonlyMap<string, OpenBatch>;
  /** Whether there is any batch, of whichever service. */
  isAnyOpen(): boolean;
  /** Returns whether the batches are others than before, or in other states. */
  replace(all: ReadonlyMap<string, OpenBatch>, moved: ReadonlyMap<string, OpenBatch>): boolean;
  /** Stops a batch for a guard: it sends nothing more, even before its pause is durable. The first reason stays. */
  stop(batchId: string, why: Why): void;
  /** Why a guard has stopped the batch; null if none has. */
  whyStopped(batchId: string): Why | null;
  /** Clears the stop: the ledger has the batch's pause, or the batch resumes. */
  unstop(batchId: string): void;
  /**
   * Notes that the account is paused for a reason. Returns whether that is new since a batch last started or resumed.
   */
  notePause(reason: string): boolean;
  /** Forgets the noted pauses: a batch starts or resumes. */
  forgetPauses(): void;
}

export function makeOpenBatches(): OpenBatches {
  let current: ReadonlyMap<string, OpenBatch> = new Map();
  let currentMoved: ReadonlyMap<string, OpenBatch> = new Map();
  const stopped = new Map<string, Why>();
  const pauses = new Set<string>();
  return {
    all: () => current,
    get: (batchId) => current.get(batchId),
    moved: () => currentMoved,
    isAnyOpen: () => current.size + currentMoved.size > 0,
    replace(all, moved) {
      const isSame = areAlike(current, all) && areAlike(currentMoved, moved);
      current = all;
      currentMoved = moved;
      return !isSame;
    },
    stop(batchId, why) {
      if (!stopped.has(batchId)) stopped.set(batchId, why);
    },
    whyStopped: (batchId) => stopped.get(batchId) ?? null,
    unstop: (batchId) => void stopped.delete(batchId),
    notePause(reason) {
      const isNew = !pauses.has(reason);
      pauses.add(reason);
      return isNew;
    },
    forgetPauses: () => pauses.clear(),
  };
}

/** How often a loop looks although nothing is due. Without an open batch, only a wake-up brings work. */
export function idleMs({
  batches,
  settings,
}: {
  batches: Pick<OpenBatches, 'isAnyOpen'>;
  settings: { openPollMs: number };
}): number {
  return batches.isAnyOpen() ? settings.openPollMs : Number.POSITIVE_INFINITY;
}

function areAlike(before: ReadonlyMap<string, OpenBatch>, after: ReadonlyMap<string, OpenBatch>): boolean {
  const isAlike = ({ batch: { batch_id, status, canary_at } }: OpenBatch) => {
    const now = after.get(batch_id)?.batch;
    return now?.status === status && now.canary_at === canary_at;
  };
  return before.size === after.size && [...before.values()].every(isAlike);
}
