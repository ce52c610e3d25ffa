import { assert } from '../core/assert.ts';
import { batchPolicy } from '../core/batch-policy.ts';
import { type Clock, isoTime } from '../core/clock.ts';
import { makeContentDigest } from '../core/content-digest.ts';
import { AirbatchError } from '../core/errors.ts';
import { defaultRunId, isRunId } from '../core/ids.ts';
import type { Random } from '../core/random.ts';
import { type BatchRecord, batchesBeingRead, findBatch, type Priority } from '../ledger/batches.ts';
import type { Database } from '../ledger/database.ts';
import type { NewRow } from '../ledger/rows.ts';
import { inUnit, type Unit } from '../ledger/unit-of-work.ts';
import type { Catalog } from './catalog.ts';
import { type CheckedFile, checkFile, type FileProgress } from './check-file.ts';
import { findEarlierBatches, sameContentWarnings } from './earlier-batches.ts';
import type { FileRow } from './file-rows.ts';
import { type FileFindings, makeTally, type Tallied } from './findings.ts';
import { findRepeatedPayments } from './repeated-payments.ts';
import { type IntakeSettings, intakeSettings } from './settings.ts';
import { openSource, type Source } from './source.ts';

export interface IntakeDeps {
  db: Database;
  clock: Clock;
  random: Random;
}

export interface IntakeOptions {
  account: string;
  /** Where the money goes, for people: the service's base URL, or the embedded sandbox. */
  service: string;
  /** The name within which a row is paid once; null: made of the file's digest. */
  runId: string | null;
  /** An absolute path, or "-" for standard input. */
  file: string;
  createdBy: string;
  program: string;
  priority: Priority;
  /** `intake` of the configuration. */
  settings: Readonly<Record<string, unknown>>;
  /** The job that brings the file; none where a person does. */
  job?: string | null;
  /** `policy` of the configuration, or of the job: kept with the batch. */
  policy?: Readonly<Record<string, unknown>>;
  catalog?: Catalog | null;
  stdin?: AsyncIterable<Uint8Array>;
  onProgress?: (progress: FileProgress) => void;
  signal?: AbortSignal;
}

/** A validated batch, and what was found in its file. */
export interface IntakeResult extends FileFindings {
  batch: BatchRecord;
}

/** Rows of one transaction: it blocks the event loop for some 10 ms (libraries: 5,000 rows take 90 to 160 ms). */
const rowsPerUnit = 500;

/**
 * Takes a file into the ledger: a batch with a verdict for each row, durable when the promise resolves. Throws
 * `FILE_UNREADABLE` where there is no such file; `FILE_REJECTED` where the file as a whole cannot be paid out: the batch
 * is then `rejected`, has no rows, and the same run id stays free for the corrected file.
 */
export async function intakeFile(deps: IntakeDeps, options: IntakeOptions): Promise<IntakeResult> {
  const { runId, signal, stdin } = options;
  if (runId !== null && !isRunId(runId)) throw new AirbatchError('RUN_ID_INVALID', `"${runId}" is not a run id`);
  const settings = intakeSettings(options.settings);
  const { fileBytesMax } = settings.limits;
  await endAbandoned(deps);
  const source = await openSource({ file: options.file, fileBytesMax, ...(stdin ? { stdin } : {}), signal });
  try {
    const batch = await receive(deps, options, source);
    try {
      return await readInto(deps, options, settings, source, batch);
    } catch (error) {
      await giveUp(deps, batch.batch_id, error);
      throw error;
    }
  } finally {
    source.dispose();
  }
}

/** How long ago a file was begun to be read that is surely not being read any more: ten million rows take some minutes. */
const abandonedMs = 2 * 3_600_000;

/** Ends what a crash left in the middle of being read: such a batch has no rows that could be sent, and would look open for ever. */
async function endAbandoned(deps: IntakeDeps): Promise<void> {
  const left = await batchesBeingRead(deps.db, deps.clock.now() - abandonedMs);
  for (const batch of left) {
    await unitOf(deps, (unit) =>
      unit.changeBatch(batch, 'cancel', {}, { why: 'reading the file was interrupted, and not taken up again' }),
    );
  }
}

function unitOf<Result>({ db, clock }: IntakeDeps, work: (unit: Unit) => Promise<Result>): Promise<Result> {
  return inUnit(db, { clock, actor: 'intake' }, work);
}

/** A batch id that people can read out and sort: the time, and what keeps two of one second apart. */
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
        pause_reason: null,
        pause_detail: null,
        priority: options.priority,
        file_name: source.name,
        file_sha256: source.sha256,
        content_sha256: null,
        reread_at: null,
        approved_plan: null,
        canary_at: null,
        forgotten_at: null,
        job: options.job ?? null,
        policy: JSON.stringify(batchPolicy(options.policy)),
        columns: '[]',
        rejection: null,
        balance_before: null,
        balance_after: null,
        program: options.program,
        created_by: options.createdBy,
        approved_by: null,
        created_at: unit.at,
        approved_at: null,
        started_at: null,
        completed_at: null,
      },
      { account: options.account, run_id: runId, file_sha256: source.sha256, created_by: options.createdBy },
    );
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
  { catalog = null, onProgress, signal }: IntakeOptions,
  settings: IntakeSettings,
  source: Source,
  batch: BatchRecord,
): Promise<IntakeResult> {
  const file = await checkFile({ source, settings, catalog, onProgress, signal });
  try {
    const { tallied, contentSha256 } = await storeRows(deps, file, batch);
    const validated = await unitOf(deps, async (unit) => {
      const { rows, valid, invalid, held, skipped } = tallied.counts;
      const columns = JSON.stringify(file.header);
      const changed = await unit.changeBatch(
        await requireOwn(unit, batch.batch_id),
        'validate',
        { content_sha256: contentSha256, columns },
        { content_sha256: contentSha256, rows, valid, invalid, held, skipped },
      );
      assert(changed, 'nobody else changes a batch that is being read');
      return changed;
    });
    const warnings = [...file.about.warnings, ...(await sameContentWarnings(deps.db, validated))];
    return { batch: validated, ...file.about, ...tallied, warnings };
  } finally {
    file.dispose();
  }
}

async function storeRows(
  deps: IntakeDeps,
  file: CheckedFile,
  batch: BatchRecord,
): Promise<{ tallied: Tallied; contentSha256: string }> {
  const tally = makeTally();
  const digest = makeContentDigest();
  const judges = [await findEarlierBatches(deps.db, batch), await findRepeatedPayments(deps.db, batch)];
  for await (const rows of file.rows(rowsPerUnit)) {
    const stored = await unitOf(deps, async (unit) => {
      let judged: readonly FileRow[] = rows;
      for (const judge of judges) if (judge) judged = await judge(unit.tx, judged);
      await unit.addRows(
        batch.batch_id,
        judged.map((row) => newRow(batch.batch_id, row)),
      );
      return judged;
    });
    for (const row of stored) {
      tally.add(row);
      digest.add(row);
    }
    await deps.clock.turn();
  }
  return { tallied: tally.result(), contentSha256: digest.hex() };
}

function newRow(batchId: string, { problems, has_reference: _, ...row }: FileRow): NewRow {
  return { batch_id: batchId, ...row, problems: problems.length === 0 ? null : JSON.stringify(problems) };
}

/** Leaves a batch that will never be sent: `rejected` with the reason, or `cancelled` where reading it was interrupted. */
async function giveUp(deps: IntakeDeps, batchId: string, error: unknown): Promise<void> {
  const isRejected = error instanceof AirbatchError && ['FILE_REJECTED', 'FILE_UNREADABLE'].includes(error.code);
  await unitOf(deps, async (unit) => {
    const batch = await requireOwn(unit, batchId);
    if (batch.status !== 'received') return;
    if (isRejected) await unit.changeBatch(batch, 'reject', { rejection: error.message }, { code: error.code });
    else await unit.changeBatch(batch, 'cancel', {}, { why: 'reading the file was interrupted' });
    // A ledger that cannot be written says so by the error that is thrown on; the batch stays `received`, and is never sent.
  }).catch(() => undefined);
}
