/** The file that `airbatch jobs new NAME` writes: every field that most jobs need, with its meaning. */
export function jobTemplate(name: string): string {
  return `import { defineJob } from 'airbatch';

export default defineJob({
  name: '${name}',
  description: 'What it is for, in a sentence',
  // The account of airbatch.config.json that pays; left out, as for "airbatch run".
  // account: 'main',
  schedule: {
    // Minute, hour, day of the month, month, day of the week (0 is Sunday).
    cron: '0 9 25 * *',
    timeZone: 'Africa/Nairobi',
    // Slots that were missed while airbatch was not running: 'last' runs the last one, 'all' each, 'none' reports them.
    catchUp: 'last',
  },
  // The files in ${name}/inbox. Instead: { kind: 'file', file } or { kind: 'command', command: ['program',
  // 'argument'] }.
  source: { kind: 'folder', folder: '${name}', pattern: '*.csv' },
  // The same as "intake" of the configuration.
  intake: { country: 'KE', currency: 'KES' },
  // Within one run id, each row is paid once.
  runId: '{job}-{slot:yyyy-MM}',
  priority: 'normal',
  // The deadline, in the time zone above: the batch is sent before others if it would be late.
  // finishBy: '17:00',
  policy: {
    // A second person approves: 'never', 'always', or 'above' a number of rows or a sum.
    approval: { needed: 'always' },
    // This many rows are sent first, as a test; a failure among them stops the others.
    canary: { rows: 5 },
  },
});
`;
}
