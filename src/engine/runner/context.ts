import type { Random } from '../../core/basics/random.ts';
import type { PauseReason } from '../../core/state/batch-state.ts';
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

/** What is injected into an account's runner. */
export interface EngineDeps {
  db: Database;
  gateway: Gateway;
  limiter: Limiter;
  clock: Clock;
  random: Random;
  log: Log;
  settings: EngineSettings;
}

/** What dispatch, the doubts and tracking of one account share while its runner lives. */
export interface RunnerContext extends EngineDeps {
  account: string;
  /** Where the account is: batches of another service are not worked on. */
  service: string;
  /** Where the service should send webhooks of new payments, if anywhere. */
  callbackUrl: string | null;
  lease: Lease;
  /** When the ledger was restored from a backup (epoch ms), while that still calls for caution; else null. */
  restoredAt: number | null;
  /** Keys that were first sent until then (epoch ms) may be of any age, by a clock that was set back since. */
  keysProvedFrom: number;
  /**
   * Since when the service is asked with the present API key (epoch ms): keys that were first sent before it may not
   * know.
   */
  keyScopeFrom: number;
  committer: Committer;
  /** The rows that this runner follows, as far as they are kept at hand. */
  followed: Followed;
  picker: Picker;
  gate: GateKeeper;
  readTrouble: ReadTrouble;
  late: LateBatches;
  settlementStats: SettlementStats;
  wakes: Wakes;
  batches: OpenBatches;
  /** Aborted once nothing more may be sent; it also ends the sleeps that nothing rings out of. */
  stopping: AbortSignal;
  /** Called when a batch is durably completed. */
  onCompleted(batchId: string): void;
  /** Pauses every running batch of the account, with the reason. */
  pauseAccount(reason: PauseReason, detail: string): Promise<void>;
}

/** What it takes to ask the service, to write what follows, and to know the age of a key. */
export type Asks = 'gateway' | 'limiter' | 'readTrouble';
export type Writes = 'clock' | 'committer' | 'db' | 'log';
export type Keys = 'keyScopeFrom' | 'keysProvedFrom';

/** The parts of a runner that a file needs: no file gets more than it uses. */
export type Parts<Name extends keyof RunnerContext> = Pick<RunnerContext, Name>;
