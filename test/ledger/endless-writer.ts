import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openSqlite } from '../../src/ledger/sqlite.ts';

/*
 * A process that commits to the ledger named first, so often as said second or until it is killed, and never closes it. It says on its
 * standard output what it has been told is durable, a number a line, and `thread` when the checkpointer begins.
 */

const [path = '', times = ''] = process.argv.slice(2);
const say = (text: string) => writeSync(1, `${text}\n`);
process.once('worker', () => say('thread'));
const db = openSqlite(path);
db.checkpointBeside();
await db.execute('CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, text TEXT NOT NULL)');
const [known] = await db.query<{ next: number }>('SELECT COALESCE(MAX(n) + 1, 0) AS next FROM t');
const from = known?.next ?? 0;
for (let n = from; times === 'endless' || n < from + Number(times); n++) {
  const text = String(n % 10).repeat(80_000);
  // A page of an earlier row changes too, so that passes write all over the database.
  await db.transact(async (tx) => {
    await tx.execute('INSERT INTO t (n, text) VALUES (?, ?)', [n, text]);
    await tx.execute('UPDATE t SET text = ? WHERE n = ?', [text, (n * 7_919) % (n + 1)]);
  });
  say(String(n));
  await setImmediate();
}
