import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CreateRequest, ListQuery } from '../../../src/gateway/contract/gateway.ts';
import { addToInbox } from '../../../src/ledger/accounts/webhook-inbox.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';
import { anInboxEntry } from '../../support/ledger.ts';
import { callbackBody } from '../../support/webhooks.ts';

const second = 1_000;
const settleMs = 2 * second;
const batchIds = ['batch-1', 'batch-2'];

interface Course {
  reads: number;
  /** Between each row's end at the service and its end in the ledger, by the number of its charge. */
  delays: number[];
  lastedMs: number;
}

interface Options {
  rows: number;
  paceMs?: number;
  /** Creations that are under way together, and arrive at the service at one instant where they have no pace. */
  creationsAtOnce?: number;
  /** Whether the service's callback for this charge arrives; by default none does. */
  arrives?: (number: number) => boolean;
  /** How long after the end. */
  lateMs?: (number: number) => number;
  /** How long after its acceptance this charge ends. */
  endsAfterMs?: (number: number) => number;
  batches?: number;
}

/** Pays `rows` rows a batch, creations `paceMs` apart, until all have ended. */
async function payOut(options: Options): Promise<Course> {
  const {
    rows,
    paceMs = 17,
    creationsAtOnce = 50,
    arrives = () => false,
    lateMs = () => 0,
    endsAfterMs = () => settleMs,
    batches = 1,
  } = options;
  const rig = await makeRig({
    paceMs,
    jobsAtOnce: creationsAtOnce,
    settleMs: 0,
    settings: { detailRowsMax: 0, idlePollMs: second },
  });
  rig.service.purse.opening = rows * batches;
  for (const batchId of batchIds.slice(0, batches))
    await rig.add(someRows(rows), { batch_id: batchId, run_id: batchId });
  const service = watch(rig, endsAfterMs);
  const runner = rig.runner();
  const begunAt = rig.clock.now();
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const callbacks = async () => {
    const waiting = new Set<number>();
    for (let seen = 0; !isOver; await rig.clock.sleep(20)) {
      const { charges } = rig.service;
      for (; seen < charges.length; seen++) if (arrives(seen)) waiting.add(seen);
      for (const number of waiting) {
        if (rig.clock.now() < service.endOf(number) + lateMs(number)) continue;
        waiting.delete(number);
        await callBack(rig, number, service.endOf(number));
        runner.hint();
      }
    }
  };
  await rig.clock.drive(Promise.all([runner.run(24 * 3_600 * second).then(over), callbacks()]));
  const endedAt = new Map<string, number>();
  for (const batchId of batchIds.slice(0, batches)) {
    for (const { kind, row_no, at } of await pageEvents(rig.db, batchId, 0, 100_000))
      if (kind === 'row.complete') endedAt.set(`${batchId}/ref-${row_no}`, at);
  }
  const delays = rig.service.charges.map(
    ({ reference }, number) => (endedAt.get(reference) ?? Number.NaN) - service.endOf(number),
  );
  return { reads: service.reads(), delays, lastedMs: rig.clock.now() - begunAt };
}

/** Makes every charge end in its own time, and counts what is asked. */
function watch({ service, clock }: Rig, endsAfterMs: (number: number) => number) {
  const { list, read } = service;
  const numbers = new Map<string, number>();
  let reads = 0;
  const numberOf = (reference: string | null) => {
    for (let next = numbers.size; next < service.charges.length; next++)
      numbers.set(service.charges[next]?.reference ?? '', next);
    return numbers.get(reference ?? '') ?? -1;
  };
  const endOf = (number: number) => (service.charges[number]?.at ?? 0) + endsAfterMs(number);
  const asItIs = <Payment extends { reference: string | null }>(payment: Payment): Payment => {
    const endsAt = endOf(numberOf(payment.reference));
    const open = { state: 'open', serviceStatus: 'pending', completedAt: null, providerReference: null };
    return { ...payment, ...(clock.now() < endsAt ? open : { completedAt: endsAt }) };
  };
  const listed = async (query: ListQuery) => {
    reads += 1;
    const page = await list?.(query);
    assert(page?.kind === 'page');
    return { ...page, payments: page.payments.map(asItIs) };
  };
  Object.assign(service, { list: listed });
  service.read = async (asked) => {
    reads += 1;
    const found = await read(asked);
    return found.kind === 'found' ? { ...found, payments: found.payments.map(asItIs) } : found;
  };
  return { endOf, reads: () => reads };
}

async function callBack({ service, db, clock }: Rig, number: number, endedAt: number): Promise<void> {
  const { reference = '' } = service.charges[number] ?? {};
  const payment = [...service.payments.values()].find((one) => one.reference === reference);
  assert(payment?.phoneNumber && payment.amount);
  const { value, currency } = payment.amount;
  const body = callbackBody({
    id: payment.topupId,
    status: 'completed',
    reference,
    phone_number: payment.phoneNumber,
    amount: { value: Number(value), currency },
    created_at: new Date(payment.createdAt ?? 0).toISOString(),
    completed_at: new Date(endedAt).toISOString(),
  });
  const received_at = clock.now();
  await addToInbox(db, anInboxEntry({ scheme: 'callback', message_id: `d-${number}`, body, received_at }));
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const most = (values: readonly number[]) => Math.max(...values);

describe('following rows to their ends', () => {
  test('costs a read for each page of them, without webhooks, and shows an end within seconds', async () => {
    const { reads, delays } = await payOut({ rows: 900 });
    assert.ok(reads <= 900 * 0.02, `${reads} reads`);
    assert.ok(median(delays) <= 2 * second, `${median(delays)} ms`);
    assert.ok(most(delays) <= 5 * second, `${most(delays)} ms`);
  });

  test('continues reading if a page ends among rows of one instant', async () => {
    const { reads, delays } = await payOut({ rows: 900, paceMs: 0, creationsAtOnce: 30 });
    assert.ok(reads <= 900 * 0.05, `${reads} reads`);
    assert.ok(most(delays) <= second, `${most(delays)} ms`);
  });

  test('costs one read for ten rows if rows arrive slowly, and shows each end within ten seconds', async () => {
    // Each fourth row ends faster than most.
    const endsAfterMs = (number: number) => (number % 4 === 0 ? settleMs - second : settleMs);
    const { reads, delays } = await payOut({ rows: 100, paceMs: second, endsAfterMs });
    assert.ok(most(delays) <= 10 * second, `${most(delays)} ms`);
    // A few more are for the last rows, which somebody waits for.
    assert.ok(reads <= 100 * 0.1 + 5, `${reads} reads`);
  });

  test('shows the last end within two seconds if rows arrived slowly', async () => {
    const { delays } = await payOut({ rows: 30, paceMs: second });
    assert.ok((delays.at(-1) ?? Infinity) <= 2 * second, `${delays.at(-1)} ms`);
  });

  test('costs almost no read if webhooks arrive', async () => {
    const { reads, delays } = await payOut({ rows: 900, arrives: () => true });
    assert.ok(reads <= 900 * 0.005, `${reads} reads`);
    assert.ok(median(delays) <= 100, `${median(delays)} ms`);
  });

  test('finds within 15 s what a lost webhook would have reported', async () => {
    const { reads, delays } = await payOut({ rows: 1_500, arrives: (number) => number % 300 !== 299 });
    assert.ok(most(delays) <= 15 * second, `${most(delays)} ms`);
    assert.ok(most(delays) >= 5 * second, 'none was found by chance');
    assert.ok(reads <= 1_500 * 0.015, `${reads} reads`);
  });

  test('goes back to the list when webhooks no longer arrive', async () => {
    const { reads, delays } = await payOut({ rows: 1_500, arrives: (number) => number < 500 });
    assert.ok(most(delays) <= 15 * second, `${most(delays)} ms`);
    assert.ok(most(delays.slice(1_200)) <= 5 * second, `${most(delays.slice(1_200))} ms`);
    assert.ok(reads <= 1_500 * 0.03, `${reads} reads`);
  });

  test('does not wait for slow webhooks', async () => {
    const { delays } = await payOut({ rows: 900, arrives: () => true, lateMs: () => 6 * second });
    assert.ok(median(delays) <= 2 * second, `${median(delays)} ms`);
  });

  test('does not wait for webhooks that are late after they were prompt', async () => {
    const { delays } = await payOut({
      rows: 1_800,
      arrives: () => true,
      lateMs: (number) => (number < 300 ? 0 : 6 * second),
    });
    assert.ok(median(delays) <= 2 * second, `${median(delays)} ms`);
  });

  test('does not read the same pages repeatedly for one slow row', async () => {
    const { reads, delays } = await payOut({
      rows: 1_500,
      endsAfterMs: (number) => (number === 10 ? 60 * second : settleMs),
    });
    assert.ok(reads <= 1_500 * 0.03, `${reads} reads`);
    assert.ok(median(delays) <= 2 * second, `${median(delays)} ms`);
    assert.ok(most(delays) <= 10 * second, `${most(delays)} ms`);
  });

  test('shows most ends soon though one row in ten takes up to a minute', async () => {
    const { reads, delays } = await payOut({
      rows: 2_000,
      endsAfterMs: (number) => (number % 10 === 9 ? (number * 7_919) % (60 * second) : (number * 7_919) % settleMs),
    });
    assert.ok(median(delays) <= 5 * second, `${median(delays)} ms`);
    assert.ok(reads <= 2_000 * 0.2, `${reads} reads`);
  });

  test('treats batches equally', async () => {
    const { delays } = await payOut({ rows: 400, batches: 2 });
    assert.ok(most(delays) <= 6 * second, `${most(delays)} ms`);
  });

  for (const rows of [1, 5, 50])
    test(`shows the end of a batch of ${rows} at once`, async () => {
      const { delays, lastedMs } = await payOut({ rows, paceMs: 0 });
      assert.ok(most(delays) <= 1.5 * second, `${most(delays)} ms`);
      assert.ok(lastedMs <= settleMs + 2 * second, `${lastedMs} ms`);
    });
});

describe('an overdue payment', () => {
  const warning = 'a payment still has no result, later than the service promises';
  const hour = 3_600_000;

  /** A row that never ends, after so long; `createdAt` is what the service says of when it was created. */
  async function stuck(t: { createdAt?: number }) {
    const rig = await makeRig();
    rig.service.ends('run-1/ref-1', 'open');
    const { create } = rig.service;
    Object.assign(rig.service, {
      create: async (request: CreateRequest) => {
        const outcome = await create(request);
        return outcome.kind === 'accepted' ? { ...outcome, payment: { ...outcome.payment, ...t } } : outcome;
      },
    });
    await rig.add(someRows(1));
    const work = async (ms: number) => {
      const runner = rig.runner();
      const running = runner.run(Number.POSITIVE_INFINITY);
      await rig.clock.drive(rig.clock.sleep(ms));
      runner.stop();
      await rig.clock.drive(running);
    };
    const told = () => rig.warnings.filter((text) => text === warning).length;
    const events = async () =>
      (await pageEvents(rig.db, 'batch-1', 0, 1_000)).filter(({ kind }) => kind === 'row.overdue').length;
    return { rig, work, told, events };
  }

  for (const [what, createdAt] of [
    ['as it was', undefined],
    ['of another day that has passed', Date.UTC(2020, 0, 1)],
    ['of a day that is still to come', Date.UTC(2099, 0, 1)],
  ] as const)
    test(`is reported once, if the service shows its time ${what}`, async () => {
      const { work, told, events } = await stuck(createdAt === undefined ? {} : { createdAt });
      await work(10 * 60 * second);
      assert.equal(told(), 0);
      await work(hour);
      assert.deepEqual([told(), await events()], [1, 1]);
    });

  test('is listed no more often where the clock is hours behind the service’s', async () => {
    const listsOf = async (behindMs: number) => {
      const { rig, work } = await stuck({ createdAt: Date.UTC(2026, 10, 20, 9) + behindMs });
      rig.service.serviceTime = () => rig.clock.now() + behindMs;
      await work(hour);
      return rig.service.lists.length;
    };
    const usual = await listsOf(0);
    const behind = await listsOf(9 * hour);
    assert.ok(usual > 50 && behind <= usual * 1.1, `${behind} reads instead of ${usual}`);
  });

  test('is also reported if nobody looked when its time was over', async () => {
    const { rig, work, told, events } = await stuck({});
    await work(10 * 60 * second);
    await rig.clock.drive(rig.clock.sleep(12 * hour));
    await work(10 * 60 * second);
    assert.deepEqual([told(), await events()], [1, 1]);
  });
});

test('a row ends as its own payment does, whatever else has its reference and is reported first', async () => {
  const rig = await makeRig({ list: false });
  const { read } = rig.service;
  rig.service.read = async (payment) => {
    const outcome = await read(payment);
    const [own] = outcome.kind === 'found' ? outcome.payments : [];
    if (outcome.kind !== 'found' || !own) return outcome;
    return { ...outcome, payments: [{ ...own, topupId: 'another', state: 'failed', serviceStatus: 'failed' }, own] };
  };
  await rig.add(someRows(1));
  await rig.run();
  assert.deepEqual(await rig.states(), ['completed']);
});

test('a list that shows a payment twice on a page counts its cost once', async () => {
  const rig = await makeRig();
  rig.service.ends('run-1/ref-2', 'failed');
  const { list } = rig.service;
  Object.assign(rig.service, {
    list: async (query: ListQuery) => {
      const outcome = await list?.(query);
      return outcome?.kind === 'page'
        ? { ...outcome, payments: outcome.payments.flatMap((payment) => [payment, payment]) }
        : outcome;
    },
  });
  await rig.add(someRows(3));
  await rig.run();
  assert.deepEqual(await rig.states(), ['completed', 'failed', 'completed']);
  const [kept, ...others] = await rig.db.query<{ currency: string; cost: string }>(
    'SELECT currency, cost FROM batch_costs',
  );
  assert.deepEqual([kept?.currency, kept?.cost, others.length], ['USD', '2', 0]);
});
