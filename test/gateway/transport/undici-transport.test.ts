import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../../../src/core/time/clock.ts';
import type { Transport, TransportRequest } from '../../../src/gateway/transport/transport.ts';
import {
  answerBytesMax,
  makeUndiciTransport,
  type UndiciTransportOptions,
} from '../../../src/gateway/transport/undici-transport.ts';
import { httpAnswer, startRoughServer } from './rough-server.ts';

const secret = 'canary-key-4711';
const post: TransportRequest = {
  method: 'POST',
  path: '/v2/topups',
  headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  body: '{"a":1}',
  deadlineMs: 60_000,
};

/** A clock that stands still, and whose sleepers all wake when the test says so. */
function stoppedClock(): { clock: Clock; ring: () => void } {
  const sleepers = new Set<() => void>();
  return {
    clock: {
      ...systemClock,
      monotonic: () => 0,
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          sleepers.add(resolve);
          signal?.addEventListener('abort', () => resolve());
        }),
    },
    ring() {
      for (const wake of sleepers) wake();
    },
  };
}

async function setUp(
  t: TestContext,
  answer: (socket: Socket, number: number) => void,
  options: Partial<UndiciTransportOptions> = {},
) {
  const server = await startRoughServer(answer);
  const { clock, ring } = stoppedClock();
  const transport = makeUndiciTransport({ clock }, { baseUrl: server.url, ...options });
  t.after(async () => {
    await server.close();
    await transport.close();
  });
  return { server, transport, ring };
}

/** Sends a request, and brings its result as it is. */
const send = (transport: Transport, request: TransportRequest) => transport.send(request, (result) => result);

const ok = (socket: Socket) => socket.write(httpAnswer(200, '{}'));

describe('the transport', () => {
  test('returns a complete answer, whatever its status', async (t) => {
    const { transport, server } = await setUp(t, (socket) =>
      socket.write(httpAnswer(503, '{"x":"é"}', { 'Retry-After': '7' })),
    );
    const result = await send(transport, post);
    assert.ok(result.kind === 'answer');
    assert.deepEqual([result.status, result.text, result.headers['retry-after']], [503, '{"x":"é"}', '7']);
    assert.equal(server.requests[0]?.line, 'POST /v2/topups HTTP/1.1');
    assert.equal(server.requests[0]?.body, '{"a":1}');
  });

  test('keeps the path of the base URL as a prefix', async (t) => {
    const { server } = await setUp(t, ok);
    const transport = makeUndiciTransport(
      { clock: stoppedClock().clock },
      { baseUrl: new URL('/airtime/api/', server.url) },
    );
    await send(transport, post);
    await transport.close();
    assert.equal(server.requests[0]?.line, 'POST /airtime/api/v2/topups HTTP/1.1');
  });

  test('reuses its connections', async (t) => {
    const { transport, server } = await setUp(t, ok);
    for (let count = 0; count < 20; count++) await send(transport, post);
    assert.equal(server.requests.length, 20);
    // An answer is handed on before its connection is free again, so two take turns.
    assert.ok(server.connections.length <= 2);
  });

  test('reports "not sent" if nobody listens', async () => {
    const server = await startRoughServer(ok);
    await server.close();
    const transport = makeUndiciTransport({ clock: stoppedClock().clock }, { baseUrl: server.url });
    let asked = false;
    const beforeWrite = () => {
      asked = true;
    };
    const result = await send(transport, { ...post, beforeWrite });
    await transport.close();
    assert.deepEqual([result.kind, 'code' in result && result.code, asked], ['not_sent', 'connection_refused', false]);
  });

  test('connects again over the same connection after it was refused', async (t) => {
    const { transport, server } = await setUp(t, ok, { connectionsMax: 1 });
    await server.close();
    const refused = await Promise.all([send(transport, post), send(transport, post)]);
    assert.deepEqual(
      refused.map(({ kind }) => kind),
      ['not_sent', 'not_sent'],
    );
    const again = await startRoughServer(ok, server.port);
    t.after(() => again.close());
    assert.equal((await send(transport, post)).kind, 'answer');
  });

  test('reports "not sent" if the host name is unknown', async () => {
    const transport = makeUndiciTransport(
      { clock: stoppedClock().clock },
      { baseUrl: new URL('https://airbatch.invalid') },
    );
    const result = await send(transport, post);
    await transport.close();
    assert.deepEqual([result.kind, 'code' in result && result.code], ['not_sent', 'name_not_found']);
  });

  test('reports "not sent" if the TLS handshake never ends or is not TLS', async (t) => {
    const silent = await setUp(t, ok);
    const handshake = makeUndiciTransport(
      { clock: stoppedClock().clock },
      { baseUrl: new URL(`https://127.0.0.1:${silent.server.port}`), connectTimeoutMs: 30 },
    );
    const result = await send(handshake, post);
    await handshake.close();
    assert.deepEqual([result.kind, 'code' in result && result.code], ['not_sent', 'connect_timeout']);
    assert.equal(silent.server.requests.length, 0);
    const plain = await startPlainAnswerer();
    const confused = makeUndiciTransport(
      { clock: stoppedClock().clock },
      { baseUrl: new URL(`https://127.0.0.1:${plain.port}`) },
    );
    assert.equal((await send(confused, post)).kind, 'not_sent');
    await confused.close();
    await plain.close();
  });

  test('reports "unknown" if the connection is reset after the request, and does not send it again', async (t) => {
    const { transport, server } = await setUp(t, (socket) => socket.resetAndDestroy());
    const result = await send(transport, post);
    assert.deepEqual([result.kind, 'code' in result && result.code], ['unknown', 'connection_lost']);
    // Whatever undici still wanted to send, it would have sent before the next request on the same pool.
    await send(transport, { ...post, method: 'GET', path: '/next', body: null });
    assert.deepEqual(
      server.requests.map(({ line }) => line),
      ['POST /v2/topups HTTP/1.1', 'GET /next HTTP/1.1'],
    );
  });

  test('never repeats a POST that a reused connection loses', async (t) => {
    const { transport, server } = await setUp(t, (socket, number) => {
      if (number === 2) socket.resetAndDestroy();
      else ok(socket);
    });
    assert.equal((await send(transport, post)).kind, 'answer');
    assert.equal((await send(transport, { ...post, body: '{"a":2}' })).kind, 'unknown');
    assert.equal((await send(transport, { ...post, body: '{"a":3}' })).kind, 'answer');
    assert.deepEqual(
      server.requests.map(({ body }) => body),
      ['{"a":1}', '{"a":2}', '{"a":3}'],
    );
    assert.equal(server.connections.length, 2);
  });

  test('does not repeat a lost GET either: only the engine decides what is asked again', async (t) => {
    const { transport, server } = await setUp(t, (socket, number) => {
      if (number === 2) socket.resetAndDestroy();
      else ok(socket);
    });
    const get: TransportRequest = { ...post, method: 'GET', body: null };
    await send(transport, get);
    assert.equal((await send(transport, get)).kind, 'unknown');
    assert.equal(server.requests.length, 2);
  });

  test('opens another connection if the service closed an idle one', async (t) => {
    const { transport, server } = await setUp(t, ok);
    await send(transport, post);
    const [first] = server.connections;
    assert.ok(first);
    first.end();
    await once(first, 'close');
    const result = await send(transport, { ...post, body: '{"a":2}' });
    assert.equal(result.kind, 'answer');
    assert.deepEqual([server.requests.length, server.connections.length], [2, 2]);
  });

  test('reports "unknown" with the received status if the answer breaks off', async (t) => {
    const { transport } = await setUp(t, (socket) => {
      socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"success":tr', () => socket.destroy());
    });
    const result = await send(transport, post);
    assert.ok(result.kind === 'unknown');
    assert.equal(result.status, 201);
  });

  test('skips interim answers (100, 102, 103), in the same packet as the answer or alone', async (t) => {
    const interim =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    for (const pieces of [
      [`${interim}${httpAnswer(201, '{}')}`],
      [interim, httpAnswer(201, '{}')],
      ['HTTP/1.1 100 Continue\r\ndate: now', `\r\n\r\n${httpAnswer(201, '{}')}`],
    ]) {
      const { transport, server } = await setUp(
        t,
        async (socket) => {
          for (const piece of pieces) {
            await new Promise((written) => socket.write(piece, written));
            await new Promise(setImmediate);
          }
        },
        { connectionsMax: 1 },
      );
      for (const body of ['{"a":1}', '{"a":2}']) {
        const result = await send(transport, { ...post, body });
        assert.ok(result.kind === 'answer', JSON.stringify(result));
        assert.deepEqual([result.status, result.text], [201, '{}']);
      }
      assert.equal(server.connections.length, 1, 'the connection is kept');
    }
  });

  test('reports "unknown" without a status if only an interim answer arrives', async (t) => {
    const { transport } = await setUp(t, (socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n', () => socket.destroy());
    });
    const result = await send(transport, post);
    assert.deepEqual([result.kind, result.status], ['unknown', null]);
  });

  test('reports "unknown" if the answer is not HTTP', async (t) => {
    const { transport } = await setUp(t, (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n\r\n'));
    assert.equal((await send(transport, post)).kind, 'unknown');
  });

  test('keeps one deadline for an answer that trickles, and closes the connection', async (t) => {
    const { transport, server, ring } = await setUp(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{');
    });
    const sent = send(transport, post);
    await server.arrived(1);
    const [socket] = server.connections;
    assert.ok(socket);
    socket.write(' ');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    ring();
    const result = await sent;
    assert.deepEqual([result.kind, 'code' in result && result.code], ['unknown', 'timeout']);
    await closed;
  });

  test('reports "not sent" if the deadline ends the wait for a connection, and never sends it later', async (t) => {
    const { transport, server, ring } = await setUp(
      t,
      (socket, number) => {
        if (number > 1) ok(socket);
      },
      { connectionsMax: 1 },
    );
    const first = send(transport, post);
    await server.arrived(1);
    const late = send(transport, { ...post, path: '/late' });
    ring();
    const result = await late;
    assert.deepEqual([result.kind, 'code' in result && result.code], ['not_sent', 'timeout']);
    assert.equal((await first).kind, 'unknown');
    await send(transport, { ...post, path: '/after' });
    assert.deepEqual(
      server.requests.map(({ line }) => line.split(' ')[1]),
      ['/v2/topups', '/after'],
    );
  });

  test('cuts an answer that is too long', async (t) => {
    const { transport } = await setUp(t, (socket) => socket.write(httpAnswer(200, 'x'.repeat(2 * answerBytesMax))));
    const result = await send(transport, post);
    assert.deepEqual([result.kind, 'code' in result && result.code], ['unknown', 'answer_too_large']);
  });

  test('accepts an answer of exactly the maximum length', async (t) => {
    const { transport } = await setUp(t, (socket) => socket.write(httpAnswer(200, 'x'.repeat(answerBytesMax))));
    assert.equal((await send(transport, post)).kind, 'answer');
  });

  test('joins an answer that arrives in pieces, even if they are cut within a character', async (t) => {
    const body = Buffer.from('{"x":"é","y":"ü"}');
    const cut = body.indexOf(0xa9);
    const piece = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, crlf]);
    const crlf = Buffer.from('\r\n');
    const { transport } = await setUp(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(Buffer.concat([piece(body.subarray(0, cut)), piece(body.subarray(cut)), piece(Buffer.alloc(0))]));
    });
    const result = await send(transport, post);
    assert.ok(result.kind === 'answer');
    assert.equal(result.text, body.toString());
  });

  test('keeps every value of a repeated header', async (t) => {
    const { transport } = await setUp(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-A: 1\r\nX-B: 2\r\nx-a: 3\r\ncontent-length: 0\r\n\r\n');
    });
    const result = await send(transport, post);
    assert.ok(result.kind === 'answer');
    assert.deepEqual([result.headers['x-a'], result.headers['x-b'], result.text], [['1', '3'], '2', '']);
  });

  test('does not decode bytes that are not UTF-8', async (t) => {
    const { transport } = await setUp(t, (socket) => {
      socket.write(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'), Buffer.from([0xc3, 0x28])]),
      );
    });
    const result = await send(transport, post);
    assert.deepEqual([result.kind, 'code' in result && result.code], ['unknown', 'unparsable']);
  });

  test('does not follow a redirect', async (t) => {
    const elsewhere = await startRoughServer(ok);
    const { transport } = await setUp(t, (socket) =>
      socket.write(httpAnswer(307, '', { location: `${elsewhere.url}v2/topups` })),
    );
    const result = await send(transport, post);
    assert.deepEqual([result.kind, 'code' in result && result.code], ['unknown', 'redirect_refused']);
    assert.equal(elsewhere.connections.length, 0);
    await elsewhere.close();
  });

  test('sends nothing if `beforeWrite` throws, and passes on its error', async (t) => {
    const { transport, server } = await setUp(t, ok);
    const fenced = new Error('taken over');
    const refuse = () => {
      throw fenced;
    };
    await assert.rejects(send(transport, { ...post, beforeWrite: refuse }), fenced);
    await send(transport, { ...post, path: '/after' });
    await assert.rejects(send(transport, { ...post, beforeWrite: refuse }), fenced);
    await send(transport, { ...post, path: '/after' });
    assert.deepEqual(
      server.requests.map(({ line }) => line.split(' ')[1]),
      ['/after', '/after'],
    );
  });

  test('returns what the result reader returns, and passes on what it throws', async (t) => {
    const { transport, server } = await setUp(t, ok);
    assert.equal(await transport.send(post, ({ kind }) => `an ${kind}`), 'an answer');
    const unreadable = new Error('unreadable');
    const read = () => {
      throw unreadable;
    };
    await assert.rejects(transport.send(post, read), unreadable);
    assert.equal((await send(transport, post)).kind, 'answer');
    assert.deepEqual([server.requests.length, server.connections.length <= 2], [3, true]);
  });

  test('calls `beforeWrite` when the connection is open, not when the request is queued', async (t) => {
    const held: Socket[] = [];
    const { transport, server } = await setUp(t, (socket) => held.push(socket), { connectionsMax: 1 });
    const first = send(transport, post);
    await server.arrived(1);
    let asked = 0;
    const second = send(transport, {
      ...post,
      beforeWrite: () => {
        asked += 1;
      },
    });
    assert.equal(asked, 0);
    for (const socket of held) ok(socket);
    await first;
    await server.arrived(2);
    assert.equal(asked, 1);
    for (const socket of held) ok(socket);
    await second;
  });

  test('gives the next request a connection as soon as one is free, whatever the others do', async (t) => {
    const { transport, server } = await setUp(
      t,
      (socket, number) => {
        if (number > 1) ok(socket);
      },
      { connectionsMax: 2 },
    );
    void send(transport, post);
    await server.arrived(1);
    const results = await Promise.all(Array.from({ length: 5 }, () => send(transport, post)));
    assert.deepEqual(new Set(results.map(({ kind }) => kind)), new Set(['answer']));
    assert.deepEqual([server.requests.length, server.connections.length], [6, 2]);
  });

  test('sends what waits for a connection over a new one if it is lost, closed, or too slow', async (t) => {
    const faults: [(socket: Socket) => void, kind: string][] = [
      [(socket) => socket.resetAndDestroy(), 'unknown'],
      [(socket) => socket.end(httpAnswer(200, '{}')), 'answer'],
      [(socket) => socket.end(httpAnswer(200, '{}', { connection: 'close' })), 'answer'],
      // An answer that nobody has asked for is nobody's answer.
      [(socket) => socket.write(httpAnswer(200, '{}') + httpAnswer(400, '{"theirs":1}')), 'answer'],
      [(socket) => socket.write(httpAnswer(200, 'x'.repeat(2 * answerBytesMax))), 'unknown'],
    ];
    for (const [fault, kind] of faults) {
      const { transport, server } = await setUp(t, (socket, number) => (number === 1 ? fault(socket) : ok(socket)), {
        connectionsMax: 1,
      });
      const results = await Promise.all(
        ['{"a":1}', '{"a":2}', '{"a":3}'].map((body) => send(transport, { ...post, body })),
      );
      assert.deepEqual(
        results.map((result) => [result.kind, result.status]),
        [
          [kind, kind === 'answer' ? 200 : results[0]?.status],
          ['answer', 200],
          ['answer', 200],
        ],
      );
      assert.deepEqual(
        server.requests.map(({ body }) => body),
        ['{"a":1}', '{"a":2}', '{"a":3}'],
      );
      assert.equal(server.connections.length, 2);
    }
  });

  test('gives a connection on if `beforeWrite` throws', async (t) => {
    const { transport, server } = await setUp(t, ok, { connectionsMax: 1 });
    const refuse = () => {
      throw new Error('taken over');
    };
    const results = await Promise.allSettled([
      send(transport, post),
      send(transport, { ...post, beforeWrite: refuse }),
      send(transport, post),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value.kind : 'refused')),
      ['answer', 'refused', 'answer'],
    );
    assert.deepEqual([server.requests.length, server.connections.length], [2, 1]);
  });

  test('closes after everything that was sent before, also what waits for a connection, and refuses the rest', async (t) => {
    const { transport, server } = await setUp(t, ok, { connectionsMax: 1 });
    const sent = [send(transport, post), send(transport, post), send(transport, post)];
    const closed = transport.close();
    const late = await send(transport, { ...post, path: '/late' });
    assert.deepEqual([late.kind, 'code' in late && late.code], ['not_sent', 'closed']);
    assert.deepEqual(
      (await Promise.all(sent)).map(({ kind }) => kind),
      ['answer', 'answer', 'answer'],
    );
    await closed;
    assert.equal(server.requests.length, 3);
  });

  test('breaks off what is in flight: it may have arrived; what waits for a connection was not sent', async (t) => {
    const { server, transport } = await setUp(t, () => undefined, { connectionsMax: 1 });
    const written = send(transport, post);
    await server.arrived(1);
    const waiting = send(transport, post);
    transport.breakOff();
    const [first, second] = await Promise.all([written, waiting]);
    assert.deepEqual([first.kind, second.kind], ['unknown', 'not_sent']);
    assert.equal((await send(transport, post)).kind, 'not_sent');
    assert.equal(server.requests.length, 1);
  });

  test('never shows the key', async (t) => {
    const said: unknown[] = [];
    const { transport } = await setUp(t, (socket) => socket.resetAndDestroy());
    said.push(await send(transport, post));
    said.push(await send(transport, { ...post, path: 'no slash' }));
    await transport.close();
    said.push(await send(transport, post));
    assert.deepEqual(
      said.map((result) => (result as { kind: string }).kind),
      ['unknown', 'not_sent', 'not_sent'],
    );
    assert.equal(JSON.stringify(said).includes(secret), false);
  });
});

/** Answers whatever comes with a line of plain text, as a wrong port does to a TLS greeting. */
async function startPlainAnswerer(): Promise<{ port: number; close: () => Promise<void> }> {
  const { createServer } = await import('node:net');
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('220 mail.example ESMTP\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
