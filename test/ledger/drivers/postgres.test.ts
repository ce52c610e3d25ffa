import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { AirbatchError } from '../../../src/core/basics/errors.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { asLedgerError } from '../../../src/ledger/drivers/postgres/errors.ts';
import { openPostgres, type PostgresOptions } from '../../../src/ledger/drivers/postgres/postgres.ts';
import { type CommitFault, openCutConnection } from '../../support/cut-connection.ts';
import { emptyPostgres, onServer, startPostgres } from '../../support/postgres.ts';

function opened(t: TestContext, url: string, options?: PostgresOptions): Database {
  const db = openPostgres(url, options);
  t.after(() => db.close());
  return db;
}

async function withTable(t: TestContext): Promise<{ url: string; db: Database }> {
  const url = await emptyPostgres();
  const db = opened(t, url);
  await db.execute('CREATE TABLE t (n BIGINT PRIMARY KEY)');
  return { url, db };
}

const add = (db: Database, n: number) => db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (?)', [n]));

/** Writes so many rows at the same time, over a connection that is cut at their commit. */
async function writeCut(t: TestContext, when: CommitFault, count: number) {
  const { url, db } = await withTable(t);
  const connection = await openCutConnection(url);
  t.after(() => connection.close());
  // A group ends by time as well; here it does not.
  const cut = opened(t, connection.url, { groupsApartMs: 0 });
  await add(cut, 0);
  connection.cutAtCommit(when);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const written = await Promise.allSettled(numbers.map((n) => add(cut, n)));
  const codes = written.map((one) => (one.status === 'fulfilled' ? 'written' : one.reason.code));
  assert.equal(await add(cut, 9), 1);
  return { codes, rows: (await db.values<[number]>('SELECT n FROM t ORDER BY n')).flat() };
}

describe('the ledger on PostgreSQL', () => {
  for (const [what, count] of [
    ['a transaction', 1],
    ['transactions that share a commit', 3],
  ] as const) {
    const all = Array.from({ length: count }, (_, index) => index + 1);
    test(`has committed ${what} whose answer was lost`, async (t) => {
      const { codes, rows } = await writeCut(t, 'answer', count);
      assert.deepEqual([codes, rows], [all.map(() => 'written'), [0, ...all, 9]]);
    });

    test(`has not committed ${what} whose commit never arrived`, async (t) => {
      const { codes, rows } = await writeCut(t, 'before', count);
      assert.deepEqual([codes, rows], [all.map(() => 'LEDGER_IO'), [0, 9]]);
    });
  }

  test('commits transactions together that are asked for at the same time', async (t) => {
    const { url, db } = await withTable(t);
    const crowded = opened(t, url, { groupsApartMs: 0 });
    const numberOf = (n: number) =>
      crowded.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n) VALUES (?)', [n]);
        return tx.values<[string]>('SELECT pg_current_xact_id()::TEXT');
      });
    const numbers = await Promise.all(Array.from({ length: 50 }, (_, index) => numberOf(index)));
    assert.equal(new Set(numbers.flat(2)).size, 1);
    assert.equal((await db.values('SELECT n FROM t')).length, 50);
  });

  test('fails while the server is away', async (t) => {
    const server = await startPostgres();
    const db = opened(t, server.url);
    await db.execute('CREATE TABLE t (n BIGINT PRIMARY KEY)');
    await server.stop();
    await assert.rejects(db.query('SELECT n FROM t'), { code: 'LEDGER_IO' });
    await assert.rejects(
      db.transact((tx) => tx.execute('INSERT INTO t (n) VALUES (1)')),
      { code: 'LEDGER_IO' },
    );
  });

  test('gives up a connection that is silent when a transaction begins, and goes on with another', async (t) => {
    const { url, db } = await withTable(t);
    const connection = await openCutConnection(url);
    t.after(() => connection.close());
    const ours = opened(t, connection.url, { lockWaitMsMax: 100 });
    await add(ours, 1);
    connection.slow(7_000);
    const writing = add(ours, 2);
    await wait(100);
    connection.slow(0);
    await assert.rejects(writing, { code: 'LEDGER_IO' });
    await add(ours, 3);
    assert.deepEqual(await db.values('SELECT n FROM t ORDER BY n'), [[1], [3]]);
  });

  test('goes on after the server has ended its connections', async (t) => {
    const { url, db } = await withTable(t);
    const other = opened(t, url);
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await db.query('SELECT n FROM t').catch((error) => assert.equal(error.code, 'LEDGER_IO'));
    assert.equal(await db.execute('INSERT INTO t (n) VALUES (1)'), 1);
  });

  test('commits nothing of a transaction that goes on after one of its statements failed', async (t) => {
    const { db } = await withTable(t);
    const careless = db.transact(async (tx) => {
      await tx.execute('INSERT INTO t (n) VALUES (1)');
      await tx.execute('INSERT INTO nowhere (n) VALUES (1)').catch(() => undefined);
    });
    await assert.rejects(careless, { code: 'LEDGER_IO' });
    assert.deepEqual(await db.query('SELECT n FROM t'), []);
  });

  test('commits nothing of it either if it shares its commit, and nobody is told that it did', async (t) => {
    const { url, db } = await withTable(t);
    const crowded = opened(t, url, { groupsApartMs: 0 });
    const careless = crowded.transact(async (tx) => {
      await tx.execute('INSERT INTO t (n) VALUES (1)');
      await tx.execute('INSERT INTO nowhere (n) VALUES (1)').catch(() => undefined);
    });
    const all = await Promise.allSettled([careless, add(crowded, 2), add(crowded, 3)]);
    assert.deepEqual(
      all.map((one) => (one.status === 'fulfilled' ? 'written' : one.reason.code)),
      ['LEDGER_IO', 'LEDGER_IO', 'LEDGER_IO'],
    );
    assert.deepEqual(await db.query('SELECT n FROM t'), []);
  });

  for (const [what, answerTo] of [
    ['offers no TLS', (socket: Socket) => socket.write('N')],
    ['hangs up when TLS begins', (socket: Socket) => socket.write('S') && socket.once('data', () => socket.end())],
  ] as const)
    test(`fails with LEDGER_IO where the server ${what}`, async (t) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => answerTo(socket));
      }).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const db = opened(t, `postgres://airbatch@127.0.0.1:${port}/airbatch?sslmode=require`);
      await assert.rejects(db.query('SELECT 1'), { code: 'LEDGER_IO' });
    });

  test('fails with LEDGER_IO where a socket has an error without a system call', () => {
    for (const code of ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_SSL_WRONG_VERSION_NUMBER']) {
      const error = Object.assign(new Error('the socket has ended'), { code });
      assert.equal((asLedgerError('a ledger', error) as AirbatchError).code, 'LEDGER_IO', code);
    }
    const ofOurs = Object.assign(new Error('a bug'), { code: 'ERR_ASSERTION' });
    assert.equal(asLedgerError('a ledger', ofOurs), ofOurs);
  });

  test('loses no addition of connections that read, wait and write', async (t) => {
    const { url, db } = await withTable(t);
    await db.execute('INSERT INTO t (n) VALUES (0)');
    const all = [db, ...Array.from({ length: 3 }, () => opened(t, url))];
    const add = (connection: Database) =>
      connection.transact(async (tx) => {
        const [found] = await tx.query<{ n: number }>('SELECT n FROM t');
        await wait(1);
        await tx.execute('UPDATE t SET n = ?', [(found?.n ?? 0) + 1]);
      });
    for (let round = 0; round < 5; round++) await Promise.all(all.map(add));
    assert.deepEqual(await db.query('SELECT n FROM t'), [{ n: 20 }]);
  });

  test('ends the transaction of a writer that does nothing, so that others can write', async (t) => {
    const { url, db } = await withTable(t);
    const frozen = opened(t, url, { idleInTransactionMsMax: 200 });
    const writing = frozen.transact(async (tx) => {
      await tx.execute('INSERT INTO t (n) VALUES (1)');
      assert.equal(await db.execute('INSERT INTO t (n) VALUES (2)'), 1);
      // The writer wakes up, and its transaction is over.
      await tx.execute('INSERT INTO t (n) VALUES (3)');
    });
    await assert.rejects(writing, { code: 'LEDGER_IO' });
    assert.deepEqual(await db.values('SELECT n FROM t'), [[2]]);
    // What the server says can arrive as the answer to a statement that was sent meanwhile.
    const said = Object.assign(new Error('terminating connection'), { code: '25P03' });
    assert.equal((asLedgerError('a ledger', said) as AirbatchError).code, 'LEDGER_IO');
  });

  test('ends a transaction whose connection is silent in the middle of a message', async (t) => {
    const { url, db } = await withTable(t);
    const connection = await openCutConnection(url);
    t.after(() => connection.close());
    const silent = opened(t, connection.url, { transactionMsMax: 500 });
    connection.loseAfter('half');
    const lost = silent.transact((tx) => tx.execute("INSERT INTO t (n) SELECT 7 WHERE ? <> ''", ['half a message']), {
      concurrent: true,
    });
    await Promise.all([assert.rejects(lost, { code: 'LEDGER_IO' }), wait(300).then(() => add(db, 8))]);
    assert.deepEqual(await db.values('SELECT n FROM t'), [[8]]);
  });

  test('writes while reads take all connections that they may have', async (t) => {
    const { db } = await withTable(t);
    const ending = new AbortController();
    const reads = Array.from({ length: 12 }, () =>
      db.snapshot(() => wait(60_000, undefined, { signal: ending.signal })).catch(() => undefined),
    );
    await wait(100);
    assert.equal(await add(db, 1), 1);
    ending.abort();
    await Promise.all(reads);
  });

  test('runs more different statements than it prepares', async (t) => {
    const { db } = await withTable(t);
    for (let n = 0; n < 501; n++) await db.values(`SELECT n FROM t WHERE n <> ${n}`);
    assert.deepEqual(await db.values('SELECT n FROM t WHERE n <> ?', [501]), []);
  });

  test('fails alone if it waits for another process that waits for it: what shares its commit is kept', async (t) => {
    const { url, db } = await withTable(t);
    await db.execute('CREATE TABLE once (text TEXT PRIMARY KEY)');
    const put = 'INSERT INTO once (text) VALUES (?) ON CONFLICT DO NOTHING';
    const both = ['a', 'b'].map(async (first, index) => {
      const process = opened(t, url, { groupsApartMs: 0 });
      const isThere = Promise.withResolvers<void>();
      const mayGoOn = Promise.withResolvers<void>();
      const ends = Promise.allSettled([
        process.transact(
          async (tx) => {
            await tx.execute(put, [first]);
            isThere.resolve();
            await mayGoOn.promise;
          },
          { concurrent: true },
        ),
        process.transact((tx) => tx.execute(put, [index === 0 ? 'b' : 'a']), { concurrent: true }),
      ]);
      await isThere.promise;
      return { ends, mayGoOn: mayGoOn.resolve };
    });
    const processes = await Promise.all(both);
    for (const { mayGoOn } of processes) mayGoOn();
    const ends = await Promise.all(processes.map((one) => one.ends));
    const codes = ends.map((of) => of.map((end) => (end.status === 'fulfilled' ? 'written' : end.reason.code)).join());
    assert.deepEqual(codes.toSorted(), ['written,LEDGER_BUSY', 'written,written']);
    assert.deepEqual(await db.values('SELECT text FROM once ORDER BY text'), [['a'], ['b']]);
  });

  test('is not undone by the one behind it, if a statement of it failed unseen', async (t) => {
    const { url } = await withTable(t);
    const db = opened(t, url, { groupsApartMs: 0 });
    const ends = await Promise.allSettled([
      db.transact(async (tx) => {
        await tx.execute('INSERT INTO t (n) VALUES (1)');
        await tx.execute('INSERT INTO t (n) VALUES (1)').catch(() => undefined);
      }),
      db.transact(async () => {
        throw new Error('nothing was sent');
      }),
    ]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(await db.values('SELECT n FROM t'), []);
  });

  test('is looked up if the server answers its commit with an error', async (t) => {
    const { codes, rows } = await writeCut(t, 'error', 1);
    assert.deepEqual([codes, rows], [['written'], [0, 1, 9]]);
  });

  test('fails with LEDGER_BUSY where another writer takes too long', async (t) => {
    const { url, db } = await withTable(t);
    const impatient = opened(t, url, { lockWaitMsMax: 100 });
    await db.transact(async () => {
      await assert.rejects(
        // Not inside the transaction of the other connection.
        new Promise((resolve) => resolve(impatientWrite(impatient))),
        { code: 'LEDGER_BUSY' },
      );
    });
  });

  test('ends a statement that hangs, and with it the lock of its transaction', async (t) => {
    const { url, db } = await withTable(t);
    const impatient = opened(t, url, { statementMsMax: 100 });
    const hanging = impatient.transact(async (tx) => {
      await tx.execute('INSERT INTO t (n) VALUES (1)');
      await tx.query('SELECT pg_sleep(60) IS NULL AS slept');
    });
    await assert.rejects(hanging, { code: 'LEDGER_BUSY' });
    await assert.rejects(
      impatient.snapshot((view) => view.query('SELECT pg_sleep(60) IS NULL AS slept')),
      { code: 'LEDGER_BUSY' },
    );
    assert.equal(await db.execute('INSERT INTO t (n) VALUES (2)'), 1);
    assert.deepEqual(await db.values('SELECT n FROM t'), [[2]]);
  });

  test('lets a change of tables, and what follows it in its transaction, take as long as it needs', async (t) => {
    const url = await emptyPostgres();
    const migrating = opened(t, url, { statementMsMax: 100 });
    await migrating.transact(async (tx) => {
      await tx.execute('CREATE TABLE t (n BIGINT PRIMARY KEY)');
      await tx.query('SELECT pg_sleep(0.3) IS NULL AS slept');
    });
    assert.deepEqual(await migrating.values('SELECT n FROM t'), []);
  });

  for (const [set, used] of [
    ['off', 'on'],
    ['remote_apply', 'remote_apply'],
  ] as const)
    test(`waits for the disk at each commit, where the database is set to synchronous_commit = ${set}`, async (t) => {
      const url = await emptyPostgres();
      await onServer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${set}`);
      const setting = await opened(t, url).transact((tx) => tx.values("SELECT current_setting('synchronous_commit')"));
      assert.deepEqual(setting, [[used]]);
    });

  test('prepares a statement under a name that can mean no other text', async (t) => {
    const { db } = await withTable(t);
    const prepared = await db.snapshot(async (view) => {
      await view.query('SELECT n FROM t');
      return view.values<[string, string]>('SELECT name, statement FROM pg_prepared_statements');
    });
    const text = 'SELECT n FROM t';
    const [name] = prepared.find(([, statement]) => statement === text) ?? [];
    assert.equal(name, `airbatch_${createHash('sha256').update(text).digest('hex').slice(0, 48)}`);
  });

  test('says what to do if the server has no connection left', async (t) => {
    const url = await emptyPostgres();
    await opened(t, url).execute('CREATE ROLE crowded LOGIN CONNECTION LIMIT 0');
    const crowded = new URL(url);
    crowded.username = 'crowded';
    await assert.rejects(opened(t, crowded.href).query('SELECT 1'), { code: 'LEDGER_IO', hint: /max_connections/ });
  });

  for (const state of ['26000', '42P05'])
    test(`says what a pooler must do that loses prepared statements: ${state}`, () => {
      const error = asLedgerError(
        'postgres://db/airbatch',
        Object.assign(new Error('prepared statement'), { code: state }),
      );
      assert.equal((error as AirbatchError).code, 'LEDGER_IO');
      assert.match((error as AirbatchError).hint ?? '', /PgBouncer does from 1\.21 on/);
    });

  test('says that the disk is full', async (t) => {
    const { db } = await withTable(t);
    await db.execute(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100'', MESSAGE = ''could not extend file''; END'`);
    await db.execute('CREATE TRIGGER full_disk BEFORE INSERT ON t EXECUTE FUNCTION full_disk()');
    await assert.rejects(db.execute('INSERT INTO t (n) VALUES (1)'), { code: 'LEDGER_FULL' });
  });

  test('names no password in an error', async (t) => {
    const url = new URL(await emptyPostgres());
    url.password = 'hunter2';
    url.port = '1';
    await assert.rejects(opened(t, url.href).query('SELECT 1 AS one'), (error: Error) => {
      assert.match(error.message, /127\.0\.0\.1/);
      assert.doesNotMatch(JSON.stringify([error.message, error.stack]), /hunter2/);
      return true;
    });
  });
});

async function impatientWrite(db: Database): Promise<void> {
  await wait(0);
  await db.execute('INSERT INTO t (n) VALUES (1)');
}
