import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { auditKinds, auditSentence } from '../../src/reports/audit-sentences.ts';

const source = resolve(import.meta.dirname, '../../src');
const read = (path: string) => readFileSync(join(source, path), 'utf8');

/** The events of a table of states, as its type names them. */
function eventsIn(path: string, type: string, thing: string): string[] {
  const union = new RegExp(`export type ${type} =([^;]*);`, 's').exec(read(path).replace(/\/\/.*$/gm, ''))?.[1] ?? '';
  return [...union.matchAll(/\| '([a-z_]+)'/g)].map(([, name]) => `${thing}.${name}`);
}

/** Every kind that is written down somewhere: changes of state, and what is noted besides. */
function allKinds(): string[] {
  const noted = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('reports'))
    .flatMap((path) => [...read(path).matchAll(/'((?:row|batch)\.[a-z_]+)'/g)].map(([, kind]) => kind ?? ''));
  const changes = [
    ...eventsIn('core/row-state.ts', 'RowEvent', 'row'),
    ...eventsIn('core/batch-state.ts', 'BatchEvent', 'batch'),
  ];
  return [...new Set([...changes, ...noted, 'batch.received'])].sort();
}

describe('a sentence of the audit log', () => {
  test('is there for every kind of event that the program writes, and for no other', () => {
    const kinds = allKinds();
    assert.ok(kinds.length > 25, `${kinds.length} kinds were found`);
    assert.deepEqual([...auditKinds].sort(), kinds);
  });

  const at = Date.UTC(2026, 10, 20, 9, 30, 12);
  const event = { batch_id: 'B', seq: 1, at, hash: '' };
  for (const [kind, row_no, data, expected] of [
    [
      'row.send',
      17,
      { attempt: 1, generation: 1, key: '8bebf45f-aaaa' },
      'row 17: wrote down that it is about to be sent: attempt 1, key 8bebf45f…',
    ],
    [
      'row.send',
      17,
      { attempt: 1, generation: 2, key: '8bebf45f-aaaa' },
      'row 17: wrote down that it is about to be sent: attempt 1 of generation 2, key 8bebf45f…',
    ],
    ['row.doubt', 17, { why: 'interrupted' }, 'row 17: does not know what became of it: interrupted'],
    [
      'row.doubt',
      17,
      { http_status: 503, code: 'http_503', message: 'try later' },
      'row 17: does not know what became of it (HTTP 503, http_503, try later)',
    ],
    [
      'row.complete',
      17,
      { cost: '10', cost_currency: 'KES', topup_id: 't-1' },
      'row 17: it was paid for KES 10.00, as t-1',
    ],
    ['row.complete', 17, { as: 'paid', evidence: 'receipt 8841' }, 'row 17: decided that it was paid: receipt 8841'],
    ['row.fail', 17, { failure_code: 'DECLINED' }, 'row 17: it failed: DECLINED'],
    [
      'row.skip',
      17,
      { why: 'already_paid', other_batch: 'A', other_row: 3 },
      'row 17: skipped it: already_paid (batch A, row 3 has it)',
    ],
    ['row.retry', 17, { next_generation: 2, failure_code: '234' }, 'row 17: begins anew, as generation 2 after 234'],
    [
      'batch.approve',
      null,
      { rows: 28, content_sha256: '62e43edcde1bff' },
      'batch: approved 28 rows, with the digest 62e43edcde1b…',
    ],
    [
      'batch.pause',
      null,
      { reason: 'insufficient_balance', detail: 'code 20' },
      'batch: paused it (insufficient balance): code 20',
    ],
    ['batch.cancel', null, { why: 'the wrong month', rejected: 'true' }, 'batch: rejected it: the wrong month'],
    ['row.brand_new', 4, {}, 'row 4: row brand new'],
  ] as [string, number | null, object, string][])
    test(`says of ${kind} ${JSON.stringify(data)} what happened`, () => {
      const sentence = auditSentence({ ...event, actor: 'mary', kind, row_no, body: JSON.stringify(data) });
      assert.equal(sentence, `2026-11-20 09:30:12 UTC  mary  ${expected}`);
    });
});
