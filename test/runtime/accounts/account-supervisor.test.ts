import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import type { AccountRunner } from '../../../src/engine/account-runner.ts';
import { LimiterStopped } from '../../../src/limiter/limiter.ts';
import type { OpenAccount } from '../../../src/runtime/accounts/account.ts';
import { superviseAccount } from '../../../src/runtime/accounts/account-supervisor.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

/**
 * A runner that fails with each of `troubles` in turn, after it has worked for `workMs`, and then works until it is
 * stopped.
 */
function setUp(troubles: readonly Error[], workMs = 0, isShared = false) {
  const clock = makeVirtualClock();
  const left = [...troubles];
  const told: string[] = [];
  const seen = {
    ...{ starts: [] as number[], closed: 0, hints: 0, broken: [] as number[] },
    standstills: [] as [string, boolean][],
  };
  const makeRunner = (): AccountRunner => {
    let working = false;
    let end = () => {};
    return {
      async run() {
        seen.starts.push(clock.now());
        const trouble = left.shift();
        if (trouble && workMs > 0) await clock.sleep(workMs);
        if (trouble) throw trouble;
        working = true;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        working = false;
      },
      stop: () => end(),
      nudge: () => undefined,
      hint: () => {
        seen.hints += 1;
      },
      isWorking: () => working,
    };
  };
  const close = async () => {
    seen.closed += 1;
  };
  const kept = superviseAccount('main', {
    clock,
    isShared,
    log: { info: () => undefined, warn: (message, data) => void told.push(`${message} ${data?.code}`) },
    open: async () =>
      ({ close, silentSince: () => 7, breakOff: () => void seen.broken.push(clock.now()) }) as OpenAccount,
    makeRunner,
    onStandstill: (error, isTriedAgain) =>
      void seen.standstills.push([error instanceof AirbatchError ? error.code : '', isTriedAgain]),
  });
  return { clock, kept, seen, told };
}

const trouble = (code: ConstructorParameters<typeof AirbatchError>[0]) => new AirbatchError(code, 'for a test');

describe('an account of serve', () => {
  test('is claimed as soon as another process gives it back, and its wait is reported once', async () => {
    const { clock, kept, seen, told } = setUp(Array.from({ length: 5 }, () => trouble('ACCOUNT_BUSY')));
    await clock.drive(clock.sleep(12_000));
    assert.equal(kept.isWorking(), false);
    await clock.drive(clock.sleep(14_000));
    assert.equal(kept.isWorking(), true);
    assert.deepEqual([seen.starts.length, seen.closed, told.length], [6, 5, 1]);
    assert.equal(kept.openedAt(), seen.starts.at(-1), 'what the other process left out is known from its end on');
    kept.hint();
    assert.equal(seen.hints, 1);
    await clock.drive(kept.stop());
    assert.deepEqual([kept.isWorking(), seen.closed], [false, 6]);
  });

  test('continues after disk trouble, not before a rate-limit window is over', async () => {
    const { clock, kept, seen } = setUp([trouble('LEDGER_FULL'), trouble('FENCED')]);
    await clock.drive(clock.sleep(130_000));
    const [first = 0, second = 0, third = 0] = seen.starts;
    assert.ok(second - first >= 60_000 && third - second >= 60_000);
    assert.equal(kept.isWorking(), true);
    await clock.drive(kept.stop());
  });

  test('on a ledger that machines share continues within seconds, whatever the database did', async () => {
    const troubles = [trouble('LEDGER_IO'), trouble('LEDGER_SYNC'), trouble('LEDGER_BUSY'), trouble('FENCED')];
    const { clock, kept, seen } = setUp(troubles, 0, true);
    await clock.drive(clock.sleep(16_000));
    assert.equal(kept.isWorking(), true);
    assert.deepEqual(seen.standstills, []);
    await clock.drive(kept.stop());
  });

  test('on a ledger that machines share ends the process only for an error that concerns all accounts', async () => {
    const { clock, kept, seen } = setUp([new Error('a bug'), trouble('CREDENTIALS_REJECTED')], 0, true);
    await clock.drive(clock.sleep(130_000));
    assert.equal(kept.isWorking(), true);
    assert.deepEqual(seen.standstills, [
      ['', true],
      ['CREDENTIALS_REJECTED', true],
    ]);
    await clock.drive(kept.stop());
    const { clock: again, kept: ended } = setUp([trouble('LEDGER_RESTORED')], 0, true);
    await again.drive(assert.rejects(ended.ended, { code: 'LEDGER_RESTORED' }));
  });

  test('ends on every error that waiting cannot solve', async () => {
    for (const error of [
      trouble('LEDGER_DAMAGED'),
      trouble('LEDGER_SYNC'),
      trouble('CONFIG_INVALID'),
      new Error('a bug'),
    ]) {
      const { clock, kept, seen } = setUp([error]);
      await assert.rejects(clock.drive(kept.ended), error);
      await clock.drive(kept.stop());
      assert.deepEqual([seen.starts.length, seen.closed], [1, 1]);
    }
  });

  test('reports trouble that needs a person, and none that passes by itself', async () => {
    const passing = (['ACCOUNT_BUSY', 'FENCED', 'LEDGER_BUSY'] as const).map(trouble);
    const { clock, kept, seen } = setUp([...passing, trouble('LEDGER_FULL'), trouble('LEDGER_RESTORED')]);
    await assert.rejects(clock.drive(kept.ended), { code: 'LEDGER_RESTORED' });
    assert.deepEqual(seen.standstills, [
      ['LEDGER_FULL', true],
      ['LEDGER_RESTORED', false],
    ]);
  });

  test('reports a ledger that another program locks for longer than a minute, and none that is locked now and then', async () => {
    for (const [workMs, standstills] of [
      [0, [['LEDGER_BUSY', true]]],
      [3_600_000, []],
    ] as const) {
      const { clock, kept, seen } = setUp([trouble('LEDGER_BUSY'), trouble('LEDGER_BUSY')], workMs);
      await clock.drive(clock.sleep(3 * 3_600_000));
      assert.equal(kept.isWorking(), true);
      assert.deepEqual(seen.standstills, standstills);
      await clock.drive(kept.stop());
    }
  });

  test('reports again that another process has it, if it was worked for in between', async () => {
    const { clock, kept, told } = setUp([trouble('ACCOUNT_BUSY'), trouble('ACCOUNT_BUSY')], 3_600_000);
    await clock.drive(clock.sleep(3 * 3_600_000));
    assert.equal(told.length, 2);
    await clock.drive(kept.stop());
  });

  test('that is handed over ends what waits to ask the service with an error that passes, so that it is tried again', async () => {
    const { clock, kept } = setUp([], 0, true);
    await clock.drive(clock.sleep(1_000));
    const admitted = Promise.withResolvers<string>();
    const used = assert.rejects(
      kept.use(() => admitted.promise),
      { code: 'ACCOUNT_BUSY', message: 'the account "main" was just left to another program' },
    );
    const stopped = kept.stop();
    admitted.reject(new LimiterStopped());
    await clock.drive(Promise.all([used, stopped]));
  });

  test('shows since when its service is silent, and breaks off its requests, while it is open', async () => {
    const { clock, kept, seen } = setUp([trouble('LEDGER_BUSY')], 0, true);
    await clock.drive(clock.sleep(1_000));
    kept.breakOff();
    assert.deepEqual([kept.silentSince(), seen.broken.length], [null, 0]);
    await clock.drive(clock.sleep(10_000));
    assert.equal(kept.silentSince(), 7);
    const stopped = kept.stop();
    kept.breakOff();
    await clock.drive(stopped);
    assert.deepEqual([seen.broken.length, seen.closed], [1, 2]);
  });

  test('is not closed while it is in use', async () => {
    const { clock, kept, seen } = setUp([]);
    await clock.drive(clock.sleep(1_000));
    const work = Promise.withResolvers<string>();
    const used = kept.use(() => work.promise);
    const stopped = kept.stop();
    await clock.drive(clock.sleep(1_000));
    assert.deepEqual([seen.starts.length, seen.closed], [1, 0]);
    work.resolve('done');
    await clock.drive(stopped);
    assert.deepEqual([await used, seen.closed], ['done', 1]);
  });

  test('stops at once while it waits, and starts nothing more', async () => {
    const { clock, kept, seen } = setUp([trouble('ACCOUNT_BUSY')]);
    await clock.drive(clock.sleep(1_000));
    const stoppedAt = clock.now();
    await clock.drive(kept.stop());
    assert.equal(clock.now(), stoppedAt);
    await clock.drive(clock.sleep(60_000));
    assert.equal(seen.starts.length, 1);
  });

  test('that is stopped while it is opened is closed without work', { timeout: 600_000 }, async () => {
    const opening = Promise.withResolvers<OpenAccount>();
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    const kept = superviseAccount('main', {
      clock: makeVirtualClock(),
      isShared: false,
      log: { info: () => undefined, warn: (message) => assert.fail(message) },
      open: () => opening.promise,
      makeRunner: () => assert.fail('a runner that nobody would stop'),
      onStandstill: () => assert.fail('it was only stopped'),
    });
    const stopped = kept.stop();
    opening.resolve({ close } as OpenAccount);
    await stopped;
    await kept.ended;
    assert.equal(closed, 1);
  });
});
