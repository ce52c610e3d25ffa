import { z } from 'zod';
import { requireSoundJobs } from '../../runtime/jobs/job-faults.ts';
import { jobWarnings } from '../../runtime/jobs/job-warnings.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import { folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** Whether the jobs can run: fails with `CONFIG_INVALID` and all that is wrong, and warns of what is not meant. */
export const checkJobs = defineOperation({
  name: 'check-jobs',
  role: 'audit',
  ledger: 'none',
  input: z.strictObject({}),
  result: z.strictObject({
    jobs: z.array(
      z.strictObject({
        name: z.string(),
        /** The file that says it. */
        file: z.string(),
        /** All reasons of `warnings`; null where there are none. */
        warning: z.string().nullable(),
        /** What is right by its form and probably not meant. */
        warnings: z.array(z.strictObject({ why: z.string(), hint: z.string() })),
      }),
    ),
    folder,
  }),
  async run({ session: { config, clock } }) {
    const loaded = await loadJobs(config.jobs);
    requireSoundJobs(config, loaded);
    const jobs = loaded.map(({ job: { name }, job, file }) => {
      const warnings = jobWarnings(job, clock.now()).map(({ why, hint }) => ({ why, hint }));
      return { name, file, warning: warnings.map(({ why }) => why).join('; ') || null, warnings };
    });
    return { jobs, folder: config.jobs };
  },
});
