import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchSilence } from '../../../src/gateway/transport/silence.ts';
import type { TransportRequest, TransportResult } from '../../../src/gateway/transport/transport.ts';

const request: TransportRequest = { method: 'GET', path: '/', headers: {}, body: null, deadlineMs: 1_000 };
const lost: TransportResult = { kind: 'unknown', code: 'connection_lost', message: 'lost', status: null };

test('a service is silent from its first unanswered request on, until it answers anything', async () => {
  let now = 100;
  let result: TransportResult = lost;
  const close = async () => undefined;
  const { transport, since } = watchSilence(
    {
      async send(_request, read) {
        await Promise.resolve();
        return read(result);
      },
      close,
    },
    { monotonic: () => now },
  );
  const send = () => transport.send(request, ({ kind }) => kind);
  assert.equal(since(), null);
  assert.equal(await send(), 'unknown');
  now = 200;
  await send();
  assert.equal(since(), 100);
  result = { ...lost, status: 200 };
  await send();
  assert.equal(since(), null, 'an answer that broke off is a sign of life, too');
  now = 300;
  const pending = send();
  assert.equal(since(), 300);
  await pending;
  result = { kind: 'answer', status: 503, headers: {}, text: '' };
  await send();
  assert.equal(since(), null);
});
