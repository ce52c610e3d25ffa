import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, movedTo } from '../../../../src/console/pages/new-batch/grid-keys.ts';

const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test('keys of a closed cell move, open, clear, undo, and leave a row out', () => {
  const of = (key: string, held: Partial<typeof plain> = {}) => actionOf({ key, ...plain, ...held }, false);
  assert.deepEqual(of('ArrowDown'), { kind: 'move', move: 'down' });
  assert.deepEqual(of('Enter'), { kind: 'open', text: null });
  assert.deepEqual(of('7'), { kind: 'open', text: '7' });
  assert.deepEqual(of('é'), { kind: 'open', text: 'é' });
  assert.deepEqual(of('Delete'), { kind: 'clear' });
  assert.deepEqual(of('z', { ctrlKey: true }), { kind: 'undo' });
  assert.deepEqual(of('Z', { metaKey: true, shiftKey: true }), { kind: 'redo' });
  assert.deepEqual(of('y', { ctrlKey: true }), { kind: 'redo' });
  assert.deepEqual(of('Delete', { ctrlKey: true }), { kind: 'row' });
  assert.equal(of('c', { ctrlKey: true }), null, 'copying is left to the browser');
  assert.equal(of('Tab'), null, 'Tab leaves the grid');
});

test('keys of an open cell are typed, except those that close it', () => {
  const of = (key: string, held: Partial<typeof plain> = {}) => actionOf({ key, ...plain, ...held }, true);
  assert.equal(of('ArrowLeft'), null);
  assert.equal(of('z', { ctrlKey: true }), null, 'what is typed is undone in the cell');
  assert.deepEqual(of('Enter'), { kind: 'move', move: 'down' });
  assert.deepEqual(of('Escape'), { kind: 'cancel' });
});

test('moves go by cells, by pages and to the ends', () => {
  const size = { page: 20, count: 100_000, columns: 5 };
  const from = { index: 50, column: 2 };
  assert.deepEqual(movedTo(from, 'left', size), { index: 50, column: 1 });
  assert.deepEqual(movedTo(from, 'page-down', size), { index: 70, column: 2 });
  assert.deepEqual(movedTo(from, 'last', size), { index: 50, column: 4 });
  assert.deepEqual(movedTo(from, 'bottom', size), { index: 99_999, column: 2 });
});
