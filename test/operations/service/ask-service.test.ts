import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '../../../src/operations/service/ask-service.ts';
import type { OpenAccount } from '../../../src/runtime/accounts/account.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { makeRig } from '../../support/engine.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';

/** An account whose service answers reads of the catalog with 429. */
async function throttledAccount(retryAfterMs: number) {
  const { db, clock } = await makeRig();
  const limiter = makeOpenLimiter(clock);
  const logged: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void logged.push(message) };
  const session = { db, clock, log } as unknown as Session;
  const account = { name: 'main', limiter } as unknown as OpenAccount;
  let requests = 0;
  const read = () =>
    ask(session, account, 'catalog', async () => {
      requests += 1;
      const evidence = { httpStatus: 429, code: 'RATE_LIMITED', message: 'wait', requestId: null };
      return { kind: 'throttled' as const, retryAfterMs, evidence };
    });
  return { limiter, logged, read, requests: () => requests };
}

test('a 429 to what a person asks makes the whole account wait, and is logged', async () => {
  const { limiter, logged, read } = await throttledAccount(30_000);
  await assert.rejects(read(), {
    code: 'SERVICE_UNREACHABLE',
    message: 'the service throttles account "main": RATE_LIMITED, wait',
  });
  assert.ok(limiter.isHeld('creation'));
  assert.deepEqual(logged, ['the service throttles the account; airbatch asks again after the wait']);
});

test('a person does not wait for a long throttle, and nothing is asked meanwhile', { timeout: 20_000 }, async () => {
  const { read, requests } = await throttledAccount(3_600_000);
  await assert.rejects(read());
  await assert.rejects(read(), {
    message: 'the service throttles account "main"',
    hint: 'The service makes the account wait 1 h: try again after that.',
  });
  assert.equal(requests(), 1);
});
