import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorReason, reasonOf } from '../../../src/core/basics/errors.ts';
import { type EventWhy, eventWhys, reasonOfWhy } from '../../../src/core/state/event-whys.ts';
import type { Clock } from '../../../src/core/time/clock.ts';
import { type AuditEvent, type EventData, pageEvents } from '../../../src/ledger/audit/events.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { listEvents } from '../../../src/operations/audit/list-events.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { testLedger, writeSampleBatch } from '../../reports/fixture.ts';

type Listed = AuditEvent & { why_reason: ErrorReason | null };

/** As the chain has them. */
const inChain = (events: Listed[]): AuditEvent[] => events.map(({ why_reason: _, ...event }) => event);

test('list-events gives the whole history of a batch or a row, page by page', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1');
  const session = { db, config: { people: {} }, person: 'ann', through: 'cli' } as unknown as Session;
  const door = { nameOf: (field: string) => field };
  const read = async (which: { row?: number }) => {
    const read: Listed[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { events: Listed[]; next: number | null } = await performIn(session, listEvents, door, {
        ...which,
        batch_id: 'B-1',
        after,
        limit: 2,
      });
      assert.ok(page.events.length <= 2);
      read.push(...page.events);
      after = page.next;
    }
    return inChain(read);
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
  assert.deepEqual(inChain(lately.events), ofBatch.slice(-2));
  const pages: Listed[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const from = before === undefined ? {} : { before };
    const page: { events: Listed[]; older: string | null } = await performIn(session, listEvents, door, {
      ...from,
      limit: 2,
    });
    pages.unshift(...page.events);
    before = page.older;
  }
  assert.deepEqual(inChain(pages), ofBatch, 'all actions of people, however old, each once');
  const at = ofBatch.at(-1)?.at ?? 0;
  const earlier = await performIn(session, listEvents, door, { until: new Date(at).toISOString() });
  assert.deepEqual(
    inChain(earlier.events),
    ofBatch.filter((event) => event.at < at),
  );
  await assert.rejects(performIn(session, listEvents, door, { before: 'x' }), { code: 'USAGE' });
  await assert.rejects(performIn(session, listEvents, door, { row: 1 }), { code: 'USAGE' });
  await assert.rejects(performIn(session, listEvents, door, { batch_id: 'B-9' }), { code: 'BATCH_UNKNOWN' });
});

test('list-events says why something happened in a form that other languages can tell', async (t) => {
  const db = await testLedger(t);
  await writeSampleBatch(db, 'B-1');
  const clock = { now: () => 1 } as Clock;
  const note = (actor: string, kind: string, data: EventData) =>
    inUnit(db, { clock, actor }, (unit) => unit.append('B-1', kind, data));
  const reason = reasonOf('PAUSE_FIRST_ROWS', { failed: 1, rows: 2 });
  const noted: [actor: string, kind: string, data: EventData, expected: ErrorReason | null][] = [
    ['engine', 'row.unsent', { why: 'interrupted' }, reasonOf('WHY_INTERRUPTED')],
    ['wanjiru', 'row.doubt', { why: 'interrupted' }, reasonOf('WHY_INTERRUPTED')],
    ['engine', 'row.escalate', { why: 'in English', why_reason: JSON.stringify(reason) }, reason],
    ['engine', 'batch.pause', { detail: 'in English', detail_reason: JSON.stringify(reason) }, reason],
    ['engine', 'row.skip', { why: 'already_paid' }, reasonOf('ALREADY_PAID')],
    ['engine', 'row.hold', { why: 'MAY_BE_PAID' }, reasonOf('MAY_BE_PAID')],
    ['retention', 'batch.forget', { why: 'retention' }, reasonOf('WHY_RETENTION')],
    // A person's own words, those of an earlier or a later version, and what somebody has damaged.
    ['wanjiru', 'batch.forget', { why: 'retention' }, null],
    ['wanjiru', 'row.skip', { why: 'interrupted' }, null],
    ['wanjiru', 'batch.pause', { why: 'interrupted' }, null],
    ['engine', 'row.doubt', { why: 'said by a later version' }, null],
    ['engine', 'row.escalate', { why: 'in English', why_reason: '{"code":' }, null],
    ['engine', 'row.send', {}, null],
  ];
  const { length } = await pageEvents(db, 'B-1', 0, 1_000);
  for (const [actor, kind, data] of noted) await note(actor, kind, data);
  const session = { db, config: { people: {} }, person: 'ann', through: 'cli' } as unknown as Session;
  const { events } = await performIn(
    session,
    listEvents,
    { nameOf: (field) => field },
    { batch_id: 'B-1', after: length },
  );
  assert.deepEqual(
    events.map(({ why_reason }) => why_reason),
    noted.map(([, , , expected]) => expected),
  );
});

test('every sentence with which airbatch explains an event has its code, with the values of the sentence', () => {
  const samples: Record<string, string> = {
    cost: '1250',
    other_cost: '1300.5',
    currency: 'KES',
    other_currency: 'USD',
  };
  for (const [code, sentence] of Object.entries(eventWhys)) {
    const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const values = Object.fromEntries(names.map((name) => [name, samples[name] ?? `its_${name}`]));
    const said = sentence.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
    assert.deepEqual(reasonOfWhy(said), { code, values }, said);
  }
  const phone: EventWhy = 'the answer names another phone number';
  assert.deepEqual(reasonOfWhy(phone), reasonOf('WHY_ANSWER_NAMES', { difference: 'phone_number' }));
});
