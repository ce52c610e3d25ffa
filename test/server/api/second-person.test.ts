import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { approvalsOf, saveApproval } from '../../../src/ledger/batches/approvals.ts';
import { consoleOf } from '../sign-in/browser.ts';

const review = '/api/v1/batches/B-default/review';
const status = '/api/v1/batches/B-default';

describe('the second person', () => {
  test('is not the maker of the key that submitted the batch, nor another key of that maker', async (t) => {
    const { db, person, send, session, makeKey } = await consoleOf(t);
    const amina = await person('amina', { roles: ['approve'] });
    const bela = await person('bela', { roles: ['approve'] });
    session.person = 'amina';
    await makeKey('payroll', ['prepare']);
    const own = await makeKey('other-key', ['approve']);
    await db.execute("UPDATE batches SET created_by = 'payroll' WHERE batch_id = 'B-default'");
    const refused = await amina.send('GET', review);
    assert.deepEqual([refused.status, refused.body.code], [403, 'SECOND_PERSON_NEEDED']);
    assert.match(refused.body.detail, /amina submitted batch B-default as payroll/);
    assert.equal((await send('GET', review, { key: own })).body.code, 'SECOND_PERSON_NEEDED');
    // Nothing stands in the way of bela but the service, which gives no answer.
    assert.equal((await bela.send('GET', review)).body.code, 'SERVICE_UNREACHABLE');
  });

  test('is not the same human under the name of the operating system', async (t) => {
    const { db, person } = await consoleOf(t, { otherNames: new Map([['akamau', 'amina']]) });
    const amina = await person('amina', { roles: ['approve'] });
    await db.execute("UPDATE batches SET created_by = 'akamau' WHERE batch_id = 'B-default'");
    assert.equal((await amina.send('GET', review)).body.code, 'SECOND_PERSON_NEEDED');
  });

  test('counts as long as they may approve, be they a person of the console or a key', async (t) => {
    const { db, person, send, makeKey } = await consoleOf(t);
    const key = await makeKey('robot', ['approve']);
    await person('amina', { roles: ['approve'], accounts: ['default'] });
    await person('bela', { roles: ['approve'] });
    await person('chidi', { roles: ['approve'] });
    const { account } = (await send('GET', status, { key })).body;
    for (const [name, through] of [
      ...(['amina', 'bela', 'chidi'] as const).map((one) => [one, 'console'] as const),
      ...([
        ['robot', 'api'],
        ['dayo', 'cli'],
      ] as const),
    ])
      await saveApproval(db, {
        ...{ batch_id: 'B-default', person: name, through, approved_at: 1, content_sha256: 'ab', plan: '{}' },
      });
    const given = async () => (await approvalsOf(db, 'B-default')).map(({ person: name }) => name);
    assert.deepEqual(await given(), ['amina', 'bela', 'chidi', 'dayo', 'robot'], account);
    await db.execute("UPDATE user_accounts SET account = 'other' WHERE name = 'amina'");
    await db.execute("DELETE FROM user_roles WHERE name = 'bela'");
    await db.execute("UPDATE users SET disabled_at = 1 WHERE name = 'chidi'");
    assert.deepEqual(await given(), ['dayo', 'robot']);
    const shown = (await send('GET', status, { key })).body.approvals.given;
    assert.deepEqual(
      shown.map(({ person: name }: { person: string }) => name),
      ['dayo', 'robot'],
    );
    await db.execute("UPDATE api_keys SET revoked_at = 1 WHERE name = 'robot'");
    assert.deepEqual(await given(), ['dayo']);
    // Once the batch is approved, its approvals are what they were.
    await db.execute("UPDATE batches SET status = 'approved' WHERE batch_id = 'B-default'");
    assert.equal((await given()).length, 5);
  });

  test('is one of those whom the answer names: people of the console with the role, for the account', async (t) => {
    const { db, person, addUser, session } = await consoleOf(t, { otherNames: new Map([['akamau', 'amina']]) });
    const mayApprove = async (send: Awaited<ReturnType<typeof person>>['send']) =>
      (await send('GET', status)).body.approvals.may_approve;
    const { send } = await person('reader', { roles: ['audit'] });
    assert.equal(await mayApprove(send), null, 'nobody is named');
    await addUser('amina', { roles: ['approve'] });
    await addUser('bela', { roles: ['prepare', 'approve'], accounts: ['default'] });
    await addUser('chidi', { roles: ['approve'], accounts: ['default'] });
    await db.execute("UPDATE user_accounts SET account = 'other' WHERE name = 'chidi'");
    await addUser('dayo', { roles: ['approve'] });
    await db.execute("UPDATE users SET disabled_at = 1 WHERE name = 'dayo'");
    assert.deepEqual(await mayApprove(send), ['amina', 'bela']);
    await db.execute("UPDATE batches SET created_by = 'akamau' WHERE batch_id = 'B-default'");
    assert.deepEqual(await mayApprove(send), ['bela']);
    Object.assign(session.config, { people: { approve: ['otieno', 'akamau', 'bela'] } });
    assert.deepEqual(await mayApprove(send), ['otieno', 'bela']);
  });
});

describe('the person who submitted a batch', () => {
  test('takes it back, under each of their names, and nobody else does', async (t) => {
    const { db, person, statusOf } = await consoleOf(t, { otherNames: new Map([['akamau', 'amina']]) });
    const amina = await person('amina', { roles: ['prepare'] });
    const bela = await person('bela', { roles: ['prepare', 'operate'] });
    await db.execute("UPDATE batches SET created_by = 'akamau'");
    const withdraw = `${status}/withdraw`;
    const refused = await bela.send('POST', withdraw, { body: { why: 'x' } });
    assert.deepEqual([refused.status, refused.body.code], [403, 'ROLE_MISSING']);
    assert.deepEqual(refused.body.reason, { code: 'NOT_SUBMITTER', values: { name: 'akamau' } });
    const actionsFor = async ({ send }: typeof amina) => (await send('GET', status)).body.actions;
    assert.deepEqual([await actionsFor(bela), await actionsFor(amina)], [['reorder'], ['reorder', 'withdraw']]);
    const { body } = await amina.send('POST', withdraw, { body: { why: 'the wrong month' } });
    assert.deepEqual([body.status, await statusOf('B-default')], ['cancelled', 'cancelled']);
    const after = (await bela.send('GET', status)).body;
    assert.deepEqual([after.withdrawn_by, after.rejection, after.actions], ['amina', 'the wrong month', []]);
  });
});
