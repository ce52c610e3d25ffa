import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FromServer } from './drafts-child.ts';
import { type Bench, type Figure, median } from './figures.ts';
import { asLauncher } from './memory.ts';
import { inWorkplace } from './workplace.ts';

/** One row in a hundred lacks the country code of its number. */
export const wrongEvery = 100;
/** Requests of a kind: the middle one counts. */
const repeats = 9;

/** What a clerk waits for, in processor time of the server (ms), and the most memory that it held. */
interface Measured {
  peakMiB: number;
  seconds: Record<string, number>;
  cpuMs: Record<string, number>;
}

/**
 * A file is uploaded, checked, listed, filtered, mended and planned over the HTTP API: how much longer a file of ten
 * times the rows takes, and whether the memory of the server grows with it.
 */
export const bench: Bench = async ({ quick, rows }) => {
  const many = rows ?? (quick ? 2_000 : 1_000_000);
  const few = Math.round(many / 10);
  const [small, large] = [await measure(few), await measure(many)];
  const figures: Figure[] = [
    {
      name: `memory of the server, ${many} rows against ${few}`,
      value: large.peakMiB / small.peakMiB,
      unit: 'x',
      goal: { atMost: 1.5 },
    },
    { name: `peak memory with ${few} rows`, value: small.peakMiB, unit: 'MiB' },
    { name: `peak memory with ${many} rows`, value: large.peakMiB, unit: 'MiB' },
  ];
  for (const work of wholeFile) {
    const perRow = (of: Measured, count: number) => (of.cpuMs[work] ?? 0) / count;
    figures.push(
      {
        name: `${work}: a row of ${many} against one of ${few}`,
        value: perRow(large, many) / perRow(small, few),
        unit: 'x',
        goal: { atMost: 1.5 },
      },
      { name: `${work}, ${many} rows`, value: large.seconds[work] ?? 0, unit: 's' },
    );
  }
  for (const work of onePage)
    figures.push(
      { name: `${work}, ${few} rows`, value: small.cpuMs[work] ?? 0, unit: 'ms', goal: { atMost: 100 } },
      { name: `${work}, ${many} rows`, value: large.cpuMs[work] ?? 0, unit: 'ms' },
    );
  return { figures };
};

const wholeFile = ['upload', 'check', 'preview of a fix', 'fix', 'check again', 'plan'] as const;
const onePage = ['a page', 'the last page', 'a page of a state', 'a page with a text', 'a cell', 'undo'] as const;

function measure(rows: number): Promise<Measured> {
  return inWorkplace(async (folder) => {
    const file = join(folder, 'november.csv');
    await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
    await mkdir(join(folder, 'served'), { mode: 0o700 });
    const child = fork(join(import.meta.dirname, 'drafts-child.ts'), [join(folder, 'served')], {
      execArgv: asLauncher.execArgv,
      env: { ...process.env, ...asLauncher.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ready = (await next(child)) as Extract<FromServer, { kind: 'ready' }>;
    try {
      return await measureServer(child, ready, { file, rows });
    } finally {
      child.disconnect();
      await once(child, 'exit');
    }
  });
}

async function measureServer(
  child: ChildProcess,
  { url, key }: Extract<FromServer, { kind: 'ready' }>,
  { file, rows }: { file: string; rows: number },
): Promise<Measured> {
  const result: Measured = { peakMiB: 0, seconds: {}, cpuMs: {} };
  const timed = async <Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> => {
    const before = await usage(child);
    const begun = performance.now();
    const answer = await work();
    const after = await usage(child);
    result.seconds[name] = (performance.now() - begun) / 1_000;
    result.cpuMs[name] = after.cpuMs - before.cpuMs;
    if (process.env.BENCH_LOG)
      console.error(rows, name, result.seconds[name].toFixed(2), Math.round(result.cpuMs[name]), after.peakMiB);
    return answer;
  };
  const repeated = async (name: string, work: (turn: number) => Promise<unknown>) => {
    const times: number[] = [];
    for (let turn = 0; turn < repeats; turn++) {
      await timed(name, () => work(turn));
      times.push(result.cpuMs[name] ?? 0);
    }
    result.cpuMs[name] = median(times);
  };
  const call = caller(url, key);
  const { draft_id: id } = await timed('upload', async () => call('POST', '/drafts', await openAsBlob(file)));
  const draft = () => call('GET', `/drafts/${id}`);
  const change = (body: object) => call('POST', `/drafts/${id}/change`, body);
  await timed('check', draft);
  const page = (query: string) => call('GET', `/drafts/${id}/rows?limit=100&${query}`);
  await repeated('a page', (turn) => page(`after=${Math.floor((rows * turn) / repeats)}`));
  await repeated('the last page', () => page(`after=${rows - 100}`));
  await repeated('a page of a state', (turn) => page(`state=invalid&skip=${turn * 100}`));
  const search = (text: string) => call('POST', `/drafts/${id}/rows/search`, { text, limit: 100 });
  await repeated('a page with a text', (turn) => search(`person ${turn}99`));
  await repeated('a cell', (turn) => change({ cells: [{ row: turn + 2, column: 3, value: String(50 + turn) }] }));
  await repeated('undo', () => call('POST', `/drafts/${id}/undo`, {}));
  const fix = { code: 'PHONE_NEEDS_COUNTRY', column: 1, fix: 'add_country_code', value: 'KE' };
  await timed('preview of a fix', () => call('POST', `/drafts/${id}/fix`, fix));
  await timed('fix', () => change({ fix }));
  await timed('check again', draft);
  await timed('plan', () => call('POST', `/drafts/${id}/plan`, {}));
  const { size } = await stat(file);
  if (process.env.BENCH_LOG) console.error(rows, 'bytes', size);
  return { ...result, peakMiB: (await usage(child)).peakMiB };
}

function caller(url: string, key: string) {
  let requests = 0;
  return async (method: 'GET' | 'POST', path: string, body?: Blob | object) => {
    requests += 1;
    const isFile = body instanceof Blob;
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' ? { 'idempotency-key': `request-${requests}` } : {}),
        ...(isFile ? { 'content-disposition': 'attachment; filename="november.csv"' } : {}),
        'content-type': isFile ? 'application/octet-stream' : 'application/json',
      },
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { draft_id?: string };
    if (response.ok) return answer;
    throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  };
}

async function usage(child: ChildProcess): Promise<Extract<FromServer, { kind: 'peak' }>> {
  child.send('peak');
  return (await next(child)) as Extract<FromServer, { kind: 'peak' }>;
}

async function next(child: ChildProcess): Promise<FromServer> {
  const [message] = (await once(child, 'message')) as [FromServer];
  return message;
}

export function* csvOf(rows: number): Generator<string> {
  yield 'name,phone_number,network_id,amount,currency\n';
  for (let from = 0; from < rows; from += 1_000) {
    const lines: string[] = [];
    for (let index = from; index < Math.min(rows, from + 1_000); index++)
      lines.push(
        `Person ${index},${index % wrongEvery === 0 ? '0' : '+254'}${712_000_000 + index},Safaricom,100,KES\n`,
      );
    yield lines.join('');
  }
}
