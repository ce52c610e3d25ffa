import { fork } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { systemRandom } from '../src/core/basics/random.ts';
import { systemClock } from '../src/core/time/clock.ts';
import { makeAccountRunner } from '../src/engine/account-runner.ts';
import type { Gateway } from '../src/gateway/contract/gateway.ts';
import { openAccount } from '../src/runtime/accounts/account.ts';
import { makeLog } from '../src/runtime/logging/log.ts';
import { openLedger } from '../src/runtime/session/ledger.ts';
import { isDeadProcess, processHolder } from '../src/runtime/session/process-holder.ts';
import { chooseAccount, loadConfig } from '../src/runtime/settings/config.ts';
import { makeServer } from '../src/server/app.ts';
import { accountName } from './ledger.ts';
import { asLauncher, peakMiB } from './memory.ts';
import type { Workplace } from './workplace.ts';

/** What paying out a workplace's approved batches took. Times are epoch milliseconds. */
export interface AirbatchRun {
  startedAt: number;
  endedAt: number;
  /** Answers of the service, by what was asked, where they are counted. */
  answers: Record<string, number>;
  /** Answers that said to wait (429). */
  throttled: number;
  peakMiB: number;
  /** What the run took of the processors, all threads together. */
  cpuSeconds: number;
}

/** When a run begins: `phaseMs` after a multiple of `windowMs` (epoch milliseconds), as the sandbox's windows do. */
export interface RunStart {
  windowMs: number;
  phaseMs: number;
}

/** Waits no longer than this for doubts: in a bench there are none. */
const patienceMs = 60_000;

/**
 * Pays out in a process of its own, as `airbatch run` does after its question; with `webhooks` it also takes the
 * service's callbacks, as `airbatch serve` does. With `start` the runner starts when that says, else at once. Where
 * the time of a row is measured, answers are not `counted`: it would be a part of it.
 */
export function runAirbatch(
  { folder, env }: Workplace,
  {
    webhooks = false,
    counted = false,
    start,
    execArgv = [],
  }: { webhooks?: boolean; counted?: boolean; start?: RunStart; execArgv?: readonly string[] } = {},
): Promise<AirbatchRun> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [JSON.stringify({ folder, webhooks, counted, start })], {
      stdio: 'inherit',
      env: { ...process.env, ...asLauncher.env, ...env },
      execArgv: [...asLauncher.execArgv, ...execArgv],
    });
    let run: AirbatchRun | null = null;
    child.once('message', (message) => {
      run = message as AirbatchRun;
    });
    child.once('error', reject);
    child.once('exit', (code) => (run ? resolve(run) : reject(new Error(`airbatch ended with code ${code}`))));
  });
}

interface Task {
  folder: string;
  webhooks: boolean;
  counted: boolean;
  start?: RunStart;
}

async function payOut({ folder, webhooks, counted, start }: Task): Promise<AirbatchRun> {
  const config = await loadConfig({ cwd: folder, env: process.env });
  const log = makeLog({ level: 'warn', secrets: config.secrets, screen: null });
  const deps = { clock: systemClock, random: systemRandom, log, ledgerPath: config.ledger };
  const chosen = chooseAccount(config, accountName);
  const account = await openAccount(chosen, deps);
  const db = await openLedger(config.ledger);
  const { gateway, answers } = counted ? counting(account.gateway) : { gateway: account.gateway, answers: {} };
  const { limiter, settings } = account;
  if (start) await wait(start.windowMs - ((Date.now() - start.phaseMs) % start.windowMs));
  const startedAt = Date.now();
  const cpuBefore = process.cpuUsage();
  const server = webhooks
    ? makeServer({
        ...deps,
        db,
        webhookKeys: new Map(chosen ? [[accountName, chosen.webhookKeys]] : []),
        onWebhook: () => runner.hint(),
        hasRoom: async () => true,
        health: () => ({ stopping: false, reports: true, accounts: { working: 1, waiting: 0 } }),
      })
    : null;
  const url = await server?.listen({ port: 0, host: '127.0.0.1' });
  const callbackUrl = url === undefined ? null : `${url}/webhooks/${accountName}/topups`;
  const runner = makeAccountRunner(
    { ...deps, db, gateway, limiter, settings },
    {
      account: accountName,
      service: account.service,
      holder: processHolder(systemClock),
      isDead: isDeadProcess,
      callbackUrl,
    },
  );
  await runner.run(patienceMs);
  const endedAt = Date.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  await server?.close();
  await account.close();
  await db.close();
  const { throttled = 0, ...asked }: Record<string, number> = answers;
  return { startedAt, endedAt, answers: asked, throttled, peakMiB: peakMiB(), cpuSeconds: (user + system) / 1_000_000 };
}

/** The same gateway, with its answers counted. */
function counting(gateway: Gateway): { gateway: Gateway; answers: Record<string, number> } {
  const answers: Record<string, number> = {};
  const note = (name: string) => {
    answers[name] = (answers[name] ?? 0) + 1;
  };
  const counted =
    <Args extends unknown[], Outcome extends { kind: string }>(
      name: string,
      ask: (...args: Args) => Promise<Outcome>,
    ): ((...args: Args) => Promise<Outcome>) =>
    async (...args) => {
      const outcome = await ask(...args);
      note(name);
      if (outcome.kind === 'throttled') note('throttled');
      return outcome;
    };
  return {
    answers,
    gateway: {
      ...gateway,
      create: counted('create', gateway.create),
      lookup: counted('lookUp', gateway.lookup),
      read: counted('read', gateway.read),
      list: gateway.list && counted('list', gateway.list),
      balance: counted('balance', gateway.balance),
    },
  };
}

if (process.send && process.argv[1] === import.meta.filename) {
  process.send(await payOut(JSON.parse(process.argv[2] ?? '') as Task));
  process.disconnect();
}
