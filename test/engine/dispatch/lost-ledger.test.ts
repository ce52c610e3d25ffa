import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { findLease } from '../../../src/ledger/schema/lease-table.ts';
import { makeRig, someRows } from '../../support/engine.ts';

test('a runner that cannot read the ledger keeps the account until its requests are answered', async () => {
  const rig = await makeRig();
  await rig.add(someRows(3));
  const runner = rig.runner();
  const { create } = rig.service;
  const { query, values } = rig.db;
  const away = async () => {
    throw new AirbatchError('LEDGER_IO', 'the database is away');
  };
  let answered = 0;
  let sent = 0;
  rig.service.create = async (request) => {
    sent += 1;
    Object.assign(rig.db, { query: away, values: away });
    runner.nudge();
    await rig.clock.sleep(2_000);
    Object.assign(rig.db, { query, values });
    assert.ok(((await findLease(rig.db, 'main'))?.expires_at ?? 0) > 0, 'the account is still ours');
    const outcome = await create(request);
    answered += 1;
    return outcome;
  };
  await assert.rejects(rig.clock.drive(runner.run(Number.POSITIVE_INFINITY)), { code: 'LEDGER_IO' });
  assert.ok(sent > 0);
  assert.equal(answered, sent);
  assert.ok(!(await rig.states()).includes('sending'), 'each outcome is written');
  assert.equal((await findLease(rig.db, 'main'))?.expires_at, 0);
});
