import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '../../src/core/clock.ts';
import { keptWait, longWaitMs, type ToldWait, waitAt, waitMsOf } from '../../src/core/told-wait.ts';

const now = Date.UTC(2026, 10, 21);
const wait = (fields: Partial<ToldWait> = {}): ToldWait => ({
  since: now,
  at: now,
  saidMs: 60_000,
  until: now + 60_000,
  ...fields,
});

test('an account waits as long as it was told, and a day at most', () => {
  assert.deepEqual([0, 60_000, dayMs, dayMs + 1].map(waitMsOf), [0, 60_000, dayMs, dayMs]);
});

test('a wait goes on for a minute after its end: told again until then, it is the same one', () => {
  const told = wait();
  assert.equal(waitAt(null, now), null);
  assert.equal(waitAt(told, told.until + 60_000), told);
  assert.equal(waitAt(told, told.until + 60_001), null);
});

test('a program that begins keeps a wait for a quarter of an hour from when it was told at most, and from now where the clock was set back', () => {
  const kept = (told: ToldWait | null, at: number) => keptWait(told, at)?.until ?? null;
  assert.equal(kept(null, now), null);
  assert.equal(kept(wait(), now + 59_999), now + 60_000);
  assert.equal(kept(wait(), now + 60_000), null);
  const long = wait({ saidMs: dayMs, until: now + dayMs });
  assert.equal(kept(long, now + 60_000), now + longWaitMs);
  assert.equal(kept(long, now + longWaitMs), null);
  assert.equal(kept(long, now - dayMs), now - dayMs + longWaitMs);
});
