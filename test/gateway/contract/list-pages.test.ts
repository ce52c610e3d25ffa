import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListOutcome, ListQuery, ServicePayment } from '../../../src/gateway/contract/gateway.ts';
import { type ListPage, makeListReader } from '../../../src/gateway/contract/list-pages.ts';

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `t-${from + index}`);
const payments = (names: readonly string[]) => names.map((topupId) => ({ topupId }) as ServicePayment);

/** Reads a list of 250 payments, which does what `page` says, until its end or its first problem. */
async function readAll(
  page: (query: ListQuery) => Partial<ListPage>,
): Promise<{ read: string[]; asked: number; end: string }> {
  const read: string[] = [];
  let asked = 0;
  const list = async (query: ListQuery): Promise<ListOutcome> => {
    asked += 1;
    assert.ok(asked < 20, 'it is read for ever');
    return { kind: 'page', payments: [], unreadable: [], page: query.page, hasNext: true, total: 250, ...page(query) };
  };
  const readOn = makeListReader(list, { fromMs: null, toMs: null });
  for (;;) {
    const next = await readOn();
    if (next.kind !== 'page') return { read, asked, end: next.kind === 'unavailable' ? next.evidence.code : next.kind };
    read.push(...next.payments.map(({ topupId }) => topupId));
    if (next.isLast) return { read, asked, end: 'last' };
  }
}

const pageOf = (size: number, page: number) => payments(ids((page - 1) * size, Math.min(250, page * size)));

describe('reading a list to its end', () => {
  const all = ids(0, 250);

  test('ends if nothing follows, however few entries a page has', async () => {
    for (const size of [100, 20]) {
      const { read, end } = await readAll(({ page }) => ({ payments: pageOf(size, page), hasNext: page * size < 250 }));
      assert.deepEqual([read, end], [all, 'last']);
    }
  });

  test('ends if all entries were shown, though the service says that there is more and sends an empty or repeated page', async () => {
    for (const after of [4, 1, 3]) {
      const { read, end } = await readAll(({ page }) => ({ payments: pageOf(100, page > 3 ? after : page) }));
      assert.deepEqual([read, end], [all, 'last']);
    }
  });

  test('is cut short if fewer entries are shown than exist: an empty page, the same page again, the first page again', async () => {
    for (const [at, again] of [
      [2, 4],
      [2, 1],
      [3, 1],
    ] as const) {
      const { end } = await readAll(({ page }) => ({ payments: pageOf(100, page === at ? again : page) }));
      assert.equal(end, 'list_cut_short');
    }
  });

  test('continues if no next page is named though there is more, and is cut short if none comes', async () => {
    const { read, end } = await readAll(({ page }) => ({ payments: pageOf(100, page), hasNext: false }));
    assert.deepEqual([read, end], [all, 'last']);
    const { end: early } = await readAll(({ page }) => ({
      payments: page < 3 ? pageOf(100, page) : [],
      hasNext: false,
    }));
    assert.equal(early, 'list_cut_short');
  });

  test('continues beyond the total as long as the service shows more', async () => {
    const { read, end } = await readAll(({ page }) => ({ payments: pageOf(100, page), hasNext: page < 3, total: 3 }));
    assert.deepEqual([read, end], [all, 'last']);
  });

  test('continues after a page that cannot be read', async () => {
    const entry = { reference: null, phoneNumber: null, createdAt: null, hasFailed: false };
    const { read, end } = await readAll(({ page }) => ({
      ...(page === 1
        ? { unreadable: ids(0, 100).map((topupId) => ({ ...entry, topupId })) }
        : { payments: pageOf(100, page) }),
      hasNext: page < 3,
    }));
    assert.deepEqual([read, end], [ids(100, 250), 'last']);
  });

  test('repeats the request for a page that got no answer', async () => {
    const asked: number[] = [];
    const readOn = makeListReader(
      async ({ page }) => {
        asked.push(page);
        if (asked.length === 2) return { kind: 'throttled', retryAfterMs: 1, evidence: {} as never };
        return { kind: 'page', payments: pageOf(100, page), unreadable: [], page, hasNext: page < 3, total: 250 };
      },
      { fromMs: null, toMs: null },
    );
    for (let count = 0; count < 4; count++) await readOn();
    assert.deepEqual(asked, [1, 2, 2, 3]);
  });
});
