import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { type BatchPolicyInput, policyShape } from '../../core/state/batch-policy.ts';
import { overrides } from '../../core/text/overrides.ts';
import { faultTexts, shapeFaults } from '../../core/text/shape-faults.ts';
import { type IntakeSettingsInput, intakeShape } from '../../intake/columns/settings.ts';
import { priorities } from '../../ledger/batches/batches.ts';
import { recipientShape } from '../../notify/recipients.ts';
import { isEverDue } from './due-times.ts';
import { makesRunIds, runIdParts } from './run-id.ts';

const timeZone = z.string().refine((zone) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}, 'is not a time zone such as "Africa/Nairobi"');

const cronFields = ['minute', 'hour', 'day of the month', 'month', 'day of the week'] as const;

const isDue = (text: string): boolean => {
  try {
    return isEverDue(text);
  } catch {
    return false;
  }
};

/** What is wrong with a cron expression; null if it is ever due. */
function cronFault(text: string): string | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== cronFields.length)
    return `is not a cron expression of five fields such as "0 9 25 * *": ${cronFields.join(', ')}`;
  const wrong = cronFields.findIndex(
    (_, at) => !isDue(fields.map((field, other) => (other === at ? field : '*')).join(' ')),
  );
  if (wrong >= 0) return `has "${fields[wrong]}" as its ${cronFields[wrong]}; an example is "0 9 25 * *"`;
  return isDue(text) ? null : 'is never due: there is no such day';
}

const cron = z
  .string()
  .refine((text) => cronFault(text) === null, { error: ({ input }) => cronFault(String(input)) ?? '' });

/** Which of the missed due times are run: the last one, all, or none. */
export const catchUps = ['last', 'all', 'none'] as const;

export const jobName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must consist of a-z, 0-9 and "-"');

const sourceShape = z.discriminatedUnion('kind', [
  /**
   * Every complete file in `<folder>/inbox`. It moves to `working`, and from there to `done` (next to its reports) or
   * to `rejected`.
   */
  z.strictObject({
    kind: z.literal('folder'),
    folder: z.string().min(1),
    /** Which files: a pattern with "*". */
    pattern: z.string().min(1).default('*'),
    /** How long after the due time the slot waits for files that are still being written, in minutes. */
    waitMinutes: z.number().int().min(0).max(1_440).default(60),
    /** Whether a slot without any file is a failure. */
    required: z.boolean().default(false),
  }),
  /** One file that stays where it is. */
  z.strictObject({ kind: z.literal('file'), file: z.string().min(1) }),
  /**
   * A program that writes CSV to its standard output, run without a shell. Its output is rejected if it exits with a
   * code other than 0.
   */
  z.strictObject({
    kind: z.literal('command'),
    command: z.array(z.string()).min(1),
    timeoutMinutes: z.number().positive().max(1_440).default(10),
    /** How much it may write, in MiB: twice the size of ten million rows. */
    maxSizeMb: z.number().positive().default(2_048),
  }),
  /** Pays nothing: compares the account's last days up to the slot with the service, like `airbatch reconcile`. */
  z.strictObject({ kind: z.literal('reconciliation'), days: z.number().int().min(1).max(366).default(1) }),
  /** Pays nothing: makes a backup as configured, and restores it into a temporary folder to try it. */
  z.strictObject({ kind: z.literal('backup'), drill: z.boolean().default(true) }),
]);

const jobShape = z
  .strictObject({
    /** Its name in the ledger and in run ids. Never give the name to another job. */
    name: jobName,
    /** Its purpose, in a sentence. */
    description: z.string().default(''),
    /** The account that pays (default: as for "run"). */
    account: z.string().min(1).optional(),
    schedule: z.strictObject({
      cron,
      timeZone,
      /** Which of the missed slots are run: the last one, all of them in order, or none. */
      catchUp: z.enum(catchUps).default('last'),
    }),
    source: sourceShape,
    /** How files are read. Each field overrides the same field of the configuration's `intake`. */
    intake: overrides(intakeShape),
    /**
     * The run id, within which a row is paid only once. `{job}` and `{slot:yyyy-MM-dd HH:mm}` stand for the job's name
     * and the slot's time in the job's own time zone.
     */
    runId: z
      .string()
      .refine(
        (template) => runIdParts(template) !== null,
        'has a part that is neither {job} nor {slot:...} with yyyy, MM, dd, HH or mm',
      )
      .default('{job}-{slot:yyyy-MM}'),
    priority: z.enum(priorities).default('normal'),
    /** When its batches must be done: "17:00" is the first such time after the slot in the job's own time zone. */
    finishBy: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is not a time of day such as "17:00"')
      .nullable()
      .default(null),
    /** What a batch may do without a person. Each field overrides the same field of the configuration's `policy`. */
    policy: overrides(policyShape),
    /**
     * People who are notified of this job's batches and slots, in addition to those of the configuration, in the same
     * form as its `notifications`.
     */
    notifications: z.array(recipientShape).default([]),
    /** How long personal data is kept, in days after a batch has ended. */
    retention: z.strictObject({ personalDataDays: z.number().int().positive() }).nullable().default(null),
    /** How often rows that failed with one of these codes are retried without a person, each time after a lookup. */
    retry: z
      .strictObject({ codes: z.array(z.string().min(1)).min(1), times: z.number().int().min(1).max(2) })
      .nullable()
      .default(null),
  })
  .refine(({ runId, name }) => makesRunIds(runId, name), {
    path: ['runId'],
    message: 'does not make valid run ids: a run id has at most 64 characters, and begins with a letter or a digit',
  });

/** The content of a file in `jobs/`. */
export type JobInput = Omit<z.input<typeof jobShape>, 'intake' | 'policy'> & {
  intake?: IntakeSettingsInput;
  policy?: BatchPolicyInput;
};
/** A checked job with its defaults. */
export type Job = z.output<typeof jobShape>;

/** A job that brings files. */
export type PayingJob = Job & { source: Exclude<Job['source'], { kind: 'reconciliation' | 'backup' }> };

export function isPaying(job: Job): job is PayingJob {
  return job.source.kind !== 'reconciliation' && job.source.kind !== 'backup';
}

/**
 * Defines a job: use it for the `export default` of a file in `jobs/`. Throws `CONFIG_INVALID` with the names of all
 * wrong fields.
 */
export function defineJob(given: JobInput): Job {
  const parsed = jobShape.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AirbatchError('CONFIG_INVALID', faultTexts(shapeFaults(jobShape, given), 'the job').join('; '));
}
