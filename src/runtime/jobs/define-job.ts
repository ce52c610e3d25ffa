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
}, 'is no time zone such as "Africa/Nairobi"');

const cron = z.string().refine((text) => {
  try {
    return text.trim().split(/\s+/).length === 5 && isEverDue(text);
  } catch {
    return false;
  }
}, 'is no cron expression of five fields such as "0 9 25 * *", or is never due');

/** What may be the name of a job. */
/** Which of the due times that were missed are run: the last, all, or none. */
export const catchUps = ['last', 'all', 'none'] as const;

export const jobName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must consist of a-z, 0-9 and "-"');

const sourceShape = z.discriminatedUnion('kind', [
  /**
   * Every file that lies in `<folder>/inbox` and is complete. It goes to `working`, and from there to `done` (with its
   * reports beside it) or to `rejected`.
   */
  z.strictObject({
    kind: z.literal('folder'),
    folder: z.string().min(1),
    /** Which files: a pattern with "*". */
    pattern: z.string().min(1).default('*'),
    /** How long after the due time files are waited for that are still being written, in minutes. */
    waitMinutes: z.number().int().min(0).max(1_440).default(60),
    /** Whether a slot without any file is a failure. */
    required: z.boolean().default(false),
  }),
  /** One file that stays where it is. */
  z.strictObject({ kind: z.literal('file'), file: z.string().min(1) }),
  /**
   * A program that writes CSV to its standard output; no shell is between. An exit code other than 0 rejects what it
   * wrote.
   */
  z.strictObject({
    kind: z.literal('command'),
    command: z.array(z.string()).min(1),
    timeoutMinutes: z.number().positive().max(1_440).default(10),
    /** How much it may write, in MiB: twice what ten million rows take. */
    maxSizeMb: z.number().positive().default(2_048),
  }),
  /**
   * Nothing that is paid: the account's last days up to the slot are compared with the service, as by `airbatch
   * reconcile`.
   */
  z.strictObject({ kind: z.literal('reconciliation'), days: z.number().int().min(1).max(366).default(1) }),
]);

const jobShape = z
  .strictObject({
    /** Its name in the ledger and in run ids: never give it to another job. */
    name: jobName,
    /** What it is for, in a sentence. */
    description: z.string().default(''),
    /** The account that pays (default: as for "run"). */
    account: z.string().min(1).optional(),
    schedule: z.strictObject({
      cron,
      timeZone,
      /** Which of the slots that were missed are run: the last one, all of them in their order, or none. */
      catchUp: z.enum(catchUps).default('last'),
    }),
    source: sourceShape,
    /** How files are read: the same as `intake` of the configuration, which it overrides field by field. */
    intake: overrides(intakeShape),
    /**
     * The name within which a row is paid once: `{job}` and `{slot:yyyy-MM-dd HH:mm}` of the slot in the job's own
     * time zone.
     */
    runId: z
      .string()
      .refine(
        (template) => runIdParts(template) !== null,
        'has a part that is neither {job} nor {slot:...} with yyyy, MM, dd, HH or mm',
      )
      .default('{job}-{slot:yyyy-MM}'),
    priority: z.enum(priorities).default('normal'),
    /** By when its batches are to be done: "17:00" is the first such time after the slot in the job's own time zone. */
    finishBy: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is no time of day such as "17:00"')
      .nullable()
      .default(null),
    /**
     * What a batch may do without a person: the same as `policy` of the configuration, which it overrides field by
     * field.
     */
    policy: overrides(policyShape),
    /**
     * Who is told of this job's batches and slots, besides those of the configuration: the same as its
     * `notifications`.
     */
    notifications: z.array(recipientShape).default([]),
    /** How long it is kept who was paid, in days after a batch has ended. */
    retention: z.strictObject({ personalDataDays: z.number().int().positive() }).nullable().default(null),
    /** How often what failed with one of these codes is tried again without a person, each time after looking it up. */
    retry: z
      .strictObject({ codes: z.array(z.string().min(1)).min(1), times: z.number().int().min(1).max(2) })
      .nullable()
      .default(null),
  })
  .refine(({ runId, name }) => makesRunIds(runId, name), {
    path: ['runId'],
    message: 'makes no run ids: they have 64 characters at most, and begin with a letter or a digit',
  });

/** The content of a file in `jobs/`. */
export type JobInput = Omit<z.input<typeof jobShape>, 'intake' | 'policy'> & {
  intake?: IntakeSettingsInput;
  policy?: BatchPolicyInput;
};
/** A job, checked, with its defaults. */
export type Job = z.output<typeof jobShape>;

/**
 * Defines a job: use it for the `export default` of a file in `jobs/`. Throws `CONFIG_INVALID` with the names of all
 * wrong fields.
 */
export function defineJob(given: JobInput): Job {
  const parsed = jobShape.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AirbatchError('CONFIG_INVALID', faultTexts(shapeFaults(jobShape, given), 'the job').join('; '));
}
