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

describe('a list that is read to its end', () => {
  const all = ids(0, 250);

  test('ends where nothing comes after, however few stand on a page', async () => {
    for (const size of [100, 20]) {
      const { read, end } = await readAll(({ page }) => ({ payments: pageOf(size, page), hasNext: page * size < 250 }));
      assert.deepEqual([read, end], [all, 'last']);
    }
  });

  test('ends where all is shown, though the service says that there is more, with an empty page or one that it gave before', async () => {
    for (const after of [4, 1, 3]) {
      const { read, end } = await readAll(({ page }) => ({ payments: pageOf(100, page > 3 ? after : page) }));
      assert.deepEqual([read, end], [all, 'last']);
    }
  });

  test('is cut short where less is shown than there is: an empty page, the same page again, the first page again', async () => {
    for (const [at, again] of [
      [2, 4],
      [2, 1],
      [3, 1],
    ] as const) {
      const { end } = await readAll(({ page }) => ({ payments: pageOf(100, page === at ? again : page) }));
      assert.equal(end, 'list_cut_short');
    }
  });

  test('goes on where no next page is named though there is more, and is cut short where none comes', async () => {
    const { read, end } = await readAll(({ page }) => ({ payments: pageOf(100, page), hasNext: false }));
    assert.deepEqual([read, end], [all, 'last']);
    const { end: early } = await readAll(({ page }) => ({
      payments: page < 3 ? pageOf(100, page) : [],
      hasNext: false,
    }));
    assert.equal(early, 'list_cut_short');
  });

  test('goes on past its total for as long as it shows more', async () => {
    const { read, end } = await readAll(({ page }) => ({ payments: pageOf(100, page), hasNext: page < 3, total: 3 }));
    assert.deepEqual([read, end], [all, 'last']);
  });

  test('goes on past a page of which nothing can be read', async () => {
    const entry = { reference: null, phoneNumber: null, createdAt: null, hasFailed: false };
    const { read, end } = await readAll(({ page }) => ({
      ...(page === 1
        ? { unreadable: ids(0, 100).map((topupId) => ({ ...entry, topupId })) }
        : { payments: pageOf(100, page) }),
      hasNext: page < 3,
    }));
    assert.deepEqual([read, end], [ids(100, 250), 'last']);
  });

  test('is asked again for a page that was not answered', async () => {
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
