import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListOutcome, ListQuery, ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { pageEvents } from '../../../src/ledger/audit/events.ts';
import { makeRig, type Rig, someRows } from '../../support/engine.ts';

const second = 1_000;

type Page = Extract<ListOutcome, { kind: 'page' }>;

/**
 * Rows that are sent a second apart and end after 2, of which a list tells that a test has changed; and a program that
 * stays.
 */
async function followed(rows: number, change: (page: Page, rig: Rig) => ListOutcome) {
  const rig = await makeRig({ paceMs: second, settings: { detailRowsMax: 0, idlePollMs: second } });
  const { list } = rig.service;
  Object.assign(rig.service, {
    list: async (query: ListQuery) => {
      const outcome = await list?.(query);
      return outcome?.kind === 'page' ? change(outcome, rig) : outcome;
    },
  });
  await rig.add(someRows(rows));
  const running = rig.runner().run(24 * 3_600 * second);
  return {
    rig,
    after: (ms: number) => rig.clock.drive(rig.clock.sleep(ms)),
    end: () => rig.clock.drive(running),
  };
}

const changed = (page: Page, changes: Record<string, Partial<ServicePayment>>): Page => ({
  ...page,
  payments: page.payments.map((payment) => ({ ...payment, ...changes[payment.reference ?? ''] })),
});

describe('the list', () => {
  test('obeys a 429 to a page that was requested in advance, whatever a page before it answers', async () => {
    const rig = await makeRig({ settings: { detailRowsMax: 0 } });
    const { list } = rig.service;
    const evidence = { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null };
    // The backlog that the first one leaves is read page by page up to the third, and then two pages at a time.
    const first = new Map<number, ListOutcome>([
      [3, { kind: 'unavailable', evidence }],
      [4, { kind: 'unavailable', evidence }],
      [5, { kind: 'throttled', retryAfterMs: 40 * second, evidence }],
    ]);
    let throttledAt: number | null = null;
    const askedAfter: number[] = [];
    Object.assign(rig.service, {
      list: async (query: ListQuery) => {
        if (throttledAt !== null) askedAfter.push(rig.clock.now() - throttledAt);
        const answer = first.get(query.page) ?? (await list?.(query));
        if (first.delete(query.page) && answer?.kind === 'throttled') throttledAt = rig.clock.now();
        return answer;
      },
    });
    await rig.add(someRows(1_000));
    await rig.run();
    assert.deepEqual(new Set(await rig.states()), new Set(['completed']));
    const later = askedAfter.filter((ms) => ms > 0);
    assert.ok(later.length > 0 && Math.min(...later) >= 40 * second, askedAfter.join());
  });

  test('ends no row for another payment, or for its payment under another reference', async () => {
    const { rig, after, end } = await followed(3, (page) =>
      changed(page, { 'run-1/ref-1': { topupId: 'another' }, 'run-1/ref-2': { reference: 'run-1/ref-1' } }),
    );
    await after(60 * second);
    assert.deepEqual(await rig.states(), ['accepted', 'accepted', 'completed']);
    await end();
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
  });

  test('ends rows even if entries have no reference, since the service’s own ids identify them', async () => {
    const { rig, after, end } = await followed(3, (page) => ({
      ...page,
      payments: page.payments.map((payment) => ({ ...payment, reference: null })),
    }));
    let reads = 0;
    const { read } = rig.service;
    rig.service.read = (asked) => {
      reads += 1;
      return read(asked);
    };
    await after(20 * second);
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
    assert.equal(reads, 0);
    await end();
  });

  for (const [what, change] of [
    ['another amount', { amount: { value: '7', currency: 'KES' } }],
    ['another phone number', { phoneNumber: '+254799999999' }],
    ['another currency', { amount: { value: '101', currency: 'UGX' } }],
  ] as const)
    for (const from of ['list', 'read'] as const)
      test(`halts the account if a delivery has ${what}, as the ${from} shows, and shows it at the row`, async () => {
        const { rig, after, end } = await followed(30, (page) =>
          from === 'list' ? changed(page, { 'run-1/ref-1': change }) : { ...page, payments: [], total: 0 },
        );
        const { read } = rig.service;
        rig.service.read = async (asked) => {
          const outcome = await read(asked);
          if (from === 'list' || outcome.kind !== 'found' || asked.reference !== 'run-1/ref-1') return outcome;
          return { ...outcome, payments: outcome.payments.map((payment) => ({ ...payment, ...change })) };
        };
        await rig.add(someRows(600), { batch_id: 'batch-2', run_id: 'run-2' });
        await after(200 * second);
        const sent = rig.service.creates.length;
        await after(60 * second);
        assert.equal(rig.service.creates.length, sent, 'nothing more is sent');
        const batch = await rig.batch('batch-2');
        assert.deepEqual([batch.status, batch.pause_reason], ['paused', 'service_mismatch']);
        assert.match(batch.pause_detail ?? '', new RegExp(`row 1 of batch batch-1, with ${what}`));
        const difference = what.replace('another ', '').replace(' ', '_');
        assert.deepEqual(batch.pause_why, { code: 'PAUSE_OTHER', values: { row: '1', batch: 'batch-1', difference } });
        assert.equal((await rig.row(1)).status, 'completed');
        const traces = (await pageEvents(rig.db, 'batch-1', 0, 10_000)).filter(
          ({ kind }) => kind === 'row.contradicted',
        );
        assert.deepEqual(
          traces.map(({ row_no }) => row_no),
          [1],
        );
        assert.ok(rig.warnings.includes('the account is paused'));
        await end();
      });

  for (const from of ['list', 'read'] as const)
    test(`reports once a second payment under the reference of a row, which the ${from} shows next to its own`, async () => {
      const withSecond = (payments: readonly ServicePayment[]) =>
        payments.flatMap((one) => (one.reference === 'run-1/ref-1' ? [one, { ...one, topupId: 'second' }] : [one]));
      const { rig, after, end } = await followed(30, (page) =>
        from === 'list' ? { ...page, payments: withSecond(page.payments) } : { ...page, payments: [], total: 0 },
      );
      const { read } = rig.service;
      rig.service.read = async (asked) => {
        const outcome = await read(asked);
        if (from === 'list' || outcome.kind !== 'found') return outcome;
        return { ...outcome, payments: withSecond(outcome.payments) };
      };
      await after(200 * second);
      await end();
      const { status, second_topup_id } = await rig.row(1);
      assert.deepEqual([status, second_topup_id], ['completed', 'second']);
      assert.ok(rig.warnings.includes('the account is paused'));
      const events = await pageEvents(rig.db, 'batch-1', 0, 10_000);
      const told = events.filter(({ kind }) => kind === 'row.contradicted');
      assert.deepEqual(
        told.map(({ row_no, body }) => [row_no, (JSON.parse(body) as { why: string }).why]),
        [[1, 'the service says completed of another payment of the row (second)']],
      );
      assert.equal(rig.warnings.filter((text) => text === 'the service contradicts the ledger').length, 1);
    });

  test('is left alone for a while if it gets no answer, and used as soon as it does', async () => {
    const evidence = { httpStatus: 503, code: 'http_503', message: 'offline', requestId: null };
    const askedAt: number[] = [];
    // All the while rows are accepted, each of which rings.
    const rows = 20;
    const { rig, after, end } = await followed(rows, (page, { clock }) => {
      askedAt.push(clock.now());
      return askedAt.length <= 10 ? { kind: 'unavailable', evidence } : page;
    });
    await after(70 * second);
    assert.deepEqual(await rig.states(), Array(rows).fill('completed'));
    const apart = askedAt.slice(1, 11).map((at, index) => at - (askedAt[index] ?? 0));
    assert.ok(
      apart.every((ms) => ms >= 5 * second),
      apart.join(),
    );
    await end();
  });

  test('is not read endlessly if it is empty, though the service says that there is more', async () => {
    let reads = 0;
    const { rig, after, end } = await followed(3, (page) => {
      reads += 1;
      return { ...page, payments: [], hasNext: true };
    });
    await after(60 * second);
    assert.ok(reads <= 60, `${reads} reads in a minute`);
    await end();
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
  });

  test('is not read endlessly if every page is the same, and rows that it does not show are read one by one', async () => {
    let reads = 0;
    let first: ServicePayment | undefined;
    const { rig, after, end } = await followed(3, (page, { service }) => {
      reads += 1;
      first ??= page.payments[0] ?? [...service.payments.values()][0];
      const created = { ...(first as ServicePayment), reference: 'of another program', createdAt: 0 };
      return { ...page, payments: [created], hasNext: true, total: 1_000_000 };
    });
    await after(60 * second);
    assert.ok(reads <= 60, `${reads} reads in a minute`);
    assert.ok(rig.warnings.includes('a read got no answer; airbatch asks again'));
    await end();
    assert.deepEqual(await rig.states(), ['completed', 'completed', 'completed']);
  });

  test('reports an unknown status once', async () => {
    const unknown = { state: 'open', serviceStatus: 'on_hold', unknownStatus: true } as const;
    const { rig, after, end } = await followed(1, (page) => changed(page, { 'run-1/ref-1': unknown }));
    await after(60 * second);
    assert.equal((await rig.row(1)).service_status, 'on_hold');
    assert.equal(rig.warnings.filter((text) => text.includes('its specification does not list')).length, 1);
    await end();
  });
});
