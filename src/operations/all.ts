import { changeUser } from './access/change-user.ts';
import { createApiKey } from './access/create-api-key.ts';
import { createUser } from './access/create-user.ts';
import { inviteAdmin } from './access/invite-admin.ts';
import { listAccessEvents } from './access/list-access-events.ts';
import { listApiKeys } from './access/list-api-keys.ts';
import { listSessions } from './access/list-sessions.ts';
import { listUsers } from './access/list-users.ts';
import { readConfiguration } from './access/read-configuration.ts';
import { resetUser } from './access/reset-user.ts';
import { revokeApiKey } from './access/revoke-api-key.ts';
import { revokeSession } from './access/revoke-session.ts';
import { auditLedger } from './audit/audit-ledger.ts';
import { listEvents } from './audit/list-events.ts';
import { backUpLedger } from './backup/back-up-ledger.ts';
import { checkLedger } from './backup/check-ledger.ts';
import { copyLedger } from './backup/copy-ledger.ts';
import { drillBackup } from './backup/drill-backup.ts';
import { migrateLedger } from './backup/migrate-ledger.ts';
import { restoreLedger } from './backup/restore-ledger.ts';
import { approveBatch } from './batches/approve-batch.ts';
import { listBatches } from './batches/list-batches.ts';
import { listPaidFiles } from './batches/list-paid-files.ts';
import { pauseBatch } from './batches/pause-batch.ts';
import { rejectBatch } from './batches/reject-batch.ts';
import { reopenFailed } from './batches/reopen-failed.ts';
import { reorderBatch } from './batches/reorder-batch.ts';
import { resumeBatches } from './batches/resume-batches.ts';
import { retryFailed } from './batches/retry-failed.ts';
import { reviewBatch } from './batches/review-batch.ts';
import { showProgress } from './batches/show-progress.ts';
import { showStatus } from './batches/show-status.ts';
import { changeDraft } from './drafts/change-draft.ts';
import { createDraft } from './drafts/create-draft.ts';
import { discardDraft } from './drafts/discard-draft.ts';
import { listDraftChanges } from './drafts/list-draft-changes.ts';
import { listDraftRows } from './drafts/list-draft-rows.ts';
import { listDrafts } from './drafts/list-drafts.ts';
import { planDraft } from './drafts/plan-draft.ts';
import { previewFix } from './drafts/preview-fix.ts';
import { readDraftFile } from './drafts/read-draft-file.ts';
import { rereadDraft } from './drafts/reread-draft.ts';
import { showDraft } from './drafts/show-draft.ts';
import { submitDraft } from './drafts/submit-draft.ts';
import { redoDraft, undoDraft } from './drafts/undo-draft.ts';
import { importFile } from './files/import-file.ts';
import { runFile } from './files/run-file.ts';
import { submitBatch } from './files/submit-batch.ts';
import { submitFile } from './files/submit-file.ts';
import { validateFile } from './files/validate-file.ts';
import { checkJobs } from './jobs/check-jobs.ts';
import { createJob } from './jobs/create-job.ts';
import { listJobs } from './jobs/list-jobs.ts';
import { runJob } from './jobs/run-job.ts';
import { checkMigration } from './migration/check-migration.ts';
import { exportAuditPack } from './proof/export-audit-pack.ts';
import { exportJournal } from './proof/export-journal.ts';
import { forgetBatches, listForgettable } from './proof/forget-batches.ts';
import { listOpenItems } from './proof/list-open-items.ts';
import { listReportFiles } from './proof/list-report-files.ts';
import { noteOpenItem } from './proof/note-open-item.ts';
import { reconcileAccount } from './proof/reconcile-account.ts';
import { showKey } from './proof/show-key.ts';
import { verifyReports } from './proof/verify-reports.ts';
import { writeReports } from './proof/write-reports.ts';
import { assignRows } from './rows/assign-rows.ts';
import { findPayments } from './rows/find-payments.ts';
import { listDoubts } from './rows/list-doubts.ts';
import { listRows } from './rows/list-rows.ts';
import { lookUpRows } from './rows/look-up-rows.ts';
import { readDetails } from './rows/read-details.ts';
import { releaseRows } from './rows/release-rows.ts';
import { resolveRow } from './rows/resolve-row.ts';
import { reviewRelease } from './rows/review-release.ts';
import { showRow } from './rows/show-row.ts';
import { skipRows } from './rows/skip-rows.ts';
import { forecastMoney } from './service/forecast-money.ts';
import { listAccounts } from './service/list-accounts.ts';
import { listBalances } from './service/list-balances.ts';
import { listNetworks } from './service/list-networks.ts';
import { listProducts } from './service/list-products.ts';
import { listWorkers } from './service/list-workers.ts';
import { planPayout } from './service/plan-payout.ts';
import { readBalance } from './service/read-balance.ts';
import { changeWebhook } from './webhooks/change-webhook.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { listDeliveries } from './webhooks/list-deliveries.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { redeliverWebhook } from './webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';

/** Every operation by its name in camelCase, for doors that offer all of them. */
export const operations = {
  validateFile,
  submitFile,
  importFile,
  submitBatch,
  createDraft,
  listDrafts,
  showDraft,
  listDraftRows,
  listDraftChanges,
  previewFix,
  changeDraft,
  undoDraft,
  redoDraft,
  rereadDraft,
  planDraft,
  submitDraft,
  discardDraft,
  readDraftFile,
  runFile,
  resumeBatches,
  retryFailed,
  listBatches,
  listPaidFiles,
  showStatus,
  showProgress,
  reopenFailed,
  pauseBatch,
  reviewBatch,
  approveBatch,
  rejectBatch,
  reorderBatch,
  reviewRelease,
  releaseRows,
  skipRows,
  resolveRow,
  listDoubts,
  lookUpRows,
  assignRows,
  auditLedger,
  backUpLedger,
  drillBackup,
  restoreLedger,
  copyLedger,
  checkLedger,
  migrateLedger,
  listEvents,
  listRows,
  findPayments,
  showRow,
  readDetails,
  listForgettable,
  forgetBatches,
  reconcileAccount,
  listOpenItems,
  noteOpenItem,
  showKey,
  writeReports,
  listReportFiles,
  exportAuditPack,
  exportJournal,
  verifyReports,
  createJob,
  listJobs,
  checkJobs,
  runJob,
  checkMigration,
  listAccounts,
  listWorkers,
  readBalance,
  listBalances,
  forecastMoney,
  planPayout,
  listNetworks,
  listProducts,
  readConfiguration,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  createUser,
  listUsers,
  changeUser,
  resetUser,
  inviteAdmin,
  listSessions,
  revokeSession,
  listAccessEvents,
  createWebhook,
  listWebhooks,
  changeWebhook,
  rotateWebhookSecret,
  deleteWebhook,
  listDeliveries,
  redeliverWebhook,
} as const;
