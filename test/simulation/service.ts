import { createHmac } from 'node:crypto';
import type { GatewayAccount } from '../../src/gateway/make-gateway.ts';
import type { WebhookKeys } from '../../src/gateway/webhooks/webhook-signatures.ts';
import type { NewRow } from '../../src/ledger/rows/rows.ts';
import { makeSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { aRow } from '../support/ledger.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import type { JudgedPayment } from './invariants.ts';
import type { Plan } from './plan.ts';
import { asNamed } from './row-refs.ts';
import type { Handle } from './wire.ts';

/** A webhook on its way, and whether the service really signed it. */
export interface SimulatedWebhook {
  scheme: 'callback' | 'registered';
  headers: Record<string, string>;
  body: string;
  genuine: boolean;
}

/** The sandbox in this process, on the world's clock. */
export interface SimulatedService {
  account: GatewayAccount;
  webhookKeys: WebhookKeys;
  callbackUrl: string | null;
  handle: Handle;
  /** The time by the service's own clock (epoch ms). */
  now(): number;
  /** A row for this service, by its number; declined ones go to a number that it declines. */
  row(rowNo: number, declined: boolean): NewRow;
  /** What was charged for our rows. */
  payments(): JudgedPayment[];
  close(): Promise<void>;
}

const json = { 'content-type': 'application/json' };
const v2Headers = { ...json, authorization: 'Bearer sandbox-key' };
const v1Headers = { ...json, 'x-service-email': 'sandbox@airbatch.test', 'x-service-token': 'sandbox-token' };
const secret = 'a secret of the simulation';
const doors = { callback: 'http://127.0.0.1:1/topups', registered: 'http://127.0.0.1:1/events' } as const;

/** `deliver` takes a webhook and returns the HTTP status that answers it; it rejects where nobody listens. */
export async function openService(
  clock: VirtualClock,
  plan: Plan,
  deliver: (webhook: SimulatedWebhook) => Promise<number>,
  limits: Pick<SandboxOptions, 'limits' | 'windowMs'> = {},
): Promise<SimulatedService> {
  // The service has a clock of its own, which nobody here sets.
  const startedAt = clock.now();
  const now = () => Math.floor(startedAt + clock.monotonic());
  const after = (ms: number, run: () => void) => {
    const cancel = new AbortController();
    void clock.sleep(ms, cancel.signal).then(() => {
      if (!cancel.signal.aborted) run();
    });
    return () => cancel.abort();
  };
  const { webhooks } = plan;
  const mix = webhooks
    ? Object.fromEntries(Object.entries(webhooks).map(([name, percent]) => [name, percent / 100]))
    : {};
  const sandbox = await makeSandbox(
    { clock: { now, after }, seed: plan.seed, faults: { mix }, ...limits },
    {
      post: ({ url, headers, body, deadlineMs }) => {
        const scheme = url === doors.callback ? 'callback' : 'registered';
        const answer = deliver({ scheme, headers, body, genuine: isGenuine(scheme, headers, body) });
        const deadline = clock.sleep(deadlineMs).then(() => Promise.reject(new Error('no answer in time')));
        return Promise.race([answer, deadline]);
      },
    },
  );
  if (webhooks) await registerWebhooks(sandbox);
  const foreign = new Set(await payForeign(sandbox, plan));
  return {
    account: {
      version: plan.version,
      baseUrl: 'http://127.0.0.1:1',
      credentials:
        plan.version === 'v2' ? { apiKey: 'sandbox-key' } : { email: 'sandbox@airbatch.test', token: 'sandbox-token' },
    },
    webhookKeys: { callback: ['sandbox-key'], registered: [secret] },
    callbackUrl: webhooks ? doors.callback : null,
    handle: (request) => sandbox.handle(request),
    now,
    row: (rowNo, declined) => makeRow(plan, rowNo, declined),
    payments() {
      const charges = sandbox.charges().filter(({ topupId }) => !foreign.has(topupId));
      const chargedAgainAt = secondCharges(sandbox);
      return charges.map(({ topupId, reference, phoneNumber: number, amount, at, live, cost }) => {
        const again = chargedAgainAt.get(topupId);
        const arrivedAfterAllAt = again === undefined ? null : again - startedAt;
        return { topupId, reference: reference ?? '', number, amount, at, live, cost, arrivedAfterAllAt };
      });
    },
    close: () => sandbox.close(),
  };
}

/** When each payment that had failed was charged for the second time (epoch ms): its wallet's statement has that. */
function secondCharges({ wallets }: Sandbox): Map<string, number> {
  const first = new Set<string>();
  const second = new Map<string, number>();
  const all = (['v2', 'v1'] as const).flatMap((version) => wallets.list('sandbox-company', version));
  for (const { topup_id, why, at } of all.flatMap(({ id }) => wallets.statement(id))) {
    if (topup_id === null || why !== 'charge') continue;
    if (first.has(topup_id)) second.set(topup_id, at);
    first.add(topup_id);
  }
  return second;
}

function makeRow(plan: Plan, rowNo: number, declined: boolean): NewRow {
  const stuck = plan.stuck.includes(rowNo) ? `+2547${20 + rowNo}120003` : null;
  const reversed = plan.reversed.includes(rowNo) ? `+2547${40 + rowNo}120014` : null;
  const phone_number = declined ? '+254712000001' : (stuck ?? reversed ?? `+25471234${String(1_000 + rowNo)}`);
  return asNamed(plan, aRow(rowNo, { phone_number }));
}

/** The check of a signature as the specification words it, apart from the program's own. */
function isGenuine(scheme: SimulatedWebhook['scheme'], headers: Record<string, string>, body: string): boolean {
  const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');
  if (scheme === 'registered') return headers['x-service-signature'] === hmac(secret, body);
  return headers['x-webhook-signature'] === hmac('sandbox-key', `${headers['x-webhook-timestamp']}.${body}`);
}

async function registerWebhooks(sandbox: Sandbox): Promise<void> {
  const login = await sandbox.handle({
    method: 'POST',
    path: '/enterprise/auth/login',
    headers: json,
    body: JSON.stringify({ email: 'admin@airbatch.test', password: 'sandbox-password' }),
  });
  const { data } = JSON.parse(login.body) as { data: { access_token: string; company_id: string } };
  await sandbox.handle({
    method: 'POST',
    path: '/enterprise/webhooks',
    headers: { ...json, authorization: `Bearer ${data.access_token}`, 'x-company-id': data.company_id },
    body: JSON.stringify({
      url: doors.registered,
      events: ['transaction.completed', 'transaction.failed', 'transaction.refunded'],
      secret,
    }),
  });
}

/** Another program of the account has used the references of these rows, for one shilling less. Returns its top-ups. */
async function payForeign(sandbox: Sandbox, plan: Plan): Promise<string[]> {
  const { foreign, version, declined } = plan;
  for (const rowNo of foreign) {
    const row = makeRow(plan, rowNo, declined.includes(rowNo));
    const reference = `run-1/${row.row_ref}`;
    const value = Number(row.amount) - 1;
    const number = '+254700111222';
    if (version === 'v2') {
      const body = { phone_number: number, network_id: 1, amount: { value, currency: 'KES' }, reference };
      await sandbox.handle({ method: 'POST', path: '/v2/topups', headers: v2Headers, body: JSON.stringify(body) });
    } else {
      const body = { msisdn: number.slice(1), amount: value, extRefId: reference, processingMode: 'ASYNC' };
      await sandbox.handle({ method: 'POST', path: '/adp', headers: v1Headers, body: JSON.stringify(body) });
    }
  }
  return sandbox.charges().map(({ topupId }) => topupId);
}
