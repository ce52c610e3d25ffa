import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSeededRandom, type SeededRandom } from '../simulation/seeded-random.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { folderOf, type Lifetime } from '../support/folder.ts';
import { type SandboxProcess, startSandbox } from '../support/sandbox-process.ts';

/** What many strikes against real processes came to. */
export interface ChaosResult {
  rounds: number;
  rows: number;
  kills: number;
  /** Suspensions past the lease, in which a second process took the account over. */
  suspensions: number;
  /** What was wrong, in words; empty is a pass. */
  violations: string[];
}

/** Runs at a time: a strike waits more than it works, for a process to start and for the moment to come. */
const lanes = 2;
/** Rows of a file: some seconds of sending, so that a handful of strikes falls into each round. */
const rowsPerRound = 120;
const leaseTtlMs = 2_000;
/** How often the ledger is looked at for the approval, before which there is nothing to resume. */
const approvalLookMs = 20;
/**
 * A life of a round lasts this at most, and each further one a twentieth longer: on a busy machine a process takes
 * seconds to start.
 */
const lifeMsMax = 1_100;
const longer = 1.05;
/** A round that takes longer than this does not come to rest. */
const roundMsMax = 300_000;

/**
 * Runs files at a sandbox in a process of its own, and strikes the command at seeded moments, until it was struck so
 * often.
 */
export async function chaos({ strikes, seed }: { strikes: number; seed: number }): Promise<ChaosResult> {
  const result: ChaosResult = { rounds: 0, rows: 0, kills: 0, suspensions: 0, violations: [] };
  const random = makeSeededRandom(seed);
  await using end = new AsyncDisposableStack();
  const lifetime: Lifetime = { after: (work) => end.defer(async () => void (await work())) };
  const sandbox = await startSandbox(lifetime, folderOf(lifetime), ['--rate', '1000000', '--settle-ms', '300']);
  const playLane = async () => {
    const folder = folderOf(lifetime);
    while (result.kills + result.suspensions < strikes) {
      result.rounds += 1;
      result.rows += rowsPerRound;
      await playRound({ number: result.rounds, folder, sandbox, random, result });
    }
  };
  await Promise.all(Array.from({ length: lanes }, playLane));
  return result;
}

interface Round {
  /** Of all rounds, from 1 on: no two have a run id or a recipient in common. */
  number: number;
  folder: string;
  sandbox: SandboxProcess;
  random: SeededRandom;
  result: ChaosResult;
}

async function playRound({ number, folder, sandbox, random, result }: Round): Promise<void> {
  const runId = `chaos-${number}`;
  const version = number % 2 === 0 ? 'v1' : 'v2';
  writeFileSync(
    join(folder, 'airbatch.config.json'),
    JSON.stringify({ accounts: { [version]: account(version, sandbox.url) } }),
  );
  writeFileSync(join(folder, `${runId}.csv`), file(number));
  const env = { SANDBOX_KEY: 'sandbox-key', SANDBOX_EMAIL: 'sandbox@airbatch.test', SANDBOX_TOKEN: 'sandbox-token' };
  const start = (args: readonly string[]) => startCommand(args, { cwd: folder, env });
  const deadline = performance.now() + roundMsMax;

  let command = start(['run', `${runId}.csv`, '--run-id', runId, '--yes']);
  await command.seen(/^Time /m);
  while (!isApproved(folder, runId) && command.child.exitCode === null) await sleep(approvalLookMs);
  for (let lives = 0; performance.now() < deadline; lives++) {
    await Promise.race([sleep(random.between(100, Math.round(lifeMsMax * longer ** lives))), command.ended]);
    if (command.child.exitCode !== null) {
      // A machine that was busy for longer than the hold suspends it as well: it says so, and a person would resume it.
      if (!(await command.ended).stderr.includes('[FENCED]')) break;
      command = start(['resume']);
      continue;
    }
    const isSuspension = random.percent(10);
    if (isSuspension) result.suspensions += 1;
    else result.kills += 1;
    command = isSuspension ? await suspend(command, start, random) : await kill(command, start);
  }
  const over = command.child.exitCode === null;
  if (over) command.child.kill('SIGKILL');
  const { code, stderr } = await command.ended;
  if (over || code !== 0)
    result.violations.push(`${runId} (${version}) ended with ${over ? 'no rest' : code}: ${stderr}`);
  await judge(sandbox, runId, result.violations);
}

function isApproved(folder: string, runId: string): boolean {
  const ledger = new DatabaseSync(join(folder, '.airbatch/ledger.db'), { readOnly: true, timeout: 5_000 });
  try {
    return (
      ledger.prepare('SELECT 1 FROM batches WHERE run_id = ? AND approved_at IS NOT NULL').get(runId) !== undefined
    );
  } finally {
    ledger.close();
  }
}

async function kill(
  command: RunningCommand,
  start: (args: readonly string[]) => RunningCommand,
): Promise<RunningCommand> {
  command.child.kill('SIGKILL');
  await command.ended;
  return start(['resume']);
}

/**
 * Freezes the process past its lease, lets a second one take over, and wakes the first, which must send nothing more.
 */
async function suspend(
  command: RunningCommand,
  start: (args: readonly string[]) => RunningCommand,
  random: SeededRandom,
): Promise<RunningCommand> {
  command.child.kill('SIGSTOP');
  await sleep(leaseTtlMs + random.between(100, 600));
  const rival = start(['resume']);
  await sleep(random.between(50, 900));
  command.child.kill('SIGCONT');
  // Awake, it finds the account taken: it either ends, or watches the other do the work until that is done.
  await Promise.race([command.ended, sleep(random.between(300, 800))]);
  if (command.child.exitCode === null) command.child.kill('SIGKILL');
  return rival;
}

async function judge(sandbox: SandboxProcess, runId: string, violations: string[]): Promise<void> {
  const charges = await sandbox.liveCharges();
  const own = [...charges].filter(([reference]) => reference.startsWith(`${runId}/`));
  const rows = new Map<string, number>();
  for (const [reference, count] of own) {
    const row = reference.replace(/~[0-9]+$/, '');
    rows.set(row, (rows.get(row) ?? 0) + count);
  }
  for (const [row, count] of rows) if (count !== 1) violations.push(`${row} was charged ${count} times`);
  if (rows.size !== rowsPerRound) violations.push(`${runId}: ${rows.size} of ${rowsPerRound} rows were charged`);
}

function account(version: 'v1' | 'v2', baseUrl: string): object {
  const keys =
    version === 'v2' ? { apiKeyEnv: 'SANDBOX_KEY' } : { emailEnv: 'SANDBOX_EMAIL', tokenEnv: 'SANDBOX_TOKEN' };
  return {
    version,
    baseUrl,
    ...keys,
    leaseTtlMs,
    limits: { creation: { limit: 1_800 }, read: { limit: 100_000 } },
    // A rehearsal does not wait the minutes that a real service may need to show a payment.
    doubt: { lookupDelaysMs: [200, 400], resendDelaysMs: [300, 600] },
  };
}

function file(round: number): string {
  const lines = Array.from({ length: rowsPerRound }, (_, index) => {
    const number = 10_000 + round * rowsPerRound + index;
    return `+25471${String(20_000 + number).padStart(5, '0')}55,1,${10 + (index % 90)},KES,row-${index + 1}`;
  });
  return ['phone_number,network_id,amount,currency,reference', ...lines, ''].join('\n');
}
