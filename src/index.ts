/** airbatch as a library: the parts its own commands are made of. `docs/library.md` shows how to put them together. */

export { AirbatchError, type ErrorCode, errorTable } from './core/basics/errors.ts';
export { type Random, systemRandom } from './core/basics/random.ts';
export { type BatchPolicy, storedPolicy } from './core/state/batch-policy.ts';
export type { Log as EngineLog } from './core/text/log.ts';
export { type Clock, systemClock } from './core/time/clock.ts';
export type { AccountRunner } from './engine/account-runner.ts';
export {
  type ApprovalTerms,
  approve,
  askApproval,
  cancelUnsent,
  pauseBatch,
  rejectBatch,
  resumeBatch,
} from './engine/batches/batch-commands.ts';
export { type NewPlace, reorderBatch } from './engine/batches/reorder.ts';
export { type ReleaseResult, releaseRows, skipRows } from './engine/decisions/release-or-skip.ts';
export { type Resolution, type ResolvingService, resolveDoubt, resolveOverdue } from './engine/decisions/resolve.ts';
export { type RetryResult, retryFailed } from './engine/decisions/retry-failed.ts';
export { approvalReason } from './engine/plan/approval.ts';
export type { Preflight } from './engine/plan/preflight.ts';
export type { EngineSettings } from './engine/runner/settings.ts';
export type { Gateway } from './gateway/contract/gateway.ts';
export type { FileFindings } from './intake/check/findings.ts';
export type { IntakeResult } from './intake/intake.ts';
export { validateFile } from './intake/validate.ts';
export type { Actor } from './ledger/actor.ts';
export { countRows } from './ledger/batches/batch-counts.ts';
export { type BatchRecord, findBatch, listBatches } from './ledger/batches/batches.ts';
export type { Database } from './ledger/drivers/database.ts';
export type { RowRecord } from './ledger/rows/rows.ts';
export type { Limiter } from './limiter/limiter.ts';
export { type Signing, type WrittenReports, writeReports } from './reports/reports.ts';
export { type BatchSummary, batchSummary } from './reports/summary/summary.ts';
export type { SigningKey } from './reports/versions/signing-key.ts';
export { type OpenAccount, openAccount } from './runtime/accounts/account.ts';
export type { AccountCatalog } from './runtime/accounts/account-catalog.ts';
export { type SupervisedAccount, superviseAccount } from './runtime/accounts/account-supervisor.ts';
export { runnerOf } from './runtime/accounts/runner-of.ts';
export { defineJob, type Job, type JobInput } from './runtime/jobs/define-job.ts';
export { openLedger } from './runtime/session/ledger.ts';
export { openSession, type Session, type SessionOptions, sessionSigning } from './runtime/session/session.ts';
export type { AccountConfig } from './runtime/settings/account-config.ts';
export { type Config, chooseAccount, loadConfig } from './runtime/settings/config.ts';
export type { ConfigFile } from './runtime/settings/config-shape.ts';
export { type FileToImport, importFile, planOf } from './runtime/upkeep/import-file.ts';
export { type ManualClock, makeManualClock, makeSandbox, type Sandbox, type SandboxOptions } from './sandbox/index.ts';
export { makeServer, type ServerDeps } from './server/app.ts';
