import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { type GatewayAccount, makeGateway } from '../../src/gateway/make-gateway.ts';
import { checkedBaseUrl } from '../../src/gateway/transport/transport.ts';
import { answer, scriptedTransport } from './scripted-transport.ts';

const v2: GatewayAccount = { version: 'v2', baseUrl: 'https://service.example', credentials: { apiKey: 'key-4711' } };
const v1: GatewayAccount = { ...v2, version: 'v1', credentials: { email: 'a@pay.example', token: 'token-4711' } };
const deps = () => ({ clock: systemClock, transport: scriptedTransport(answer(200, {})) });

const refusal = (error: unknown) => error instanceof AirbatchError && error.code === 'CONFIG_INVALID';

describe('the gateway of an account', () => {
  test('speaks the version of the account; only Version 2 has a list', () => {
    const [second, first] = [makeGateway(v2, deps()), makeGateway(v1, deps())];
    assert.deepEqual([second.version, first.version], ['V2', 'V1']);
    assert.deepEqual([second.list === null, first.list === null], [false, true]);
  });

  test('refuses credentials of the other version', () => {
    assert.throws(() => makeGateway({ ...v1, version: 'v2' }, deps()), refusal);
    assert.throws(() => makeGateway({ ...v2, version: 'v1' }, deps()), refusal);
  });

  test('has the delays of the reliability rules, which an account may override', () => {
    const minute = 60_000;
    const second = makeGateway(v2, deps()).policy;
    assert.deepEqual(second.lookupDelaysMs, [90_000]);
    assert.deepEqual(second.resendDelaysMs, [2 * minute, 5 * minute, 15 * minute, 60 * minute]);
    assert.equal(second.resendAgeMsMax, 23 * 60 * minute);
    assert.deepEqual(second.agedLookupDelaysMs, [0, 60 * minute, 360 * minute, 1_440 * minute]);
    const first = makeGateway(v1, deps()).policy;
    assert.deepEqual(first.lookupDelaysMs, [15_000, minute, 5 * minute, 12 * minute, 15 * minute]);
    assert.deepEqual([first.resendDelaysMs, first.resendsMax], [[15 * minute], 3]);
    assert.equal(first.sameNumberSpacingMs, 65_000);
    const changed = makeGateway({ ...v2, doubt: { lookupDelaysMs: [5], resendDelaysMs: undefined } }, deps()).policy;
    assert.deepEqual([changed.lookupDelaysMs, changed.resendDelaysMs], [[5], second.resendDelaysMs]);
  });

  test('looks up only after the deadline of the request, however long it is', () => {
    assert.deepEqual(makeGateway({ ...v2, requestDeadlineMs: 10_000 }, deps()).policy.lookupDelaysMs, [40_000]);
  });

  test('writes the wallet mode of the account into every body', () => {
    const order = {
      phoneNumber: '+254712345678',
      networkId: 1,
      amount: { value: '1', currency: 'KES' },
      productId: null,
      smsMessage: null,
      reference: 'r/1',
      callbackUrl: null,
    };
    const body = makeGateway({ ...v2, walletMode: 'local' }, deps()).body(order);
    assert.equal((JSON.parse(body) as { wallet_mode: string }).wallet_mode, 'local');
  });
});

describe('a base URL', () => {
  const good = [
    'https://service.example',
    'https://service.example:8443/api/',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://127.1:3000',
    'http://[::1]:3000',
  ];
  for (const url of good) test(`can be ${url}`, () => assert.ok(checkedBaseUrl(url)));

  const bad = [
    'service.example',
    'ftp://service.example',
    'http://service.example',
    'http://169.254.169.254',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://[::ffff:7f00:1]',
    'https://user:secret@service.example',
    'https://service.example/?key=secret',
    'https://service.example/#secret',
  ];
  for (const url of bad) {
    test(`cannot be ${url}`, () => {
      assert.throws(
        () => checkedBaseUrl(url),
        (error) => refusal(error) && !(error as Error).message.includes('secret'),
      );
    });
  }
});
