/** airbatch as a library: the parts its own commands are made of. `docs/library.md` shows how to put them together. */
export { type BatchPolicy, storedPolicy } from './core/batch-policy.ts';
export { type Clock, systemClock } from './core/clock.ts';
export { AirbatchError, type ErrorCode, errorTable } from './core/errors.ts';
export { type Random, systemRandom } from './core/random.ts';
export type { AccountRunner } from './engine/account-runner.ts';
export type { Actor } from './engine/actor.ts';
export {
  type ApprovalTerms,
  approve,
  askApproval,
  cancelUnsent,
  pauseBatch,
  rejectBatch,
  resumeBatch,
} from './engine/acts.ts';
export { approvalReason } from './engine/approval.ts';
export type { EngineLog } from './engine/context.ts';
export type { Preflight } from './engine/preflight.ts';
export { type ReleaseResult, releaseRows, skipRows } from './engine/release-or-skip.ts';
export { type NewPlace, reorderBatch } from './engine/reorder.ts';
export { type Resolution, type ResolvingService, resolveDoubt, resolveOverdue } from './engine/resolving.ts';
export { type RetryResult, retryFailed } from './engine/retry-failed.ts';
export type { EngineSettings } from './engine/settings.ts';
export type { Gateway } from './gateway/gateway.ts';
export type { FileFindings } from './intake/findings.ts';
export type { IntakeResult } from './intake/intake.ts';
export { validateFile } from './intake/validate.ts';
export { type BatchRecord, countRows, findBatch, listBatches } from './ledger/batches.ts';
export type { Database } from './ledger/database.ts';
export type { RowRecord } from './ledger/rows.ts';
export type { Limiter } from './limiter/limiter.ts';
export { type Signing, type WrittenReports, writeReports } from './reports/reports.ts';
export type { SigningKey } from './reports/signing-key.ts';
export { type BatchSummary, batchSummary } from './reports/summary.ts';
export { type OpenAccount, openAccount } from './runtime/account.ts';
export { runnerOf } from './runtime/account-runner.ts';
export type { AccountCatalog } from './runtime/catalog.ts';
export { type AccountConfig, type Config, type ConfigFile, chooseAccount, loadConfig } from './runtime/config.ts';
export { type KeptAccount, keepAccount } from './runtime/keep-account.ts';
export { openLedger } from './runtime/ledger.ts';
export { openSession, type Session, type SessionOptions, sessionSigning } from './runtime/session.ts';
export { type FileToTakeIn, planOf, takeIn } from './runtime/take-in.ts';
export { type ManualClock, makeManualClock, makeSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
export { defineJob, type Job, type JobInput } from './scheduler/define-job.ts';
export { makeServer, type ServerDeps } from './server/app.ts';
