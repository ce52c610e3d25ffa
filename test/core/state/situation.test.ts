import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { batchStates } from '../../../src/core/state/batch-state.ts';
import {
  type BatchNumbers,
  doings,
  needKinds,
  situationOf,
  unknownNumbers,
} from '../../../src/core/state/situation.ts';

const numbers: BatchNumbers = {
  ...unknownNumbers,
  ...{ status: 'running', counts: {}, isWorkedOn: true },
  approvals: { given: 0, needed: 1, isExpired: false },
};

/** What is needed of each, what it waits for first, as "what of rows from whom (role)". */
type Case = [what: string, given: Partial<BatchNumbers>, doing: string, holds: string[], needs: string[]];

const money = { status: 'paused', pauses: ['insufficient_balance'], resumesWhenFunded: true } as const;
const cases: Case[] = [
  ['a file that is being read', { status: 'received' }, 'reading', [], []],
  ['a file that could not be read', { status: 'rejected' }, 'unreadable', [], []],
  [
    'a batch that nobody has answered for',
    { status: 'validated', counts: { ready: 3 } },
    ...['unanswered', [], ['answer 3 person prepare']],
  ],
  [
    'a batch for a second person',
    { status: 'awaiting_approval', counts: { ready: 3, held: 1 } },
    ...['awaiting_approval', [], ['approve 3 person approve']],
  ],
  [
    'a batch that has waited for too long to be approved',
    { status: 'awaiting_approval', counts: { ready: 3 }, approvals: { given: 1, needed: 2, isExpired: true } },
    ...['awaiting_approval', [], ['reject 3 person approve']],
  ],
  ['an approved batch that begins', { status: 'approved', counts: { ready: 3 } }, 'starting', [], []],
  [
    'an approved batch without a program',
    { status: 'approved', counts: { ready: 3 }, isWorkedOn: false },
    ...['starting', ['no_program'], ['work 3 program']],
  ],
  [
    'an approved batch with held rows alone',
    { status: 'approved', counts: { held: 2 } },
    ...['waiting', [], ['release 2 person operate']],
  ],
  ['rows that are being sent', { counts: { ready: 3, sending: 1, completed: 5 } }, 'sending', [], []],
  [
    'rows that are being sent, and decisions that can be made meanwhile',
    { counts: { ready: 3, held: 2, in_doubt: 1, accepted: 1 }, leftToPerson: 1, overdue: 1 },
    ...[
      'sending',
      [],
      ['nothing', 'resolve 1 person resolve', 'release 2 person operate', 'end_overdue 1 service resolve'],
    ],
  ],
  [
    'rows at the service, and doubts that are looked up',
    { counts: { accepted: 4, in_doubt: 1 }, lookupAt: 60 },
    ...['following', [], ['end_rows 4 service', 'look_up 1 program at 60']],
  ],
  ['rows at the service', { counts: { accepted: 4 } }, 'following', [], ['end_rows 4 service']],
  [
    'doubts that are looked up',
    { counts: { in_doubt: 2, completed: 1 }, lookupAt: 60 },
    ...['following', [], ['look_up 2 program at 60']],
  ],
  [
    'doubts that are looked up, without a program',
    { counts: { in_doubt: 2 }, lookupAt: 60, isWorkedOn: false },
    ...['interrupted', ['no_program'], ['look_up 2 program at 60']],
  ],
  [
    'rows to send without a program',
    { counts: { ready: 2, held: 1 }, isWorkedOn: false },
    ...['interrupted', ['no_program'], ['work 3 program', 'release 1 person operate']],
  ],
  [
    'all rows ended without a program',
    { counts: { completed: 2 }, isWorkedOn: false },
    'interrupted',
    ['no_program'],
    ['work 0 program'],
  ],
  [
    'rows that a person decides about, with or without a program',
    { counts: { held: 1, in_doubt: 2 }, leftToPerson: 2, isWorkedOn: false },
    ...['waiting', ['no_program'], ['resolve 2 person resolve', 'release 1 person operate']],
  ],
  [
    'rows that the service has for too long',
    { counts: { accepted: 2 }, overdue: 2 },
    ...['following', [], ['end_overdue 2 service resolve']],
  ],
  [
    'rows to send after a restore',
    { counts: { ready: 5, accepted: 1 }, isListUnread: true },
    ...['sending', ['list_unread'], ['read_list 5 program']],
  ],
  [
    'first rows that have not ended',
    { counts: { ready: 5, accepted: 1 }, waitsForFirstRows: true },
    ...['following', ['first_rows'], ['end_first_rows 1 service']],
  ],
  [
    'first rows of which one is left to a person',
    { counts: { ready: 5, in_doubt: 1 }, waitsForFirstRows: true, leftToPerson: 1 },
    ...['waiting', ['first_rows'], ['resolve 1 person resolve']],
  ],
  [
    'first rows that have ended, and are not judged yet',
    { counts: { ready: 5, completed: 1 }, waitsForFirstRows: true },
    ...['following', ['first_rows'], ['end_first_rows 0 service']],
  ],
  [
    'an account that the service throttles',
    { counts: { ready: 2, accepted: 1 }, throttledUntil: 90 },
    ...['sending', ['throttled'], ['end_throttle 3 service at 90']],
  ],
  [
    'a service that does not answer',
    { counts: { ready: 2, accepted: 1 }, isUnreachable: true },
    ...['sending', ['unreachable'], ['answer_again 2 service']],
  ],
  [
    'a service that does not answer, with nothing to send',
    { counts: { accepted: 1 }, isUnreachable: true },
    ...['following', ['unreachable'], ['end_rows 1 service']],
  ],
  [
    'a pause of a person',
    { status: 'paused', pauses: ['by_person'], counts: { ready: 2, accepted: 1 } },
    ...['paused', ['by_person'], ['resume 2 person operate']],
  ],
  [
    'a pause with held rows',
    { status: 'paused', pauses: ['guard_tripped'], counts: { ready: 2, held: 1 } },
    ...['paused', ['guard_tripped'], ['resume 2 person operate', 'release 1 person operate']],
  ],
  [
    'a pause of a person, with nothing more to send',
    { status: 'paused', pauses: ['by_person'], counts: { accepted: 2, completed: 1 } },
    ...['paused', ['by_person'], ['end_rows 2 service']],
  ],
  [
    'a pause for money, with nothing more to send and a row in doubt that a person resolves',
    { status: 'paused', pauses: ['insufficient_balance'], counts: { in_doubt: 1 }, leftToPerson: 1 },
    ...['paused', ['insufficient_balance'], ['resolve 1 person resolve']],
  ],
  [
    'a pause, with rows that may have to be sent after a decision or a look-up',
    { status: 'paused', pauses: ['by_person'], counts: { held: 2, in_doubt: 1 }, lookupAt: 60 },
    ...['paused', ['by_person'], ['resume 0 person operate', 'release 2 person operate']],
  ],
  [
    'a pause of a person, with nothing more to send and no program',
    { status: 'paused', pauses: ['by_person'], counts: { completed: 1, skipped: 1 }, isWorkedOn: false },
    ...['paused', ['by_person', 'no_program'], ['work 0 program']],
  ],
  [
    'a pause for credentials, with nothing more to send',
    { status: 'paused', pauses: ['credentials_rejected', 'by_person'], counts: { accepted: 1 } },
    ...['paused', ['credentials_rejected', 'by_person'], ['resume 0 person operate']],
  ],
  [
    'a pause for money that ends by itself',
    { ...money, counts: { ready: 2 } },
    'paused',
    ['insufficient_balance'],
    ['fund 2 money'],
  ],
  [
    'a pause for money that no program ends',
    { ...money, counts: { ready: 2 }, isWorkedOn: false },
    ...['paused', ['insufficient_balance', 'no_program'], ['resume 2 person operate']],
  ],
  [
    'a pause for money, and one of a person',
    { ...money, pauses: ['insufficient_balance', 'by_person'], counts: { ready: 2 } },
    ...['paused', ['insufficient_balance', 'by_person'], ['resume 2 person operate']],
  ],
  ['a finished batch', { status: 'completed', counts: { completed: 2, skipped: 1 } }, 'finished', [], []],
  [
    'a finished batch with failed and invalid rows',
    { status: 'completed', counts: { completed: 2, failed: 2, invalid: 1 } },
    ...['finished', [], ['correct 3 person prepare']],
  ],
  [
    'a finished batch whose failed rows count as paid, or were paid since',
    { status: 'completed', counts: { failed: 2, invalid: 1 }, contradicted: 2, paidSince: 1 },
    ...['finished', [], []],
  ],
  [
    'a row that may have been paid twice',
    { status: 'completed', counts: { completed: 2 }, paidTwice: 1 },
    ...['finished', [], ['reverse 1 service resolve']],
  ],
  ['a cancelled batch', { status: 'cancelled', counts: { cancelled: 2 } }, 'cancelled', [], []],
] as Case[];

describe('the situation of a batch', () => {
  for (const [what, given, doing, holds, needs] of cases)
    test(`of ${what} says what it is doing, what holds it, and who is needed`, () => {
      const found = situationOf({ ...numbers, ...given });
      const shown = [found.next, ...found.meanwhile].map((need) =>
        need === null
          ? 'nothing'
          : [
              ...[need.what, need.rows, need.from],
              ...(need.role === null ? [] : [need.role]),
              ...(need.at === null ? [] : ['at', need.at]),
            ].join(' '),
      );
      assert.deepEqual([found.doing, found.holds, shown], [doing, holds, needs.length === 0 ? ['nothing'] : needs]);
    });

  test('is tested above in each state, with each activity and each need', () => {
    assert.deepEqual(new Set(cases.map(([, { status }]) => status ?? 'running')), new Set(batchStates));
    assert.deepEqual(new Set(cases.map(([, , doing]) => doing)), new Set(doings));
    assert.deepEqual(
      new Set(
        cases
          .flatMap(([, , , , needs]) => needs.map((need) => need.split(' ')[0]))
          .filter((need) => need !== 'nothing'),
      ),
      new Set(needKinds),
    );
  });
});
