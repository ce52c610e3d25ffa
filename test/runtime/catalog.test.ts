import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CatalogOutcome, Network } from '../../src/gateway/gateway.ts';
import { accountCatalog, catalogKeptMs } from '../../src/runtime/catalog.ts';
import { makeOpenLimiter } from '../support/open-limiter.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

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
  const asked: string[] = [];
  const account = (name: string, offered: { networks: Network[] | null }) =>
    accountCatalog({
      limiter: makeOpenLimiter(clock),
      clock,
      gateway: {
        async networks({ country }): Promise<CatalogOutcome<Network>> {
          asked.push(`${name} ${country}`);
          if (offered.networks !== null) return { kind: 'items', items: offered.networks };
          const evidence = { httpStatus: null, code: 'timeout', message: 'no answer', requestId: null };
          return { kind: 'unavailable', evidence };
        },
        async products({ networkId }) {
          asked.push(`${name} ${networkId}`);
          return { kind: 'items', items: [] };
        },
      },
    });
  return { clock, asked, account };
}

describe('the catalog of an account', () => {
  test('is asked for each country and network once in a while, and knows what was added after it', async () => {
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

  test('is asked again where it did not answer', async () => {
    const { asked, account } = place();
    const offered: { networks: Network[] | null } = { networks: null };
    const catalog = account('main', offered);
    assert.equal(await catalog.networks('KE'), null);
    offered.networks = [safaricom];
    assert.deepEqual(await catalog.networks('KE'), [safaricom]);
    assert.deepEqual(asked, ['main KE', 'main KE']);
  });

  test('says nothing of what another account was answered', async () => {
    const { account } = place();
    const [one, other] = [account('one', { networks: [safaricom] }), account('other', { networks: [airtel] })];
    assert.deepEqual(await one.networks('KE'), [safaricom]);
    assert.deepEqual(await other.networks('KE'), [airtel]);
  });
});
