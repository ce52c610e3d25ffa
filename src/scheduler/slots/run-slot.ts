import { existsSync } from 'node:fs';
import { access, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { isoTime } from '../../core/time/clock.ts';
import { approve, askApproval } from '../../engine/batches/batch-commands.ts';
import { approvalReason } from '../../engine/plan/approval.ts';
import type { Preflight } from '../../engine/plan/preflight.ts';
import type { IntakeSettingsInput } from '../../intake/columns/settings.ts';
import { type BatchRecord, findBatch, type ReadWith } from '../../ledger/batches/batches.ts';
import { noteIgnoredEntries } from '../../ledger/jobs/ignored-entries.ts';
import { filesOfSlot, insertJobFile, type JobFile } from '../../ledger/jobs/job-files.ts';
import { noteSlotFault, slotFaults } from '../../ledger/jobs/slots.ts';
import { noteUsedFolder, usedFolder } from '../../ledger/jobs/used-folders.ts';
import { forecastText, minuteText } from '../../reports/sentences/finish-text.ts';
import { lostTextsText } from '../../reports/sentences/format.ts';
import { sameRowsOf, sameRowsText } from '../../reports/summary/repeated-rows.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import type { Session } from '../../runtime/session/session.ts';
import { importFile, planOf } from '../../runtime/upkeep/import-file.ts';
import { archivedFile, rejectedName, writeWhy } from '../files/archived-file.ts';
import { runSourceCommand } from '../files/command-source.ts';
import { sortOut } from '../files/complete-files.ts';
import { asFolderTrouble, type Brought, originalName, takeFromInbox } from '../files/job-inbox.ts';
import { reportRemainingFiles } from '../files/remaining-files.ts';
import type { Job } from '../jobs/define-job.ts';
import { finishByOfSlot } from '../jobs/finish-by.ts';
import { runIdOfSlot } from '../jobs/run-id.ts';
import { stampOf } from '../jobs/slot-stamp.ts';
import type { RequireSlot, SlotOutcome } from './claimed-slot.ts';
import { reconcileSlot } from './reconcile-slot.ts';

export interface SlotRunnerDeps {
  session: Session;
  /** Where relative things of jobs begin: the folder that `jobs/` lies in. */
  base: string;
  /** Works with the account that pays, which is open only meanwhile. */
  withAccount: <Result>(name: string | undefined, work: (account: OpenAccount) => Promise<Result>) => Promise<Result>;
  /** Asked for where something is brought: a process that was suspended may have lost the slot. */
  requireSlot: RequireSlot;
  /** Aborted when the process is to end: what a program has not written by then is asked for again. */
  stopping?: AbortSignal;
}

interface SlotFile {
  path: string;
  name: string;
}

/** What became of one file, in words. */
interface FileOutcome {
  isTaken: boolean;
  words: string[];
  /** Of one that is not taken: whether it may be when it is tried again. */
  mayPass?: boolean;
  /** Of one that is not taken: whether it is no file that can be paid. */
  isRejected?: boolean;
}

/** Run again before that, the slot would find nothing, and be done with it. */
const rejectedNext = 'what was rejected goes into the inbox again, corrected, before the slot is run again';

type PayingJob = Job & { source: Exclude<Job['source'], { kind: 'reconciliation' }> };

const minuteMs = 60_000;
/** How long a single file that is still being written is waited for. */
const fileWaitMinutes = 60;

/**
 * Brings the files of a slot into the ledger, each as a batch that is approved or waits for a person. Called again
 * after a crash, it goes on where it was: what the slot has already brought is left alone, and a row that was sent is
 * not sent again.
 */
export async function runSlot(deps: SlotRunnerDeps, job: Job, dueAt: number): Promise<SlotOutcome> {
  const { session, withAccount, stopping } = deps;
  const { source } = job;
  if (source.kind === 'reconciliation')
    return withAccount(job.account, (account) => reconcileSlot(session, account, dueAt, source.days));
  const before = await filesOfSlot(session.db, job.name, dueAt);
  const faults = await slotFaults(session.db, job.name, dueAt);
  await decideLeft(deps, job, before);
  const known = new Set(before.map(({ name }) => name));
  const { files, unfinished, others, ignored, stuck, beside } = await bring(deps, { ...job, source }, dueAt, known);
  if (source.kind === 'folder') await reportRemainingFiles(session, job, beside);
  const notes = source.kind === 'folder' ? await ignoredNotes(session, job, ignored) : [];
  const outcomes: FileOutcome[] = [];
  const toTake = files.filter(({ name }) => !known.has(name));
  for (const [index, file] of toTake.entries()) {
    // Thousands of files take longer than the end of a process may: the next start goes on with those that are left.
    if (stopping?.aborted) return { outcome: 'wait', detail: 'stopped before all of its files were read' };
    const taking = takeOne(deps, job, dueAt, file);
    outcomes.push(await taking.catch((error: unknown) => Promise.reject(withNames(error, job, toTake.slice(index)))));
  }
  const untaken = outcomes.filter(({ isTaken }) => !isTaken);
  const isRejected = faults.length > 0 || outcomes.some((one) => one.isRejected);
  const next = isRejected && source.kind === 'folder' ? [rejectedNext] : [];
  const words = [...new Set([...faults, ...[...outcomes, ...stuck].flatMap((one) => one.words)])];
  const brought = known.size + files.length;
  const isMissing = source.kind === 'folder' && source.required && brought === 0;
  if (unfinished.length > 0 || isMissing) {
    const waitMinutes = source.kind === 'folder' ? source.waitMinutes : fileWaitMinutes;
    const isOver = session.clock.now() - dueAt >= waitMinutes * minuteMs;
    const what =
      isMissing && unfinished.length === 0
        ? `there is no file${besides(source, others, ignored)}`
        : `still being written: ${unfinished.join(', ')}`;
    const detail = [...words, what, ...(isOver ? [...notes, ...next] : [])].join('; ');
    return { outcome: isOver ? 'failed' : 'wait', detail };
  }
  const isFailed = faults.length + untaken.length + stuck.length > 0;
  if (brought === 0 && !isFailed)
    return { outcome: 'done', detail: `no file was there${besides(source, others, ignored)}` };
  const mayPass = [...untaken, ...stuck].some((one) => one.mayPass);
  return {
    outcome: isFailed ? 'failed' : 'done',
    detail: [...words, ...notes, ...next].join('; ') || 'brought before',
    ...(mayPass ? { mayPass } : {}),
  };
}

/** Files that are named of those that are not brought. */
const namedMax = 3;

function named(names: readonly string[]): string {
  return `${names.slice(0, namedMax).join(', ')}${names.length > namedMax ? ` and ${names.length - namedMax} more` : ''}`;
}

/**
 * What a slot met with, and which of its files it has taken out of the inbox and not brought: nobody looks for them in
 * `working`.
 */
function withNames(error: unknown, { source }: Job, files: readonly SlotFile[]): unknown {
  if (source.kind !== 'folder') return error;
  const message = `${errorMessage(error)}; not brought: ${named(files.map(({ name }) => name))}, in "working"`;
  if (!(error instanceof AirbatchError)) return new Error(message, { cause: error });
  return new AirbatchError(error.code, message, { hint: error.hint, cause: error });
}

/** What lies in the inbox under another name or form: nobody else tells who brought it that it is not taken. */
function besides(source: PayingJob['source'], others: readonly string[], ignored: readonly string[]): string {
  if (source.kind !== 'folder') return '';
  const files =
    others.length === 0 ? '' : `; its inbox has ${named(others.map((name) => `"${name}"`))}, not "${source.pattern}"`;
  return `${files}${ignored.length === 0 ? '' : `; ${noFileText(ignored)}`}`;
}

function noFileText(entries: readonly string[]): string {
  return `not paid, since it is no file: ${named(entries)}`;
}

/** What lies in the inbox and is never taken, since it is no file: said once, with the next slot. */
async function ignoredNotes({ db, log }: Session, { name: job }: Job, ignored: readonly string[]): Promise<string[]> {
  const unreported = await db.transact((tx) => noteIgnoredEntries(tx, job, ignored));
  if (unreported.length === 0) return [];
  log.warn('what is in the inbox of a job and is no file is not paid', { job, entries: named(unreported) });
  return [noFileText(unreported)];
}

/** What lies beside a single file, or what a program wrote. */
const nothingElse = { unfinished: [], others: [], ignored: [], stuck: [], beside: [] };

async function bring(
  { session, base, requireSlot, stopping }: SlotRunnerDeps,
  { name, source, schedule }: PayingJob,
  dueAt: number,
  known: ReadonlySet<string>,
): Promise<{ files: SlotFile[] } & Omit<Brought, 'taken'>> {
  const stamp = stampOf(dueAt, schedule.timeZone);
  switch (source.kind) {
    case 'folder': {
      const hasSlot = () => session.db.transact(requireSlot);
      const isUsed = (await usedFolder(session.db, name)) === source.folder;
      const { taken, ...left } = await takeFromInbox(session, { ...source, stamp, known, isUsed }, hasSlot);
      if (!isUsed) await session.db.transact((tx) => noteUsedFolder(tx, name, source.folder));
      return { files: taken.map((path) => ({ path, name: originalName(path) })), ...left };
    }
    case 'file': {
      const file = { path: source.file, name: basename(source.file) };
      if (known.has(file.name)) return { files: [file], ...nothingElse };
      const folder = dirname(file.path);
      // Of a folder that is away nothing else would be said than that there is no such file.
      const sorted = access(folder).then(() => sortOut(session.clock, folder, [file.name]));
      const { unfinished } = await sorted.catch((error: unknown) => {
        throw asFolderTrouble(folder, error);
      });
      return { files: unfinished.length === 0 ? [file] : [], ...nothingElse, unfinished };
    }
    case 'command': {
      const file = { path: archivedFile(session, name, `${stamp}.csv`), name: `${stamp}.csv` };
      const { path } = file;
      // What it wrote before a crash is what this slot pays: asked again, it may say something else. It may be put
      // away by now.
      if (!known.has(file.name) && !existsSync(path))
        await runSourceCommand(source.command, {
          cwd: base,
          path,
          clock: session.clock,
          timeoutMs: source.timeoutMinutes * minuteMs,
          maxSizeMb: source.maxSizeMb,
          secrets: session.config.secrets,
          stopping,
        });
      return { files: [file], ...nothingElse };
    }
  }
}

async function takeOne(deps: SlotRunnerDeps, job: Job, dueAt: number, { path, name }: SlotFile): Promise<FileOutcome> {
  const { session, withAccount, requireSlot } = deps;
  try {
    return await withAccount(job.account, async (account) => {
      const { batch } = await importFile({ ...session, person: personOf(job) }, account, {
        file: path,
        job: job.name,
        runId: runIdOfSlot(job.runId, job.name, dueAt, job.schedule.timeZone),
        priority: job.priority,
        finishBy: finishByOfSlot(job, dueAt),
        settings: { ...session.config.intake, ...job.intake },
        policy: { ...session.config.policy, ...job.policy },
        readWith: readWithOfJob(job),
      });
      const record = { batch_id: batch.batch_id, job: job.name, due_at: dueAt, name, working_path: path };
      await session.db.transact(async (tx) => {
        await requireSlot(tx);
        await insertJobFile(tx, record);
      });
      const what = `${name} is ${await decide(session, account, job, batch)}`;
      // The slot may end much later, or fail for another file: what is paid is in the log from its beginning.
      session.log.info('a file of a job is a batch', { job: job.name, batch_id: batch.batch_id, detail: what });
      return { isTaken: true, words: [what] };
    });
  } catch (error) {
    if (!(error instanceof AirbatchError)) throw error;
    // It stays where it is for when the slot is run again, and keeps no other from being paid.
    if (error.code === 'FILE_UNREADABLE') return { isTaken: false, words: [errorMessage(error)], mayPass: true };
    if (error.code !== 'FILE_REJECTED') throw error;
    const words = `${name} was rejected: ${errorMessage(error)}`;
    // Before it is put away: when the slot is run again, since it waits for another file, nothing else tells of this
    // one.
    await session.db.transact((tx) => noteSlotFault(tx, { job: job.name, dueAt, fault: words }));
    const left = await reject(job, path, name, `${isoTime(session.clock.now())} ${errorMessage(error)}`).then(
      () => [],
      (trouble: unknown) => [`${name} cannot be put away: ${errorMessage(trouble)}`],
    );
    return { isTaken: false, words: [words, ...left], isRejected: true };
  }
}

/** What a crash kept from being decided: the batch is in the ledger, and neither approved nor waiting for a person. */
async function decideLeft(
  { session, withAccount }: SlotRunnerDeps,
  job: Job,
  files: readonly JobFile[],
): Promise<void> {
  for (const { batch_id } of files) {
    const batch = await findBatch(session.db, batch_id);
    if (batch?.status === 'validated')
      await withAccount(job.account, (account) => decide(session, account, job, batch));
  }
}

/** Approves the batch, or leaves it for a person where its policy says so. Returns what it is now, in words. */
async function decide(session: Session, account: OpenAccount, job: Job, batch: BatchRecord): Promise<string> {
  const actor = { ...session, name: personOf(job) };
  const plan = await planOf(session, account, batch);
  const reason = approvalReason(storedPolicy(batch.policy), plan);
  if (reason !== null) await askApproval(actor, batch.batch_id, reason);
  else await approve(actor, batch.batch_id, { balance: plan.balance, plan });
  const what = reason === null ? `${counted(plan.toSend, 'row')} to pay` : `waits for approval: ${reason}`;
  const beside = plan.textsLost > 0 ? [lostTextsText(plan.textsLost)] : [];
  const same = (await sameRowsOf(session.db, batch)).map(sameRowsText);
  return `batch ${batch.batch_id} (${[what, ...same, ...beside, ...finishText(plan)].join('; ')})`;
}

/**
 * What the people who are to have it done by a time should know of it, where it will be late or nobody can tell, and
 * whom it makes late.
 */
function finishText({ finish: { finishBy, doneAt, unknown, makesLate } }: Preflight): string[] {
  const words = makesLate.map(
    (late) => `it makes batch ${late.batch} late: done ${forecastText(late.doneAt, late.finishBy)}`,
  );
  if (finishBy !== null && doneAt !== null && doneAt > finishBy)
    words.unshift(`done ${forecastText(doneAt, finishBy)}`);
  if (finishBy !== null && unknown !== null)
    words.unshift(`it is to be done by ${minuteText(finishBy)}, and nobody can tell whether it will be`);
  return words;
}

/** Who acts for a job where nobody does. */
export function personOf({ name }: Job): string {
  return `job ${name}`;
}

/** Settings of intake that have an option, and those that do not change how a file of corrections is read. */
const settingsWithOption: readonly string[] = [
  ...['columns', 'country', 'currency', 'decimalSign'],
  ...['headerLine', 'totalLine'],
];
const settingsBeside: readonly string[] = ['sheet', 'guards', 'limits', 'duplicates'];

/**
 * The options by which a person who corrects a file of the job reads it as the job does; null where it says more of
 * the reading than there are options for.
 */
function readWithOfJob({ account, intake }: Job): ReadWith | null {
  if (Object.keys(intake).some((key) => !settingsWithOption.includes(key) && !settingsBeside.includes(key)))
    return null;
  const { columns = {}, country, currency, decimalSign, headerLine, totalLine } = intake as IntakeSettingsInput;
  return {
    ...(account ? { account } : {}),
    ...(country ? { country } : {}),
    ...(currency ? { currency } : {}),
    ...(decimalSign ? { decimal: decimalSign } : {}),
    ...(headerLine ? { 'header-line': String(headerLine) } : {}),
    ...(totalLine ? { 'total-line': totalLine } : {}),
    map: Object.entries(columns).map(([field, column]) => `${field}=${column}`),
  };
}

/**
 * A file that cannot be paid is put away: from a folder to `rejected`, with the reason beside it, for a person to
 * correct and drop in again. What a command wrote goes to a name beside its own: run again, the slot asks the program,
 * which may be mended by then.
 */
async function reject({ source }: Job, path: string, name: string, why: string): Promise<void> {
  if (source.kind === 'command') await rename(path, rejectedName(path));
  if (source.kind !== 'folder') return;
  const place = join(source.folder, 'rejected', basename(path));
  await rename(path, place);
  await writeWhy(place, `${name}: ${why}`);
}
