import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

/** Two services, and an account that can be pointed at either. */
async function twoServices(t: TestContext) {
  const folder = folderOf(t);
  const services = await Promise.all([1, 2].map(() => sandboxHere(t, { settleMs: 0 })));
  const [one, two] = services as [(typeof services)[0], (typeof services)[0]];
  writeFileSync(
    join(folder, 'payroll.csv'),
    'phone_number,network_id,amount,currency\n+254712100015,1,10,KES\n+254712340001,1,10,KES\n',
  );
  const options = { cwd: folder, env: { AIRBATCH_API_KEY: 'sandbox-key' } };
  return {
    one,
    two,
    pointAt(baseUrl: string) {
      const policy = { approval: { needed: 'always', bySubmitter: true } };
      const accounts = { main: { baseUrl, apiKeyEnv: 'AIRBATCH_API_KEY' } };
      writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ policy, accounts }));
    },
    run: (...args: string[]) => runHere(args, options),
  };
}

test('an account that points to another service pays nothing of its batches there, until a person says that it has moved', async (t) => {
  const { one, two, pointAt, run } = await twoServices(t);
  pointAt(one.url);
  await run('submit', 'payroll.csv');
  const [{ batch_id: batch }] = JSON.parse((await run('status', '--json')).stdout).batches;
  pointAt(two.url);
  const early = await run('approve', batch, '--yes');
  assert.match(early.stderr, /was made for http:\S+ \(v2\), and its account is at .*\[SERVICE_CHANGED\]\n.*reject/);
  // The same place, written in another way.
  pointAt(`${one.url}/`);
  assert.equal((await run('approve', batch, '--yes')).code, 0);

  pointAt(two.url);
  const stopped = await run('resume', batch);
  assert.equal(stopped.code, 5, stopped.stderr);
  assert.match(
    stopped.stderr,
    /paused \(the account is at another service: the batch was made for .*\)[\s\S]*set the address of the account back to http/,
  );
  assert.match((await run('status', batch)).stdout, /Waits for .*airbatch resume \S+ --service-moved/);
  assert.equal((await run('resume')).code, 5, 'nor with all others');
  assert.equal((await run('resume', '--service-moved')).code, 2, 'said of one batch alone');
  assert.deepEqual([(await one.liveCharges()).size, (await two.liveCharges()).size], [0, 0]);

  const moved = await run('resume', batch, '--service-moved');
  assert.equal(moved.code, 4, moved.stderr);
  assert.deepEqual([(await one.liveCharges()).size, (await two.liveCharges()).size], [0, 1]);
  assert.match((await run('audit', '--batch', batch)).stdout, /said that its service has moved from http/);

  pointAt(one.url);
  const refused = await run('retry', batch);
  assert.deepEqual([refused.code, (await one.liveCharges()).size], [5, 0], refused.stderr);
  assert.match(refused.stderr, /\[SERVICE_CHANGED\]\n.*--service-moved/);
});

test('a batch that a person paused is not sent once its account points back, until a person resumes it by its id', async (t) => {
  const { one, two, pointAt, run } = await twoServices(t);
  pointAt(one.url);
  await run('submit', 'payroll.csv');
  const [{ batch_id: batch }] = JSON.parse((await run('status', '--json')).stdout).batches;
  await run('approve', batch, '--yes');
  pointAt(two.url);
  await run('resume');
  assert.match((await run('status', batch)).stdout, /Status {5}paused \(the account is at another service/);
  assert.equal((await run('pause', batch, '--why', 'the wrong month')).code, 0);
  assert.match(
    (await run('status', batch)).stdout,
    /Status {5}paused \(by a person: the wrong month; the account is at.*[\s\S]*Waits for {2}a person: it is paused \(by a person: the wrong month; the account is at/,
  );

  pointAt(one.url);
  const unnamed = await run('resume');
  assert.deepEqual([unnamed.code, /stays paused, as a person decided/.test(unnamed.stderr)], [0, true], unnamed.stderr);
  assert.equal((await one.liveCharges()).size, 0);
  await run('resume', batch);
  assert.equal((await one.liveCharges()).size, 1);
});
