import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeDeadlines } from '../../../src/gateway/transport/deadlines.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

describe('deadlines of requests', () => {
  test('expire at their times, in whatever order they were set', async () => {
    const clock = makeVirtualClock();
    const deadlines = makeDeadlines(clock);
    const passed: [string, number][] = [];
    for (const [name, ms] of [
      ['b', 200],
      ['a', 100],
      ['c', 300],
    ] as const) {
      deadlines.set(ms, () => passed.push([name, clock.monotonic()]));
    }
    await clock.drive(clock.sleep(1_000));
    assert.deepEqual(passed, [
      ['a', 100],
      ['b', 200],
      ['c', 300],
    ]);
  });

  test('do not expire if they were cancelled; the others do', async () => {
    const clock = makeVirtualClock();
    const deadlines = makeDeadlines(clock);
    const passed: string[] = [];
    const callOff = deadlines.set(100, () => passed.push('called off'));
    deadlines.set(200, () => passed.push('kept'));
    callOff();
    await clock.drive(clock.sleep(1_000));
    assert.deepEqual(passed, ['kept']);
  });

  test('keep no timer once all are cancelled', async () => {
    const clock = makeVirtualClock();
    const deadlines = makeDeadlines(clock);
    let sleeping = 0;
    const counted = makeDeadlines({
      monotonic: clock.monotonic,
      async sleep(ms, signal) {
        sleeping += 1;
        await clock.sleep(ms, signal);
        sleeping -= 1;
      },
    });
    deadlines.set(1_000, () => undefined);
    const first = counted.set(60_000, () => undefined);
    const second = counted.set(70_000, () => undefined);
    first();
    assert.equal(sleeping, 1);
    second();
    await clock.drive(clock.sleep(1));
    assert.equal(sleeping, 0);
  });

  test('expire if the timer fires slightly early', async () => {
    const passed: string[] = [];
    const deadlines = makeDeadlines({ monotonic: () => 0, sleep: async () => undefined });
    deadlines.set(100, () => passed.push('past'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(passed, ['past']);
  });

  test('may set another deadline when they expire', async () => {
    const clock = makeVirtualClock();
    const deadlines = makeDeadlines(clock);
    const passed: number[] = [];
    deadlines.set(100, () => {
      passed.push(clock.monotonic());
      deadlines.set(100, () => passed.push(clock.monotonic()));
    });
    await clock.drive(clock.sleep(1_000));
    assert.deepEqual(passed, [100, 200]);
  });
});
