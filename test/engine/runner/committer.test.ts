import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/core/time/clock.ts';
import { makeCommitter } from '../../../src/engine/runner/committer.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { migrate } from '../../../src/ledger/schema/schema.ts';
import type { Unit } from '../../../src/ledger/unit-of-work.ts';
import { folderOf } from '../../support/folder.ts';
import { isSettled, slowDisk } from '../../support/slow-disk.ts';

const folder = folderOf({ after });

/** However slow the machine is: units are begun a while apart, by its own clock. */
async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !isSo(); await wait(5))
    assert.ok(performance.now() < end, 'not in time');
}

/** A committer on a disk that is quick until `slow` says otherwise. */
async function committerOn(name: string) {
  const disk = slowDisk();
  let isSlow = false;
  const db = openSqlite(join(folder, name), {
    syncFile: (descriptor) => (isSlow ? disk.syncFile(descriptor) : Promise.resolve()),
  });
  await migrate(db);
  const durable: number[] = [];
  const committer = makeCommitter(db, { clock: systemClock, actor: 'test' }, () => durable.push(durable.length));
  await committer.commit(async () => undefined);
  durable.length = 0;
  return {
    db,
    disk,
    committer,
    durable,
    slow: (value: boolean) => {
      isSlow = value;
    },
  };
}

describe('the committer', () => {
  test('writes ready operations as one unit, and reports them together', async () => {
    const { db, committer, durable } = await committerOn('together.db');
    const units = await Promise.all([1, 2, 3].map(() => committer.commit(async (unit) => unit)));
    assert.equal(new Set(units).size, 1);
    assert.equal(durable.length, 1);
    await db.close();
  });

  test('runs the next unit while the disk writes one, and reports neither before the disk has it', async () => {
    const { db, disk, committer, durable, slow } = await committerOn('beside.db');
    slow(true);
    const ran: string[] = [];
    const commit = (name: string) =>
      committer.commit(async () => {
        ran.push(name);
        return name;
      });
    const first = commit('first');
    await until(() => disk.waiting.length === 1);
    const second = commit('second');
    await until(() => ran.length === 2);
    assert.deepEqual(ran, ['first', 'second']);
    assert.equal(await isSettled(Promise.race([first, second])), false);
    disk.take();
    assert.equal(await first, 'first');
    // It was committed after the disk had begun.
    assert.equal(await isSettled(second), false);
    assert.equal(durable.length, 1);
    await until(() => disk.waiting.length === 1);
    disk.take();
    assert.equal(await second, 'second');
    assert.equal(durable.length, 2);
    await db.close();
  });

  test('fails the whole unit of a failing operation, and the next unit works', async () => {
    const { db, committer, durable } = await committerOn('failed.db');
    const failing = committer.commit(() => Promise.reject(new Error('no')));
    const beside = committer.commit(async () => 'beside');
    await assert.rejects(failing, /no/);
    await assert.rejects(beside, /no/);
    assert.equal(durable.length, 0);
    assert.equal(await committer.commit(async () => 'after'), 'after');
    await db.close();
  });

  test('runs operations on rows of their own at the same time, and others one after the other', async () => {
    const { db, committer } = await committerOn('apart.db');
    const order: string[] = [];
    const step = (name: string) => async () => {
      order.push(`${name} begins`);
      await wait(1);
      order.push(`${name} ends`);
    };
    await Promise.all([
      committer.commit(step('a')),
      committer.commitOwnRow(step('b')),
      committer.commitOwnRow(step('c')),
      committer.commit(step('d')),
    ]);
    const together = ['b begins', 'c begins', 'b ends', 'c ends'];
    assert.deepEqual(order, ['a begins', 'a ends', ...together, 'd begins', 'd ends']);
    await db.close();
  });

  test('undoes a unit only when all of its operations have ended: none may write after that', async () => {
    const { db, committer } = await committerOn('ended.db');
    const add = (unit: Unit) => unit.tx.execute("INSERT INTO readings VALUES ('late', 'test', 0)");
    const failing = committer.commitOwnRow(() => Promise.reject(new Error('no')));
    const late = committer.commitOwnRow(async (unit) => {
      await wait(5);
      await add(unit);
    });
    await Promise.all([assert.rejects(failing, /no/), assert.rejects(late, /no/)]);
    await wait(10);
    assert.deepEqual(await db.query('SELECT batch_id FROM readings'), []);
    await db.close();
  });

  test('reports a refusal of the disk to everybody who waits for it', async () => {
    const { db, disk, committer, durable, slow } = await committerOn('refused.db');
    slow(true);
    const first = committer.commit(async () => 'first');
    await until(() => disk.waiting.length === 1);
    let hasRun = false;
    const second = committer.commit(async () => {
      hasRun = true;
    });
    await until(() => hasRun);
    const refused = { code: 'LEDGER_SYNC' };
    const told = [assert.rejects(first, refused), assert.rejects(second, refused)];
    disk.refuse();
    await Promise.all(told);
    assert.equal(durable.length, 0);
    await db.close();
  });
});
