import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RowEvent } from '../../src/core/state/row-state.ts';
import { inUnitOf } from '../../src/ledger/actor.ts';
import { type AuditEvent, chainHash, chainStart, pageEvents } from '../../src/ledger/audit/events.ts';
import { findBatch } from '../../src/ledger/batches/batches.ts';
import { countRows } from '../../src/ledger/batches/row-counts.ts';
import type { Queryable } from '../../src/ledger/drivers/database.ts';
import { costsOfBatch } from '../../src/ledger/rows/costs.ts';
import { findRow, pageRows, type RowRecord } from '../../src/ledger/rows/rows.ts';
import type { RowFields } from '../../src/ledger/rows/update-row.ts';
import { type Fence, findLease, releaseLease, renewLeases, takeLease } from '../../src/ledger/schema/lease-table.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { aBatch, addBatch, aRow, memoryLedger } from '../support/ledger.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

async function setUp(rows = 3) {
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  await addBatch(
    db,
    clock,
    aBatch(),
    Array.from({ length: rows }, (_, index) => aRow(index + 1)),
  );
  const row = async (rowNo: number, from: Queryable = db) => (await findRow(from, 'batch-1', rowNo)) as RowRecord;
  return { clock, db, row, options: { clock, actor: 'tester' } };
}

/** Returns the hash of the last of a batch's events, each of which is chained to the one before. */
function assertChained(events: readonly AuditEvent[]): string {
  let hash = chainStart;
  for (const { hash: stored, ...event } of events) {
    hash = chainHash(hash, event);
    assert.equal(stored, hash);
  }
  return hash;
}

describe('a unit of work', () => {
  test('records in each of its events the acting person and the interface', async () => {
    const { db, clock, row } = await setUp();
    await inUnitOf({ db, clock, person: 'ann', through: 'console' }, async (unit) => {
      await unit.changeRow(await row(1, unit.tx), 'skip', {}, { why: 'left the company' });
      await unit.append('batch-1', 'batch.reorder', {});
    });
    await inUnit(db, { clock, actor: 'engine' }, (unit) => unit.append('batch-1', 'batch.boost', {}));
    const events = (await pageEvents(db, 'batch-1', 0, 10)).slice(-3);
    assert.deepEqual(
      events.map(({ actor, body }) => [actor, JSON.parse(body).through]),
      [
        ['ann', 'console'],
        ['ann', 'console'],
        ['engine', undefined],
      ],
    );
    assert.equal(events[0]?.body.startsWith('{"from":"ready",'), true, 'its members are sorted');
  });

  test('keeps the counts of a batch equal to its rows', async () => {
    const { db, row, options } = await setUp();
    await inUnit(db, options, async (unit) => {
      const sent = await unit.changeRow(await row(1, unit.tx), 'send', { attempts: 1 }, {});
      assert.ok(sent);
      await unit.changeRow(sent, 'accept', { topup_id: 't1' }, {});
      await unit.changeRow(await row(2, unit.tx), 'skip', {}, {});
    });
    assert.deepEqual(Object.fromEntries(await countRows(db, 'batch-1')), { accepted: 1, ready: 1, skipped: 1 });
    const states = (await pageRows(db, 'batch-1', 0, 10)).map(({ status }) => status);
    assert.deepEqual(states, ['accepted', 'skipped', 'ready']);
  });

  test('changes nothing if the row has changed since it was read', async () => {
    const { db, row, options } = await setUp();
    const stale = await row(1);
    await inUnit(db, options, (unit) => unit.changeRow(stale, 'send', { attempts: 1 }, {}));
    const again = await inUnit(db, options, (unit) => unit.changeRow(stale, 'skip', {}, {}));
    assert.equal(again, null);
    assert.equal((await row(1)).status, 'sending');
  });

  test('detects a row that left its state and came back to it', async () => {
    const { db, row, options } = await setUp();
    const send = async () =>
      inUnit(db, options, async (unit) =>
        unit.changeRow(await row(1, unit.tx), 'send', { attempts: (await row(1, unit.tx)).attempts + 1 }, {}),
      );
    const doubt = async () =>
      inUnit(db, options, async (unit) => unit.changeRow(await row(1, unit.tx), 'doubt', {}, {}));
    await send();
    await doubt();
    const stale = await row(1);
    await send();
    await doubt();
    assert.equal(await inUnit(db, options, (unit) => unit.changeRow(stale, 'send', {}, {})), null);
  });

  test('detects a row that came back to its state in another generation, after as many attempts', async () => {
    const { db, row, options } = await setUp();
    const changed = (before: RowRecord, event: RowEvent, fields: RowFields) =>
      inUnit(db, options, (unit) => unit.changeRow(before, event, fields, {}));
    const fail = async () => {
      await changed(await row(1), 'send', { attempts: 1 });
      await changed(await row(1), 'fail', {});
    };
    await fail();
    const stale = await row(1);
    await changed(stale, 'retry', { generation: 2, attempts: 0 });
    await fail();
    assert.equal(await changed(stale, 'retry', { generation: 2, attempts: 0 }), null);
    assert.equal((await row(1)).status, 'failed');
  });

  test('writes nothing if any part of it fails', async () => {
    const { db, row, options } = await setUp();
    const broken = inUnit(db, options, async (unit) => {
      await unit.changeRow(await row(1, unit.tx), 'send', {}, {});
      throw new Error('the lights went out');
    });
    await assert.rejects(broken, /lights went out/);
    assert.equal((await row(1)).status, 'ready');
    assert.equal((await pageEvents(db, 'batch-1', 0, 10)).length, 1);
  });

  test('refuses moves that the table of states does not have', async () => {
    const { db, row, options } = await setUp();
    await assert.rejects(
      inUnit(db, options, async (unit) => unit.changeRow(await row(1, unit.tx), 'complete', {}, {})),
      /ready cannot complete/,
    );
  });

  test('chains every event to its predecessor, with no phone number in it', async () => {
    const { db, row, options } = await setUp();
    await inUnit(db, options, async (unit) => {
      await unit.changeRow(await row(1, unit.tx), 'send', {}, { key: 'k' });
      await unit.append('batch-1', 'batch.note', { why: 'a test' });
    });
    const events = await pageEvents(db, 'batch-1', 0, 10);
    assert.deepEqual(
      events.map(({ seq, kind }) => [seq, kind]),
      [
        [1, 'batch.validated'],
        [2, 'row.send'],
        [3, 'batch.note'],
      ],
    );
    const hash = assertChained(events);
    assert.equal((await findBatch(db, 'batch-1'))?.audit_head, hash);
    assert.doesNotMatch(JSON.stringify(events), /254712/);
  });

  test('chains as many events as it has, of rows or of the batch', async () => {
    const rows = 600;
    const { db, row, options } = await setUp(rows);
    await inUnit(db, options, async (unit) => {
      for (let rowNo = 1; rowNo <= rows; rowNo++) await unit.changeRow(await row(rowNo, unit.tx), 'skip', {}, {});
      for (let note = 1; note <= rows; note++) await unit.append('batch-1', 'batch.note', { note });
    });
    const events = await pageEvents(db, 'batch-1', 0, 10_000);
    assert.equal(events.length, 1 + 2 * rows);
    assert.equal((await findBatch(db, 'batch-1'))?.audit_head, assertChained(events));
  });

  test('keeps the cost of a failed payment among the costs of its batch when the row is retried', async () => {
    const { db, row, options } = await setUp();
    await inUnit(db, options, async (unit) => {
      const pay = async (cost: string, event: 'complete' | 'fail') => {
        const sent = await unit.changeRow(await row(1, unit.tx), 'send', {}, {});
        assert.ok(sent);
        await unit.changeRow(sent, event, { cost, cost_currency: 'KES' }, {});
      };
      await pay('150', 'fail');
      await unit.changeRow(await row(1, unit.tx), 'retry', { generation: 2, cost: null, cost_currency: null }, {});
      await pay('149', 'complete');
    });
    assert.deepEqual(Object.fromEntries(await costsOfBatch(db, 'batch-1')), { KES: '299' });
  });

  test('keeps the costs of a batch equal to those of its rows, and reports each end once', async () => {
    const { db, row, options } = await setUp();
    const told = await inUnit(db, options, async (unit) => {
      for (const rowNo of [1, 2]) {
        const sent = await unit.changeRow(await row(rowNo, unit.tx), 'send', {}, {});
        assert.ok(sent);
        const charged = { topup_id: `t${rowNo}`, cost: '1.50', cost_currency: 'USD' };
        const accepted = await unit.changeRow(sent, 'accept', charged, {});
        assert.ok(accepted);
        await unit.changeRow(accepted, rowNo === 1 ? 'complete' : 'fail', {}, {});
      }
      await unit.noteRow(await row(1, unit.tx), { cost: '1.25' }, null, {});
      await unit.noteRow(await row(2, unit.tx), { cost_currency: 'EUR' }, 'row.note', {});
      return { ended: unit.ended.map(({ row_no }) => row_no), written: unit.written.map(({ row_no }) => row_no) };
    });
    assert.deepEqual(Object.fromEntries(await costsOfBatch(db, 'batch-1')), { USD: '1.25', EUR: '1.5' });
    assert.deepEqual(told, { ended: [1, 2], written: [1, 1, 1, 2, 2, 2, 1, 2] });
    const ends = (await pageEvents(db, 'batch-1', 0, 20)).filter(({ kind }) => /complete|fail/.test(kind));
    for (const [index, { body }] of ends.entries()) {
      const { topup_id, cost, cost_currency } = JSON.parse(body);
      assert.deepEqual([topup_id, cost, cost_currency], [`t${index + 1}`, '1.50', 'USD']);
    }
    assert.equal(ends.length, 2);
  });

  for (const since of [{ cost: '1.25' }, { cost_currency: 'EUR' }])
    test(`changes no cost of a row whose ${Object.keys(since)} has changed since it was read: the batch would count it twice`, async () => {
      const { db, row, options } = await setUp();
      await inUnit(db, options, async (unit) => {
        const charged = { cost: '1.50', cost_currency: 'USD' };
        const before = await unit.noteRow(await row(1, unit.tx), charged, null, {});
        assert.ok(before);
        const after = await unit.noteRow(before, since, null, {});
        assert.ok(after);
        assert.equal(await unit.noteRow(before, { cost: '1.75', cost_currency: 'KES' }, 'row.note', {}), null);
        const { cost, cost_currency } = after;
        assert.deepEqual([(await row(1, unit.tx)).cost, (await row(1, unit.tx)).cost_currency], [cost, cost_currency]);
      });
      const { cost, cost_currency } = { cost: '1.5', cost_currency: 'USD', ...since };
      const costs = [...(await costsOfBatch(db, 'batch-1'))].filter(([, sum]) => sum !== '0');
      assert.deepEqual(costs, [[cost_currency, cost]]);
    });

  test('changes nothing of a batch that has left the state in which it was read', async () => {
    const { db, options } = await setUp();
    const stale = await findBatch(db, 'batch-1');
    assert.ok(stale);
    assert.ok(await inUnit(db, options, (unit) => unit.changeBatch(stale, 'cancel', {}, {})));
    const events = await pageEvents(db, 'batch-1', 0, 10);
    assert.equal(await inUnit(db, options, (unit) => unit.changeBatch(stale, 'approve', { approved_at: 1 }, {})), null);
    assert.equal(await inUnit(db, options, (unit) => unit.noteBatch(stale, { approved_at: 1 })), null);
    assert.deepEqual(await pageEvents(db, 'batch-1', 0, 10), events);
    const { status, approved_at } = (await findBatch(db, 'batch-1')) ?? {};
    assert.deepEqual([status, approved_at], ['cancelled', null]);
  });

  test('keeps what others wrote to a batch in the same state since it was read', async () => {
    const { db, options } = await setUp();
    const [stale, others] = [await findBatch(db, 'batch-1'), { service: 'where it moved', approved_by: 'mary' }];
    assert.ok(stale);
    assert.ok(await inUnit(db, options, (unit) => unit.noteBatch(stale, others)));
    assert.ok(await inUnit(db, options, (unit) => unit.noteBatch(stale, { approved_at: 1 })));
    assert.ok(await inUnit(db, options, (unit) => unit.changeBatch(stale, 'approve', { approved_at: 2 }, {})));
    const { status, service, approved_by, approved_at } = (await findBatch(db, 'batch-1')) ?? {};
    assert.deepEqual({ status, service, approved_by, approved_at }, { status: 'approved', ...others, approved_at: 2 });
  });

  test('deletes all rows of a batch that came to nothing, in chunks', async () => {
    const { db, options } = await setUp(5);
    const discard = () => inUnit(db, options, (unit) => unit.discardRows('batch-1', 2));
    for (const left of [3, 1, 0]) {
      assert.equal(await discard(), false);
      assert.equal((await pageRows(db, 'batch-1', 0, 10)).length, left);
    }
    assert.equal(await discard(), true);
    assert.equal((await countRows(db, 'batch-1')).size, 0);
  });

  test('fails for a runner whose account was taken over, and writes nothing', async () => {
    const { clock, db, row } = await setUp();
    const take = (holder: string, now: number) =>
      db.transact((tx) => takeLease(tx, { account: 'main', holder, now, ttlMs: 10, deadHolder: null }));
    const first = await take('a', clock.now());
    assert.ok(first);
    assert.equal(await take('b', clock.now()), null);
    assert.equal((await take('b', clock.now() + 10))?.fence, first.fence + 1);
    const late = inUnit(db, { clock, actor: 'a', fence: first }, async (unit) =>
      unit.changeRow(await row(1, unit.tx), 'send', {}, {}),
    );
    await assert.rejects(late, { code: 'FENCED' });
    assert.equal((await row(1)).status, 'ready');
  });

  test('fails for a runner whose account the same process has claimed again: it writes nothing and keeps the newer lease', async () => {
    const { clock, db, row } = await setUp();
    const take = (now: number) =>
      db.transact((tx) => takeLease(tx, { account: 'main', holder: 'a', now, ttlMs: 10, deadHolder: null }));
    const first = await take(clock.now());
    const second = await take(clock.now() + 10);
    assert.ok(first && second);
    const send = (fence: Fence) =>
      inUnit(db, { clock, actor: 'a', fence }, async (unit) => unit.changeRow(await row(1, unit.tx), 'send', {}, {}));
    // In a ledger from a backup a number may come again, for another holder.
    for (const stale of [first, { ...second, holder: 'b' }]) await assert.rejects(send(stale), { code: 'FENCED' });
    assert.equal((await row(1)).status, 'ready');
    await db.transact((tx) => releaseLease(tx, first));
    assert.deepEqual(await db.transact((tx) => renewLeases(tx, [first], { now: clock.now(), ttlMs: 20 })), [null]);
    assert.equal((await findLease(db, 'main'))?.expires_at, clock.now() + 20);
    assert.equal((await send(second))?.status, 'sending');
  });
});
