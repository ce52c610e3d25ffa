import { setTimeout as wait } from 'node:timers/promises';
import { sha256 } from '../src/core/identity/ids.ts';
import { serviceName } from '../src/core/identity/service-name.ts';
import { insertUser } from '../src/ledger/access/users.ts';
import type { Database } from '../src/ledger/drivers/database.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { addSessionOf } from '../test/support/user-session.ts';
import { batchesCompleted, paced, paceOf, until } from './accounts.ts';
import { startAccountsService } from './accounts-service.ts';
import type { Bench } from './figures.ts';
import { addApprovedBatch } from './ledger.ts';
import { type ServeProcess, startServe } from './serve-child.ts';
import { defaultLimits, furnishAccounts, inWorkplace } from './workplace.ts';

const account = 'payroll';
const rate = 60;
const settleMs = 300;
/** How often a clerk looks at another page, and the part of a window that has passed when the run starts. */
const lookMs = 2_000;
const startShare = 0.1;
const quickWindowMs = 1_000;

/** Clerks with live pages on one batch each, while the account pays at its full rate. */
export const bench: Bench = async ({ quick, rows }) => {
  const [clerks, batches, windowMs] = quick ? [3, 2, quickWindowMs] : [50, 20, paced.windowMs];
  const perBatch = Math.ceil((rows ?? (quick ? 70 : 200)) / batches);
  const found = await watched({ clerks, batches, perBatch, windowMs });
  const sorted = found.pageMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const goal = (atMost: number) => (quick ? {} : { goal: { atMost } });
  return {
    figures: [
      { name: `${clerks} clerks: time / least time`, value: found.pace, unit: 'x', ...goal(1.03) },
      { name: `${clerks} clerks: page, median`, value: at(0.5), unit: 'ms' },
      { name: `${clerks} clerks: page, p99`, value: at(0.99), unit: 'ms', ...goal(300) },
      { name: `${clerks} clerks: pages`, value: sorted.length, unit: 'requests' },
      { name: `${clerks} clerks: events received`, value: found.events, unit: 'requests' },
      { name: `${clerks} clerks: main thread`, value: found.mainShare * 100, unit: '%' },
    ],
    notes: [
      `${clerks} signed-in clerks on ${batches} batches of ${perBatch} rows of one account, which pays ${rate} rows in ${windowMs} ms. Each clerk follows the events of a batch and loads a page every ${lookMs} ms: the batch, its first 50 rows, and the list of batches at the same time. The clerks run in one other process beside the service.`,
    ],
  };
};

interface Size {
  clerks: number;
  batches: number;
  perBatch: number;
  windowMs: number;
}

async function watched({ clerks, batches, perBatch, windowMs }: Size) {
  await using service = await startAccountsService({ rate, windowMs, settleMs });
  return await inWorkplace(async (folder) => {
    const file = { baseUrl: service.urlOf(account), limits: defaultLimits(windowMs) };
    const place = await furnishAccounts(folder, new Map([[account, file]]));
    const db = await openLedger(place.ledgerPath);
    for (let number = 0; number < batches; number += 1) {
      const owner = { account, batch_id: `B-${number}`, rowsBefore: number * perBatch };
      await addApprovedBatch(db, perBatch, serviceName(file.baseUrl, 'v2'), owner);
    }
    const cookies: string[] = [];
    for (let number = 0; number < clerks; number += 1) cookies.push(await signIn(db, `clerk-${number}`));
    await wait(windowMs - ((Date.now() - startShare * windowMs) % windowMs));
    try {
      await using serve = await startServe(place, { hasApi: true });
      const ended = new AbortController();
      // Spread over the time between two looks. The first looks at once, so that a short run has a page, too.
      const looks = cookies.map((cookie, number) =>
        clerk(serve, { cookie, batch: `B-${number % batches}`, firstMs: (number / clerks) * lookMs }, ended.signal),
      );
      await until(async () => (await batchesCompleted(db)) === batches, 500);
      ended.abort();
      const seen = await Promise.all(looks);
      const { mainSeconds } = await serve.usage();
      const [requests] = Object.values(await service.requests());
      if (requests === undefined) throw new Error('nothing was paid');
      const pace = { name: '', windowMs, rows: batches * perBatch };
      return {
        pace: paceOf(requests, serve.startedAt, pace),
        pageMs: seen.flatMap((one) => one.pageMs),
        events: seen.reduce((sum, one) => sum + one.events, 0),
        mainShare: mainSeconds / ((Date.now() - serve.startedAt) / 1_000),
      };
    } finally {
      await db.close();
    }
  });
}

/** A person who may prepare, with a session. Returns its cookie. */
async function signIn(db: Database, name: string): Promise<string> {
  const [at, token] = [Date.now(), sha256(name)];
  await db.transact(async (tx) => {
    const person = { name, display_name: name, email: null, password_hash: null, language: 'en', disabled_at: null };
    await insertUser(tx, { ...person, created_by: 'bench', created_at: at, roles: ['prepare'], accounts: [] });
    await addSessionOf(tx, name, token, at);
  });
  return `airbatch=${token}`;
}

/** Follows a batch, and loads its page after `firstMs` and again and again, until the signal is aborted. */
async function clerk(
  { apiUrl }: ServeProcess,
  { cookie, batch, firstMs }: { cookie: string; batch: string; firstMs: number },
  signal: AbortSignal,
) {
  const headers = { cookie, 'sec-fetch-mode': 'cors' };
  const pageMs: number[] = [];
  let events = 0;
  const get = async (path: string) => {
    const answer = await fetch(`${apiUrl}/api/v1${path}`, { headers });
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const follow = async () => {
    const stream = await fetch(`${apiUrl}/api/v1/batches/${batch}/events`, { headers, signal });
    for await (const piece of stream.body ?? []) events += Buffer.from(piece).toString().split('\nid:').length;
  };
  const following = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await wait(firstMs, undefined, { signal }).catch(() => undefined);
  while (!signal.aborted) {
    const begun = performance.now();
    await Promise.all(
      [`/batches/${batch}`, `/batches/${batch}/rows?limit=50`, '/batches?limit=20'].map((path) => get(path)),
    );
    pageMs.push(performance.now() - begun);
    await wait(lookMs, undefined, { signal }).catch(() => undefined);
  }
  await following;
  return { pageMs, events };
}
