import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditEvent, pageEvents } from '../../../src/ledger/audit/events.ts';
import { type TraceSpan, traceSpans } from '../../../src/runtime/upkeep/trace-spans.ts';
import { makeRig, someRows } from '../../support/engine.ts';

const batch = { batch_id: 'batch-1', account: 'main' };

/** The part of the trace that is under a span, as lines: name, duration in seconds, failed or not. */
function tree(spans: TraceSpan[], parent: number | null = null, indent = ''): string[] {
  return spans.flatMap((span, at) =>
    span.parent === parent
      ? [
          `${indent}${span.name} ${(span.to - span.from) / 1_000}${span.hasFailed ? ' failed' : ''}`,
          ...tree(spans, at, `${indent}  `),
        ]
      : [],
  );
}

function event(seq: number, kind: string, row_no: number | null, second: number, data: object = {}): AuditEvent {
  return {
    ...{ batch_id: 'batch-1', seq, kind, row_no },
    at: second * 1_000,
    actor: 'ann',
    body: JSON.stringify(data),
    hash: '',
  };
}

test('a trace has the steps of the batch, and of each row what it waited for', () => {
  const events = [
    event(1, 'batch.received', null, 0, { run_id: 'run +254712345678' }),
    event(2, 'batch.validate', null, 2),
    event(3, 'batch.approve', null, 60, { why: 'because' }),
    event(4, 'batch.start', null, 61),
    event(5, 'row.send', 1, 62, { attempt: 1, key: 'secret-key' }),
    event(6, 'row.send', 2, 62, { attempt: 1 }),
    event(7, 'row.doubt', 1, 92, { why: 'timeout', request_id: 'req-7' }),
    event(8, 'row.accept', 2, 63, { topup_id: 't-2', service_status: 'pending' }),
    event(9, 'row.look_up', 1, 120),
    event(10, 'row.adopt', 1, 121),
    event(11, 'row.fail', 2, 70, { failure_reason: 'no such +254712345678' }),
    event(12, 'row.complete', 1, 130),
    event(13, 'batch.complete', null, 130),
    event(14, 'batch.report', null, 131),
  ];
  const spans = traceSpans(batch, { events, ended: events.slice(-3), rowsMax: 10 });
  assert.deepEqual(tree(spans), [
    'batch 131',
    '  intake 2',
    '  approval 58',
    '  waiting to begin 1',
    '  payments 69',
    '  reports 1',
    '  row 68',
    '    request 30',
    '    in doubt 29',
    '    at the service 9',
    '  row 8 failed',
    '    request 1',
    '    at the service 7',
  ]);
  const said = JSON.stringify(spans);
  assert.match(said, /"airbatch\.request_id":"req-7"/);
  assert.doesNotMatch(said, /2547|secret-key|ann|because|no such/);
  assert.equal(traceSpans(batch, { events, ended: [], rowsMax: 1 }).filter(({ name }) => name === 'row').length, 1);
});

test('the events of a real batch give a trace, also if the last ones are far from the first', async () => {
  const rig = await makeRig({ settleMs: 60_000 });
  rig.service.script('run-1/ref-2', 'lose_answer');
  await rig.add(someRows(3), { balance_before: null });
  const batchId = 'batch-1';
  const runner = rig.runner();
  const running = runner.run(Number.POSITIVE_INFINITY);
  await rig.clock.drive(rig.clock.sleep(600_000));
  runner.stop();
  await rig.clock.drive(running);
  const events = await pageEvents(rig.db, batchId, 0, 1_000);
  const lines = tree(traceSpans({ batch_id: batchId, account: 'main' }, { events, ended: [], rowsMax: 10 }));
  assert.equal(lines.filter((line) => line.startsWith('  row ')).length, 3);
  assert.ok(
    lines.some((line) => line.startsWith('    in doubt ')),
    lines.join('\n'),
  );
  const cut = traceSpans(
    { batch_id: batchId, account: 'main' },
    { events: events.slice(0, 4), ended: events.slice(-2), rowsMax: 10 },
  );
  assert.equal(cut[0]?.to, events.at(-1)?.at);
});
