import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError, type ErrorCode } from '../../src/core/basics/errors.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import type { Message } from '../../src/notify/message.ts';
import { newsKinds, type Recipient } from '../../src/notify/recipients.ts';
import type { Sender } from '../../src/notify/senders.ts';
import { makeStandstillNotifier } from '../../src/notify/standstill.ts';
import type { NotificationDedupe } from '../../src/notify/unopened.ts';
import { memoryLedger } from '../support/ledger.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const chat = (id: string, fields: Partial<Recipient> = {}) =>
  ({ id, kind: 'chat', url: 'http://x', on: newsKinds, ...fields }) as Recipient;

/** A program that tells of standstills; `fail`: what the ledger fails with, where it cannot be written. */
async function program(recipients: readonly Recipient[] = [chat('ops')]) {
  const db = await memoryLedger();
  const clock = makeVirtualClock();
  const sent: { to: string; word: Message; id: string }[] = [];
  const troubles: unknown[] = [];
  const is: { full: boolean; silent: boolean } = { full: false, silent: false };
  const claimed = new Set<string>();
  const notes: NotificationDedupe = {
    claim: (name) => !claimed.has(name) && claimed.add(name) === claimed,
    release: (name) => void claimed.delete(name),
  };
  const transact: Database['transact'] = (work) =>
    is.full ? Promise.reject(new AirbatchError('LEDGER_FULL', 'the disk is full')) : db.transact(work);
  const send: Sender = async ({ id }, word, { eventId }) => {
    if (is.silent) throw new Error('no answer');
    sent.push({ to: id, word, id: eventId });
  };
  const begin = () =>
    makeStandstillNotifier({
      db: { transact },
      clock,
      recipients,
      send,
      notes,
      onTrouble: (...told) => void troubles.push(told),
      ending: new AbortController().signal,
    });
  const kept = () => db.query<{ event_id: string; recipient: string }>('SELECT event_id, recipient FROM outbox');
  return { clock, sent, troubles, is, begin, kept };
}

const standstill = (code: ErrorCode, fields = {}) => ({
  account: 'main',
  error: new AirbatchError(code, 'for a test with +254712000001'),
  isTriedAgain: true,
  ...fields,
});

describe('a notification of a standstill', () => {
  test('goes to the ledger if that is writable, once a day for each error, however often the program starts', async () => {
    const { clock, sent, begin, kept } = await program();
    for (let start = 0; start < 3; start++) {
      const tell = begin();
      await tell(standstill('LEDGER_RESTORED', { isTriedAgain: false }));
      await tell(standstill('LEDGER_RESTORED', { isTriedAgain: false }));
    }
    await begin()(standstill('LEDGER_DAMAGED'));
    assert.equal((await kept()).length, 2);
    await clock.drive(clock.sleep(24 * 3_600_000));
    await begin()(standstill('LEDGER_RESTORED'));
    assert.deepEqual([(await kept()).length, sent.length], [3, 0]);
  });

  test('is sent at once if the ledger is not writable, once; if it did not arrive, again with the next error', async () => {
    const { sent, troubles, is, begin, kept } = await program();
    Object.assign(is, { full: true, silent: true });
    const tell = begin();
    await tell(standstill('LEDGER_FULL'));
    assert.deepEqual(troubles, [['ops', 'no answer', false]]);
    is.silent = false;
    for (let minute = 0; minute < 3; minute++) await tell(standstill('LEDGER_FULL'));
    is.full = false;
    await tell(standstill('LEDGER_FULL'));
    assert.deepEqual([sent.length, await kept()], [1, []]);
    const { subject, lines } = sent[0]?.word ?? { subject: '', lines: [] };
    assert.equal(subject, 'Nothing is sent for account main: for a test with [number]');
    assert.match(lines.join('\n'), /airbatch tries again every minute.*\nNext: {4}The disk is full: make room/);
  });

  test('that no ledger can store is sent once, whichever machines of a fleet meet it', async () => {
    const { is, sent, begin } = await program();
    is.full = true;
    for (const tell of [begin(), begin(), begin()]) await tell(standstill('LEDGER_IO', { account: null }));
    assert.equal(sent.length, 1);
  });

  test('goes to the recipients of the account', async () => {
    const { is, sent, begin } = await program([
      chat('other account', { accounts: ['other'] }),
      chat('this account', { accounts: ['main'] }),
      chat('a job', { jobs: ['payroll'] }),
      chat('other news', { on: ['finished'] }),
    ]);
    is.full = true;
    await begin()(standstill('LEDGER_IO', { error: new Error('a bug'), isTriedAgain: false }));
    assert.deepEqual(
      sent.map(({ to, word }) => [to, word.facts]),
      [['this account', { account: 'main', code: 'UNKNOWN' }]],
    );
    assert.match(sent[0]?.word.lines.join('\n') ?? '', /The program ends. Start it again/);
  });

  test('about the reports of all accounts goes to every recipient that wants standstills', async () => {
    const { is, sent, begin } = await program([
      chat('this account', { accounts: ['main'] }),
      chat('a job', { jobs: ['payroll'] }),
    ]);
    is.full = true;
    await begin()(standstill('FOLDER_UNWRITABLE', { account: null }));
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['this account', 'a job'],
    );
    const { subject, lines } = sent[0]?.word ?? { subject: '', lines: [] };
    assert.equal(subject, 'Reports cannot be written: for a test with [number]');
    assert.match(lines.join('\n'), /Payments continue\. airbatch tries again.*\nNext: {4}Make the folder writable/);
  });

  test('about reports in a bucket says what is wrong with the bucket, and nothing of a folder', async () => {
    const { is, sent, begin } = await program();
    is.full = true;
    const why = 's3://payouts/reports cannot be used: AccessDenied';
    const error = new AirbatchError('FOLDER_UNWRITABLE', why, { hint: 'Check "reports.s3".' });
    await begin()(standstill('FOLDER_UNWRITABLE', { account: null, error }));
    assert.match(sent[0]?.word.lines.join('\n') ?? '', /\nNext: {4}Check "reports\.s3"\.$/);
  });

  test('about a database that is full, or has failed over, says what a person must do', async () => {
    const { is, sent, begin } = await program();
    is.full = true;
    const tell = begin();
    await tell(standstill('LEDGER_FULL', { account: null }));
    await tell(standstill('LEDGER_RESTORED', { account: null, isTriedAgain: false }));
    const [full = '', restored = ''] = sent.map(({ word }) => word.lines.join('\n'));
    assert.match(full, /nothing is sent for any account.*continues by itself.*\nNext: {4}The disk is full: make room/s);
    assert.match(restored, /Nothing is sent for any account\. The program ends.*\nNext: {4}Add --restored once/s);
  });

  test('about the database of the ledger says what does not happen meanwhile', async () => {
    const { is, sent, begin } = await program([chat('anybody', {})]);
    is.full = true;
    const tell = begin();
    for (let minute = 0; minute < 3; minute++) await tell(standstill('LEDGER_IO', { account: null }));
    assert.equal(sent.length, 1);
    const { subject, lines } = sent[0]?.word ?? { subject: '', lines: [] };
    assert.equal(subject, 'The database of the ledger fails: for a test with [number]');
    assert.match(lines.join('\n'), /nothing is sent for any account.*\nNext: {4}Check that the database runs/);
  });
});
