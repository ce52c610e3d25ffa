import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { readEditedJson } from '../settings/edited-text.ts';
import { requireOwnCode } from '../settings/own-code.ts';
import { resolveAirbatch } from '../settings/resolve-airbatch.ts';
import { defineJob, type Job, type JobInput } from './define-job.ts';

/**
 * A job and the file that defines it. Its paths are absolute; in the file they are relative to the parent folder of
 * `jobs/`.
 */
export interface LoadedJob {
  file: string;
  job: Job;
}

/**
 * Loads the jobs of a folder (`jobs/*.ts`, `.js` or `.json`), by name. Throws `CONFIG_INVALID` with each wrong file and
 * its fields.
 */
export async function loadJobs(folder: string): Promise<LoadedJob[]> {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    // A hidden file is an editor's lock, or a file that another system creates next to a job.
    .filter((name) => /^[^.].*\.(ts|js|mjs|json)$/.test(name) && !name.endsWith('.d.ts'))
    .sort();
  const loaded: LoadedJob[] = [];
  const faults: string[] = [];
  for (const name of files) {
    const file = join(folder, name);
    try {
      const job = placed(await readJob(file), dirname(folder));
      const other = loaded.find((one) => one.job.name === job.name);
      if (other) faults.push(`${file}: name: is also used by ${other.file}: "${job.name}"`);
      const taken = ownFolder(job);
      const neighbour = taken && loaded.find((one) => ownFolder(one.job) === taken);
      if (neighbour)
        faults.push(
          `${file}: source.folder: is also used by ${neighbour.file}: each job would pay the other's files, so give each a folder of its own`,
        );
      loaded.push({ file, job });
    } catch (error) {
      faults.push(`${file}: ${errorMessage(error)}`);
    }
  }
  if (faults.length > 0) throw new AirbatchError('CONFIG_INVALID', faults);
  return loaded.sort((a, b) => (a.job.name < b.job.name ? -1 : 1));
}

/** The default export is the result of `defineJob` or its input. */
async function readJob(file: string): Promise<Job> {
  if (file.endsWith('.json')) {
    const job = defineJob(readEditedJson(file) as JobInput);
    if (job.source.kind === 'command') requireOwnCode(file);
    return job;
  }
  requireOwnCode(file);
  resolveAirbatch();
  const module = (await import(pathToFileURL(file).href)) as { default?: JobInput };
  if (module.default === undefined) throw new AirbatchError('CONFIG_INVALID', 'it has no default export');
  return defineJob(module.default);
}

/** The folder from which the job takes files, with links resolved; null if there is none. */
function ownFolder({ source }: Job): string | null {
  if (source.kind !== 'folder') return null;
  return existsSync(source.folder) ? realpathSync(source.folder) : source.folder;
}

function placed(job: Job, base: string): Job {
  const { source } = job;
  if (source.kind === 'folder') return { ...job, source: { ...source, folder: resolve(base, source.folder) } };
  if (source.kind === 'file') return { ...job, source: { ...source, file: resolve(base, source.file) } };
  return job;
}
