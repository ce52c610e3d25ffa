import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { inUnit } from '../../../src/ledger/unit-of-work.ts';
import { changeUser } from '../../../src/operations/access/change-user.ts';
import { performIn } from '../../../src/operations/base/operation.ts';
import { makeEventHub, streamEvents } from '../../../src/server/api/event-stream.ts';
import { aBatch, addBatch, memoryLedger } from '../../support/ledger.ts';
import { consoleOf } from '../sign-in/browser.ts';

const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

/** A stream that somebody reads. It is not a `fetch`, which may throw beside the test if a server hangs up. */
async function opened(url: string, headers: Record<string, string>) {
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  // The server may hang up.
  for (const one of [request, response]) one.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  const next = () => Promise.race([once(response, 'data'), ended]);
  return {
    text: () => text,
    ended,
    /** The ids seen, once there are so many. */
    async ids(count: number): Promise<number[]> {
      while (idsIn(text).length < count && !response.closed) await next();
      assert.ok(idsIn(text).length >= count, `the stream ended after ${idsIn(text).length} events`);
      return idsIn(text);
    },
    /** All of it, once it has ended or has this text. */
    async until(wanted: string): Promise<string> {
      while (!text.includes(wanted) && !response.closed) await next();
      return text;
    },
    close: () => request.destroy(),
  };
}

/** A server that streams the events of batch-1 to whoever asks. */
async function streaming(t: TestContext) {
  const db = await memoryLedger();
  await addBatch(db, systemClock, aBatch(), []);
  let heads = 0;
  const query = db.query.bind(db);
  Object.assign(db, {
    query: (sql: string, params: []) => {
      if (/audit_head/.test(sql)) heads += 1;
      return query(sql, params);
    },
  });
  const hub = makeEventHub({ db, clock: systemClock });
  const stopping = new AbortController();
  const door = { isOpen: true };
  const server = createServer((request, response) => {
    const after = Number(request.headers['last-event-id'] ?? 0);
    const isAllowed = async () => door.isOpen;
    const options = { batchId: 'batch-1', after, signal: stopping.signal, isAllowed };
    void streamEvents({ db, clock: systemClock, hub }, response, options);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(async () => {
    stopping.abort();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await db.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const happen = (what: string) =>
    inUnit(db, { clock: systemClock, actor: 'amina' }, (unit) => unit.append('batch-1', `batch.${what}`, {}));
  const open = async (lastId?: number) => {
    const stream = await opened(url, lastId === undefined ? {} : { 'last-event-id': String(lastId) });
    return {
      ...stream,
      /** All ids, until nothing more comes. */
      async restOfIds(): Promise<number[]> {
        let seen = -1;
        for (; stream.text().length > seen; await new Promise((quiet) => setTimeout(quiet, 1_000)))
          seen = stream.text().length;
        return idsIn(stream.text());
      },
    };
  };
  return { db, happen, open, door, stopping, heads: () => heads };
}

describe('the stream of the events of a batch', { timeout: 60_000 }, () => {
  test('has past and new events, each once and in order', async (t) => {
    const { happen, open } = await streaming(t);
    await happen('one');
    const stream = await open();
    const first = await stream.ids(2);
    assert.deepEqual(first, [1, 2]);
    await happen('two');
    await happen('three');
    assert.deepEqual(await stream.ids(4), [1, 2, 3, 4]);
    stream.close();
  });

  test('continues after the last event that the caller has seen', async (t) => {
    const { happen, open } = await streaming(t);
    for (const what of ['one', 'two', 'three']) await happen(what);
    assert.deepEqual(await (await open(2)).ids(2), [3, 4]);
  });

  test('reads the ledger once a second, however many watch', async (t) => {
    const { happen, open, heads } = await streaming(t);
    const streams = await Promise.all(Array.from({ length: 50 }, () => open()));
    await Promise.all(streams.map((stream) => stream.ids(1)));
    const before = heads();
    await happen('one');
    await Promise.all(streams.map((stream) => stream.ids(2)));
    assert.ok(heads() - before <= 10, `${heads() - before} questions`);
  });

  test('ends if the caller may no longer see it, and when the server stops', async (t) => {
    const { happen, open, door, stopping } = await streaming(t);
    const [one, other] = [await open(), await open()];
    await Promise.all([one.ids(1), other.ids(1)]);
    stopping.abort();
    await Promise.all([one.ended, other.ended]);
    assert.equal(door.isOpen, true);
    await happen('one');
  });

  test('ends for a person who loses the account of the batch, at its next event', async (t) => {
    const { server, session, person, db, clock } = await consoleOf(t);
    const { jar } = await person('amina', { roles: ['audit'] });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const headers = { cookie: jar.cookie, 'sec-fetch-mode': 'cors' };
    const stream = await opened(`${url}/api/v1/batches/B-default/events`, headers);
    await stream.until(': the stream is open');
    const door = { nameOf: (field: string) => field };
    await performIn(session, changeUser, door, { name: 'amina', accounts: ['sandbox'] });
    await inUnit(db, { clock, actor: 'bela' }, (unit) => unit.append('B-default', 'batch.secret', {}));
    // The hub looks once a second.
    await clock.drive(clock.sleep(2_000));
    assert.doesNotMatch(await stream.until('batch.secret'), /batch\.secret/);
  });

  test('ends in the middle of a long history for a reader who may no longer see it', async (t) => {
    const { db, open, door } = await streaming(t);
    await inUnit(db, { clock: systemClock, actor: 'amina' }, async (unit) => {
      for (let event = 1; event < 1_500; event += 1)
        await unit.append('batch-1', 'batch.note', { detail: 'x'.repeat(9_000) });
    });
    const stream = await open();
    await stream.ids(1);
    door.isOpen = false;
    // A page may be on its way.
    assert.ok((await stream.restOfIds()).length <= 1_000);
  });

  test('ends for a revoked key at its next event', async (t) => {
    const { happen, open, door } = await streaming(t);
    const stream = await open();
    await stream.ids(1);
    door.isOpen = false;
    await happen('one');
    await stream.ended;
  });
});
