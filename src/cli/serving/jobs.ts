import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { makeFolders } from '../../core/basics/folders.ts';
import { visible } from '../../core/text/visible.ts';
import { isoTime, systemClock } from '../../core/time/clock.ts';
import { listSlots, openSlots, type SlotRecord } from '../../ledger/jobs/slots.ts';
import type { LeftFile } from '../../ledger/jobs/unprocessed-files.ts';
import { leftFilesLines } from '../../reports/sentences/unprocessed-files-text.ts';
import { leftNow } from '../../runtime/inbox/remaining-files.ts';
import { type Job, jobName } from '../../runtime/jobs/define-job.ts';
import { nextDueTimes } from '../../runtime/jobs/due-times.ts';
import { jobWarnings } from '../../runtime/jobs/job-warnings.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import type { Config } from '../../runtime/settings/config.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { localTime } from '../base/dates.ts';
import { printTable } from '../base/table.ts';
import { configOf } from '../service/config.ts';
import { withReading, withSession } from '../session/session.ts';
import { checkJobs } from './check-jobs.ts';
import { runJob } from './job-run.ts';
import { jobTemplate } from './job-template.ts';

const columns = [
  { name: 'job' },
  { name: 'schedule' },
  { name: 'next run' },
  { name: 'last run' },
  { name: 'file', breaksInWords: true },
] as const;

/** `airbatch jobs [list|check|run NAME|new NAME]`: what runs with no one watching. */
export async function execute(
  context: CommandContext,
  [action = 'list', name]: string[],
  options: Record<string, unknown>,
): Promise<number> {
  switch (action) {
    case 'list':
      return list(context);
    case 'check':
      return check(context);
    case 'new':
      return makeNew(context, required(action, name));
    case 'run': {
      const wanted = required(action, name);
      return withSession(context, (session) => runJob(context, session, wanted, options));
    }
    default:
      throw new AirbatchError('USAGE', `"jobs ${action}" is not known: it is list, check, run or new`);
  }
}

function required(action: string, name: string | undefined): string {
  if (name !== undefined) return name;
  throw new AirbatchError('USAGE', 'which job is not said', { hint: `Name it: "airbatch jobs ${action} NAME".` });
}

function list(context: CommandContext): Promise<number> {
  return withReading(context, async (session) => {
    const jobs = await loadJobs(session.config.jobs);
    const now = session.clock.now();
    const known = await Promise.all(
      jobs.map(async ({ job, file }) => {
        const [last] = await listSlots(session.db, job.name, 1);
        const [open] = await openSlots(session.db, job.name, now);
        const left = await leftNow(session.db, job);
        const next = nextDueTimes(job.schedule, now, 1)[0] ?? null;
        return { job, file, next, last: last ?? null, open: open ?? null, left };
      }),
    );
    const lines = known.map(({ job, file, next, last }) => [
      job.name,
      `${job.schedule.cron} ${job.schedule.timeZone}`,
      next === null ? 'never' : localTime(next, job.schedule.timeZone),
      last === null ? 'never' : `${localTime(last.due_at, job.schedule.timeZone)} ${last.state}`,
      relative(context.cwd, file),
    ]);
    printTable(context, columns, lines, {
      json: {
        jobs: known.map(({ job, file, next, last, left }) => ({
          ...jobJson(job),
          file,
          next_run: next === null ? null : isoTime(next),
          last_slot: last && slotJson(last),
          left_behind: left.map(leftJson),
        })),
      },
      none: noJobs(context, session.config),
    });
    for (const { job, last, open, left } of context.json ? [] : known)
      for (const line of [...slotLines(job, last, open), ...leftFilesLines(job.name, left)])
        context.terminal.print(`${context.terminal.paint('yellow', '!')} ${job.name}: ${visible(line)}\n`);
    return 0;
  });
}

/** Why the last slot has failed, and what the one waits for that is to be run. */
function slotLines({ schedule }: Job, last: SlotRecord | null, open: SlotRecord | null): string[] {
  const lineOf = (what: string, { due_at, detail }: SlotRecord) =>
    `the run of ${localTime(due_at, schedule.timeZone)} ${what}: ${detail}`;
  return [
    ...(last?.state === 'failed' && last.detail ? [lineOf('has failed', last)] : []),
    ...(open?.state === 'due' && open.detail ? [lineOf('waits', open)] : []),
  ];
}

/** What the list tells of a job: how it reads and pays is configuration, and stands in its file. */
function jobJson({ name, description, account, schedule, source, priority, finishBy }: Job) {
  const { cron, timeZone, catchUp } = schedule;
  const when = { cron, time_zone: timeZone, catch_up: catchUp };
  const order = { priority, finish_by: finishBy };
  return { name, description, account: account ?? null, schedule: when, source: source.kind, ...order };
}

function slotJson({ due_at, state, started_at, ended_at, detail }: SlotRecord) {
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  return { due_at: isoTime(due_at), state, started_at: time(started_at), ended_at: time(ended_at), detail };
}

function leftJson({ file, due_at }: LeftFile) {
  return { file, slot: due_at === null ? null : isoTime(due_at) };
}

function noJobs({ cwd }: CommandContext, { jobs }: Config): string {
  return `No jobs in ${relative(cwd, jobs) || '.'}/. Begin with: airbatch jobs new NAME`;
}

async function check(context: CommandContext): Promise<number> {
  const { cwd, terminal } = context;
  const config = await configOf(context);
  const jobs = await loadJobs(config.jobs);
  checkJobs(config, jobs);
  const checked = jobs.map(({ job, file }) => ({
    name: job.name,
    file,
    warnings: jobWarnings(job, systemClock.now()),
  }));
  const lines = checked.map(({ name, file, warnings }) => {
    const where = `${name} (${relative(cwd, file)})`;
    if (warnings.length === 0) return `${terminal.paint('green', '✔')} ${where}`;
    const sentences = warnings.map(({ why, hint }) => `${why}. ${hint}`);
    return `${terminal.paint('yellow', '!')} ${where}: ${sentences.join(' And ')}`;
  });
  const shown = checked.map(({ name, file, warnings }) => ({
    name,
    file,
    warning: warnings.map(({ why }) => why).join('; ') || null,
  }));
  answer(context, { jobs: shown }, lines.join('\n') || noJobs(context, config));
  return 0;
}

async function makeNew(context: CommandContext, name: string): Promise<number> {
  const { cwd } = context;
  const config = await configOf(context);
  if (!jobName.safeParse(name).success)
    throw new AirbatchError('USAGE', `"${name}" is no name of a job: it has a-z, 0-9 and "-"`);
  const path = join(config.jobs, `${name}.ts`);
  if (existsSync(path)) throw new AirbatchError('USAGE', `${path} is there already`);
  // Under a umask that lets others write, the job would be refused when it is loaded.
  makeFolders(dirname(path), 0o755);
  writeFileSync(path, jobTemplate(name), { mode: 0o644 });
  answer(context, { name, file: path }, `Written: ${relative(cwd, path)}. Change it, then: airbatch jobs check`);
  return 0;
}
