import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Big from 'big.js';
import { systemRandom } from '../../src/core/basics/random.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { makeAccountRunner } from '../../src/engine/account-runner.ts';
import { approve } from '../../src/engine/batches/batch-commands.ts';
import { defaultEngineSettings } from '../../src/engine/runner/settings.ts';
import { makeGateway } from '../../src/gateway/make-gateway.ts';
import { makeUndiciTransport } from '../../src/gateway/transport/undici-transport.ts';
import { findBatch } from '../../src/ledger/batches/batches.ts';
import { pageRows } from '../../src/ledger/rows/rows.ts';
import { makeBottleneckLimiter } from '../../src/limiter/bottleneck-limiter.ts';
import { makeSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { makeWebhookReceiver } from '../../src/server/webhooks.ts';
import { httpServer } from '../support/http-server.ts';
import { aBatch, addBatch, aRow, memoryLedger, testService, unplanned } from '../support/ledger.ts';

interface Mode {
  name: string;
  version: 'v2' | 'v1';
  webhooks: boolean;
}

const modes: readonly Mode[] = [
  { name: 'Version 2, polling alone', version: 'v2', webhooks: false },
  { name: 'Version 2, with webhooks', version: 'v2', webhooks: true },
  { name: 'Version 1', version: 'v1', webhooks: false },
];

/** The last digits of the numbers: what they mean stands in `docs/sandbox.md`. */
const specials = ['0001', '0005', '0006', '0009', '0010', '0012'];
const plainRows = 24;

const rows = [
  ...specials.map((digits, index) => aRow(index + 1, { phone_number: `+25471234${digits}` })),
  ...Array.from({ length: plainRows }, (_, index) =>
    aRow(specials.length + index + 1, { phone_number: `+25472${String(2_000_000 + index * 10 + 5)}` }),
  ),
  aRow(specials.length + plainRows + 1, {
    phone_number: '+254722444555',
    amount: null,
    currency: null,
    product_id: '102',
  }),
];

interface Result {
  row: number;
  status: string;
  reference: string;
}

/** Pays the rows in one mode, from a fresh ledger at a fresh sandbox, over real HTTP. */
async function payAll({ version, webhooks }: Mode): Promise<{ results: Result[]; sandbox: Sandbox; taken: number }> {
  const sandbox = await makeSandbox({ rate: 100_000, settleMs: 300 });
  const baseUrl = await sandbox.listen({ port: 0 });
  const db = await memoryLedger();
  const log = { info: () => undefined, warn: () => undefined };
  let taken = 0;
  let hint = () => {};
  const receive = makeWebhookReceiver({
    db,
    clock: systemClock,
    random: systemRandom,
    log,
    webhookKeys: new Map([['main', { callback: ['sandbox-key'], registered: [] }]]),
    onWebhook: () => {
      taken += 1;
      hint();
    },
  });
  const door = await openDoor(receive);
  const limiter = makeBottleneckLimiter(
    { version, limits: { creation: { limit: 100_000 }, read: { limit: 100_000 } } },
    { clock: systemClock },
  );
  const gateway = makeGateway(
    {
      version,
      baseUrl,
      credentials:
        version === 'v2' ? { apiKey: 'sandbox-key' } : { email: 'sandbox@airbatch.test', token: 'sandbox-token' },
      // A rehearsal waits neither the minutes of a doubt nor the one between two payments to a number.
      doubt: { lookupDelaysMs: [200, 400], resendDelaysMs: [300, 600, 900], sameNumberSpacingMs: 50 },
    },
    {
      clock: systemClock,
      transport: makeUndiciTransport({ clock: systemClock }, { baseUrl: new URL(baseUrl) }),
      onRate: (requestClass, headers) => limiter.observe(requestClass, headers),
    },
  );
  try {
    await addBatch(db, systemClock, aBatch(), rows);
    await approve({ db, clock: systemClock, person: 'approver', through: 'cli' as const }, 'batch-1', unplanned);
    const runner = makeAccountRunner(
      { db, gateway, limiter, clock: systemClock, random: systemRandom, log, settings: defaultEngineSettings },
      {
        account: 'main',
        service: testService,
        holder: 'e2e',
        isDead: () => false,
        callbackUrl: webhooks ? door.url : null,
      },
    );
    hint = () => runner.hint();
    await runner.run(60_000);
    assert.equal((await findBatch(db, 'batch-1'))?.status, 'completed');
    const done = await pageRows(db, 'batch-1', 0, 1_000);
    const results = done.map(({ row_no, status, row_ref }) => ({ row: row_no, status, reference: `run-1/${row_ref}` }));
    return { results, sandbox, taken };
  } finally {
    await limiter.stop();
    await gateway.close();
    door.close();
    await db.close();
  }
}

async function openDoor(receive: ReturnType<typeof makeWebhookReceiver>): Promise<{ url: string; close: () => void }> {
  const { url, close } = await httpServer({ after: () => undefined }, async (request, body, response) => {
    const webhook = {
      account: 'main',
      scheme: 'callback' as const,
      headers: request.headers,
      body,
    };
    const received = await receive(webhook);
    response.writeHead(received === 'now' || received === 'before' ? 200 : 401).end();
  });
  return { url: `${url}/topups`, close };
}

describe('the engine end to end', () => {
  const byMode = new Map<string, Result[]>();
  for (const mode of modes) {
    test(`${mode.name}: every row ends as the sandbox specifies, and is charged once`, async () => {
      const { results, sandbox, taken } = await payAll(mode);
      byMode.set(mode.name, results);
      assert.deepEqual(
        results.filter(({ status }) => status !== 'completed').map(({ row, status }) => [row, status]),
        [
          [1, 'failed'],
          [6, 'failed'],
        ],
      );
      const charges = sandbox.charges();
      for (const { reference, status } of results) {
        const own = charges.filter((charge) => charge.reference === reference);
        assert.equal(own.length, 1, `${reference} was charged ${own.length} times`);
        if (status === 'completed') assert.equal(own[0]?.live, true);
      }
      assert.equal(charges.length, rows.length);
      for (const wallet of sandbox.wallets.list('sandbox-company', mode.version)) {
        const sum = sandbox.wallets.statement(wallet.id).reduce((total, { amount }) => total.plus(amount), new Big(0));
        assert.equal(sum.toFixed(), new Big(wallet.balance).toFixed());
      }
      assert.equal(taken > rows.length, mode.webhooks, `${taken} webhooks were taken`);
      await sandbox.close();
    });
  }

  test('gives the same results on both versions, with webhooks and without', () => {
    const [first, ...others] = modes.map(({ name }) => byMode.get(name));
    assert.ok(first);
    for (const other of others) assert.deepEqual(other, first);
  });
});
