import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairShare, leastLoad, loadOf, surplusOf } from '../../src/fleet/share.ts';

const loads = new Map(
  Object.entries({ busy: 60, busier: 61, idle: 1, idler: 1 }).map(([name, load]) => [
    name,
    { load, holder: name === 'idler' ? 'two' : 'one' },
  ]),
);

test('the share of a worker counts the load of the accounts, not their number', () => {
  assert.equal(fairShare(loads, 3), 41);
  assert.equal(fairShare(loads, 0), 123);
  assert.equal(loadOf(['busy', 'idle', 'unknown'], loads), 61);
});

test('the least load is that of the worker that has nothing, if there is one', () => {
  assert.equal(leastLoad(loads, ['one', 'two']), 1);
  assert.equal(leastLoad(loads, ['two', 'three']), 0);
  assert.equal(leastLoad(loads, []), Number.POSITIVE_INFINITY);
});

test('a worker hands over as much as leaves it no less than the others have', () => {
  const given = (own: string[], share: number, least: number, accountsMax = 9) =>
    surplusOf(own, loads, { share, least, accountsMax });
  assert.deepEqual(given(['busy', 'busier', 'idle', 'idler'], 61.5, 0), ['busier']);
  assert.deepEqual(given(['busy', 'busier'], 41, 0), ['busy']);
  assert.deepEqual(given(['busy', 'busier'], 61, 60), []);
  assert.deepEqual(given(['busy', 'idle', 'idler'], 31, 0), ['idle', 'idler']);
  assert.deepEqual(given(['idle', 'idler'], 1, 0, 0), []);
  assert.deepEqual(given(['busy'], 30, 0), [], 'whoever took it would hand it over again');
  assert.deepEqual(given(['busy', 'idle'], 61, 0), [], 'its share and no more');
});
