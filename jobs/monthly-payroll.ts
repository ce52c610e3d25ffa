import { defineJob } from 'airbatch';

/**
 * The payroll: on the 25th at nine in the morning in Nairobi, every file that lies in `payroll/inbox`.
 * Drop the file in during the days before; a second person approves what is large.
 */
export default defineJob({
  name: 'monthly-payroll',
  description: 'Airtime for the staff, on the 25th of each month',
  // Left out, the account is chosen as for "airbatch run".
  // account: 'main',
  schedule: {
    cron: '0 9 25 * *',
    timeZone: 'Africa/Nairobi',
    // Was nothing running on the 25th, the last missed month is paid as soon as something does.
    catchUp: 'last',
  },
  source: {
    kind: 'folder',
    // With the folders inbox, working, done and rejected in it; relative to the folder that jobs/ lies in.
    folder: 'payroll',
    pattern: '*.csv',
    // A month without a file is worth a look.
    required: true,
    waitMinutes: 120,
  },
  intake: {
    country: 'KE',
    currency: 'KES',
    // The headers of the payroll system, where they are not understood by themselves.
    columns: { reference: 'staff_no' },
    smsMessage: 'Your airtime for this month. Thank you!',
    guards: { amountMax: { KES: '5000' }, batchMax: { KES: '2000000' } },
  },
  // Within this name a row is paid once: the same file, or a corrected one, in the same month never pays anybody twice.
  runId: '{job}-{slot:yyyy-MM}',
  priority: 'urgent',
  policy: {
    // Somebody else than who brought it approves more than 200 rows or KES 100,000.
    approval: { needed: 'above', rows: 200, sums: { KES: '100000' } },
    // The first ten rows go alone; any failure among them stops the rest.
    canary: { rows: 10 },
    stopLoss: { failurePercent: 20, rows: 50 },
    shortBalance: 'pause',
    // Last month's same amount is no duplicate of this month's.
    repeatWithinDays: 7,
  },
  // The way to an operator that was closed for a while is tried again by itself, after looking it up.
  retry: { codes: ['234'], times: 1 },
});
