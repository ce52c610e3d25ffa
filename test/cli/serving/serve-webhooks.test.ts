import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../../src/core/time/clock.ts';
import { approve } from '../../../src/engine/batches/batch-commands.ts';
import { startHttpService } from '../../server/http-service.ts';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn, openLedgerIn } from '../../support/folder-ledger.ts';
import { httpServer } from '../../support/http-server.ts';
import { aBatch, addBatch, aRow, unplanned } from '../../support/ledger.ts';

const peopleSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const env = { PAY_KEY: 'key', PEOPLE_SECRET: peopleSecret };

interface Got {
  path: string;
  body: string;
  headers: IncomingHttpHeaders;
}

/** A receiver of webhooks (`/hook`) and of news for people (`/people`), which answers the former with `is.status`. */
async function receiver(t: TestContext) {
  const got: Got[] = [];
  const is = { status: 503 };
  const arrived = new EventTarget();
  const { url } = await httpServer(t, (request, body, response) => {
    const { url: path = '', headers } = request;
    got.push({ path, body: body.toString(), headers });
    response.writeHead(path === '/hook' ? is.status : 204).end();
    arrived.dispatchEvent(new Event('message'));
  });
  /** Waits for message number `count` of those that are wanted. */
  const message = async (wanted: (one: Got) => boolean, count = 1): Promise<Got> => {
    for (;;) {
      const found = got.filter(wanted)[count - 1];
      if (found) return found;
      await once(arrived, 'message', { signal: AbortSignal.timeout(60_000) });
    }
  };
  return { url, got, is, message };
}

function isSigned({ body, headers }: Got, secret: string): boolean {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
}

test('"serve" sends webhooks to a receiver that fails and comes back, changes its secret, and is gone in the end', async (t) => {
  const cwd = folderOf(t);
  const service = await startHttpService();
  t.after(() => service.close());
  const { url, is, message } = await receiver(t);
  const people = { kind: 'webhook', url: `${url}/people`, secretEnv: 'PEOPLE_SECRET', on: ['webhook_disabled'] };
  const account = { baseUrl: service.url, apiKeyEnv: 'PAY_KEY' };
  const config = { accounts: { main: account }, notifications: [people] };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify(config));
  await makeLedgerIn(cwd);
  const db = await openLedgerIn(cwd);
  t.after(() => db.close());
  const webhooks = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(['--json', 'webhooks', ...args], { cwd, env });
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const approveBatch = async (batch_id: string) => {
    await addBatch(db, systemClock, aBatch({ batch_id, run_id: batch_id, service: service.url }), [
      aRow(1, { batch_id, amount: batch_id.replace(/\D/g, '') }),
    ]);
    await approve({ db, clock: systemClock, person: 'ann', through: 'cli' }, batch_id, unplanned);
  };
  const { endpoint_id: id, secret } = await webhooks('create', `${url}/hook`, '--events', 'batch.approved');
  const stored = () => db.query('SELECT secret, earlier_secret FROM webhook_endpoints');
  assert.doesNotMatch(JSON.stringify(await stored()), /whsec/, 'a copy of the ledger shows no secret');
  const serve = startCommand(['serve', '--port', '0'], { cwd, env });
  t.after(async () => {
    serve.child.kill('SIGKILL');
    await serve.ended;
  });
  await serve.seen(/Serving at/);

  await approveBatch('batch-51');
  const failed = await message(({ path }) => path === '/hook');
  is.status = 204;
  const isFirst = ({ headers }: Got) => headers['webhook-id'] === failed.headers['webhook-id'];
  const again = await message(isFirst, 2);
  assert.deepEqual([again.body, isSigned(again, secret)], [failed.body, true], 'the same message comes again');

  const { secret: newer } = await webhooks('rotate', id);
  assert.doesNotMatch(JSON.stringify(await stored()), /whsec/);
  await approveBatch('batch-52');
  const second = await message(({ body }) => body.includes('batch-52'));
  assert.deepEqual([isSigned(second, secret), isSigned(second, newer)], [true, true], 'both secrets sign for a day');

  const { deliveries } = await webhooks('log', id);
  const first = deliveries.at(-1);
  assert.deepEqual([deliveries.length, first.attempts.length], [2, 2]);
  await webhooks('redeliver', id, String(first.delivery_no));
  assert.equal(isSigned(await message(isFirst, 3), newer), true, 'a person sends it again');

  is.status = 410;
  await approveBatch('batch-53');
  const news = await message(({ path }) => path === '/people');
  assert.equal(isSigned(news, peopleSecret), true);
  assert.match(news.body, /webhook_disabled.*A webhook endpoint is disabled/);
  assert.doesNotMatch(news.body, /whsec/);
  const { endpoints } = await webhooks('list');
  assert.deepEqual([endpoints[0].enabled, endpoints[0].failed_at !== null], [false, true]);
});
