import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Catalog } from '../../../src/intake/rows/network-catalog.ts';
import { check, csv, goodRow } from '../support.ts';

const numbers = {
  GH: '+233241234567',
  KE: '+254712345678',
  MW: '+265991234567',
  NG: '+2348031234567',
  RW: '+250781234567',
  SD: '+249911234567',
  SN: '+221771234567',
  TZ: '+255711234567',
} as const;

/** What is read of a row whose network is `written`, where the country has these networks (with ids from 1 on). */
async function read(country: keyof typeof numbers, names: readonly string[], written: string, rows = 2) {
  const networks = names.map((name, index) => ({ networkId: index + 1, name, countryCode: country, currency: null }));
  const catalog = { networks: async () => networks, products: async () => null } as unknown as Catalog;
  const row = goodRow({ phone_number: numbers[country], network_id: written });
  const { rows: checked, findings } = await check(csv(Array.from({ length: rows }, () => row)), { catalog });
  const [first] = checked;
  const codes = first?.problems.map(({ code }) => code).filter((code) => code.startsWith('NETWORK'));
  return { network: first?.network_id ?? codes?.join(), warnings: findings.warnings };
}

describe('a network name that the service does not use', () => {
  for (const [country, names, written, network] of [
    ['TZ', ['Vodacom Tanzania', 'Airtel Tanzania', 'Yas Tanzania'], 'Tigo', 3],
    ['TZ', ['Vodacom Tanzania', 'Airtel Tanzania', 'Yas Tanzania'], 'tigo tanzania', 3],
    ['TZ', ['Vodacom Tanzania', 'Airtel Tanzania', 'Tigo Tanzania'], 'YAS', 3],
    ['TZ', ['Vodacom Tanzania', 'Airtel Tanzania', 'Yas Tanzania'], 'Voda', 1],
    ['SN', ['Orange', 'Yas'], 'Free', 2],
    ['KE', ['Safaricom Kenya', 'Airtel Kenya'], 'Zain', 2],
    ['NG', ['MTN Nigeria', 'Glo Nigeria', '9mobile Nigeria'], 'Etisalat', 3],
    ['NG', ['MTN Nigeria', 'Glo Nigeria', 'T2 Nigeria'], '9mobile', 3],
    ['GH', ['MTN Ghana', 'Telecel Ghana', 'AT Ghana'], 'Airtel Tigo', 3],
    ['GH', ['MTN Ghana', 'Telecel Ghana', 'AT Ghana'], 'airteltigo', 3],
    ['GH', ['MTN Ghana', 'Telecel Ghana', 'AT Ghana'], 'Vodafone Ghana', 2],
    ['RW', ['MTN Rwanda', 'Airtel Rwanda'], 'Tigo', 2],
    ['MW', ['Airtel', 'TNM'], 'Airtel Malawi', 1],
  ] as const)
    test(`${country}: "${written}" is network ${network} of ${names.join(', ')}, and noted`, async () => {
      const found = await read(country, names, written);
      assert.equal(found.network, network);
      const note = `"${written}" is read as network ${network} (${names[network - 1]}) (first in line 2): check that it is meant.`;
      assert.deepEqual(found.warnings, [note]);
    });

  for (const [country, names, written, code] of [
    ['SD', ['Zain Sudan', 'MTN Sudan'], 'Celtel', 'NETWORK_UNKNOWN'],
    ['KE', ['Safaricom Kenya', 'Airtel Kenya'], 'Airtel Uganda', 'NETWORK_UNKNOWN'],
    ['KE', ['Safaricom Kenya', 'Airtel Kenya'], 'Tigo', 'NETWORK_UNKNOWN'],
    ['GH', ['MTN Ghana', 'Airtel Ghana', 'Tigo Ghana'], 'AT', 'NETWORK_AMBIGUOUS'],
  ] as const)
    test(`${country}: "${written}" is ${code} among ${names.join(', ')}`, async () => {
      assert.deepEqual(await read(country, names, written), { network: code, warnings: [] });
    });

  test('is not translated if the service uses that very name', async () => {
    assert.deepEqual(await read('TZ', ['Tigo Tanzania', 'Yas Tanzania'], 'Tigo'), { network: 1, warnings: [] });
  });

  test('is made comparable once for all rows that have it', async (t) => {
    const { mock } = t.mock.method(String.prototype, 'normalize');
    const callsFor = async (rows: number) => {
      mock.resetCalls();
      await read('KE', ['Safaricom Kenya', 'Airtel Kenya'], 'Zain', rows);
      return mock.callCount();
    };
    // The first rows are looked at for what the columns mean, too.
    const few = await callsFor(300);
    assert.equal(await callsFor(500), few);
  });
});
