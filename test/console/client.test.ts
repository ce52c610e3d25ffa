import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';

Object.assign(globalThis, { location: new URL('http://console.test/') });
const { change, csrfTokenNow, get, setCsrfToken } = await import('../../src/console/api/client.ts');
const { messageOf } = await import('../../src/console/api/events.ts');
const { keepSession } = await import('../../src/console/api/session.ts');
const { setGate } = await import('../../src/console/api/gates.ts');
const { ApiProblem, Unreachable } = await import('../../src/console/api/problem.ts');

const done = () => Response.json({ batch_id: 'B-1', status: 'paused' });
const refusal = (status: number, code: string) => Response.json({ status, code, detail: code, hint: null }, { status });

/** A server that gives these answers in turn; an error means that it gives none. Returns the requests that it got. */
function serving(t: TestContext, answers: (() => Response | Error)[]) {
  const seen: { key: string | null; csrf: string | null; body: string }[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { headers } = request;
    seen.push({ key: headers.get('idempotency-key'), csrf: headers.get('x-csrf-token'), body: await request.text() });
    const answer = answers[seen.length - 1]?.() ?? done();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return seen;
}

const pause = (why = 'wrong month') =>
  change('/api/v1/batches/{batch_id}/pause', { path: { batch_id: 'B-1' }, body: { why } });

describe('the client of the console', () => {
  test('reads without the fields of a query that are null', async (t) => {
    const asked: string[] = [];
    t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
      asked.push(url);
      return Response.json({ events: [] });
    });
    await get('/api/v1/events', { query: { batch_id: 'B-1', row: null, after: 0 } });
    assert.deepEqual(asked, ['http://console.test/api/v1/events?batch_id=B-1&after=0']);
  });

  test('keeps the reason of a refusal, for its text in another language', async (t) => {
    const reason = { code: 'OWN_BATCH', values: { did: 'submitted', name: 'sam' } };
    const body = { status: 403, code: 'SECOND_PERSON_NEEDED', detail: 'sam submitted it', hint: null, reason };
    serving(t, [() => Response.json(body, { status: 403 })]);
    await assert.rejects(pause(), { problem: body });
  });

  test('asks the person for a missing proof, and sends the same request again with the new token', async (t) => {
    setCsrfToken('old');
    t.after(
      setGate('SIGN_IN_NEEDED', async () => {
        setCsrfToken('new');
        return true;
      }),
    );
    t.after(setGate('STEP_UP_NEEDED', async () => true));
    const seen = serving(t, [() => refusal(401, 'SIGN_IN_NEEDED'), () => refusal(403, 'STEP_UP_NEEDED')]);
    assert.equal((await pause()).status, 'paused');
    assert.deepEqual(
      seen.map(({ csrf }) => csrf),
      ['old', 'new', 'new'],
    );
    assert.equal(new Set(seen.map(({ key, body }) => `${key} ${body}`)).size, 1);
  });

  test('takes the token over that the session of the same person got in another window', async (t) => {
    const session = (person: string, csrf_token: string) => ({ person, csrf_token }) as never;
    let asked = 0;
    const gate = async () => {
      asked += 1;
      return false;
    };
    t.after(setGate('SIGN_IN_NEEDED', gate));
    for (const [status, code] of [
      [403, 'CROSS_ORIGIN'],
      [401, 'SIGN_IN_NEEDED'],
    ] as const) {
      keepSession(session('amina', 'old'));
      const seen = serving(t, [() => refusal(status, code), () => Response.json(session('amina', 'new'))]);
      assert.equal((await pause()).status, 'paused');
      assert.deepEqual([seen.map(({ csrf }) => csrf), asked], [['old', null, 'new'], 0], code);
      // Nothing of this page is sent as another person, and nothing again and again.
      for (const [person, token] of [
        ['bela', 'newer'],
        ['amina', 'new'],
      ] as const) {
        const refused = serving(t, [() => refusal(status, code), () => Response.json(session(person, token))]);
        await assert.rejects(pause(), { message: code });
        assert.equal(refused.length, 2, person);
        assert.equal(csrfTokenNow(), 'new');
      }
    }
    assert.equal(asked, 2, 'the person is asked to sign in');
  });

  test('asks once for several requests, and gives up if the person does', async (t) => {
    let asked = 0;
    const answer = Promise.withResolvers<boolean>();
    t.after(
      setGate('STEP_UP_NEEDED', () => {
        asked += 1;
        return answer.promise;
      }),
    );
    const seen = serving(
      t,
      Array.from({ length: 2 }, () => () => refusal(403, 'STEP_UP_NEEDED')),
    );
    const both = Promise.allSettled([pause('one'), pause('two')]);
    while (seen.length < 2) await new Promise((soon) => setImmediate(soon));
    // Both have been refused; by then both wait for the person.
    for (let turn = 0; turn < 10; turn++) await new Promise((soon) => setImmediate(soon));
    answer.resolve(false);
    for (const one of await both) {
      assert.equal(one.status, 'rejected');
      assert.ok(one.reason instanceof ApiProblem && one.reason.problem.code === 'STEP_UP_NEEDED');
    }
    assert.equal(asked, 1);
  });

  test('keeps the key of a change that got no answer, and of no other', async (t) => {
    const seen = serving(t, [() => new TypeError('failed to fetch'), done, done, done]);
    await assert.rejects(pause(), Unreachable);
    await pause();
    await pause();
    await pause('another reason');
    const [lost, again, later, other] = seen.map(({ key }) => key);
    assert.equal(lost, again);
    assert.equal(new Set([again, later, other]).size, 3);
  });

  test('keeps the key after an error of the server as well: the change may have been made', async (t) => {
    const seen = serving(t, [() => refusal(502, 'SERVICE_UNREACHABLE'), done]);
    await assert.rejects(pause('after an error'), ApiProblem);
    await pause('after an error');
    assert.equal(seen[0]?.key, seen[1]?.key);
  });

  test('waits for what the server still does, and gives up the key of what a killed server has begun', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const unfinished = () => refusal(409, 'REQUEST_UNFINISHED');
    const seen = serving(t, [unfinished, done, unfinished, unfinished, unfinished, unfinished, done]);
    const settled = async (work: Promise<unknown>) => {
      let isSettled = false;
      const end = work.catch((error: unknown) => error).finally(() => (isSettled = true));
      while (!isSettled) {
        await new Promise((soon) => setImmediate(soon));
        t.mock.timers.tick(1_000);
      }
      return end;
    };
    await settled(pause('slow'));
    assert.equal(seen[0]?.key, seen[1]?.key);
    const refused = await settled(pause('killed'));
    assert.ok(refused instanceof ApiProblem && refused.problem.code === 'REQUEST_UNFINISHED');
    await settled(pause('killed'));
    const keys = seen.slice(2).map(({ key }) => key);
    assert.equal(new Set(keys.slice(0, 4)).size, 1);
    assert.notEqual(keys[4], keys[3], 'the person has looked, and sends it anew');
  });

  test('sends two clicks on the same button under one key', async (t) => {
    const seen = serving(t, [done, done]);
    await Promise.all([pause('twice'), pause('twice')]);
    assert.equal(seen[0]?.key, seen[1]?.key);
  });

  test('reads the messages of a stream', () => {
    assert.deepEqual(messageOf('id: 7\nevent: row.send\ndata: {"a":\ndata: 1}'), {
      ...{ id: '7', event: 'row.send', data: '{"a":\n1}' },
    });
    assert.equal(messageOf(': the stream is open').data, '');
  });
});
