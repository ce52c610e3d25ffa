import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';

/** A server of the rivals', in a process of its own, with its data in a folder of the bench. */
export interface RivalServer extends AsyncDisposable {
  url: string;
}

const startTriesMax = 100;
const startTryMs = 100;

/**
 * Redis as BullMQ's documentation would have it in production: appended to a file, synchronised every second. Null:
 * not installed.
 */
export async function startRedis(folder: string): Promise<RivalServer | null> {
  const program = findProgram('redis-server', []);
  if (!program) return null;
  const port = await freePort();
  const options = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
  const child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...options], {
    stdio: 'ignore',
  });
  const url = `redis://127.0.0.1:${port}`;
  await answers('Redis', child, async () => {
    const { Redis } = await import('ioredis');
    const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on('error', () => undefined);
    await redis.connect();
    redis.disconnect();
  });
  return { url, [Symbol.asyncDispose]: () => end(child, 'SIGTERM') };
}

/** PostgreSQL with its own defaults, every commit on disk. Null: not installed. */
export async function startPostgres(folder: string): Promise<RivalServer | null> {
  const places = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => join('/usr/lib/postgresql', version, 'bin'))
    : [];
  const initdb = findProgram('initdb', places);
  const postgres = findProgram('postgres', places);
  const person = postgresPerson();
  if (!initdb || !postgres || person === null) return null;
  const data = join(folder, 'postgres');
  mkdirSync(data);
  if (person.uid !== undefined) {
    chownSync(folder, person.uid, person.gid ?? person.uid);
    chownSync(data, person.uid, person.gid ?? person.uid);
  }
  const initialised = spawn(initdb, ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8'], {
    stdio: 'ignore',
    cwd: folder,
    ...person,
  });
  const [code] = await once(initialised, 'exit');
  if (code !== 0) throw new Error(`initdb ended with code ${code}`);
  const port = await freePort();
  const options = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', data];
  const child = spawn(postgres, options, { stdio: 'ignore', cwd: folder, ...person });
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  await answers('PostgreSQL', child, async () => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  });
  // SIGINT is its "fast" shutdown: it does not wait for clients.
  return { url, [Symbol.asyncDispose]: () => end(child, 'SIGINT') };
}

function findProgram(name: string, places: readonly string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...places];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** PostgreSQL refuses to run as root: then its own user runs it, and where there is none, nobody does (null). */
function postgresPerson(): Pick<SpawnOptions, 'uid' | 'gid'> | null {
  if (process.getuid?.() !== 0) return {};
  try {
    const number = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    return { uid: number('-u'), gid: number('-g') };
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function answers(name: string, child: ChildProcess, connect: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}`);
    try {
      return await connect();
    } catch (error) {
      if (tries === startTriesMax) throw error;
    }
    await wait(startTryMs);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
