import type { Random } from '../../core/basics/random.ts';
import type { BatchPolicy } from '../../core/state/batch-policy.ts';
import type { PauseReason } from '../../core/state/batch-state.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Balance, Gateway } from '../../gateway/contract/gateway.ts';
import type { LateBatch } from '../../ledger/accounts/pace.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import type { FileRefs } from '../../ledger/rows/file-refs.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import type { CachedForecast } from '../forecast/cached-forecast.ts';
import type { GateKeeper } from '../pacing/gate-keeper.ts';
import type { ReadTrouble } from '../pacing/read-trouble.ts';
import type { BatchWatch } from './batch-watch.ts';
import type { Committer } from './committer.ts';
import type { Comparison } from './comparison.ts';
import type { Followed } from './followed-rows.ts';
import type { Lease } from './lease.ts';
import type { Picker } from './picker.ts';
import type { RowMarks } from './row-marks.ts';
import type { EngineSettings } from './settings.ts';
import type { SettlementStats } from './settlement-stats.ts';
import type { Wake } from './wake.ts';

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

/** A batch that is approved, running or paused. */
export interface OpenBatch {
  batch: BatchRecord;
  policy: BatchPolicy;
  watch: BatchWatch;
  /** What stands in its file. */
  file: FileRefs;
  /** Whether its completed rows are read one by one for their details. */
  withDetails: boolean;
  /** Rows that a person has ended, and of which was told that the service's list says otherwise. */
  contradicted: RowMarks;
  /** Second payments of its rows, by the service's ids, of which was told. */
  seconds: Set<string>;
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
  /** What of the ledger was compared with the service, before anything of it is sent. */
  compared: Comparison;
  committer: Committer;
  /** The rows that this runner follows, as far as they are kept at hand. */
  followed: Followed;
  picker: Picker;
  /** Batches that a guard has stopped, and why: nothing more of them is sent, even before their pause is durable. */
  trips: Map<string, string>;
  /**
   * The balances that batches are to end with, by batch: read, while payments of others that were on the wire then are
   * not answered yet.
   */
  closing: Map<string, Balance>;
  /** Pauses of the account that were told in the log since a batch last began or went on. */
  loggedPauses: Set<string>;
  gate: GateKeeper;
  readTrouble: ReadTrouble;
  cachedForecast: CachedForecast;
  /** The batches that will not be done in time, and when that was last looked at (monotonic ms). */
  late: Map<string, LateBatch>;
  lateLookedAt: number;
  /**
   * Whether the service has refused the account's credentials, and it was not asked since whether it lets them read.
   */
  credentialsRefused: boolean;
  settlementStats: SettlementStats;
  /** Rings when there may be something to send. */
  dispatchWake: Wake;
  /** Rings when a row fell in doubt. */
  doubtWake: Wake;
  /** Rings when rows were accepted, or a webhook asks for a look-up. */
  trackWake: Wake;
  /** Rings when a webhook was received. */
  webhookWake: Wake;
  /** Rings after every durable change: a batch may be finished. */
  superviseWake: Wake;
  /** Rings when the runner stops, so that the lease is not waited for. */
  renewWake: Wake;
  /** Rings when the account's money ran out. */
  fundsWake: Wake;
  /** Rings when the runner stops. */
  rereadWake: Wake;
  /** The open batches of the account, by id. */
  batches: Map<string, OpenBatch>;
  /** The open batches of the account that were made for another service, by id: nothing is sent or asked for them. */
  movedBatches: Map<string, OpenBatch>;
  /** Aborted once nothing more may be sent; it also ends the sleeps that nothing rings out of. */
  stopping: AbortSignal;
  /** Called when a batch is durably completed. */
  onCompleted(batchId: string): void;
  /** Pauses every running batch of the account, with the reason. */
  pauseAccount(reason: PauseReason, detail: string): Promise<void>;
}
