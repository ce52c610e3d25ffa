import type { GatewayAccount } from '../../src/gateway/make-gateway.ts';
import type { NewRow } from '../../src/ledger/rows.ts';
import { makeSandbox } from '../../src/sandbox/index.ts';
import { aRow } from '../support/ledger.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import type { JudgedPayment } from './invariants.ts';
import type { Plan } from './plan.ts';
import type { Handle } from './wire.ts';

/** The sandbox in this process, on the world's clock. */
export interface SimulatedService {
  account: GatewayAccount;
  handle: Handle;
  /** A row for this service, by its number; declined ones go to a number that it declines. */
  row(rowNo: number, declined: boolean): NewRow;
  payments(): Promise<JudgedPayment[]>;
  close(): Promise<void>;
}

export async function openService(clock: VirtualClock, plan: Plan): Promise<SimulatedService> {
  // The service has a clock of its own, which nobody here sets.
  const startedAt = clock.now();
  const now = () => Math.floor(startedAt + clock.monotonic());
  const sandbox = await makeSandbox({ clock: { now, after: () => () => undefined }, seed: plan.seed });
  return {
    account: {
      version: plan.version,
      baseUrl: 'http://127.0.0.1:1',
      credentials: plan.version === 'v2' ? { apiKey: 'sandbox-key' } : { email: 'sandbox@airbatch.test', token: 'sandbox-token' },
    },
    handle: (request) => sandbox.handle(request),
    row: (rowNo, declined) => aRow(rowNo, { phone_number: declined ? '+254712000001' : `+25471234${String(1_000 + rowNo)}` }),
    async payments() {
      return sandbox.charges().map((entry) => ({
        reference: entry.reference ?? '',
        phoneNumber: entry.phoneNumber,
        live: entry.live,
        terminal: true,
        cost: entry.cost,
        amount: entry.amount,
      }));
    },
    close: () => sandbox.close(),
  };
}
