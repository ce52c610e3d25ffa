import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as operations from '../../../src/operations/all.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { anchorFinished } from '../../../src/runtime/upkeep/anchoring.ts';
import { consoleOf } from '../../server/sign-in/browser.ts';
import { folderOf } from '../../support/folder.ts';

/** An installation whose chain heads are anchored in a file, with five people. */
async function anchored(t: TestContext) {
  const { db, session, addUser } = await consoleOf(t);
  const path = join(folderOf(t), 'heads.jsonl');
  Object.assign(session, { config: { ...session.config, anchors: [{ kind: 'file', path }] } });
  for (const name of ['amina', 'bela', 'chidi']) await addUser(name);
  await anchorFinished(session);
  await anchorFinished(session);
  const lines = () => readFileSync(path, 'utf8').trim().split('\n');
  const audit = async (batch_id?: string) =>
    performIn(
      session,
      operations.auditLedger,
      { nameOf: (field) => field },
      batch_id === undefined ? {} : { batch_id },
    );
  /** Cuts off what follows event `seq`, as a forger would who knows the ledger. */
  const cutOff = async (seq: number) => {
    await db.execute('DELETE FROM access_events WHERE seq > ?', [seq]);
    await db.execute('UPDATE access_head SET seq = ?, hash = (SELECT hash FROM access_events WHERE seq = ?)', [
      seq,
      seq,
    ]);
  };
  return { db, session, addUser, path, lines, audit, cutOff };
}

test('the head of the chain of access events is anchored once, and audited with all batches', async (t) => {
  const { lines, audit, addUser, session } = await anchored(t);
  // The fixture has made an API key first.
  assert.deepEqual(
    lines()
      .map((line) => JSON.parse(line))
      .map(({ batch_id, events }) => [batch_id, events]),
    [['access', 4]],
  );
  await addUser('dayo');
  assert.deepEqual((await audit()).access, { whole: true, events: 5, broken: null });
  assert.deepEqual((await audit()).chain.broken, [], 'the chain is no missing batch');
  assert.equal((await audit('B-default')).access, null);
  await anchorFinished(session);
  assert.equal(lines().length, 2);
});

test('an end that was cut off is found by the head in the ledger, and with a forged one by the anchored head', async (t) => {
  const { db, audit, cutOff, addUser } = await anchored(t);
  // The fixture's batches are not as intake makes them.
  for (const table of ['batch_counts', 'rows', 'events', 'batches']) await db.execute(`DELETE FROM ${table}`);
  await addUser('dayo');
  await cutOff(4);
  assert.equal((await audit()).access?.whole, true, 'nobody can tell: no head of it was anchored');
  assert.equal((await audit()).is_good, true);
  await cutOff(3);
  assert.equal((await audit()).is_good, false);
  assert.match((await audit()).access?.broken ?? '', /event 4, which is anchored \(file .*\), is missing/);
  await db.execute('DELETE FROM anchors');
  assert.match((await audit()).access?.broken ?? '', /event 4, which is anchored \(file .*\), is missing/);
  await addUser('someone-else');
  assert.match((await audit()).access?.broken ?? '', /event 4 differs from the anchored one/);
});

test('without a forged head, a cut or an edit is found without any anchor', async (t) => {
  const { db, path, audit } = await anchored(t);
  writeFileSync(path, '');
  await db.execute('DELETE FROM anchors');
  await db.execute('DELETE FROM access_events WHERE seq = 4');
  assert.match((await audit()).access?.broken ?? '', /event 4 was edited, deleted or cut off/);
  await db.execute("UPDATE access_events SET actor = 'nobody' WHERE seq = 2");
  assert.match((await audit()).access?.broken ?? '', /event 2 was edited/);
});
