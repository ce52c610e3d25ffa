import assert from 'node:assert/strict';
import { test } from 'node:test';
import { possibleActions } from '../../../src/core/state/batch-actions.ts';
import { batchStates } from '../../../src/core/state/batch-state.ts';

const facts = { forgotten_at: null, isSubmitter: true };
const rows = { ready: 1, failed: 1 };
const byPerson = [{ reason: 'by_person' }] as const;

test('a person can do with a batch what its state allows', () => {
  const found = batchStates.map((status) => [status, possibleActions({ ...facts, status }, rows, [])]);
  assert.deepEqual(Object.fromEntries(found), {
    received: ['reorder'],
    rejected: [],
    validated: ['reorder'],
    awaiting_approval: ['reorder', 'withdraw'],
    approved: ['pause', 'reorder'],
    running: ['pause', 'reorder', 'retry'],
    paused: ['pause', 'resume', 'reorder', 'retry'],
    completed: ['retry'],
    cancelled: [],
  });
});

test('once a person has paused a batch, it is not paused again, and its unsent rows can be skipped', () => {
  const paused = { ...facts, status: 'paused' } as const;
  assert.deepEqual(possibleActions(paused, { ready: 1 }, byPerson), ['resume', 'reorder', 'cancel']);
  assert.deepEqual(possibleActions(paused, {}, byPerson), ['resume', 'reorder']);
});

test('failed rows are not paid again without a number to pay', () => {
  assert.deepEqual(possibleActions({ ...facts, status: 'completed', forgotten_at: 1 }, rows, []), []);
  assert.deepEqual(possibleActions({ ...facts, status: 'completed' }, {}, []), []);
});

test('only the person who submitted a batch withdraws it', () => {
  const waiting = { ...facts, status: 'awaiting_approval', isSubmitter: false } as const;
  assert.deepEqual(possibleActions(waiting, rows, []), ['reorder']);
});
