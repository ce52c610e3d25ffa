import { relative } from 'node:path';
import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { visible } from '../../core/text/visible.ts';
import { checkJobs } from '../../operations/jobs/check-jobs.ts';
import { createJob } from '../../operations/jobs/create-job.ts';
import { listJobs } from '../../operations/jobs/list-jobs.ts';
import { leftFilesLines } from '../../reports/sentences/unprocessed-files-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { localTime } from '../base/dates.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { runJob } from './job-run.ts';

type Jobs = z.output<typeof listJobs.result>['jobs'];

const columns = (cwd: string): readonly Column<Jobs[number]>[] => [
  { name: 'job', cell: ({ name }) => name },
  { name: 'schedule', cell: ({ schedule: { cron, time_zone } }) => `${cron} ${time_zone}` },
  {
    name: 'next run',
    cell: ({ next_run, schedule }) =>
      next_run === null ? 'never' : localTime(Date.parse(next_run), schedule.time_zone),
  },
  {
    name: 'last run',
    cell: ({ last_slot: last, schedule }) =>
      last === null ? 'never' : `${localTime(Date.parse(last.due_at), schedule.time_zone)} ${last.state}`,
  },
  { name: 'file', breaksInWords: true, cell: ({ file }) => relative(cwd, file) },
];

/** `airbatch jobs [list|check|run NAME|new NAME]`: the scheduled jobs, which run with nobody watching. */
export async function execute(
  context: CommandContext,
  [action = 'list', name]: string[],
  options: { slot?: string; restored?: boolean },
): Promise<number> {
  switch (action) {
    case 'list':
      return list(context);
    case 'check':
      return check(context);
    case 'new':
      return create(context, required(action, name));
    case 'run':
      return runJob(context, required(action, name), options);
    default:
      throw new AirbatchError('USAGE', `"${action}" is not an action`, { hint: 'Write list, check, run or new.' });
  }
}

function required(action: string, name: string | undefined): string {
  if (name !== undefined) return name;
  throw new AirbatchError('USAGE', 'no job is named', { hint: `Name it: "airbatch jobs ${action} NAME".` });
}

async function list(context: CommandContext): Promise<number> {
  const { terminal, cwd, json } = context;
  const found = await call(context, listJobs, {});
  printTable(context, columns(cwd), found.jobs, { json: found, none: noJobs(context, found.folder) });
  for (const job of json ? [] : found.jobs) {
    const left = job.unprocessed.map(({ file, slot }) => ({ file, due_at: slot === null ? null : Date.parse(slot) }));
    for (const line of [...slotLines(job), ...leftFilesLines(job.name, left)])
      terminal.print(`${terminal.paint('yellow', '!')} ${job.name}: ${visible(line)}\n`);
  }
  return 0;
}

/** Why the last slot has failed, and what the open slot waits for. */
function slotLines({ schedule, last_slot: last, open_slot: open }: Jobs[number]): string[] {
  const lineOf = (what: string, { due_at, detail }: NonNullable<typeof last>) =>
    `the run of ${localTime(Date.parse(due_at), schedule.time_zone)} ${what}: ${detail}`;
  return [
    ...(last?.state === 'failed' && last.detail ? [lineOf('has failed', last)] : []),
    ...(open?.state === 'due' && open.detail ? [lineOf('waits', open)] : []),
  ];
}

function noJobs({ cwd }: CommandContext, folder: string): string {
  return `No jobs in ${relative(cwd, folder) || '.'}/. Begin with: airbatch jobs new NAME`;
}

async function check(context: CommandContext): Promise<number> {
  const { cwd, terminal } = context;
  const checked = await call(context, checkJobs, {});
  const lines = checked.jobs.map(({ name, file, warnings }) => {
    const where = `${name} (${relative(cwd, file)})`;
    if (warnings.length === 0) return `${terminal.paint('green', '✔')} ${where}`;
    const sentences = warnings.map(({ why, hint }) => `${why}. ${hint}`);
    return `${terminal.paint('yellow', '!')} ${where}: ${sentences.join(' And ')}`;
  });
  answer(context, checked, lines.join('\n') || noJobs(context, checked.folder));
  return 0;
}

async function create(context: CommandContext, name: string): Promise<number> {
  const made = await call(context, createJob, { name });
  answer(context, made, `Written: ${relative(context.cwd, made.file)}. Change it, then: airbatch jobs check`);
  return 0;
}
