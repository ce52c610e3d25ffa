import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { openAccount } from '../../../src/runtime/accounts/account.ts';
import { makeLog } from '../../../src/runtime/logging/log.ts';
import { noLedgerPath } from '../../../src/runtime/session/session.ts';
import { accountDefaults } from '../../../src/runtime/settings/account-config.ts';
import { startRoughServer } from '../../gateway/transport/rough-server.ts';

const config = {
  ...accountDefaults,
  name: 'main',
  version: 'v2' as const,
  baseUrl: 'https://service.example',
  credentials: { apiKey: 'key' },
  credentialsFrom: 'a test',
  webhookKeys: { callback: [], registered: [] },
};
const deps = {
  clock: systemClock,
  log: makeLog({ level: 'warn', secrets: [], screen: null }),
  ledgerPath: noLedgerPath,
};

/** How many rows go together at this limit, in a program with so many accounts. */
async function rowsTogether(creation: { limit: number; windowMs: number }, accounts?: number): Promise<number> {
  const limited = { ...config, limits: { creation } };
  const account = await openAccount(limited, accounts === undefined ? deps : { ...deps, accounts });
  await account.close();
  return account.settings.rowsPerAdmission;
}

test('rows go together by the limit, and three times as many in a program with a hundred accounts', async () => {
  const minute = 60_000;
  for (const [limit, alone, amongMany] of [
    [10, 1, 2],
    [60, 4, 12],
    [600, 4, 12],
    [6_000, 8, 8],
  ] as const) {
    assert.equal(await rowsTogether({ limit, windowMs: minute }), alone, `${limit} a minute`);
    assert.equal(await rowsTogether({ limit, windowMs: minute }, 99), alone, `${limit} a minute, 99 accounts`);
    assert.equal(await rowsTogether({ limit, windowMs: minute }, 100), amongMany, `${limit} a minute, 100 accounts`);
  }
});

test('an account shows since when its service is silent, and breaks off what it waits for', async (t) => {
  const server = await startRoughServer(() => undefined);
  t.after(() => server.close());
  const account = await openAccount({ ...config, baseUrl: server.url.href }, deps);
  assert.equal(account.silentSince(), null);
  const balance = account.gateway.balance();
  await server.arrived(1);
  assert.ok((account.silentSince() ?? Number.POSITIVE_INFINITY) <= systemClock.monotonic());
  account.breakOff();
  // Its deadline is a minute away.
  assert.notEqual((await balance).kind, 'balance');
  await account.close();
});
