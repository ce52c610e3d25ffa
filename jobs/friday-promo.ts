import { defineJob } from 'airbatch';

/**
 * The promotion: on Fridays at five in the afternoon, whatever the program that picks the winners writes to its
 * standard output. It is sent behind everything else, and pauses by itself when too much of it fails.
 */
export default defineJob({
  name: 'friday-promo',
  description: 'Airtime for the winners of the week',
  schedule: {
    cron: '0 17 * * 5',
    timeZone: 'Africa/Lagos',
    // Winners who were not paid on Friday are not paid on Monday: a person decides.
    catchUp: 'none',
  },
  source: {
    kind: 'command',
    // No shell is between: each word is one argument. Here it is only a list that stands in a file.
    command: ['cat', 'promo/winners.csv'],
  },
  intake: { country: 'NG', currency: 'NGN' },
  runId: '{job}-{slot:yyyy-MM-dd}',
  priority: 'bulk',
  policy: {
    stopLoss: { failurePercent: 30, rows: 20 },
    // Somebody may win two weeks in a row.
    repeatWithinDays: 5,
  },
});
