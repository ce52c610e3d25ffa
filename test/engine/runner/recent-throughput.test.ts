import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnUse } from '../../../src/core/time/rate-outlook.ts';
import type { Limiter } from '../../../src/limiter/limiter.ts';
import { makeRig, someRows } from '../../support/engine.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

test('a runner knows how much of the window its predecessor has used, to the last row', async () => {
  const rig = await makeRig();
  const window = { limit: 60, resetAt: rig.clock.now() + 60_000, endsAt: rig.clock.now() + 60_000 };
  const told: OwnUse[] = [];
  const limiter = (): Limiter => {
    const open = makeOpenLimiter(rig.clock);
    return {
      ...open,
      usage: (name) => ({ ...open.usage(name), ownUse: { ...window, count: rig.service.creates.length } }),
      usedBefore: (name, use) => void (name === 'creation' && told.push(use)),
    };
  };
  await rig.add(someRows(7));
  await rig.clock.drive(rig.runner({ limiter: limiter() }).run(60_000));
  assert.deepEqual(told, [], 'nothing was noted before');
  await rig.clock.drive(rig.runner({ limiter: limiter() }).run(60_000));
  assert.deepEqual(told, [{ ...window, count: 7 }]);
});
