import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { presentKind } from '../../../src/ledger/audit/event-kinds.ts';
import { auditKinds, auditSentence } from '../../../src/reports/sentences/audit-sentences.ts';

const source = resolve(import.meta.dirname, '../../../src');
const read = (path: string) => readFileSync(join(source, path), 'utf8');

/** The events of a table of states, as its type names them. */
function eventsIn(path: string, type: string, thing: string): string[] {
  const union = new RegExp(`export type ${type} =([^;]*);`, 's').exec(read(path).replace(/\/\/.*$/gm, ''))?.[1] ?? '';
  return [...union.matchAll(/\| '([a-z_]+)'/g)].map(([, name]) => `${thing}.${name}`);
}

/** Names events for other programs, which are no events of the audit log. */
const namesWebhooks = join('notify', 'webhook-events.ts');

/** Every kind that is written down somewhere: changes of state, and what is noted besides. */
function allKinds(): string[] {
  const noted = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('reports') && !path.startsWith('console'))
    .filter((path) => path !== namesWebhooks)
    .flatMap((path) =>
      [...read(path).matchAll(/'((?:row|batch)\.[a-z_]+)'/g)].map(([, kind]) => presentKind(kind ?? '')),
    );
  const changes = [
    ...eventsIn('core/state/row-state.ts', 'RowEvent', 'row'),
    ...eventsIn('core/state/batch-state.ts', 'BatchEvent', 'batch'),
  ];
  return [...new Set([...changes, ...noted, 'batch.received'])].sort();
}

describe('a sentence of the audit log', () => {
  test('exists for every kind of event that the program writes, and for no other', () => {
    const kinds = allKinds();
    assert.ok(kinds.length > 25, `${kinds.length} kinds were found`);
    assert.deepEqual([...auditKinds].sort(), kinds);
  });

  const at = Date.UTC(2026, 10, 20, 9, 30, 12);
  const event = { batch_id: 'B', seq: 1, at, hash: '' };
  const told: string[] = [];
  for (const [kind, row_no, data, expected] of [
    [
      'batch.received',
      null,
      { run_id: 'november', file_sha256: '62e43edcde1bff' },
      'batch: received the file with SHA-256 62e43edcde1b… as run november',
    ],
    [
      'batch.validate',
      null,
      { rows: 7, valid: 4, invalid: 1, held: 0, skipped: 2 },
      'batch: read 7 rows: 4 to pay, 1 wrong, 0 held, 2 skipped (paid before, in progress, or a total)',
    ],
    ['batch.reject', null, { code: 'COLUMN_MISSING' }, 'batch: could not read the file ("COLUMN_MISSING")'],
    [
      'batch.request_approval',
      null,
      { why: 'the policy asks for two' },
      'batch: submitted it for approval by a second person: the policy asks for two',
    ],
    ['batch.start', null, {}, 'batch: started to send'],
    ['batch.pause', null, { why: 'lunch' }, 'batch: paused it (by person): lunch'],
    ['batch.pause_besides', null, { why: 'lunch' }, 'batch: also paused it (by person): lunch'],
    ['batch.pause_added', null, { why: 'lunch' }, 'batch: also paused it (by person): lunch'],
    [
      'batch.pause_cleared',
      null,
      { reason: 'insufficient_balance', why: 'the balance is back' },
      'batch: cleared its pause (insufficient balance): the balance is back',
    ],
    ['batch.resume', null, { why: 'funded' }, 'batch: resumed it: funded'],
    ['batch.complete', null, {}, 'batch: finished: every row has ended'],
    ['batch.cancel', null, { why: 'the wrong month' }, 'batch: cancelled it: the wrong month'],
    ['batch.reopen', null, {}, 'batch: reopened for a retry of failed rows'],
    [
      'batch.service_moved',
      null,
      { from: 'https://one.example (v2)', to: 'https://two.example (v2)' },
      'batch: said that its service has moved from https://one.example (v2) to https://two.example (v2)',
    ],
    [
      'batch.unlisted',
      null,
      { from: '2026-11-20T09:00:00.000Z', why: 'the service is asked' },
      "batch: continued without the service's list of what was paid since 2026-11-20T09:00:00.000Z, which could not be read: the service is asked",
    ],
    [
      'batch.boost',
      null,
      { finish_by: Date.UTC(2026, 10, 20, 14) },
      'batch: sent it before the others, to finish by 2026-11-20 14:00:00 UTC',
    ],
    [
      'batch.reorder',
      null,
      { priority: 'urgent', finish_by: Date.UTC(2026, 10, 20, 14), before_priority: 'bulk', before_finish_by: null },
      'batch: changed its order: urgent instead of bulk, to finish by 2026-11-20 14:00:00 UTC instead of at no set time',
    ],
    [
      'batch.reorder',
      null,
      { priority: 'urgent', finish_by: null, before_priority: 'urgent', before_finish_by: Date.UTC(2026, 10, 20, 14) },
      'batch: changed its order: urgent, to finish at no set time instead of by 2026-11-20 14:00:00 UTC',
    ],
    ['batch.canary_passed', null, {}, 'batch: the first rows (canary) ended well; the other rows can be sent'],
    ['batch.report', null, { version: 2 }, 'batch: published version 2 of its reports'],
    ['batch.forget', null, { rows: 1, why: 'retention' }, 'batch: erased the personal data of 1 row: retention'],
    ['row.release', 17, {}, 'row 17: released it'],
    [
      'row.hold',
      17,
      { why: 'sent lately', other_batch: 'A', other_row: 3 },
      'row 17: held it for a person: sent lately (see batch A, row 3)',
    ],
    ['row.cancel', 17, {}, 'row 17: cancelled it'],
    [
      'row.unsent',
      17,
      { http_status: 429, code: 'RATE_LIMITED' },
      'row 17: the service did not accept it; it is ready to be sent again (HTTP 429, RATE_LIMITED)',
    ],
    ['row.unsent', 17, { why: 'told to wait' }, 'row 17: it was not sent: told to wait; it is ready to be sent'],
    [
      'row.accept',
      17,
      { service_status: 'processing', topup_id: 't-1' },
      'row 17: accepted by the service: processing, payment t-1',
    ],
    ['row.fail', 17, { as: 'not-paid', evidence: 'ticket 12' }, 'row 17: decided that it was not paid: ticket 12'],
    [
      'row.complete',
      17,
      { as: 'paid', evidence: 'ticket 12', look_up: 'not_found' },
      'row 17: decided that it was paid: ticket 12 (the service was asked before: not found)',
    ],
    ['row.retry', 17, { by: 'service' }, 'row 17: retry started (by the service)'],
    [
      'row.look_up',
      17,
      { step: 'look_up_again', look_up: 'not_found', look_ups: 2, http_status: 404 },
      'row 17: looked it up (2): not found; next: look up again (HTTP 404)',
    ],
    ['row.assign', 17, { owner: 'mary', before: null }, 'row 17: made mary its owner'],
    ['row.assign', 17, { owner: null, before: 'mary' }, 'row 17: removed its owner (mary)'],
    ['row.adopt', 17, { look_ups: 3 }, 'row 17: found it at the service at look-up 3, and follows it'],
    ['row.review', 17, { why: 'nobody can tell' }, 'row 17: left it for a person to decide: nobody can tell'],
    ['row.escalate', 17, { why: 'nobody can tell' }, 'row 17: left it for a person to decide: nobody can tell'],
    ['row.overdue', 17, { age_ms: 5_400_000 }, 'row 17: has waited 90 minutes for a final status, and keeps waiting'],
    [
      'row.unknown_status',
      17,
      { service_status: 'parked' },
      'row 17: the service gave a status that its specification does not list ("parked"); it is still followed',
    ],
    ['row.refund', 17, { amount: '10', currency: 'KES' }, 'row 17: the service refunded money: KES 10.00'],
    ['row.refund', 17, {}, 'row 17: the service refunded money'],
    ['row.contradicted', 17, { why: 'it failed there' }, 'row 17: the service contradicts the ledger: it failed there'],
    [
      'row.late_charge',
      17,
      { topup_id: 't-1', cost: '0.8', cost_currency: 'USD', charged_at: 1 },
      'row 17: the service charged USD 0.80 for a payment that had failed, for a second one, or as the new cost of a paid row',
    ],
    ['row.changed_late', 17, { why: 'now failed' }, 'row 17: read the payment again, and found a change: now failed'],
    [
      'row.send',
      17,
      { attempt: 1, generation: 1, key: '8bebf45f-aaaa' },
      'row 17: recorded before sending: attempt 1, key 8bebf45f…',
    ],
    [
      'row.send',
      17,
      { attempt: 1, generation: 2, key: '8bebf45f-aaaa' },
      'row 17: recorded before sending: attempt 1 of retry 1, key 8bebf45f…',
    ],
    ['row.doubt', 17, { why: 'interrupted' }, 'row 17: the result is not known: interrupted'],
    [
      'row.doubt',
      17,
      { http_status: 503, code: 'http_503', message: 'try later' },
      'row 17: the result is not known (HTTP 503, http_503, try later)',
    ],
    [
      'row.complete',
      17,
      { cost: '10', cost_currency: 'KES', topup_id: 't-1' },
      'row 17: paid, KES 10.00 charged, payment t-1',
    ],
    ['row.complete', 17, { as: 'paid', evidence: 'receipt 8841' }, 'row 17: decided that it was paid: receipt 8841'],
    ['row.fail', 17, { failure_code: 'DECLINED' }, 'row 17: failed: DECLINED'],
    [
      'row.fail',
      17,
      { failure_code: '30', failure_reason: 'The number is barred' },
      'row 17: failed: 30: The number is barred',
    ],
    [
      'row.fail',
      17,
      { failure_code: null, failure_reason: 'Declined', cost: '0', cost_currency: 'KES' },
      'row 17: failed: Declined',
    ],
    [
      'row.fail',
      17,
      { failure_code: 'UNDERLIVERED', cost: '150', cost_currency: 'KES' },
      'row 17: failed: UNDERLIVERED, and KES 150.00 stays charged',
    ],
    [
      'batch.draft',
      null,
      { original_sha256: '62e43edcde1bff', cells: 2, steps: 3, undone: 1 },
      'batch: made its file from the one with SHA-256 62e43edcde1b…, with 2 changed cells in 3 steps (1 undone)',
    ],
    ['batch.exclude_row', null, { line: 6, by: 'amina' }, 'batch: amina left out line 6 of the original file'],
    [
      'row.mend',
      17,
      { by: 'amina', column: 3 },
      'row 17: amina changed its cell in column 4 before the file was submitted',
    ],
    [
      'row.skip',
      17,
      { why: 'already_paid', other_batch: 'A', other_row: 3 },
      'row 17: skipped it: already_paid (batch A, row 3 has it)',
    ],
    ['row.retry', 17, { next_generation: 2, failure_code: '234' }, 'row 17: retry 1 started after 234'],
    [
      'batch.approve',
      null,
      { rows: 28, content_sha256: '62e43edcde1bff' },
      'batch: approved 28 rows, with the digest 62e43edcde1b…',
    ],
    [
      'batch.give_approval',
      null,
      { approvals_needed: 2, content_sha256: '62e43edcde1bff' },
      'batch: approved it as one of 2 people, with the digest 62e43edcde1b…',
    ],
    [
      'batch.void_approvals',
      null,
      { why: 'the state of 1 row has changed' },
      'batch: voided the approvals so far: the state of 1 row has changed',
    ],
    [
      'batch.pause',
      null,
      { reason: 'insufficient_balance', detail: 'code 20' },
      'batch: paused it (insufficient balance): code 20',
    ],
    ['batch.cancel', null, { why: 'the wrong month', rejected: 'true' }, 'batch: rejected it: the wrong month'],
    ['batch.cancel', null, { why: 'the wrong month', withdrawn: 'true' }, 'batch: withdrew it: the wrong month'],
    ['row.brand_new', 4, {}, 'row 4: row brand new'],
  ] as [string, number | null, object, string][]) {
    told.push(kind);
    test(`says of ${kind} ${JSON.stringify(data)} what happened`, () => {
      const sentence = auditSentence({ ...event, actor: 'mary', kind, row_no, body: JSON.stringify(data) });
      assert.equal(sentence, `2026-11-20 09:30:12 UTC  mary  ${expected}`);
    });
  }

  test('is one line, and makes control characters visible', () => {
    const why =
      'ok\n2026-11-22 19:00:00 UTC  alice  batch: approved 2 rows\r\u001b[2K\u2028\u2029\u0085\u202egnihton\u2066\u007f';
    const data = { kind: 'row.skip', row_no: 2, body: JSON.stringify({ why }) };
    assert.equal(
      auditSentence({ ...event, ...data, actor: 'mary\n' }),
      '2026-11-20 09:30:12 UTC  mary\\n  row 2: skipped it: ok\\n2026-11-22 19:00:00 UTC  alice  batch: approved 2 rows' +
        '\\r\\u001b[2K\\u2028\\u2029\\u0085\\u202egnihton\\u2066\\u007f',
    );
  });

  test('of every kind is tested above word for word', () => {
    assert.deepEqual(
      auditKinds.filter((kind) => !told.includes(kind)),
      [],
    );
  });
});
