import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  confirmTotp,
  deletePasskey,
  deleteTotp,
  findPasskey,
  findTotp,
  insertPasskey,
  notePasskeyUse,
  proposeTotp,
  useTotpStep,
} from '../../../src/ledger/access/second-factors.ts';
import { beginAttempt, succeedAttempt } from '../../../src/ledger/access/sign-in-attempts.ts';
import {
  endSession,
  endSessionsOf,
  findSession,
  insertSession,
  noteSessionUse,
  noteStepUp,
  pruneSessions,
  setChallenge,
  stepUpAt,
  useChallenge,
} from '../../../src/ledger/access/user-sessions.ts';
import { findUserByEmail, insertUser } from '../../../src/ledger/access/users.ts';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { memoryLedger } from '../../support/ledger.ts';

const addSession = (db: Database, session_id: string, at: number, name: string | null = 'amina') =>
  insertSession(db, {
    ...{ token_sha256: `digest of ${session_id}`, session_id, name, address: '127.0.0.1', device: null },
    ...{ created_at: at, signed_in_at: at, last_seen_at: at },
  });

describe('attempts to sign in', () => {
  const rules = { waitMs: (attempts: number) => (attempts < 3 ? 0 : 100), forgottenAfterMs: 1_000 };

  test('are delayed after too many, count nothing meanwhile, and are forgotten in time', async () => {
    const db = await memoryLedger();
    const guess = (at: number) => beginAttempt(db, { kind: 'password', subject: 'amina' }, rules, at);
    assert.deepEqual([await guess(1), await guess(2), await guess(3)], [0, 0, 0]);
    assert.deepEqual([await guess(4), await guess(102), await guess(103)], [103, 103, 0]);
    assert.equal(await guess(104), 203);
    assert.equal(await beginAttempt(db, { kind: 'password', subject: 'bela' }, rules, 104), 0, 'others do not wait');
    assert.deepEqual([await guess(1_103), await guess(1_104), await guess(1_105)], [0, 0, 0], 'counted anew');
    assert.equal(await guess(1_106), 1_205);
    await db.close();
  });

  test('are forgotten after a success, which only reduces those of an address', async () => {
    const db = await memoryLedger();
    for (const kind of ['password', 'address'] as const) {
      const one = { kind, subject: 'x' };
      for (const at of [1, 2]) await beginAttempt(db, one, rules, at);
      await beginAttempt(db, one, rules, 3);
      await succeedAttempt(db, one);
      assert.equal(await beginAttempt(db, one, rules, 4), 0);
      assert.equal(await beginAttempt(db, one, rules, 5), kind === 'password' ? 0 : 104);
    }
    await db.close();
  });
});

describe('sessions', () => {
  test('end one by one, by person, or by age, with what they proved', async () => {
    const db = await memoryLedger();
    for (const [id, at] of [
      ['a', 10],
      ['b', 20],
      ['c', 30],
      ['d', 40],
    ] as const) {
      await addSession(db, id, at);
      await noteStepUp(db, { sessionId: id, purpose: 'p', at });
    }
    const left = async () => {
      const ids = ['a', 'b', 'c', 'd'];
      const found = await Promise.all(ids.map((id) => findSession(db, `digest of ${id}`)));
      const proved = await Promise.all(ids.map((id) => stepUpAt(db, id, 'p')));
      assert.deepEqual(
        proved.map((at) => at !== null),
        found.map((one) => one !== null),
      );
      return ids.filter((_, index) => found[index]).join('');
    };
    await pruneSessions(db, 11);
    assert.equal(await left(), 'bcd');
    assert.deepEqual([await endSession(db, 'b'), await endSession(db, 'b')], [{ name: 'amina' }, null]);
    assert.equal(await left(), 'cd');
    await noteSessionUse(db, 'c', 99);
    assert.equal((await findSession(db, 'digest of c'))?.last_seen_at, 99);
    assert.deepEqual([await endSessionsOf(db, 'bela'), await endSessionsOf(db, 'amina')], [0, 2]);
    assert.equal(await left(), '');
    await db.close();
  });

  test('prove a purpose only for that purpose, and answer each challenge once', async () => {
    const db = await memoryLedger();
    await addSession(db, 'a', 1);
    await noteStepUp(db, { sessionId: 'a', purpose: 'p', at: 5 });
    await noteStepUp(db, { sessionId: 'a', purpose: 'p', at: 7 });
    assert.deepEqual(
      [await stepUpAt(db, 'a', 'p'), await stepUpAt(db, 'a', 'q'), await stepUpAt(db, 'b', 'p')],
      [7, null, null],
    );
    await setChallenge(db, 'a', { challenge: 'first', purpose: 'p', at: 1 });
    await setChallenge(db, 'a', { challenge: 'second', purpose: 'q', at: 2 });
    assert.equal((await findSession(db, 'digest of a'))?.challenge_for, 'q');
    assert.equal(await useChallenge(db, 'a', 'first'), false, 'it was replaced');
    assert.deepEqual([await useChallenge(db, 'a', 'second'), await useChallenge(db, 'a', 'second')], [true, false]);
    await db.close();
  });
});

describe('second factors', () => {
  test('accept each time step of a code once, and never an earlier one', async () => {
    const db = await memoryLedger();
    assert.equal(await proposeTotp(db, 'amina', 'FIRST'), true);
    const first = await findTotp(db, 'amina');
    assert.equal(await proposeTotp(db, 'amina', 'SECOND'), true, 'not confirmed yet');
    const second = await findTotp(db, 'amina');
    assert.ok(first && second);
    assert.deepEqual([await confirmTotp(db, first, 1), await confirmTotp(db, second, 1)], [false, true]);
    assert.equal(await proposeTotp(db, 'amina', 'THIRD'), false, 'a confirmed one stays');
    const totp = await findTotp(db, 'amina');
    assert.ok(totp);
    assert.deepEqual([totp.secret, totp.confirmed_at], ['SECOND', 1]);
    const uses = [];
    for (const step of [7, 7, 6, 8]) uses.push(await useTotpStep(db, totp, step));
    assert.deepEqual(uses, [true, false, false, true]);
    assert.deepEqual([await deleteTotp(db, 'amina'), await deleteTotp(db, 'amina')], [true, false]);
    await db.close();
  });

  test('keep passkeys by their id, with the counter of the last use', async () => {
    const db = await memoryLedger();
    const passkey = { credential_id: 'c', label: 'phone', public_key: 'p', counter: 0, transports: '', created_at: 1 };
    assert.equal(await insertPasskey(db, { ...passkey, name: 'amina' }), true);
    assert.equal(await insertPasskey(db, { ...passkey, name: 'bela' }), false, 'it belongs to amina');
    await notePasskeyUse(db, 'c', 4, 9);
    const found = await findPasskey(db, 'c');
    assert.deepEqual([found?.name, found?.counter, found?.last_used_at], ['amina', 4, 9]);
    assert.deepEqual([await deletePasskey(db, 'bela', 'c'), await deletePasskey(db, 'amina', 'c')], [false, true]);
    assert.equal(await findPasskey(db, 'c'), null);
    await db.close();
  });
});

test('a person is found by e-mail address', async () => {
  const db = await memoryLedger();
  const person = { display_name: 'Amina', password_hash: null, language: 'en', created_by: 'root', disabled_at: null };
  const grant = { roles: ['audit'], accounts: ['default'] };
  await insertUser(db, { name: 'amina', email: 'a@example.org', created_at: 1, ...person, ...grant });
  await insertUser(db, { name: 'bela', email: null, created_at: 1, ...person, ...grant });
  const found = await findUserByEmail(db, 'a@example.org');
  assert.deepEqual([found?.name, found?.roles, found?.accounts], ['amina', ['audit'], ['default']]);
  assert.equal(await findUserByEmail(db, 'b@example.org'), null);
  await db.close();
});
