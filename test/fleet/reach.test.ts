import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchReach } from '../../src/fleet/reach.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const service = 'https://service.example';
/** Two accounts at one service, and one at another. */
const services = new Map([
  ['main', service],
  ['second', service],
  ['other', 'https://other.example'],
]);

function setUp() {
  const clock = makeVirtualClock();
  const state = { silentSince: null as number | null, answers: true, tries: 0 };
  const changes: [ms: number, isCutOff: boolean][] = [];
  const reach = watchReach(
    {
      clock,
      silentSince: (account) => (account === 'second' ? state.silentSince : null),
      async answers() {
        state.tries += 1;
        // Silence is waited for; a refused connection would be immediate.
        if (state.answers) return true;
        await clock.sleep(1_500);
        return false;
      },
      onChange(changed, isCutOff) {
        assert.equal(changed, service);
        changes.push([clock.monotonic(), isCutOff]);
      },
    },
    services,
  );
  return { clock, state, changes, reach, pass: (ms: number) => clock.drive(clock.sleep(ms)) };
}

test('a service that answers, or is not asked, is not tried', async () => {
  const { state, pass, reach } = setUp();
  await pass(60_000);
  assert.equal(state.tries, 0);
  reach.stop();
});

test('a service that is only slow is tried now and then, and not cut off', async () => {
  const { clock, state, pass, changes, reach } = setUp();
  state.silentSince = clock.monotonic();
  await pass(60_000);
  assert.ok(state.tries >= 10 && state.tries <= 20, `${state.tries} tries in a minute`);
  assert.deepEqual(changes, []);
  reach.stop();
});

test('a service that cannot be reached is cut off within nine seconds, and reached again once it can be', async () => {
  const { clock, state, pass, changes, reach } = setUp();
  const begun = clock.monotonic();
  state.silentSince = begun;
  state.answers = false;
  await pass(9_000);
  assert.deepEqual([...services.keys()].map(reach.isCutOff), [true, true, false]);
  assert.ok(changes[0] && changes[0][0] - begun > 3_000, 'a moment of silence proves nothing');
  // The accounts have gone to another worker, so nothing is asked from here any more.
  state.silentSince = null;
  await pass(60_000);
  assert.equal(reach.isCutOff('main'), true);
  state.answers = true;
  await pass(3_000);
  assert.equal(reach.isCutOff('main'), false);
  assert.deepEqual(
    changes.map(([, isCutOff]) => isCutOff),
    [true, false],
  );
  reach.stop();
});

test('a single connection that fails does not cut a service off', async () => {
  const { clock, state, pass, changes, reach } = setUp();
  state.silentSince = clock.monotonic();
  state.answers = false;
  await pass(4_000);
  state.answers = true;
  await pass(10_000);
  assert.deepEqual(changes, []);
  reach.stop();
});
