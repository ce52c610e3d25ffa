import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countRows, findBatch } from '../../src/ledger/batches.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { chainHash, chainStart, pageEvents } from '../../src/ledger/events.ts';
import { type Fence, findLease, releaseLease, renewLease, takeLease } from '../../src/ledger/leases.ts';
import { findRow, pageRows, type RowRecord } from '../../src/ledger/rows.ts';
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

describe('a unit of work', () => {
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

  test('changes nothing when the row is no longer as it was read', async () => {
    const { db, row, options } = await setUp();
    const stale = await row(1);
    await inUnit(db, options, (unit) => unit.changeRow(stale, 'send', { attempts: 1 }, {}));
    const again = await inUnit(db, options, (unit) => unit.changeRow(stale, 'skip', {}, {}));
    assert.equal(again, null);
    assert.equal((await row(1)).status, 'sending');
  });

  test('knows a row that went round and came back to the same state', async () => {
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

  test('writes nothing at all when any part of it fails', async () => {
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
    let hash = chainStart;
    for (const { hash: stored, ...event } of events) {
      hash = chainHash(hash, event);
      assert.equal(stored, hash);
    }
    assert.equal((await findBatch(db, 'batch-1'))?.audit_head, hash);
    assert.doesNotMatch(JSON.stringify(events), /254712/);
  });

  test('fails for a runner whose account was taken over, and writes nothing', async () => {
    const { clock, db, row } = await setUp();
    const take = (holder: string, now: number) =>
      db.transact((tx) => takeLease(tx, { account: 'main', holder, now, expiresAt: now + 10, deadHolder: null }));
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

  test('fails for a runner whose account the same process has taken anew: writes nothing, and leaves the newer hold alone', async () => {
    const { clock, db, row } = await setUp();
    const take = (now: number) =>
      db.transact((tx) => takeLease(tx, { account: 'main', holder: 'a', now, expiresAt: now + 10, deadHolder: null }));
    const first = await take(clock.now());
    const second = await take(clock.now() + 10);
    assert.ok(first && second);
    const send = (fence: Fence) =>
      inUnit(db, { clock, actor: 'a', fence }, async (unit) => unit.changeRow(await row(1, unit.tx), 'send', {}, {}));
    await assert.rejects(send(first), { code: 'FENCED' });
    assert.equal((await row(1)).status, 'ready');
    await db.transact((tx) => releaseLease(tx, first));
    assert.equal(await db.transact((tx) => renewLease(tx, first, clock.now() + 20)), false);
    assert.equal((await findLease(db, 'main'))?.expires_at, clock.now() + 20);
    assert.equal((await send(second))?.status, 'sending');
  });
});
