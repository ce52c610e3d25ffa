import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LogData } from '../../../src/core/text/log.ts';
import { dayMs, isoTime } from '../../../src/core/time/clock.ts';
import type { CatalogOutcome, Network } from '../../../src/gateway/contract/gateway.ts';
import { accountCatalog, catalogKeptMs } from '../../../src/runtime/accounts/account-catalog.ts';
import { makeOpenLimiter } from '../../support/open-limiter.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const minuteMs = 60_000;

const safaricom: Network = {
  networkId: 1,
  name: 'Safaricom Kenya',
  countryCode: 'KE',
  countryName: 'Kenya',
  currency: 'KES',
};
const airtel: Network = {
  networkId: 2,
  name: 'Airtel Kenya',
  countryCode: 'KE',
  countryName: 'Kenya',
  currency: 'KES',
};

/** The catalogs of two accounts, each at a service of its own. */
function place() {
  const clock = makeVirtualClock();
  const limiter = makeOpenLimiter(clock);
  const asked: string[] = [];
  const log: { message: string; data: LogData | undefined }[] = [];
  const account = (name: string, offered: { networks: Network[] | null | 'refused'; waitsMs?: number[] }) =>
    accountCatalog(
      {
        name,
        limiter,
        gateway: {
          async networks({ country }): Promise<CatalogOutcome<Network>> {
            asked.push(`${name} ${country}`);
            const evidence = { httpStatus: null, code: 'timeout', message: 'no answer', requestId: null };
            const retryAfterMs = offered.waitsMs?.shift();
            if (retryAfterMs !== undefined) return { kind: 'throttled', retryAfterMs, evidence };
            if (offered.networks === 'refused') {
              const refused = { httpStatus: 403, code: 'FORBIDDEN', message: 'lacks a permission', requestId: null };
              return { kind: 'account_blocked', reason: 'credentials_rejected', evidence: refused };
            }
            return offered.networks === null
              ? { kind: 'unavailable', evidence }
              : { kind: 'items', items: offered.networks };
          },
          async products({ networkId }) {
            asked.push(`${name} ${networkId}`);
            return { kind: 'items', items: [] };
          },
        },
      },
      { clock, log: { info: () => undefined, warn: (message, data) => void log.push({ message, data }) } },
    );
  return { clock, limiter, asked, log, account };
}

describe('the catalog of an account', () => {
  test('that the service refuses is reported as refused, once, with the service’s reason', async () => {
    const { log, account } = place();
    const catalog = account('main', { networks: 'refused' });
    assert.deepEqual([await catalog.networks('KE'), await catalog.networks('UG')], [null, null]);
    assert.equal(catalog.refusal()?.code, 'FORBIDDEN');
    assert.deepEqual(log, [
      {
        message: 'the service does not let the account read its networks and products',
        data: { account: 'main', code: 'FORBIDDEN', said: 'lacks a permission', request_id: null },
      },
    ]);
  });

  test('is requested for each country and network once in a while, and includes what was added later', async () => {
    const { clock, asked, account } = place();
    const offered = { networks: [safaricom] };
    const catalog = account('main', offered);
    for (let file = 0; file < 3; file++) {
      assert.deepEqual(await catalog.networks('KE'), [safaricom]);
      assert.deepEqual(await catalog.networks('UG'), []);
      assert.deepEqual(await catalog.products(1), []);
    }
    assert.deepEqual(asked, ['main KE', 'main UG', 'main 1']);
    offered.networks = [safaricom, airtel];
    await clock.drive(clock.sleep(catalogKeptMs));
    assert.deepEqual(await catalog.networks('KE'), [safaricom, airtel]);
  });

  test('is requested again if there was no answer', async () => {
    const { asked, account } = place();
    const offered: { networks: Network[] | null } = { networks: null };
    const catalog = account('main', offered);
    assert.equal(await catalog.networks('KE'), null);
    offered.networks = [safaricom];
    assert.deepEqual(await catalog.networks('KE'), [safaricom]);
    assert.deepEqual(asked, ['main KE', 'main KE']);
  });

  for (const waitMs of [5_000, minuteMs])
    test(`told to wait for ${waitMs / 1_000} s, makes the account wait, and is requested again then`, async () => {
      const { clock, limiter, asked, log, account } = place();
      const begunAt = clock.now();
      const answer = account('main', { networks: [safaricom], waitsMs: [waitMs] }).networks('KE');
      await clock.drive(clock.sleep(1_000));
      assert.ok(limiter.isHeld('creation'), 'nothing of the account is sent meanwhile');
      assert.deepEqual(await clock.drive(answer), [safaricom]);
      assert.ok(clock.now() >= begunAt + waitMs);
      assert.deepEqual(asked, ['main KE', 'main KE']);
      const until = isoTime(begunAt + waitMs);
      assert.deepEqual(log, [
        {
          message: 'the service throttles the account; airbatch asks again after the wait',
          data: { account: 'main', until, retry_after_ms: waitMs },
        },
      ]);
    });

  test('told to wait for long counts as unanswered, and nothing more is requested meanwhile, for any file', async () => {
    const { clock, limiter, asked, account } = place();
    const begunAt = clock.now();
    const catalog = account('main', { networks: [safaricom], waitsMs: [dayMs] });
    assert.deepEqual(
      [await catalog.networks('KE'), await catalog.networks('UG'), await catalog.products(1)],
      [...[null, null, null]],
    );
    assert.deepEqual([asked, clock.now()], [['main KE'], begunAt]);
    assert.ok(limiter.isHeld('creation'));
  });

  test('told to wait for a second again and again waits ever longer, and reports it once a minute', async () => {
    const { clock, asked, log, account } = place();
    const waitsMs = Array<number>(10).fill(1_000);
    assert.deepEqual(await clock.drive(account('main', { networks: [safaricom], waitsMs }).networks('KE')), [
      safaricom,
    ]);
    assert.deepEqual([asked.length, log.length], [11, 4]);
  });

  test('told to wait again and again counts as unanswered after a quarter of an hour', async () => {
    const { clock, asked, log, account } = place();
    const begunAt = clock.now();
    const waitsMs = Array<number>(60).fill(minuteMs);
    assert.equal(await clock.drive(account('main', { networks: [safaricom], waitsMs }).networks('KE')), null);
    assert.equal(asked.length, 15);
    assert.equal(log.length, 15);
    assert.ok(clock.now() < begunAt + 15 * minuteMs);
  });

  test('is separate for each account', async () => {
    const { account } = place();
    const [one, other] = [account('one', { networks: [safaricom] }), account('other', { networks: [airtel] })];
    assert.deepEqual(await one.networks('KE'), [safaricom]);
    assert.deepEqual(await other.networks('KE'), [airtel]);
  });
});
