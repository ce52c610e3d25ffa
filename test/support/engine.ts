import { AirbatchError, type ErrorReason } from '../../src/core/basics/errors.ts';
import type { Random } from '../../src/core/basics/random.ts';
import type { PauseReason } from '../../src/core/state/batch-state.ts';
import { type AccountRunner, makeAccountRunner, type RunnerOptions } from '../../src/engine/account-runner.ts';
import { approve } from '../../src/engine/batches/batch-commands.ts';
import { defaultEngineSettings, type EngineSettings } from '../../src/engine/runner/settings.ts';
import type { Gateway, ServicePolicy } from '../../src/gateway/contract/gateway.ts';
import type { BatchRecord } from '../../src/ledger/batches/batches.ts';
import { findBatch } from '../../src/ledger/batches/batches.ts';
import { openPauses, whyOf } from '../../src/ledger/batches/pauses.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { findRow, type NewRow, pageRows, type RowRecord } from '../../src/ledger/rows/rows.ts';
import type { Limiter } from '../../src/limiter/limiter.ts';
import { type FakeService, makeFakeService } from './fake-service.ts';
import { aBatch, addBatch, aRow, memoryLedger, testService, unplanned } from './ledger.ts';
import { makeOpenLimiter } from './open-limiter.ts';
import { makeVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Always in the middle: no jitter either way. */
const evenRandom: Random = { fraction: () => 0.5, hex: (bytes) => '0'.repeat(bytes * 2) };

/** An engine with a ledger in memory and a fake service, all on a virtual clock. */
export interface Rig {
  db: Database;
  clock: VirtualClock;
  service: FakeService;
  warnings: string[];
  infos: string[];
  /** How many payments the limiter was told are to come, each time. */
  expected: number[];
  /** With a limiter of its own, if none is given. */
  runner(
    options?: Partial<Pick<RunnerOptions, 'rereads' | 'service' | 'restored'> & { limiter: Limiter }>,
  ): AccountRunner;
  /** Runs a new runner until it has nothing left to do within `patienceMs` (default: a day and a half). */
  run(patienceMs?: number): Promise<void>;
  add(rows: readonly NewRow[], batch?: Partial<BatchRecord>): Promise<void>;
  row(rowNo: number, batchId?: string): Promise<RowRecord>;
  states(batchId?: string): Promise<string[]>;
  /** With the first of its pauses. */
  batch(
    batchId?: string,
  ): Promise<
    BatchRecord & { pause_reason: PauseReason | null; pause_detail: string | null; pause_why: ErrorReason | null }
  >;
}

export async function makeRig(
  options: {
    policy?: ServicePolicy;
    list?: boolean;
    settleMs?: number;
    settings?: Partial<EngineSettings>;
    paceMs?: number;
    jobsAtOnce?: number;
    random?: Random;
    /** The client of another service than the fake one: its balance is read when a batch is added. */
    gateway?: (clock: VirtualClock) => Promise<Gateway>;
  } = {},
): Promise<Rig> {
  const clock = makeVirtualClock();
  const db = await memoryLedger();
  const service = makeFakeService(clock, options);
  const gateway = (await options.gateway?.(clock)) ?? service;
  const warnings: string[] = [];
  const infos: string[] = [];
  const expected: number[] = [];
  // Days go by in these tests: looking now and then is enough.
  const rarely = { idlePollMs: 600_000, openPollMs: 600_000, leaseTtlMs: 3_600_000 };
  const settings = { ...defaultEngineSettings, ...rarely, ...options.settings };
  let runners = 0;
  const runner: Rig['runner'] = ({ limiter = makeOpenLimiter(clock, options), ...more } = {}) => {
    runners += 1;
    const log = {
      info: (message: string) => void infos.push(message),
      warn: (message: string) => void warnings.push(message),
    };
    return makeAccountRunner(
      {
        db,
        gateway,
        limiter: { ...limiter, expect: (_, count) => void expected.push(count) },
        clock,
        random: options.random ?? evenRandom,
        log,
        settings,
      },
      {
        account: 'main',
        service: testService,
        holder: `test/${runners}/0`,
        isDead: () => false,
        callbackUrl: null,
        ...more,
      },
    );
  };
  return {
    db,
    clock,
    service,
    warnings,
    infos,
    expected,
    runner,
    run: (patienceMs = 36 * 3_600_000) => clock.drive(runner().run(patienceMs)),
    async add(rows, batch = {}) {
      const made = aBatch(batch);
      await addBatch(
        db,
        clock,
        made,
        rows.map((row) => ({ ...row, batch_id: made.batch_id })),
      );
      const read = options.gateway ? await gateway.balance() : null;
      const terms = { ...unplanned, balance: read?.kind === 'balance' ? read.balance : null };
      await approve({ db, clock, person: 'approver', through: 'cli' as const }, made.batch_id, terms);
    },
    row: async (rowNo, batchId = 'batch-1') => (await findRow(db, batchId, rowNo)) as RowRecord,
    states: async (batchId = 'batch-1') => (await pageRows(db, batchId, 0, 10_000)).map(({ status }) => status),
    batch: async (batchId = 'batch-1') => {
      const batch = (await findBatch(db, batchId)) as BatchRecord;
      const [pause] = await openPauses(db, batch);
      const pause_why = pause === undefined ? null : whyOf(pause).reason;
      return { ...batch, pause_reason: pause?.reason ?? null, pause_detail: pause?.detail ?? null, pause_why };
    },
  };
}

/** `count` good rows. */
export function someRows(count: number): NewRow[] {
  return Array.from({ length: count }, (_, index) => aRow(index + 1));
}

/** The next time that batches are paused, the ledger is busy with another program's work. */
export function failOncePausing(rig: Rig): void {
  const { transact } = rig.db;
  rig.db.transact = (work) =>
    transact((tx) =>
      work({
        ...tx,
        execute(sql, params = []) {
          if (!sql.startsWith('UPDATE batches') || !params.includes('paused')) return tx.execute(sql, params);
          rig.db.transact = transact;
          throw new AirbatchError('LEDGER_BUSY', 'another program writes');
        },
      }),
    );
}
