import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api } from './api-fixture.ts';

const pause = '/api/v1/batches/B-default/pause';
const json = 'application/json';
const asJson = 'Send the body as JSON, with the header "Content-Type: application/json".';

type Case = [type: string | null, body: string, status: number, code: string, detail: string, hint: string];

const cases: Record<string, Case> = {
  'a form': [
    ...['application/x-www-form-urlencoded', 'why=x', 415, 'REQUEST_INVALID'],
    'The Content-Type is "application/x-www-form-urlencoded", but the body must be JSON.',
    asJson,
  ] as Case,
  'plain text': [
    ...['text/plain', '{"why":"x"}', 415, 'REQUEST_INVALID'],
    'The Content-Type is "text/plain", but the body must be JSON.',
    asJson,
  ] as Case,
  'no type': [null, 'x', 415, 'REQUEST_INVALID', 'The body has no Content-Type, but it must be JSON.', asJson],
  'broken JSON': [
    ...[json, '{"why":', 400, 'REQUEST_INVALID', 'The body is not valid JSON.'],
    'Send one JSON object: names in double quotes, no comma after the last member.',
  ] as Case,
  'an empty body': [
    ...[json, '', 400, 'REQUEST_INVALID', 'The body is empty, but its Content-Type is JSON.'],
    'Send a JSON object, such as {}, or leave the Content-Type out.',
  ] as Case,
  'a huge body': [
    ...[json, `"${'x'.repeat(1024 ** 2)}"`, 413, 'REQUEST_TOO_LARGE', 'The body of the request is larger than 1 MiB.'],
    'Send less in one request.',
  ] as Case,
};

for (const [what, [type, payload, status, code, detail, hint]] of Object.entries(cases))
  test(`${what} is refused with what was expected, and what to do`, async (t) => {
    const { server, admin } = await api(t);
    const headers = { authorization: `Bearer ${admin}`, 'idempotency-key': 'a', ...(type && { 'content-type': type }) };
    const { statusCode, body } = await server.inject({ method: 'POST', url: pause, headers, payload });
    const said = JSON.parse(body);
    assert.deepEqual(
      [statusCode, said.status, said.code, said.detail, said.hint],
      [status, status, code, detail, hint],
    );
  });

test('a member that is there twice is refused, in a body and in a query: it is not guessed which one counts', async (t) => {
  const { server, admin, statusOf } = await api(t);
  const headers = { authorization: `Bearer ${admin}`, 'idempotency-key': 'a', 'content-type': json };
  const hint = 'Send each member of an object once: nobody can say which of two is meant.';
  const refused = (member: string) => [400, 'REQUEST_INVALID', `The member "${member}" is there twice.`, hint];
  const answerTo = async (method: 'GET' | 'POST', url: string, payload?: string) => {
    const answer = await server.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
    const { code, detail, hint: said } = answer.json();
    return [answer.statusCode, code, detail, said];
  };
  assert.deepEqual(await answerTo('POST', pause, '{"why":"x","why":"y"}'), refused('why'));
  assert.equal(await statusOf('B-default'), 'awaiting_approval');
  const signIn = '{"name":"ann","password":"x","password":"y"}';
  assert.deepEqual(await answerTo('POST', '/api/v1/session', signIn), refused('password'));
  const map = encodeURIComponent('{"amount":"Net","amount":"Gross"}');
  const upload = `/api/v1/validations?account=default&map=${map}`;
  assert.deepEqual(await answerTo('POST', upload, 'a,b\n'), refused('amount'));
});

test('a file that is too large is refused with the limit, and what to do', async (t) => {
  const { server, admin } = await api(t);
  const headers = { authorization: `Bearer ${admin}`, 'idempotency-key': 'a', 'content-length': `${1024 ** 3 + 1}` };
  const answer = await server.inject({ method: 'POST', url: '/api/v1/validations', headers, payload: 'x' });
  const { code, detail, hint } = answer.json();
  assert.deepEqual([answer.statusCode, code], [413, 'REQUEST_TOO_LARGE']);
  assert.deepEqual([detail, hint], ['The file is larger than 1 GiB.', 'Split it into smaller files.']);
});

test('an address that is not there, or has another method, is refused with where to look', async (t) => {
  const { send, server } = await api(t);
  assert.equal((await send('GET', '/api/v1/nothing')).body.hint, 'GET /api/openapi.json lists every address.');
  const { hint } = (await server.inject({ method: 'DELETE', url: pause })).json();
  assert.equal(hint, 'The header Allow names the methods of this address.');
});
