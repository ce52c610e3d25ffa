import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { makeNotificationDedupe } from '../../../src/runtime/upkeep/notification-dedupe.ts';
import { folderOf } from '../../support/folder.ts';

describe('the record of sent notifications without a ledger', () => {
  test('gives a name once, across restarts, and again after it is given back', (t) => {
    const ledger = join(folderOf(t), 'ledger.db');
    const notes = () => makeNotificationDedupe(ledger, Date.now);
    assert.deepEqual([notes().claim('x'), notes().claim('x'), notes().claim('y')], [true, false, true]);
    notes().release('x');
    assert.deepEqual([notes().claim('x'), notes().claim('x')], [true, false]);
  });

  test('gives a name to one of two programs that claim it at the same time', (t) => {
    const ledger = join(folderOf(t), 'ledger.db');
    const second = makeNotificationDedupe(ledger, Date.now);
    // The second one claims the name after the first one has looked for it.
    const claims: boolean[] = [];
    const first = makeNotificationDedupe(ledger, () => {
      claims.push(second.claim('x'));
      return Date.now();
    });
    assert.deepEqual([first.claim('x'), claims], [false, [true]]);
  });

  test('is in the folder for temporary files if the folder of the ledger is not writable', (t) => {
    const folder = folderOf(t);
    const ledger = join(folder, 'away', 'ledger.db');
    // No folder can be made where a file lies.
    mkdirSync(folder, { recursive: true });
    writeFileSync(dirname(ledger), '');
    const notes = () => makeNotificationDedupe(ledger, Date.now, join(folder, 'tmp'));
    assert.deepEqual([notes().claim('x'), notes().claim('x')], [true, false]);
    const nowhere = () => makeNotificationDedupe(ledger, Date.now, join(dirname(ledger), 'tmp'));
    assert.deepEqual([nowhere().claim('x'), nowhere().claim('x')], [true, true], 'better twice than never');
  });

  test('is deleted after two days', (t) => {
    const folder = folderOf(t);
    const notes = makeNotificationDedupe(join(folder, 'ledger.db'), Date.now);
    notes.claim('x');
    const [name = ''] = readdirSync(join(folder, 'told'));
    utimesSync(join(folder, 'told', name), 1e9, 1e9);
    notes.claim('y');
    assert.equal(readdirSync(join(folder, 'told')).includes(name), false);
  });

  test('deletes no file of somebody else, for example behind a link to another folder', (t) => {
    const folder = folderOf(t);
    const others = join(folder, 'others');
    mkdirSync(others, { recursive: true });
    writeFileSync(join(others, 'id_ed25519'), 'old');
    utimesSync(join(others, 'id_ed25519'), 1e9, 1e9);
    symlinkSync(others, join(folder, 'told'));
    makeNotificationDedupe(join(folder, 'ledger.db'), Date.now).claim('x');
    assert.equal(existsSync(join(others, 'id_ed25519')), true);
  });
});
