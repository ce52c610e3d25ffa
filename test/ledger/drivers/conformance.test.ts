import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import type { Database, Transaction, Turn } from '../../../src/ledger/drivers/database.ts';
import { openPostgres } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { openSqlite } from '../../../src/ledger/drivers/sqlite/sqlite.ts';
import { folderOf } from '../../support/folder.ts';
import { emptyPostgres } from '../../support/postgres.ts';

const folder = folderOf({ after });
let files = 0;

/** Each database, with a function that opens as many connections to one new ledger as one likes. */
const drivers: readonly { name: string; newLedger: () => Promise<() => Database> }[] = [
  {
    name: 'SQLite',
    async newLedger() {
      const path = join(folder, `conformance-${++files}.db`);
      return () => openSqlite(path);
    },
  },
  {
    name: 'PostgreSQL',
    async newLedger() {
      const url = await emptyPostgres();
      return () => openPostgres(url);
    },
  },
];

async function open(t: TestContext, newLedger: () => Promise<() => Database>, count = 1): Promise<Database[]> {
  const connect = await newLedger();
  const all = Array.from({ length: count }, connect);
  t.after(() => Promise.all(all.map((db) => db.close())));
  await all[0]?.execute('CREATE TABLE t (n BIGINT PRIMARY KEY, text TEXT, other INTEGER)');
  return all;
}

for (const { name, newLedger } of drivers) {
  const one = async (t: TestContext) => (await open(t, newLedger))[0] as Database;

  describe(`the ledger on ${name}`, () => {
    test('keeps all of a transaction that resolves, and nothing of one that rejects', async (t) => {
      const db = await one(t);
      await db.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n, text) VALUES (?, ?)', [1, 'kept']);
        assert.deepEqual(await tx.query('SELECT n FROM t'), [{ n: 1 }]);
      });
      const failed = db.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n) VALUES (2)');
        await tx.execute('UPDATE t SET text = ? WHERE n = ?', ['lost', 1]);
        throw new Error('undone');
      });
      await assert.rejects(failed, /undone/);
      assert.deepEqual(await db.query('SELECT n, text FROM t ORDER BY n'), [{ n: 1, text: 'kept' }]);
    });

    test('runs a transaction that goes first before those that wait', async (t) => {
      const db = await one(t);
      const order: string[] = [];
      const add = (what: string, turn: Turn = 'usual') =>
        db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (?)', [order.push(what)]), { turn });
      const [begun, ...waiting] = Array.from({ length: 250 }, () => add('usual'));
      await begun;
      const first = [add('one', 'first'), add('two', 'first')];
      await Promise.all([...first, ...waiting]);
      // The two groups of 64 that are under way at most are not stopped for it.
      assert.ok(order.indexOf('one') <= 128, `${order.indexOf('one')}`);
      assert.equal(order.indexOf('two'), order.indexOf('one') + 1);
      assert.equal(order.length, 252);
    });

    test('shows nobody else what an open transaction has written', async (t) => {
      const [mine, other] = (await open(t, newLedger, 2)) as [Database, Database];
      await mine.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n) VALUES (1)');
        assert.deepEqual(await other.query('SELECT n FROM t'), []);
      });
      assert.deepEqual(await other.query('SELECT n FROM t'), [{ n: 1 }]);
    });

    test('commits nothing of a transaction in which a statement fails, and takes the next one', async (t) => {
      const db = await one(t);
      const failed = db.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n) VALUES (1)');
        await tx.execute('INSERT INTO nowhere (n) VALUES (1)');
      });
      await assert.rejects(failed);
      assert.deepEqual(await db.query('SELECT n FROM t'), []);
      await db.execute('INSERT INTO t (n) VALUES (3)');
      assert.deepEqual(await db.query('SELECT n FROM t'), [{ n: 3 }]);
    });

    test('keeps what succeeds of transactions that are asked for at the same time, and nothing of what fails', async (t) => {
      const db = await one(t);
      await db.execute('INSERT INTO t (n) VALUES (3)');
      const fault = new AirbatchError('FENCED', 'another process took over');
      const add = (n: number) => db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (?)', [n]));
      const failing = db.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n) VALUES (2)');
        throw fault;
      });
      const settled = await Promise.allSettled([add(0), add(1), failing, add(3), add(4)]);
      const statuses = settled.map(({ status }) => status);
      assert.deepEqual(statuses, ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
      assert.equal(settled[2].status === 'rejected' && settled[2].reason, fault);
      assert.deepEqual((await db.values('SELECT n FROM t ORDER BY n')).flat(), [0, 1, 3, 4]);
    });

    test('keeps the last statements of a transaction, whatever becomes of those behind it', async (t) => {
      const db = await one(t);
      const add = (n: number) =>
        db.transact(async (tx) => tx.last(tx.execute('INSERT INTO t (n, other) VALUES (?, 7)', [n])));
      const fail = () =>
        db.transact(async (tx) => {
          assert.deepEqual(await tx.query('SELECT n, other FROM t'), [{ n: 1, other: 7 }]);
          throw new Error('undone');
        });
      const [first, middle, last] = await Promise.allSettled([add(1), fail(), add(2)]);
      assert.deepEqual([first?.status, middle?.status, last?.status], ['fulfilled', 'rejected', 'fulfilled']);
      assert.match(String(middle?.status === 'rejected' && middle.reason), /undone/);
      assert.deepEqual((await db.values('SELECT n FROM t ORDER BY n')).flat(), [1, 2]);
    });

    test('commits nothing with a transaction whose last statements fail, and says why to all who share the commit', async (t) => {
      const db = await one(t);
      await db.execute('INSERT INTO t (n) VALUES (5)');
      const add = (n: number) => db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (?)', [n]));
      const failing = [
        (tx: Transaction) => tx.execute('INSERT INTO t (n) VALUES (5)'),
        (tx: Transaction) => tx.execute('INSERT INTO t (n) VALUES (3)').then(() => assert.fail('not as it was')),
      ];
      for (const [fault, send] of failing.entries()) {
        const shared = [add(1), db.transact(async (tx) => tx.last(send(tx))), add(2)];
        const reasons = (await Promise.allSettled(shared)).map((one) => one.status === 'rejected' && one.reason);
        assert.match(String(reasons[0]), [/unique|duplicate/i, /not as it was/][fault] as RegExp);
        assert.deepEqual(reasons, [reasons[0], reasons[0], reasons[0]]);
        assert.deepEqual((await db.values('SELECT n FROM t ORDER BY n')).flat(), [5]);
      }
    });

    test('refuses a statement that a transaction sends after its end: others share its commit', async (t) => {
      const db = await one(t);
      let late: Promise<unknown> | undefined;
      const careless = db.transact(async (tx) => {
        const send = async () => tx.execute('INSERT INTO t (n) VALUES (1)');
        setTimeout(() => (late = send().catch(String)));
      });
      const slow = db.transact(async (tx) => {
        while (late === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
        await tx.execute('INSERT INTO t (n) VALUES (2)');
      });
      await Promise.all([careless, slow]);
      assert.match(String(await late), /before its transaction ends/);
      assert.deepEqual((await db.values('SELECT n FROM t')).flat(), [2]);
    });

    test('lets transactions that are asked for at the same time see the changes of those before', async (t) => {
      const db = await one(t);
      await db.execute('INSERT INTO t (n, other) VALUES (1, 0)');
      const count = () =>
        db.transact(async (tx) => {
          const [found] = await tx.query<{ other: number }>('SELECT other FROM t');
          await tx.execute('UPDATE t SET other = ?', [(found?.other ?? 0) + 1]);
        });
      await Promise.all(Array.from({ length: 100 }, count));
      assert.deepEqual(await db.query('SELECT other FROM t'), [{ other: 100 }]);
    });

    test('refuses a key that is taken, with the whole transaction, also if two connections race for it', async (t) => {
      const both = await open(t, newLedger, 2);
      const take = (db: Database, other: number) =>
        db.transact(async (tx) => {
          await tx.execute('INSERT INTO t (n) VALUES (?)', [10 + other]);
          await tx.execute('INSERT INTO t (n, other) VALUES (1, ?)', [other]);
        });
      const taken = await Promise.allSettled(both.map(take));
      assert.deepEqual(taken.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const winner = taken.findIndex(({ status }) => status === 'fulfilled');
      const rows = await both[0]?.values('SELECT n, other FROM t ORDER BY n');
      assert.deepEqual(rows, [
        [1, winner],
        [10 + winner, null],
      ]);
    });

    test('writes statements that are sent together in their order, and undoes them together', async (t) => {
      const db = await one(t);
      await db.transact((tx) =>
        Promise.all([
          tx.execute('INSERT INTO t (n, other) VALUES (1, 1)'),
          tx.execute('UPDATE t SET other = other * 10 WHERE n = 1'),
          tx.execute('UPDATE t SET other = other + 1 WHERE n = 1'),
        ]),
      );
      assert.deepEqual(await db.query('SELECT other FROM t'), [{ other: 11 }]);
      const failed = db.transact((tx) =>
        Promise.all([tx.execute('UPDATE t SET other = 5'), tx.execute('INSERT INTO t (n) VALUES (1)')]),
      );
      await assert.rejects(failed);
      assert.deepEqual(await db.query('SELECT other FROM t'), [{ other: 11 }]);
    });

    test('counts the records that a statement has changed', async (t) => {
      const db = await one(t);
      assert.equal(await db.execute('INSERT INTO t (n, other) VALUES (1, 1), (2, 1), (3, 2)'), 3);
      assert.equal(await db.execute('UPDATE t SET other = ? WHERE other = ?', [5, 1]), 2);
      assert.equal(await db.execute('UPDATE t SET other = ? WHERE other = ?', [5, 1]), 0);
      assert.equal(await db.execute('INSERT INTO t (n) VALUES (1) ON CONFLICT (n) DO NOTHING'), 0);
      assert.equal(await db.execute('DELETE FROM t'), 3);
      assert.deepEqual(await db.query('SELECT COUNT(*) AS count, SUM(n) AS sum FROM t'), [{ count: 0, sum: null }]);
    });

    test('returns numbers, texts and nulls as they were written', async (t) => {
      const db = await one(t);
      const values = [Number.MAX_SAFE_INTEGER, '12.3400', null] as const;
      await db.execute('INSERT INTO t (n, text, other) VALUES (?, ?, ?)', values);
      await db.execute('INSERT INTO t (n, text, other) VALUES (?, ?, ?)', [-1, 'naïve ☎ "\u0001"', 2_147_483_647]);
      assert.deepEqual(await db.values('SELECT n, text, other FROM t ORDER BY n'), [
        [-1, 'naïve ☎ "\u0001"', 2_147_483_647],
        [...values],
      ]);
      const sums = await db.query('SELECT COUNT(*) AS count, SUM(n) AS sum, MAX(other) AS most FROM t');
      assert.deepEqual(sums, [{ count: 2, sum: Number.MAX_SAFE_INTEGER - 1, most: 2_147_483_647 }]);
    });

    test('refuses a number that is no integer, since SQLite would keep it and PostgreSQL would not', async (t) => {
      const db = await one(t);
      for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        const wrong = /no safe integer/;
        await assert.rejects(db.execute('INSERT INTO t (n) VALUES (?)', [value]), wrong);
        await assert.rejects(db.query('SELECT n FROM t WHERE n < ?', [value]), wrong);
        await assert.rejects(db.values('SELECT n FROM t WHERE n < ?', [value]), wrong);
        await assert.rejects(
          db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (?)', [value])),
          wrong,
        );
      }
      assert.deepEqual(await db.query('SELECT COUNT(*) AS count FROM t'), [{ count: 0 }]);
    });

    test('sorts texts by their bytes', async (t) => {
      const db = await one(t);
      const texts = ['a', 'B', 'é', 'Z', '_', '10', '9'];
      for (const [n, text] of texts.entries()) await db.execute('INSERT INTO t (n, text) VALUES (?, ?)', [n, text]);
      const sorted = await db.values<[string]>('SELECT text FROM t ORDER BY text');
      assert.deepEqual(sorted.flat(), ['10', '9', 'B', 'Z', '_', 'a', 'é']);
    });

    test('finds nulls, and what is not a certain value, by IS NOT DISTINCT FROM', async (t) => {
      const db = await one(t);
      await db.execute("INSERT INTO t (n, text) VALUES (1, NULL), (2, 'x')");
      const find = (text: string | null) => db.values('SELECT n FROM t WHERE text IS NOT DISTINCT FROM ?', [text]);
      assert.deepEqual([await find(null), await find('x'), await find('y')], [[[1]], [[2]], []]);
    });

    test('lets one of two connections win a guarded write', async (t) => {
      const both = await open(t, newLedger, 2);
      await both[0]?.execute('INSERT INTO t (n, other) VALUES (1, 0)');
      const race = (db: Database) => db.execute('UPDATE t SET other = 1 WHERE n = 1 AND other = 0');
      const changed = await Promise.all(both.map(race));
      assert.deepEqual(changed.sort(), [0, 1]);
    });

    test('shows a snapshot as it was when it began, and lets others write meanwhile', async (t) => {
      const [mine, other] = (await open(t, newLedger, 2)) as [Database, Database];
      await mine.execute('INSERT INTO t (n) VALUES (1)');
      await mine.snapshot(async (view) => {
        assert.deepEqual(await view.query('SELECT n FROM t'), [{ n: 1 }]);
        await other.execute('INSERT INTO t (n) VALUES (2)');
        await mine.execute('INSERT INTO t (n) VALUES (3)');
        assert.deepEqual(await view.query('SELECT n FROM t'), [{ n: 1 }]);
      });
      await assert.rejects(mine.snapshot((view) => view.execute('DELETE FROM t')));
      const [counted] = await mine.query('SELECT COUNT(*) AS count FROM t');
      assert.deepEqual(counted, { count: 3 });
    });

    test('refuses statements and transactions beside the open transaction of the same code', async (t) => {
      const db = await one(t);
      await assert.rejects(
        db.transact(() => db.execute('INSERT INTO t (n) VALUES (1)')),
        /within a transaction/,
      );
      await assert.rejects(
        db.transact(() => db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (1)'))),
        /within a transaction/,
      );
      assert.deepEqual(await db.query('SELECT n FROM t'), []);
    });

    test('takes its space back, and keeps what is there', async (t) => {
      const db = await one(t);
      await db.execute("INSERT INTO t (n, text) VALUES (1, 'stays'), (2, 'goes')");
      await db.execute('DELETE FROM t WHERE n = 2');
      await db.emptyLog();
      await db.compact();
      assert.deepEqual(await db.query('SELECT n, text FROM t'), [{ n: 1, text: 'stays' }]);
    });
  });
}
