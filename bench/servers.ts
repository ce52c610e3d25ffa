import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort, startPostgres as startTestPostgres } from '../test/support/postgres.ts';

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
  const program = findProgram('redis-server');
  if (!program) return null;
  const port = await freePort();
  const options = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
  const child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...options], {
    stdio: 'ignore',
  });
  const url = `redis://127.0.0.1:${port}`;
  await answers(child, async () => {
    const { Redis } = await import('ioredis');
    const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on('error', () => undefined);
    await redis.connect();
    redis.disconnect();
  });
  return { url, [Symbol.asyncDispose]: () => end(child) };
}

/** PostgreSQL with its own defaults, every commit on disk. */
export async function startPostgres(): Promise<RivalServer> {
  const { url, stop } = await startTestPostgres(['fsync=on', 'full_page_writes=on', 'max_connections=100']);
  return { url, [Symbol.asyncDispose]: stop };
}

function findProgram(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

async function answers(child: ChildProcess, connect: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (child.exitCode !== null) throw new Error(`Redis ended with code ${child.exitCode}`);
    try {
      return await connect();
    } catch (error) {
      if (tries === startTriesMax) throw error;
    }
    await wait(startTryMs);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
