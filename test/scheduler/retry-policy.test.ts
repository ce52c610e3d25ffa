import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobFile } from '../../src/ledger/job-files.ts';
import type { OpenAccount } from '../../src/runtime/account.ts';
import type { Session } from '../../src/runtime/session.ts';
import { defineJob } from '../../src/scheduler/define-job.ts';
import { retriedByPolicy } from '../../src/scheduler/retry-policy.ts';
import { makeRig, someRows } from '../support/engine.ts';
import { makeOpenLimiter } from '../support/open-limiter.ts';

test('what failed with a code that the job names is tried again without a person, as often as it says', async () => {
  const rig = await makeRig();
  for (const generation of ['', '~2']) {
    rig.service.ends(`run-1/ref-1${generation}`, 'failed');
    rig.service.ends(`run-1/ref-2${generation}`, 'failed');
  }
  await rig.add(someRows(3));
  await rig.run();
  // The second failed for another reason than the job's.
  await rig.db.execute(`UPDATE rows SET failure_code = 'OTHER' WHERE row_no = 2`);
  await rig.db.transact((tx) =>
    insertJobFile(tx, { batch_id: 'batch-1', job: 'payroll', due_at: 1, name: 'x.csv', working_path: '/x.csv' }),
  );
  const job = defineJob({
    name: 'payroll',
    schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
    source: { kind: 'file', file: 'x.csv' },
    retry: { codes: ['DECLINED'], times: 2 },
  });
  const account = { gateway: rig.service, limiter: makeOpenLimiter(rig.clock) };
  const session = { db: rig.db, clock: rig.clock } as unknown as Session;
  const retry = () =>
    rig.clock.drive(
      retriedByPolicy(
        { session, jobs: [job], withAccount: (_name, work) => work(account as unknown as OpenAccount) },
        'batch-1',
      ),
    );
  const states = ['failed', 'failed', 'completed'];
  await rig.db.execute(`UPDATE rows SET failure_code = 'OTHER' WHERE row_no = 1`);
  assert.equal(await retry(), false, 'nothing failed with that code');
  await rig.db.execute(`UPDATE rows SET failure_code = 'DECLINED' WHERE row_no = 1`);
  await rig.db.execute(`UPDATE batches SET status = 'cancelled'`);
  assert.equal(await retry(), false, 'it was cancelled');
  await rig.db.execute(`UPDATE batches SET status = 'completed'`);
  assert.equal(await retry(), true);
  await rig.run();
  assert.deepEqual([(await rig.row(1)).generation, (await rig.row(2)).generation], [2, 1]);
  assert.deepEqual(await rig.states(), states);
  assert.equal(await retry(), false, 'the job says twice, and more is allowed');
  assert.equal((await rig.row(1)).generation, 2);
  assert.deepEqual(await rig.states(), states);
});
