import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { api } from './api-fixture.ts';

/** The API at a port, and a way to send it bytes that no client would send. `cut`: hangs up after the bytes. */
async function listening(t: TestContext, options: Parameters<typeof api>[1] = {}) {
  const { server, admin, session } = await api(t, options);
  const folder = dirname(session.ledgerPath);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const raw = (text: string, { cut = false } = {}) =>
    new Promise<string>((done) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(text, () => {
          if (cut) setTimeout(() => socket.destroy(), 50);
        });
      });
      socket.setTimeout(60_000, () => socket.destroy());
      socket.on('data', (data) => {
        answer += data;
        if (/\r\n\r\n/.test(answer)) setTimeout(() => socket.destroy(), 100);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => done(answer));
    });
  const head = (...lines: string[]) => ['Host: x', `Authorization: Bearer ${admin}`, ...lines].join('\r\n');
  return { raw, head, folder, port };
}

/** How many answers came: of two requests in one, the second would be somebody else's. */
const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('bytes that two readers could interpret differently', () => {
  const second = 'GET /api/v1/batches HTTP/1.1\r\nHost: x\r\n\r\n';
  const body = '{"why":"x"}';
  const cases: Record<string, string[]> = {
    'two lengths': [`Content-Length: ${body.length}`, `Content-Length: ${body.length + second.length}`],
    'a length and chunks': [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
    'chunks that are written oddly': ['Transfer-Encoding: xchunked'],
    'a length that is no number': ['Content-Length: +11'],
    'a header that goes on in the next line': ['X-A: b', ' Content-Length: 0'],
    'a space before the colon': [`Content-Length : ${body.length}`],
    'a zero byte in a header': ['X-A: a\0b'],
  };
  for (const [what, lines] of Object.entries(cases))
    test(`are refused: ${what}`, async (t) => {
      const { raw, head } = await listening(t);
      const text = `POST /api/v1/batches/B-default/pause HTTP/1.1\r\n${head('Idempotency-Key: a', 'Content-Type: application/json', ...lines)}\r\n\r\n${body}${second}`;
      assert.deepEqual(statuses(await raw(text)), [400]);
    });

  test('odd methods, absolute addresses and huge headers get one plain answer', async (t) => {
    const { raw, head } = await listening(t);
    const of = async (line: string, ...lines: string[]) => statuses(await raw(`${line}\r\n${head(...lines)}\r\n\r\n`));
    for (const method of ['TRACE', 'PUT', 'DELETE', 'PROPFIND']) {
      assert.deepEqual(await of(`${method} /api/v1/batches HTTP/1.1`), [405], method);
      assert.deepEqual(await of(`${method} /api/v1/nothing HTTP/1.1`), [404], method);
    }
    assert.deepEqual(await of('GIBBERISH /api/v1/batches HTTP/1.1'), [400]);
    const huge = `X-Huge: ${'x'.repeat(20_000)}`;
    const refused = await raw(`GET /api/v1/batches HTTP/1.1\r\n${head(huge)}\r\n\r\n`);
    assert.deepEqual(statuses(refused), [431]);
    const [headers = '', body = ''] = refused.split('\r\n\r\n');
    assert.match(headers, /^content-type: application\/problem\+json/im);
    assert.match(headers, /^cache-control: no-store/im);
    assert.deepEqual(
      [JSON.parse(body).code, JSON.parse(body).status, JSON.parse(body).title],
      ['REQUEST_INVALID', 431, 'Request Header Fields Too Large'],
    );
    assert.deepEqual(await of('HEAD /api/v1/batches/B-default/events HTTP/1.1'), [405], 'no stream without a body');
    assert.deepEqual(await of('GET /api/v1/batches HTTP/3.9'), [400]);
    const [absolute] = await of('GET http://elsewhere.example/api/v1/batches HTTP/1.1');
    assert.ok(absolute !== undefined && absolute < 500, String(absolute));
  });
});

const upload = (head: (...lines: string[]) => string, length: number, body: string) =>
  `POST /api/v1/validations HTTP/1.1\r\n${head('Idempotency-Key: a', 'Content-Type: text/csv', 'Content-Disposition: attachment; filename="a.csv"', `Content-Length: ${length}`)}\r\n\r\n${body}`;
const left = (folder: string) => {
  const place = join(folder, 'uploads');
  return existsSync(place) ? readdirSync(place) : [];
};

describe('an upload', () => {
  test('of 10 GB is refused by its length, before a byte of it is read', async (t) => {
    const { raw, head, folder } = await listening(t);
    assert.deepEqual(statuses(await raw(upload(head, 10 * 1024 ** 3, ''))), [413]);
    assert.deepEqual(left(folder), []);
  });

  test('that is cut off in the middle leaves nothing', { timeout: 120_000 }, async (t) => {
    const { raw, head, folder } = await listening(t);
    await raw(upload(head, 1_000_000, 'phone_number,amount\n'.repeat(1_000)), { cut: true });
    while (left(folder).length > 0) await new Promise((soon) => setTimeout(soon, 20));
  });
});

describe('a body that stops arriving', () => {
  const bodyPace = { everyMs: 300, bytesMin: 50 };
  const pause = (head: (...lines: string[]) => string) =>
    `POST /api/v1/batches/B-default/pause HTTP/1.1\r\n${head('Content-Type: application/json', 'Content-Length: 100')}\r\n\r\n{`;

  test('holds no connection, whether it is JSON, a file or for no route, and leaves nothing', async (t) => {
    const { raw, head, folder } = await listening(t, { bodyPace });
    const nowhere = `POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const began = performance.now();
    for (const text of [pause(head), upload(head, 1_000_000, 'phone_number,amount\n')])
      assert.equal(await raw(text), '');
    await raw(nowhere);
    assert.ok(performance.now() - began < 30_000);
    while (left(folder).length > 0) await new Promise((soon) => setTimeout(soon, 20));
  });

  test('is told apart from one that arrives slowly: that one gets its answer', { timeout: 120_000 }, async (t) => {
    // So long that a busy machine does not send nothing in all of it.
    const { head, port } = await listening(t, { bodyPace: { ...bodyPace, everyMs: 2_000 } });
    const lines = 100;
    const line = 'phone_number,amount\n';
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => undefined);
    socket.write(upload(head, lines * line.length, ''));
    for (let sent = 0; sent < lines; sent++) {
      await new Promise((soon) => setTimeout(soon, 50));
      socket.write(line);
    }
    while (answer === '' && !socket.closed) await new Promise((soon) => setTimeout(soon, 20));
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 \d{3} .*\r\n/);
  });
});
