import { z } from 'zod';
import { requireSoundJobs } from '../../runtime/jobs/job-faults.ts';
import { jobWarnings } from '../../runtime/jobs/job-warnings.ts';
import { loadJobs } from '../../runtime/jobs/load-jobs.ts';
import { folder } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { isVisible } from '../base/visible.ts';

/**
 * Checks whether the jobs can run. Throws `CONFIG_INVALID` with everything that is wrong, and warns of settings that
 * are valid but probably not intended.
 */
export const checkJobs = defineOperation({
  name: 'check-jobs',
  role: 'audit',
  ledger: 'none',
  showsOnlyVisible: true,
  input: z.strictObject({}),
  result: z.strictObject({
    jobs: z.array(
      z.strictObject({
        name: z.string(),
        /** The file that defines the job. */
        file: z.string(),
        /** All reasons in `warnings`; null if there are none. */
        warning: z.string().nullable(),
        /** Settings that are valid but probably not intended. */
        warnings: z.array(z.strictObject({ why: z.string(), hint: z.string() })),
      }),
    ),
    folder,
  }),
  async run({ session }) {
    const { config, clock } = session;
    const loaded = (await loadJobs(config.jobs)).filter(({ job }) => isVisible(session, job.account));
    requireSoundJobs(config, loaded);
    const jobs = loaded.map(({ job: { name }, job, file }) => {
      const warnings = jobWarnings(job, clock.now()).map(({ why, hint }) => ({ why, hint }));
      return { name, file, warning: warnings.map(({ why }) => why).join('; ') || null, warnings };
    });
    return { jobs, folder: config.jobs };
  },
});
