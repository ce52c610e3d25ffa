import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { takeAccount } from '../../src/engine/runner/lease.ts';
import { openPostgres } from '../../src/ledger/drivers/postgres/postgres.ts';
import { openSqlite } from '../../src/ledger/drivers/sqlite/sqlite.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { emptyPostgres, migratedPostgres } from '../support/postgres.ts';
import { sandboxHere } from '../support/sandbox-process.ts';

const rows = 12;
const file = '.airbatch/ledger.db';

test('a run is paid on four ledgers in turn, from file to PostgreSQL, to another database and back, each row once', async (t) => {
  const cwd = folderOf(t);
  const sandbox = await sandboxHere(t, {
    settleMs: 50,
    rate: 60_000,
    balances: { 'wallet-usd': '0.25', 'wallet-kes': '0' },
  });
  const lines = Array.from({ length: rows }, (_, index) => `+2547224411${10 + index},1,10,KES,row-${index}`);
  writeFileSync(join(cwd, 'pay.csv'), `phone_number,network_id,amount,currency,reference\n${lines.join('\n')}\n`);
  const airbatch = (place: string, ...args: string[]) =>
    runHere([...args, '--ledger', place], { cwd, env: sandbox.env });
  const paidWith = async (count: number) => {
    const charges = [...(await sandbox.liveCharges()).values()];
    assert.deepEqual(charges, Array(count).fill(1));
  };
  const fill = async () => {
    const body = JSON.stringify({ balance: '0.25' });
    const filled = await fetch(`${sandbox.url}/_sandbox/wallets/wallet-usd`, { method: 'POST', body });
    assert.equal(filled.status, 200);
  };
  const copy = (from: string, to: string) => runHere(['--json', 'ledger', 'copy', '--from', from, '--to', to], { cwd });

  const begun = await airbatch(file, 'run', 'pay.csv', '--run-id', 'november', '--yes');
  assert.equal(begun.code, 5, begun.stderr);
  await paidWith(3);
  copyFileSync(join(cwd, file), join(cwd, 'before.db'));

  const url = await emptyPostgres();
  const moved = await copy(file, url);
  assert.equal(moved.code, 0, moved.stderr);
  const { tables } = JSON.parse(moved.stdout);
  assert.equal(tables.find(({ table }: { table: string }) => table === 'rows').records, rows);
  await fill();
  const { batches } = JSON.parse((await airbatch(file, '--json', 'status')).stdout);
  const pause = ['pause', batches[0].batch_id, '--why', 'to look at it'];
  for (const args of [['resume'], ['run', 'pay.csv', '--run-id', 'other', '--yes'], ['submit', 'pay.csv'], pause]) {
    const refused = await airbatch(file, ...args);
    assert.equal(refused.code, 6, refused.stdout);
    assert.match(refused.stderr, /this ledger was moved to postgres:.*\[LEDGER_MOVED\]/);
  }
  const old = await airbatch(file, 'status');
  assert.match(old.stdout, /paused/);
  assert.match(old.stderr, /this ledger was moved, or is an unfinished copy: another one is in use.*postgres:/);
  const checked = await airbatch(file, 'ledger', 'check');
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(checked.stdout, /! it was moved to postgres:.*: nothing is sent from it any more/);
  assert.doesNotMatch((await airbatch(url, 'ledger', 'check')).stdout, /moved|copy/);
  await paidWith(3);

  // A copy from before the move, put back by hand.
  mkdirSync(join(cwd, 'moved'));
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(join(cwd, file + end))) renameSync(join(cwd, file + end), join(cwd, `moved/ledger.db${end}`));
  renameSync(join(cwd, 'before.db'), join(cwd, file));
  const older = await airbatch(file, 'resume');
  assert.match(older.stderr, /\[LEDGER_RESTORED\]/, older.stdout);
  rmSync(join(cwd, file));
  await paidWith(3);

  assert.equal((await airbatch(url, 'resume')).code, 5);
  await paidWith(6);

  const other = await emptyPostgres();
  const movedOn = await copy(url, other);
  assert.equal(movedOn.code, 0, movedOn.stderr);
  assert.match((await airbatch(url, 'resume')).stderr, /this ledger was moved to postgres:.*\[LEDGER_MOVED\]/);
  await fill();
  // In the other database the ledger has another identity, and lacks nothing.
  assert.equal((await airbatch(other, 'resume')).code, 5);
  await paidWith(9);

  // The program is killed after the source is left and before its copy may work.
  assert.equal((await copy(other, file)).code, 0);
  const db = openSqlite(join(cwd, file));
  await db.execute("UPDATE moves SET state = 'arriving'");
  await db.close();
  await fill();
  for (const place of [other, file]) assert.match((await airbatch(place, 'resume')).stderr, /\[LEDGER_MOVED\]/);
  const unfinished = JSON.parse((await airbatch(file, '--json', 'ledger', 'check')).stdout);
  assert.equal(unfinished.moved.state, 'arriving');
  assert.match((await airbatch(file, 'ledger', 'check')).stdout, /! it is a copy of postgres:.* not finished/);
  await paidWith(9);
  assert.equal((await copy(other, file)).code, 0);
  const again = await copy(other, file);
  assert.match(again.stderr, /\[LEDGER_MOVED\]/);

  const ended = await airbatch(file, 'resume');
  assert.equal(ended.code, 0, ended.stderr);
  await paidWith(rows);
  assert.equal((await airbatch(file, 'audit')).code, 0);
});

test('nothing is moved while a program works, onto a ledger, or if a chain is broken', async (t) => {
  const cwd = folderOf(t);
  writeFileSync(join(cwd, 'pay.csv'), 'phone_number,network_id,amount,currency\n+254722441100,1,10,KES\n');
  assert.equal((await runHere(['submit', 'pay.csv'], { cwd })).code, 0);
  const copy = (to: string) => runHere(['ledger', 'copy', '--from', file, '--to', to], { cwd });
  const url = await migratedPostgres();
  const source = openSqlite(join(cwd, file));
  const target = openPostgres(url);
  t.after(() => Promise.all([source.close(), target.close()]));
  const refusedWith = async (code: string) => {
    const refused = await copy(url);
    assert.match(refused.stderr, new RegExp(`\\[${code}\\]`));
    if (code === 'LEDGER_BUSY') assert.match(refused.stderr, /works on the ledger: process 1 on elsewhere \[/);
    assert.deepEqual(await source.query('SELECT * FROM moves'), []);
    assert.deepEqual(await target.query('SELECT * FROM batches'), []);
  };

  const later = Date.now() + 600_000;
  await source.execute("INSERT INTO leases (account, holder, fence, expires_at) VALUES ('a', 'elsewhere/1/1', 1, ?)", [
    later,
  ]);
  await refusedWith('LEDGER_BUSY');
  await source.execute('UPDATE leases SET expires_at = 0');
  await source.execute("INSERT INTO readings (batch_id, holder, expires_at) VALUES ('b', 'elsewhere/1/1', ?)", [later]);
  await refusedWith('LEDGER_BUSY');
  await source.execute('DELETE FROM readings');

  await target.execute("INSERT INTO draft_batches (batch_id, draft_id) VALUES ('known', 'something')");
  await refusedWith('LEDGER_EXISTS');
  await target.execute('DELETE FROM draft_batches');

  const [event] = await source.query<{ hash: string }>('SELECT hash FROM events WHERE seq = 1');
  await source.execute("UPDATE events SET hash = 'edited' WHERE seq = 1");
  await refusedWith('LEDGER_DAMAGED');
  await source.execute('UPDATE events SET hash = ? WHERE seq = 1', [event?.hash ?? '']);

  // A database that keeps something else than what it is given.
  await source.execute("INSERT INTO draft_batches (batch_id, draft_id) VALUES ('b', 'as it is')");
  await target.execute(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.draft_id := 'spoilt'; RETURN NEW; END $$`);
  await target.execute('CREATE TRIGGER spoil BEFORE INSERT ON draft_batches FOR EACH ROW EXECUTE FUNCTION spoil()');
  await refusedWith('LEDGER_IO');
  await target.execute('DROP TRIGGER spoil ON draft_batches');

  const moved = await copy(url);
  assert.equal(moved.code, 0, moved.stderr);
  const fences = 'SELECT fence FROM leases';
  assert.deepEqual([await source.query(fences), await target.query(fences)], [[{ fence: 2 }], [{ fence: 1 }]]);

  // Programs that still have it open: one that was suspended, and one that has not begun.
  const suspended = { account: 'a', holder: 'elsewhere/1/1', fence: 1 };
  const writing = inUnit(source, { clock: systemClock, actor: 'engine', fence: suspended }, async () => undefined);
  await assert.rejects(writing, { code: 'FENCED' });
  const options = { account: 'a', holder: 'here/1/1', ttlMs: 60_000, mark: null, restored: true, isDead: () => false };
  await assert.rejects(takeAccount(source, systemClock, options), { code: 'LEDGER_MOVED' });
});
