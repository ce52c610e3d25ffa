import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReadBefore } from '../../../src/core/duplicates/comparison.ts';
import { decideDuplicate, decideInFile } from '../../../src/core/duplicates/decision-table.ts';
import type { EarlierPayment, LostPayment, SentPayment } from '../../../src/core/duplicates/earlier-payments.ts';
import {
  type AskingRow,
  countedSince,
  type DuplicateRules,
  duplicateRules,
  type FileRules,
  type KeyOwner,
  type MayGoOn,
  type SharedInFile,
} from '../../../src/core/duplicates/question.ts';
import { contentRowRef } from '../../../src/core/identity/ids.ts';
import { storedPolicy } from '../../../src/core/state/batch-policy.ts';
import { dayMs } from '../../../src/core/time/clock.ts';

const terms = { phone_number: '+254712000001', network_id: 1, amount: '100', currency: 'KES', product_id: null };
const row: AskingRow = {
  ...terms,
  batch_id: 'own',
  row_no: 1,
  run_id: 'bonus',
  row_ref: 'R-1',
  known_until: null,
  maximumKnownUntil: null,
};
const rules: DuplicateRules = { days: 1, asOf: 1_000 + dayMs, maximum: null };
const nothing = { owner: null, mayGoOn: 'never', earlier: [], isInFile: () => false } as const;

describe('a row whose run id and row ref another batch used', () => {
  const owner: KeyOwner = {
    ...terms,
    batch_id: 'b',
    row_no: 1,
    line: 3,
    generation: 1,
    status: 'completed',
    service_status: null,
    contradicted: null,
  };
  const failed = { status: 'failed', service_status: 'FAILED' } as const;
  const skipped = { status: 'skipped' } as const;
  const corrected = { amount: '150' };
  type Case = [what: string, of: Partial<KeyOwner>, row: Partial<AskingRow>, at: MayGoOn, outcome: string];
  const cases: Case[] = [
    ['paid', {}, {}, 'if_unpaid', 'skip ALREADY_PAID'],
    ['paid, and corrected since', {}, corrected, 'if_unpaid', 'hold REFERENCE_REUSED'],
    ['in doubt', { status: 'in_doubt' }, {}, 'if_unpaid', 'skip ALREADY_SENT'],
    ['accepted', { status: 'accepted' }, {}, 'if_unpaid', 'skip ALREADY_SENT'],
    ['being sent', { status: 'sending' }, {}, 'if_unpaid', 'skip ALREADY_SENT'],
    ['ready', { status: 'ready' }, {}, 'if_unpaid', 'skip ALREADY_SENT'],
    ['failed, in a person’s file', failed, {}, 'if_unpaid', 'pay 2'],
    ['failed, and corrected in a person’s file', failed, corrected, 'if_unpaid', 'pay 2'],
    ['failed, in a job’s file', failed, {}, 'if_skipped', 'hold FAILED_BEFORE'],
    ['failed, and corrected in a job’s file', failed, corrected, 'if_skipped', 'hold REFERENCE_REUSED'],
    ['failed meanwhile', failed, {}, 'never', 'hold FAILED_BEFORE'],
    ['failed for the last time', { ...failed, generation: 3 }, {}, 'if_unpaid', 'hold FAILED_BEFORE'],
    ['the same, and corrected', { ...failed, generation: 3 }, corrected, 'if_unpaid', 'hold FAILED_BEFORE'],
    ['failed once before the last', { ...failed, generation: 2 }, {}, 'if_unpaid', 'pay 3'],
    ...['TIMEOUT', 'UNDERLIVERED', 'CANCELED'].flatMap((service_status): Case[] => [
      [`failed with ${service_status}`, { ...failed, service_status }, {}, 'if_unpaid', 'hold FAILED_BEFORE'],
      ['and corrected', { ...failed, service_status }, corrected, 'if_unpaid', 'hold FAILED_BEFORE'],
    ]),
    ['contradicted', { ...failed, contradicted: 'completed' }, {}, 'if_unpaid', 'hold MAY_BE_PAID'],
    [
      'contradicted for the last time',
      { ...failed, contradicted: 'x', generation: 3 },
      {},
      'never',
      'hold MAY_BE_PAID',
    ],
    ['skipped unpaid, in a person’s file', skipped, {}, 'if_unpaid', 'pay 2'],
    ['skipped unpaid, in a job’s file', { ...skipped, generation: 2 }, {}, 'if_skipped', 'pay 3'],
    ['skipped unpaid for the last time', { ...skipped, generation: 3 }, {}, 'if_unpaid', 'hold FAILED_BEFORE'],
    ['skipped unpaid meanwhile', skipped, corrected, 'never', 'hold FAILED_BEFORE'],
    ['skipped, and paid before', { ...skipped, service_status: 'completed' }, {}, 'if_unpaid', 'skip ALREADY_SENT'],
    ['skipped, and contradicted', { ...skipped, contradicted: 'completed' }, {}, 'if_unpaid', 'hold MAY_BE_PAID'],
  ];
  for (const [what, ofOwner, ofRow, mayGoOn, expected] of cases) {
    test(`${what}, may go on ${mayGoOn}: ${expected}`, () => {
      const known = { ...nothing, owner: { ...owner, ...ofOwner }, mayGoOn };
      const { outcome, problems, generation, other, knownUntil } = decideDuplicate({ ...row, ...ofRow }, known, rules);
      assert.equal(`${outcome} ${generation ?? problems.map(({ code }) => code).join()}`, expected);
      assert.deepEqual(other, outcome === 'pay' ? null : { other_batch: 'b', other_row: 1 });
      assert.equal(knownUntil, null);
    });
  }

  test('gets the advice to skip it after the last allowed try, whatever it asks for now: a retry would be refused', () => {
    for (const ofOwner of [failed, skipped])
      for (const ofRow of [{}, corrected]) {
        const known = { ...nothing, owner: { ...owner, ...ofOwner, generation: 3 } };
        const [problem] = decideDuplicate({ ...row, ...ofRow }, known, rules).problems;
        assert.match(problem?.message ?? '', /tried 3 times/);
        assert.match(problem?.suggestion ?? '', /^Skip it here.*new reference/);
      }
  });

  test('is also held for what its number was sent, and continues only if no other rule holds it', () => {
    const earlier = [sent()];
    for (const [mayGoOn, codes, generation] of [
      ['if_unpaid', ['SENT_LATELY'], 2],
      ['never', ['FAILED_BEFORE', 'SENT_LATELY'], null],
    ] as const) {
      const known = { ...nothing, earlier, mayGoOn, owner: { ...owner, ...failed } };
      const decision = decideDuplicate(row, known, rules);
      assert.equal(decision.outcome, 'hold');
      assert.deepEqual(
        decision.problems.map(({ code }) => code),
        codes,
      );
      assert.deepEqual([decision.generation, decision.knownUntil], [generation, 1_000]);
    }
  });

  test('is skipped if it is paid, whatever else its number was sent', () => {
    const { outcome, problems } = decideDuplicate(row, { ...nothing, earlier: [sent()], owner }, rules);
    assert.deepEqual([outcome, problems.map(({ code }) => code)], ['skip', ['ALREADY_PAID']]);
  });

  test('is named by its row, and by the line on which a person finds it in the file of its batch', () => {
    const byOwner = decideDuplicate(row, { ...nothing, owner }, rules).problems;
    const byNumber = decideDuplicate(row, { ...nothing, earlier: [sent()] }, rules).problems;
    assert.deepEqual(
      [...byOwner, ...byNumber].map(({ values: { batch, row: no, earlier_line } = {} }) => [batch, no, earlier_line]),
      [
        ['b', '1', '3'],
        ['b', '4', '6'],
      ],
    );
  });
});

function sent(fields: Partial<SentPayment> = {}): SentPayment {
  return {
    ...{ amount: '100', currency: 'KES', product_id: null },
    batch_id: 'b',
    run_id: 'salary',
    row_ref: 'R-9',
    row_no: 4,
    line: 6,
    status: 'completed',
    service_status: 'completed',
    failure_code: null,
    first_sent_at: 1_000,
    known_until: null,
    contradicted: null,
    contradicted_at: null,
    second_topup_id: null,
    ...fields,
  };
}

function lost(fields: Partial<LostPayment> = {}): LostPayment {
  const { run_id, row_ref, amount, currency, first_sent_at } = sent();
  return { topup_id: 't-1', run_id, row_ref: row_ref ?? '', amount, currency, first_sent_at, ...fields };
}

const content = contentRowRef(['+254712000001'], 1);
const inRun = { run_id: 'salary' };
const unnamed = { run_id: 'salary', row_ref: content };
const correction = { ...unnamed, amount: '50' };
const failedHere = { status: 'failed', service_status: 'FAILED' } as const;
const notPaid = { status: 'failed', service_status: 'pending', failure_code: 'RESOLVED_NOT_PAID' } as const;
const contradicted = { ...failedHere, contradicted: 'completed', contradicted_at: 3_000 };
const longAgo = { first_sent_at: 0 };
const noDays = { ...rules, days: 0 };

type OtherCase = [
  what: string,
  row: Partial<AskingRow>,
  payments: EarlierPayment[],
  expected: string | null,
  also?: { isInFile?: true; rules?: DuplicateRules },
];

describe('payments of other batches to the number of a row', () => {
  const cases: OtherCase[] = [
    ['holds it from the first day that counts', {}, [sent()], 'SENT_LATELY'],
    ['not a millisecond earlier', {}, [sent({ first_sent_at: 999 })], null],
    ['holds it if the service once had it, and a person says it was not paid', {}, [sent(notPaid)], 'SENT_LATELY'],
    ['not if the service never had it', {}, [sent({ ...notPaid, service_status: null })], null],
    ['not if it failed for sure', {}, [sent(failedHere)], null],
    ['if it failed and may have arrived', {}, [sent({ ...failedHere, service_status: 'TIMEOUT' })], 'SENT_LATELY'],
    ['if its failure is contradicted', {}, [sent(contradicted)], 'SENT_LATELY'],
    ['not if a person knew of it who released the row', { known_until: 1_000 }, [sent()], null],
    ['if it was sent after that', { known_until: 999 }, [sent()], 'SENT_LATELY'],
    ['if it was contradicted after that', { known_until: 2_999 }, [sent(contradicted)], 'SENT_LATELY'],
    ['not if it is the row itself', { run_id: 'salary', row_ref: 'R-9' }, [sent()], null],
    ['not if its row is beside it in its own batch', {}, [sent({ batch_id: 'own', row_no: 2 })], null],
    ['not if it was something else', {}, [sent({ amount: '50' })], null],
    ['not if it was a product', {}, [sent({ amount: null, currency: null, product_id: '7' })], null],
    ['in its run, lately, though their references differ', inRun, [sent()], 'SENT_LATELY'],
    ['not long ago', inRun, [sent(longAgo)], null],
    ['long ago if it is contradicted', inRun, [sent({ ...contradicted, ...longAgo })], 'SENT_LATELY'],
    ['not in another run', {}, [sent({ ...contradicted, ...longAgo })], null],
    ['ever, if the row has no reference', unnamed, [sent(longAgo)], 'SENT_LATELY', { isInFile: true }],
    ['not in another run', { row_ref: content }, [sent(longAgo)], null],
    ['nor is anything corrected there', { row_ref: content, amount: '50' }, [sent()], null],
    ['ever, if the payment has none', inRun, [sent({ row_ref: content, ...longAgo })], 'SENT_LATELY'],
    ['may be corrected by another amount', correction, [sent()], 'PAID_OTHERWISE'],
    ['not if its own row is in the file, too', correction, [sent()], null, { isInFile: true }],
    ['not if references tell them apart', { ...inRun, amount: '50' }, [sent()], null],
    [
      'not if its batch has sent this row as well',
      correction,
      [sent(), sent({ row_ref: content, amount: '50' })],
      null,
    ],
    [
      'if another batch has sent this row',
      correction,
      [sent(), sent({ batch_id: 'c', row_ref: content, amount: '50' })],
      'PAID_OTHERWISE',
    ],
    [
      'is not compared where the policy compares no days',
      {},
      [sent({ first_sent_at: 2 * dayMs })],
      null,
      { rules: noDays },
    ],
    ['nor may it be corrected', correction, [sent()], null, { rules: noDays }],
    ['but counts if it is contradicted in its run', inRun, [sent(contradicted)], 'SENT_LATELY', { rules: noDays }],
    ['not in another run', {}, [sent(contradicted)], null, { rules: noDays }],
    ['holds it if a restored ledger has lost it', {}, [lost()], 'SENT_LATELY'],
    ['not if that was long ago', {}, [lost(longAgo)], null],
    ['not if that is the row’s own, which a lookup finds', { run_id: 'salary', row_ref: 'R-9' }, [lost()], null],
    [
      'for seven days if nobody could read it',
      {},
      [lost({ ...longAgo, amount: null })],
      'SENT_LATELY',
      { rules: noDays },
    ],
    ['not if it could be read, and no days are compared', {}, [lost()], null, { rules: noDays }],
    [
      'if the row buys a product, which the list does not name',
      { amount: null, product_id: '7' },
      [lost()],
      'SENT_LATELY',
    ],
    ['may be corrected if it is lost', correction, [lost()], 'PAID_OTHERWISE'],
    ['not if the lost one is of a row of the file', unnamed, [lost({ row_ref: content })], null],
  ];
  for (const [what, ofRow, earlier, expected, also = {}] of cases) {
    test(`${what}: ${expected ?? 'nothing'}`, () => {
      const known = { ...nothing, earlier, isInFile: () => also.isInFile ?? false };
      const { outcome, problems, other } = decideDuplicate({ ...row, ...ofRow }, known, also.rules ?? rules);
      assert.deepEqual(
        problems.map(({ code }) => code),
        expected === null ? [] : [expected],
      );
      assert.equal(outcome, expected === null ? 'pay' : 'hold');
      if (expected !== null)
        assert.deepEqual(
          other,
          'topup_id' in (earlier[0] as EarlierPayment) ? { other_payment: 't-1' } : { other_batch: 'b', other_row: 4 },
        );
    });
  }

  test('hold it together with the maximum of its number: a person who releases it sees both reasons', () => {
    const maximum = { days: 30, sums: { KES: '150' }, since: 0 };
    const decision = decideDuplicate(row, { ...nothing, earlier: [sent()] }, { ...rules, maximum });
    assert.deepEqual(
      decision.problems.map(({ code }) => code),
      ['SENT_LATELY', 'RECIPIENT_MAXIMUM'],
    );
    assert.deepEqual([decision.outcome, decision.knownUntil], ['hold', 1_000]);
    const alone = decideDuplicate({ ...row, amount: '151' }, nothing, { ...rules, maximum });
    assert.deepEqual([alone.problems[0]?.code, alone.other, alone.knownUntil], ['RECIPIENT_MAXIMUM', null, 0]);
  });
});

describe('a failed payment is read again before its row is sent', () => {
  for (const [what, ofRow, payment, isRead] of [
    ['if it pays the same', {}, sent(failedHere), true],
    ['not if it is too long ago', {}, sent({ ...failedHere, ...longAgo }), false],
    ['in its run however long ago', inRun, sent({ ...failedHere, ...longAgo }), true],
    ['not if it is something else', {}, sent({ ...failedHere, amount: '50' }), false],
    ['if the row may correct it', correction, sent({ ...failedHere, ...longAgo }), true],
    ['not if it is the row itself', { run_id: 'salary', row_ref: 'R-9' }, sent(failedHere), false],
    ['not if it is of its own batch', {}, sent({ ...failedHere, batch_id: 'own' }), false],
  ] satisfies [string, Partial<AskingRow>, SentPayment, boolean][]) {
    test(what, () => assert.equal(isReadBefore({ ...row, ...ofRow }, payment, rules), isRead));
  }
});

test('the days of a policy count back from the batch, and those of the maximum from now', () => {
  const now = 40 * dayMs;
  const policy = storedPolicy(JSON.stringify({ recipientMaximum: { days: 30, sums: { KES: '1' } } }));
  const { days, asOf, maximum } = duplicateRules(policy, { created_at: 20 * dayMs }, now);
  assert.deepEqual([days, asOf, maximum?.since], [7, 20 * dayMs, 10 * dayMs]);
  assert.equal(countedSince({ days, asOf, maximum }), 10 * dayMs);
  assert.equal(countedSince({ days, asOf, maximum: null }), 13 * dayMs);
  assert.equal(duplicateRules(policy, { created_at: now + 1 }, now).asOf, now);
});

describe('a row and the other rows of its file', () => {
  const none: SharedInFile = { referenceLine: null, contentLine: null, isBeyondMaximum: false };
  const hold: FileRules = { duplicates: 'hold', numberMax: { KES: '500' } };
  type FileCase = [what: string, shared: Partial<SharedInFile>, rules: Partial<FileRules>, expected: string[]];
  const cases: FileCase[] = [
    ['nothing', {}, {}, []],
    ['its reference', { referenceLine: 4 }, {}, ['refuse REFERENCE_TWICE reference']],
    ['its payment', { contentLine: 4 }, {}, ['hold DUPLICATE phone_number']],
    [
      'its payment, where that is refused',
      { contentLine: 4 },
      { duplicates: 'reject' },
      ['refuse DUPLICATE phone_number'],
    ],
    ['its payment, where that is allowed', { contentLine: 4 }, { duplicates: 'allow' }, []],
    ['its number, which gets too much', { isBeyondMaximum: true }, {}, ['hold NUMBER_MAXIMUM phone_number']],
    [
      'all of it',
      { referenceLine: 4, contentLine: 3, isBeyondMaximum: true },
      {},
      ['refuse REFERENCE_TWICE reference', 'hold DUPLICATE phone_number', 'hold NUMBER_MAXIMUM phone_number'],
    ],
  ];
  for (const [what, shared, ofRules, expected] of cases) {
    test(`${what}: ${expected.join(', ') || 'it is paid'}`, () => {
      const row = { line: 5, currency: 'KES', product_id: null };
      const found = decideInFile(row, { ...none, ...shared }, { ...hold, ...ofRules });
      assert.deepEqual(
        found.map(({ outcome, field, problem }) => `${outcome} ${problem.code} ${field}`),
        expected,
      );
    });
  }
});
