import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { type AirbatchRun, runAirbatch } from './airbatch-child.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { addApprovedBatch, phoneNumber } from './ledger.ts';
import { type Charge, startSandbox } from './sandbox.ts';
import { defaultLimits, furnish, inWorkplace } from './workplace.ts';

/** A window of a second stands in for the service's minute (spec section 8.1), but for one run at the true rate. */
const windowMs = 1_000;
const minuteMs = 60_000;
/** Three whole windows, and the first rows of the fourth. */
const rowsByTheMinute = 185;
const limit = 60;
/** The second client uses a third of the limit, evenly. */
const othersPerWindow = limit / 3;
const othersPrefix = 'other/';
/**
 * Parts of a window that are past when the runs start. A start takes some tenths of a second whatever the window, so
 * none is put where the rest of a window of a second is too short for it.
 */
const startsAlone = [0, 1 / 6, 1 / 3];
/** Beside another client the beginning of a window is the hardest: nobody was seen to use it yet. */
const startsShared = [0, 1 / 3, 2 / 3];

interface Run extends AirbatchRun {
  /** When the service took our rows, in order. */
  takenAt: number[];
  /** How often the second client was told to wait. */
  othersThrottled: number;
}

/**
 * A long file at the default limit: how close the sending comes to what the limit permits, and whether it is ever told
 * to wait. The service's own charge log says when each row was taken.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const count = rows ?? (quick ? 120 : 600);
  const times = quick ? 1 : startsAlone.length;
  const alone: Run[] = [];
  const shared: Run[] = [];
  for (let run = 0; run < times; run++) {
    alone.push(await payOut({ count, startShare: startsAlone[run] ?? 0 }));
    shared.push(await payOut({ count, startShare: startsShared[run] ?? 0, isShared: true }));
  }
  const trueRate = quick ? null : await payOut({ count: rowsByTheMinute, windowMs: minuteMs });
  const throttled = (runs: Run[]) => runs.reduce((sum, run) => sum + run.throttled, 0);
  const others = shared.reduce((sum, run) => sum + run.othersThrottled, 0);
  const none = { atMost: 0 };
  const figures: Figure[] = [
    {
      name: 'alone: time / least time',
      value: median(alone.map((run) => sendingMs(run) / leastMs(run.startedAt, count))),
      unit: 'x',
      goal: { atMost: 1.01 },
    },
    ...(trueRate === null ? [] : atTrueRate(trueRate)),
    { name: 'alone: answers of 429', value: throttled(alone), unit: 'requests', goal: none },
    {
      name: 'beside a second client: time / time at the rate that is left',
      value: median(shared.map((run) => sendingMs(run) / evenMs(count, limit - othersPerWindow))),
      unit: 'x',
      goal: { atMost: 1.03 },
    },
    {
      name: 'beside a second client: time / least time',
      value: median(
        shared.map((run) => sendingMs(run) / leastMs(run.startedAt, count, { perWindow: limit - othersPerWindow })),
      ),
      unit: 'x',
    },
    { name: 'beside a second client: answers of 429', value: throttled(shared), unit: 'requests', goal: none },
    { name: 'the second client: answers of 429', value: others, unit: 'requests' },
  ];
  const notes = [
    `${count} rows at ${limit} a window of ${windowMs} ms, ${times} times each, and ${rowsByTheMinute} rows once at ${limit} a minute, begun at several parts of a window (its very beginning among them). The time runs from the start of the runner to the last row's charge at the service.`,
    'The least time is that of somebody who sends a whole window at its first instant, and in the shared case knows beforehand what the other will use. The time at the rate that is left is what an even pace takes.',
  ];
  return { figures, notes };
};

/** One account at the service's own 60 a minute. */
function atTrueRate(run: Run): Figure[] {
  const least = leastMs(run.startedAt, rowsByTheMinute, { windowMs: minuteMs });
  return [
    { name: 'alone, 60 a minute: time / least time', value: sendingMs(run) / least, unit: 'x', goal: { atMost: 1.01 } },
    { name: 'alone, 60 a minute: answers of 429', value: run.throttled, unit: 'requests', goal: { atMost: 0 } },
  ];
}

interface Payout {
  count: number;
  windowMs?: number;
  /** The part of a window that is past when the run starts. */
  startShare?: number;
  isShared?: boolean;
}

async function payOut({ count, windowMs: ofRun = windowMs, startShare = 0, isShared = false }: Payout): Promise<Run> {
  await using sandbox = await startSandbox(['--rate', String(limit), '--window-ms', String(ofRun), '--instant']);
  const { url } = sandbox;
  return await inWorkplace(async (folder) => {
    const place = await furnish(folder, { baseUrl: url, limits: defaultLimits(ofRun) });
    const db = await openLedger(place.ledgerPath);
    await addApprovedBatch(db, count, url);
    await db.close();
    const ended = new AbortController();
    const client = isShared ? useEvenly(url, ended.signal) : Promise.resolve(0);
    if (isShared) await wait(windowMs);
    const run = await runAirbatch(place, {
      counted: true,
      start: { windowMs: ofRun, phaseMs: Math.round(startShare * ofRun) },
    });
    ended.abort();
    const othersThrottled = await client;
    const takenAt = ourTimes(await sandbox.charges());
    if (takenAt.length !== count) throw new Error(`${takenAt.length} rows of ${count} arrived`);
    return { ...run, takenAt, othersThrottled };
  });
}

function ourTimes(charges: readonly Charge[]): number[] {
  const ours = charges.filter(({ reference }) => !reference.startsWith(othersPrefix));
  return ours.map(({ at }) => at).sort((a, b) => a - b);
}

const sendingMs = ({ startedAt, takenAt }: Run): number => (takenAt.at(-1) ?? Number.NaN) - startedAt;

/**
 * Until the opening of the window that takes the last row, for somebody who uses each window whole at its first
 * instant.
 */
function leastMs(startedAt: number, count: number, { perWindow = limit, windowMs: ofRun = windowMs } = {}): number {
  const firstWindow = Math.floor(startedAt / ofRun);
  return (firstWindow + Math.ceil(count / perWindow) - 1) * ofRun - startedAt;
}

const evenMs = (count: number, perWindow: number): number => (count / perWindow) * windowMs;

/**
 * Another program on the account, at its own even pace whatever becomes of it; where it is late, it lets its turn
 * pass. Returns how often it was told to wait.
 */
async function useEvenly(url: string, signal: AbortSignal): Promise<number> {
  const asked: Promise<number>[] = [];
  const begun = performance.now();
  const everyMs = windowMs / othersPerWindow;
  while (!signal.aborted) {
    asked.push(createOne(url, asked.length));
    // Rounded, since a timer may ring a little early.
    const turn = Math.round((performance.now() - begun) / everyMs) + 1;
    await wait(begun + turn * everyMs - performance.now(), undefined, { signal }).catch(() => undefined);
  }
  return (await Promise.all(asked)).filter((status) => status === 429).length;
}

async function createOne(url: string, number: number): Promise<number> {
  const { statusCode, body } = await request(new URL('/v2/topups', url), {
    method: 'POST',
    headers: {
      authorization: 'Bearer sandbox-key',
      'content-type': 'application/json',
      'idempotency-key': `${othersPrefix}${number}`,
    },
    body: JSON.stringify({
      phone_number: phoneNumber(500_000 + number),
      network_id: 1,
      amount: { value: 10.5, currency: 'KES' },
      reference: `${othersPrefix}${number}`,
    }),
  });
  await body.dump();
  return statusCode;
}
