import { assert } from '../core/basics/assert.ts';
import { AirbatchError } from '../core/basics/errors.ts';
import type { Random } from '../core/basics/random.ts';
import { defaultRunId, isRunId } from '../core/identity/ids.ts';
import { storedDigest } from '../core/identity/stored-digest.ts';
import { batchPolicy } from '../core/state/batch-policy.ts';
import { type Clock, isoTime } from '../core/time/clock.ts';
import { type BatchRecord, findBatch, type Priority, type ReadWith } from '../ledger/batches/batches.ts';
import { beginReading, endReading } from '../ledger/batches/readings.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { holdTime } from '../ledger/schema/lease-table.ts';
import { inUnit, type Unit } from '../ledger/unit-of-work.ts';
import type { FileProgress } from './check/check-file.ts';
import { giveUp, isRejection } from './check/end-reading.ts';
import type { Findings } from './check/findings-shape.ts';
import { makeRowStore, readingTtlMs, requireReading } from './check/store-rows.ts';
import { type IntakeSettings, intakeSettings } from './columns/settings.ts';
import { type FromSheet, openSource, type Source } from './file/source.ts';
import { sameContentWarnings } from './history/same-content.ts';
import { type Catalog, untilAborted } from './rows/network-catalog.ts';
import type { PackedRows } from './rows/packed-rows.ts';
import { checkSource } from './thread/checker-thread.ts';

export interface IntakeDeps {
  db: Database;
  clock: Clock;
  random: Random;
}

export interface IntakeOptions {
  account: string;
  /** Where the money goes, for people: the service's base URL, or the embedded sandbox. */
  service: string;
  /** The run id, within which each row is paid once; null: derived from the file's digest. */
  runId: string | null;
  /** An absolute path, or "-" for standard input. */
  file: string;
  /** The name by which people know the file, if another file was made of it. */
  fileName?: string;
  createdBy: string;
  /** The accounts whose batches they may see. If it is empty or left out: all. */
  seenAccounts?: readonly string[];
  /** The interface that they use, for the audit log. */
  through: string;
  /** The IANA time zone of the person or program that brings the file. Without it, times are shown only in UTC. */
  timeZone?: string | null;
  program: string;
  /**
   * Names this process, uniquely over time (`host/pid/start`): by it a later one knows what a crash left in the
   * middle.
   */
  holder: string;
  priority: Priority;
  /** The deadline for the last row (epoch ms), if there is one. */
  finishBy?: number | null;
  /** `intake` of the configuration. */
  settings: Readonly<Record<string, unknown>>;
  /** As of `SourceOptions`. */
  sheetIsNamed?: boolean;
  /** As of `SourceOptions`. */
  fromSheet?: FromSheet | null;
  /** The job that brings the file, if not a person. */
  job?: string | null;
  /** True if nobody sees the verdicts before rows are sent, as for a job's file. */
  isUnseen?: boolean;
  /**
   * The options of `airbatch run` that read a file as this one is read, besides the configuration; null: there is no
   * saying them.
   */
  readWith?: ReadWith | null;
  /** `policy` of the configuration, or of the job: kept with the batch. */
  policy?: Readonly<Record<string, unknown>>;
  catalog?: Catalog | null;
  stdin?: AsyncIterable<Uint8Array>;
  onProgress?: (progress: FileProgress) => void;
  signal?: AbortSignal;
}

/** A validated batch, and what was found in its file. */
export interface IntakeResult extends Findings {
  batch: BatchRecord;
}

/**
 * Takes a file into the ledger: a batch with a verdict for each row, durable when the promise resolves. Throws
 * `FILE_UNREADABLE` where there is no such file; `FILE_REJECTED` where the file as a whole cannot be paid out: the
 * batch is then `rejected`, has no rows, and the same run id stays free for the corrected file; `SERVICE_UNREACHABLE`
 * where a file that nobody looks at names networks and the catalog does not answer: the file is to be brought again,
 * and there is no batch, or one that is `cancelled` and has no rows where some were stored before.
 */
export async function intakeFile(deps: IntakeDeps, options: IntakeOptions): Promise<IntakeResult> {
  const { runId, file, sheetIsNamed, fromSheet, stdin, signal } = options;
  if (runId !== null && !isRunId(runId)) throw new AirbatchError('RUN_ID_INVALID', `"${runId}" is not a run id`);
  const settings = intakeSettings(options.settings);
  const { fileBytesMax } = settings.limits;
  const source = await openSource({ file, fileBytesMax, sheetIsNamed, fromSheet, stdin, signal });
  try {
    let received: Promise<BatchRecord> | null = null;
    const receiveOnce = () => {
      received ??= receive(deps, options, source);
      return received;
    };
    try {
      return await readInto(deps, options, settings, source, receiveOnce);
    } catch (error) {
      const batch = await (isRejection(error) ? receiveOnce() : received);
      if (batch) await giveUp(deps, { batch_id: batch.batch_id, holder: options.holder }, error);
      throw error;
    }
  } finally {
    source.dispose();
  }
}

function unitOf<Result>({ db, clock }: IntakeDeps, work: (unit: Unit) => Promise<Result>): Promise<Result> {
  return inUnit(db, { clock, actor: 'intake' }, work);
}

/** A batch id that people can read out and sort: the time, and a random part for batches of the same second. */
function newBatchId({ clock, random }: IntakeDeps): string {
  const stamp = isoTime(clock.now()).replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${random.hex(2)}`;
}

async function receive(deps: IntakeDeps, options: IntakeOptions, source: Source): Promise<BatchRecord> {
  return unitOf(deps, async (unit) => {
    let batchId = newBatchId(deps);
    while (await findBatch(unit.tx, batchId)) batchId = newBatchId(deps);
    const runId = options.runId ?? defaultRunId(source.sha256);
    await unit.addBatch(
      {
        batch_id: batchId,
        account: options.account,
        service: options.service,
        run_id: runId,
        status: 'received',
        priority: options.priority,
        finish_by: options.finishBy ?? null,
        boosted_at: null,
        file_name: options.fileName ?? source.name,
        file_sha256: source.sha256,
        content_sha256: null,
        reread_at: null,
        approved_plan: null,
        canary_at: null,
        forgotten_at: null,
        job: options.job ?? null,
        policy: JSON.stringify(batchPolicy(options.policy)),
        columns: '[]',
        read_with: options.readWith ? JSON.stringify(options.readWith) : null,
        rejection: null,
        balance_before: null,
        balance_after: null,
        program: options.program,
        created_by: options.createdBy,
        time_zone: options.timeZone ?? null,
        approved_by: null,
        created_at: unit.at,
        approved_at: null,
        started_at: null,
        completed_at: null,
      },
      {
        account: options.account,
        service: options.service,
        run_id: runId,
        file_sha256: source.sha256,
        created_by: options.createdBy,
        through: options.through,
        finish_by: options.finishBy ?? null,
      },
    );
    const expires_at = (await holdTime(unit.tx, unit.at)) + readingTtlMs;
    await beginReading(unit.tx, { batch_id: batchId, holder: options.holder, expires_at });
    return requireOwn(unit, batchId);
  });
}

async function requireOwn({ tx }: Unit, batchId: string): Promise<BatchRecord> {
  const batch = await findBatch(tx, batchId);
  assert(batch, 'a batch that intake made is in the ledger');
  return batch;
}

async function readInto(
  deps: IntakeDeps,
  { job = null, isUnseen = job !== null, onProgress, signal, holder, seenAccounts = [], ...given }: IntakeOptions,
  settings: IntakeSettings,
  source: Source,
  receiveOnce: () => Promise<BatchRecord>,
): Promise<IntakeResult> {
  // A person sees which rows are refused, and why. Without a person, the file waits until the service answers.
  const needsNames = isUnseen && settings.catalog === 'check';
  // The batch is created with its first rows, so that an unreadable file leaves none, however often it comes.
  if (!needsNames) await receiveOnce();
  const store = async () => makeRowStore(deps, await receiveOnce(), holder);
  const onChecked = async (rows: readonly PackedRows[]) => (await store()).add(rows);
  const catalog = untilAborted(given.catalog ?? null, signal);
  const file = await checkSource({ source, settings, catalog, needsNames, onProgress, signal, onChecked });
  try {
    const { tallied, contentSha256, cellsSha256 } = await (await store()).finish(file);
    const { batch_id: batchId } = await receiveOnce();
    const validated = await unitOf(deps, async (unit) => {
      await requireReading(unit, batchId, holder);
      await endReading(unit.tx, batchId);
      const { rows, valid, invalid, held, skipped } = tallied.counts;
      const { form, header } = file;
      const columns = JSON.stringify(header);
      const batch = await requireOwn(unit, batchId);
      const stored_sha256 = storedDigest({ ...batch, columns }, cellsSha256);
      const changed = await unit.changeBatch(
        batch,
        'validate',
        { content_sha256: contentSha256, columns },
        {
          ...{ content_sha256: contentSha256, stored_sha256, rows, valid, invalid, held, skipped },
          ...{
            delimiter: form.delimiter,
            amount_column: form.amountColumn,
            decimal_sign: file.about.file.decimal_sign,
          },
        },
      );
      assert(changed, 'nobody else changes a batch that is being read');
      return changed;
    });
    const warnings = [...file.about.warnings, ...(await sameContentWarnings(deps.db, validated, seenAccounts))];
    return { batch: validated, ...file.about, ...tallied, warnings };
  } finally {
    await file.dispose();
  }
}
