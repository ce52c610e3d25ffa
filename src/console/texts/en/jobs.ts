/** Jobs. */
export const jobs = {
  'jobs.sub': 'What runs with nobody watching.',
  'jobs.none': 'There are no jobs',
  'jobs.none_help': 'Jobs are files in this folder:',
  'jobs.job': 'Job',
  'jobs.schedule': 'Schedule',
  'jobs.next': 'Next run',
  'jobs.last': 'Last run',
  'jobs.open': 'Now',
  'jobs.unprocessed': 'Files left',
  'slot.due': 'due',
  'slot.running': 'running',
  'slot.done': 'done',
  'slot.skipped': 'skipped',
  'slot.failed': 'failed',
};
