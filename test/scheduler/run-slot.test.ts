import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { Session } from '../../src/runtime/session.ts';
import { defineJob } from '../../src/scheduler/define-job.ts';
import { runSlot } from '../../src/scheduler/run-slot.ts';
import { memoryLedger } from '../support/ledger.ts';

test('a slot whose process is to end begins with no further file of its inbox, and is run again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'inbox'));
  for (const name of ['a.csv', 'b.csv']) {
    writeFileSync(join(folder, 'inbox', name), 'phone_number\n');
    utimesSync(join(folder, 'inbox', name), 1, 1);
  }
  const job = defineJob({
    name: 'payroll',
    schedule: { cron: '0 9 25 * *', timeZone: 'UTC' },
    source: { kind: 'folder', folder },
  });
  const deps = {
    session: { db: await memoryLedger(), clock: systemClock } as Session,
    base: folder,
    withAccount: () => assert.fail('a file was begun with'),
    requireSlot: async () => undefined,
    stopping: AbortSignal.abort(),
  };
  const { outcome } = await runSlot(deps, job, Date.UTC(2026, 10, 25, 9));
  assert.equal(outcome, 'wait');
  assert.deepEqual(readdirSync(join(folder, 'working')), ['20261125-0900~a.csv', '20261125-0900~b.csv']);
});
