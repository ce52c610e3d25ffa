import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { openAccount } from '../../../src/runtime/accounts/account.ts';
import { makeLog } from '../../../src/runtime/logging/log.ts';
import { noLedgerPath } from '../../../src/runtime/session/session.ts';
import { accountDefaults } from '../../../src/runtime/settings/account-config.ts';

/** How many rows go together at this limit, in a program with so many accounts. */
async function rowsTogether(creation: { limit: number; windowMs: number }, accounts?: number): Promise<number> {
  const config = {
    ...accountDefaults,
    name: 'main',
    version: 'v2' as const,
    baseUrl: 'https://service.example',
    credentials: { apiKey: 'key' },
    credentialsFrom: 'a test',
    webhookKeys: { callback: [], registered: [] },
    limits: { creation },
  };
  const deps = {
    clock: systemClock,
    log: makeLog({ level: 'warn', secrets: [], screen: null }),
    ledgerPath: noLedgerPath,
  };
  const account = await openAccount(config, accounts === undefined ? deps : { ...deps, accounts });
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
