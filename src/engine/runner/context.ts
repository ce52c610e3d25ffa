import type { Random } from '../../core/basics/random.ts';
import type { PauseReason } from '../../core/state/batch-state.ts';
import type { Why } from '../../core/state/pause-texts.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Gateway } from '../../gateway/contract/gateway.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import type { LateBatches } from '../forecast/late-batches.ts';
import type { GateKeeper } from '../pacing/gate-keeper.ts';
import type { ReadTrouble } from '../pacing/read-trouble.ts';
import type { Committer } from './committer.ts';
import type { Followed } from './followed-rows.ts';
import type { Lease } from './lease.ts';
import type { OpenBatches } from './open-batches.ts';
import type { Picker } from './picker.ts';
import type { EngineSettings } from './settings.ts';
import type { SettlementStats } from './settlement-stats.ts';
import type { Wakes } from './wake.ts';

/** The dependencies of an account's runner. */
export interface EngineDeps {
  db: Database;
  gateway: Gateway;
  limiter: Limiter;
  clock: Clock;
  random: Random;
  log: Log;
  settings: EngineSettings;
}

/** The parts that dispatch, doubts and tracking of one account share while its runner lives. */
export interface RunnerContext extends EngineDeps {
  account: string;
  /** The service that the account points at. The runner does not work on batches of another service. */
  service: string;
  /** The URL to which the service should send webhooks of new payments; null: none. */
  callbackUrl: string | null;
  lease: Lease;
  /** When the ledger was restored from a backup (epoch ms), while that still requires lookups; else null. */
  restoredAt: number | null;
  /** What is known of the age of idempotency keys. Times are epoch ms. */
  keys: {
    /**
     * Keys first sent up to this time may have any age: the clock was set back since, or it is behind the service's.
     */
    provedFrom(): number;
    /** Since when the account uses its present API key. The service may not recognize keys first sent before. */
    scopeFrom: number;
  };
  committer: Committer;
  /** A cache of the rows that this runner follows. */
  followed: Followed;
  picker: Picker;
  gate: GateKeeper;
  readTrouble: ReadTrouble;
  late: LateBatches;
  settlementStats: SettlementStats;
  wakes: Wakes;
  batches: OpenBatches;
  /** Aborted once nothing more may be sent. It also ends sleeps that no wake-up ends. */
  stopping: AbortSignal;
  /** Called when a batch is durably completed. */
  onCompleted(batchId: string): void;
  /** Pauses every open batch of the account for this reason. */
  pauseAccount(reason: PauseReason, why: Why): Promise<void>;
}

/** The parts that are needed to ask the service, and to write the result. */
export type Asks = 'gateway' | 'limiter' | 'readTrouble';
export type Writes = 'clock' | 'committer' | 'db' | 'log';

/** Some parts of a runner: each file declares the ones that it uses, and gets no others. */
export type Parts<Name extends keyof RunnerContext> = Pick<RunnerContext, Name>;
