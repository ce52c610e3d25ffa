import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditEvent, pageEvents } from '../../../src/ledger/audit/events.ts';
import { listEvents } from '../../../src/operations/audit/list-events.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { testLedger, writeSampleBatch } from '../../reports/fixture.ts';

test('list-events gives the whole history of a batch or a row, page by page', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1');
  const session = { db, config: { people: {} }, person: 'ann', through: 'cli' } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const read = async (which: { row?: number }) => {
    const read: AuditEvent[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { events: AuditEvent[]; next: number | null } = await performIn(session, listEvents, door, {
        ...which,
        batch_id: 'B-1',
        after,
        limit: 2,
      });
      assert.ok(page.events.length <= 2);
      read.push(...page.events);
      after = page.next;
    }
    return read;
  };
  const whole = await pageEvents(db, 'B-1', 0, 1_000);
  assert.ok(whole.length > 4);
  assert.deepEqual(await read({}), whole);
  assert.deepEqual(
    await read({ row: 1 }),
    whole.filter(({ row_no }) => row_no === 1),
  );
  const lately = await performIn(session, listEvents, door, { limit: 2 });
  assert.equal(lately.next, null);
  const ofBatch = whole.filter(({ row_no, actor }) => row_no === null || !['engine', 'intake'].includes(actor));
  assert.deepEqual(lately.events, ofBatch.slice(-2));
  const pages: AuditEvent[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const from = before === undefined ? {} : { before };
    const page: { events: AuditEvent[]; older: string | null } = await performIn(session, listEvents, door, {
      ...from,
      limit: 2,
    });
    pages.unshift(...page.events);
    before = page.older;
  }
  assert.deepEqual(pages, ofBatch, 'all actions of people, however old, each once');
  const at = ofBatch.at(-1)?.at ?? 0;
  const earlier = await performIn(session, listEvents, door, { until: new Date(at).toISOString() });
  assert.deepEqual(
    earlier.events,
    ofBatch.filter((event) => event.at < at),
  );
  await assert.rejects(performIn(session, listEvents, door, { before: 'x' }), { code: 'USAGE' });
  await assert.rejects(performIn(session, listEvents, door, { row: 1 }), { code: 'USAGE' });
  await assert.rejects(performIn(session, listEvents, door, { batch_id: 'B-9' }), { code: 'BATCH_UNKNOWN' });
});
