import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { reasonOf } from '../../../src/core/basics/errors.ts';
import { listAccessEvents } from '../../../src/operations/access/list-access-events.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { showDifference } from '../../../src/operations/proof/show-difference.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { openSigningKey } from '../../../src/reports/versions/signing-key.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import type { Role } from '../../../src/runtime/settings/config-shape.ts';
import { clockOf, signedBy, testLedger, writeSampleBatch } from '../../reports/fixture.ts';
import { giveBack, sayFailed } from '../../reports/late.ts';
import { folderOf } from '../../support/folder.ts';

const door = { nameOf: (field: string) => field };

/** Two versions of the reports of B-1, and somebody with these roles. */
async function twoVersions(t: TestContext, roles: Role[]) {
  const out = folderOf(t);
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1');
  const key = await openSigningKey(join(out, 'key.pem'));
  const write = (mask: boolean) => writeReports(db, 'B-1', out, { ...signedBy(db, key), mask });
  await write(false);
  await giveBack(db, 2);
  await sayFailed(db, 3);
  await write(false);
  const grant = { roles, accounts: [] };
  const config = { people: {}, out, readableByGroup: false };
  const session = { db, clock: clockOf(db), config, person: 'ann', through: 'console', grant } as unknown as Session;
  const show = (input: { version: number; limit?: number; masked?: boolean }) =>
    performIn(session, showDifference, door, { batch_id: 'B-1', ...input });
  return { session, show, dir: join(out, 'B-1') };
}

test('the differences between two versions are shown, with why in a form that other languages can tell', async (t) => {
  const { session, show, dir } = await twoVersions(t, ['operate']);
  const { lines, is_cut } = await show({ version: 2 });
  assert.equal(is_cut, false);
  assert.deepEqual(
    lines?.map(({ row, column, before, after }) => [row, column, before, after]),
    [
      [2, 'refunded_at', '', '2026-11-02T08:00:00.000Z'],
      [2, 'refund_amount', '', '0.80'],
      [2, 'refund_currency', '', 'USD'],
      [2, 'row.refund', '', 'USD 0.80'],
      [3, 'row.changed_late', '', 'the row ended completed, and the service now says failed'],
    ],
  );
  assert.deepEqual(
    lines?.at(-1)?.after_reason,
    reasonOf('WHY_ENDED_SAYS', { row_status: 'completed', service_status: 'failed' }),
  );
  assert.ok(lines?.slice(0, 4).every(({ after_reason }) => after_reason === null));
  const some = await show({ version: 2, limit: 2 });
  assert.deepEqual([some.lines?.length, some.is_cut], [2, true]);
  assert.deepEqual(await show({ version: 1 }), { lines: null, is_cut: false }, 'there is none before it');
  assert.deepEqual(await show({ version: 2, masked: true }), { lines: null, is_cut: false }, 'nobody has written it');
  const { events } = await performIn(session, listAccessEvents, door, {});
  const reads = events.map(({ kind, body }) => [kind, JSON.parse(body).file, JSON.parse(body).version]);
  assert.deepEqual(reads, [
    ['report.read', 'difference.csv', 2],
    ['report.read', 'difference.csv', 2],
  ]);
  rmSync(join(dir, 'difference.csv'));
  assert.deepEqual(await show({ version: 2 }), { lines: null, is_cut: false });
});

test('an auditor does not see those of files with complete numbers', async (t) => {
  const { show } = await twoVersions(t, ['audit']);
  await assert.rejects(show({ version: 2 }), { code: 'ROLE_MISSING' });
});
