import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import type { Message } from '../../src/notify/message.ts';
import { newsKinds, type Recipient } from '../../src/notify/recipients.ts';
import { notifyUnopened } from '../../src/notify/unopened.ts';

const chat = (id: string, fields: Partial<Recipient> = {}) =>
  ({ id, kind: 'chat', url: 'http://x', on: newsKinds, ...fields }) as Recipient;
const day = 86_400_000;

function program(recipients: readonly Recipient[]) {
  const sent: { to: string; word: Message; id: string }[] = [];
  const troubles: string[] = [];
  const noted = new Set<string>();
  const is = { silent: false, now: Date.UTC(2026, 10, 25) };
  const begin = (code: 'LEDGER_IO' | 'LEDGER_VERSION' = 'LEDGER_IO') =>
    notifyUnopened(
      {
        clock: { now: () => is.now },
        recipients,
        send: async ({ id }, word, { eventId }) => {
          if (is.silent) throw new Error('no answer');
          sent.push({ to: id, word, id: eventId });
        },
        notes: {
          claim: (name) => !noted.has(name) && noted.add(name) !== null,
          release: (name) => void noted.delete(name),
        },
        onTrouble: (recipient) => void troubles.push(recipient),
        ending: new AbortController().signal,
      },
      new AirbatchError(code, 'the ledger of +254712000001 cannot be opened'),
    );
  return { sent, troubles, is, begin };
}

describe('a notification that serve could not start', () => {
  test('is sent once a day for each error, however often the program is started, and says what to do', async () => {
    const { sent, is, begin } = program([chat('ops')]);
    for (let start = 0; start < 3; start++) await begin();
    await begin('LEDGER_VERSION');
    is.now += day;
    await begin();
    assert.deepEqual(
      sent.map(({ id }) => id),
      ['standstill:LEDGER_IO:2026-11-25', 'standstill:LEDGER_VERSION:2026-11-25', 'standstill:LEDGER_IO:2026-11-26'],
    );
    const [first] = sent;
    assert.ok(first);
    const { subject, lines, facts } = first.word;
    assert.match(subject, /^airbatch serve could not start: the ledger of /);
    assert.doesNotMatch(JSON.stringify(sent), /254712000001/);
    assert.match(lines[1] ?? '', /^Next: {4}The ledger could not be written/);
    assert.deepEqual(facts, { account: null, code: 'LEDGER_IO' });
  });

  test('goes to every recipient of standstills, whatever its accounts and jobs', async () => {
    const { sent, begin } = program([
      chat('all'),
      chat('of an account', { accounts: ['main'] }),
      chat('of a job', { jobs: ['payroll'] }),
      chat('of other things', { on: ['finished'] }),
    ]);
    await begin();
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['all', 'of an account', 'of a job'],
    );
  });

  test('that could not be sent is tried again at the next start', async () => {
    const { sent, troubles, is, begin } = program([chat('ops')]);
    is.silent = true;
    await begin();
    is.silent = false;
    await begin();
    assert.deepEqual([sent.length, troubles], [1, ['ops']]);
  });
});
