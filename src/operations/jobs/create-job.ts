import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { makeFolders } from '../../core/basics/folders.ts';
import { jobName } from '../../runtime/jobs/define-job.ts';
import { jobTemplate } from '../../runtime/jobs/job-template.ts';
import { defineOperation } from '../base/operation.ts';

/** Writes the file of a new job, for a person who changes it. */
export const createJob = defineOperation({
  name: 'create-job',
  role: 'operate',
  ledger: 'none',
  input: z.strictObject({ name: z.string() }),
  result: z.strictObject({ name: z.string(), file: z.string() }),
  async run({ session: { config } }, { name }) {
    if (!jobName.safeParse(name).success)
      throw new AirbatchError('USAGE', `"${name}" is not a name for a job`, {
        hint: 'Use only a-z, 0-9 and "-". Nothing was written.',
      });
    const file = join(config.jobs, `${name}.ts`);
    if (existsSync(file))
      throw new AirbatchError('USAGE', `there is already a job ${file}`, {
        hint: 'Change that file, or give the new job another name. Nothing was written.',
      });
    // If the umask lets others write to the folder, airbatch refuses to load the job.
    makeFolders(dirname(file), 0o755);
    writeFileSync(file, jobTemplate(name), { mode: 0o644 });
    return { name, file };
  },
});
