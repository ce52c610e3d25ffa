import * as operations from '../../operations/all.ts';
import type { RoleOperation } from '../../operations/base/operation.ts';
import type { StepUp } from '../sign-in/step-up.ts';

/** Where an operation is found below `/api/v1`. `:name` in the path is a field of the operation's input. */
interface Place {
  method: 'GET' | 'POST';
  path: string;
  /** Fields of the input that a caller from outside may not set, such as folders of this machine. */
  without?: readonly string[];
  /** Whether the body is a file, which becomes the field `file`; the other fields are in the query. */
  isUpload?: boolean;
  /** Whether the answer is the file that the operation names, not its result. */
  isDownload?: boolean;
  /** Whether it is only for people who are signed in, because it decides who may do what. */
  isForPeople?: boolean;
  /** The purpose for which a person must prove a second factor: it moves money, or decides who may move it. */
  stepUp?: StepUp;
  /** Whether the answer has a secret that is shown once. It is not stored for a repeated request. */
  isShownOnce?: boolean;
  /**
   * Whether a POST changes nothing: its input is a file, or may have a number, which must not be in an address that
   * proxies log. It needs no `Idempotency-Key`, and neither it nor its answer is stored.
   */
  changesNothing?: boolean;
  /** Fields that may have a number: only `POST .../search`, which is the same otherwise, takes them, in its body. */
  search?: readonly string[];
}

/**
 * One route for each operation: GET if it changes nothing; null, with a reason, if the API does not offer it.
 */
const places: Readonly<Record<keyof typeof operations, Place | null>> = {
  listBatches: { method: 'GET', path: '/batches' },
  listPaidFiles: { method: 'GET', path: '/paid-files' },
  showStatus: { method: 'GET', path: '/batches/:batch_id' },
  showProgress: { method: 'GET', path: '/batches/:batch_id/progress', without: ['followed'] },
  validateFile: { method: 'POST', path: '/validations', without: ['errors'], isUpload: true, changesNothing: true },
  submitFile: { method: 'POST', path: '/batches', isUpload: true },
  importFile: { method: 'POST', path: '/imports', without: ['read_with'], isUpload: true },
  submitBatch: { method: 'POST', path: '/batches/:batch_id/submit' },
  createDraft: { method: 'POST', path: '/drafts', isUpload: true },
  listDrafts: { method: 'GET', path: '/drafts' },
  showDraft: { method: 'GET', path: '/drafts/:draft_id' },
  listDraftRows: { method: 'GET', path: '/drafts/:draft_id/rows', search: ['text'] },
  listDraftChanges: { method: 'GET', path: '/drafts/:draft_id/changes' },
  previewFix: { method: 'POST', path: '/drafts/:draft_id/fix', changesNothing: true },
  changeDraft: { method: 'POST', path: '/drafts/:draft_id/change' },
  undoDraft: { method: 'POST', path: '/drafts/:draft_id/undo' },
  redoDraft: { method: 'POST', path: '/drafts/:draft_id/redo' },
  rereadDraft: { method: 'POST', path: '/drafts/:draft_id/reread' },
  planDraft: { method: 'POST', path: '/drafts/:draft_id/plan' },
  submitDraft: { method: 'POST', path: '/drafts/:draft_id/submit' },
  discardDraft: { method: 'POST', path: '/drafts/:draft_id/discard' },
  readDraftFile: { method: 'GET', path: '/drafts/:draft_id/file/:which', isDownload: true },
  resumeBatches: { method: 'POST', path: '/batches/:batch_id/resume', without: ['out', 'restored'] },
  reopenFailed: { method: 'POST', path: '/batches/:batch_id/retry' },
  pauseBatch: { method: 'POST', path: '/batches/:batch_id/pause' },
  reviewBatch: { method: 'GET', path: '/batches/:batch_id/review' },
  approveBatch: { method: 'POST', path: '/batches/:batch_id/approve', stepUp: 'input' },
  rejectBatch: { method: 'POST', path: '/batches/:batch_id/reject' },
  withdrawBatch: { method: 'POST', path: '/batches/:batch_id/withdraw' },
  reorderBatch: { method: 'POST', path: '/batches/:batch_id/reorder' },
  reviewRelease: { method: 'GET', path: '/batches/:batch_id/held-rows' },
  releaseRows: { method: 'POST', path: '/batches/:batch_id/release' },
  skipRows: { method: 'POST', path: '/batches/:batch_id/skip' },
  resolveRow: { method: 'POST', path: '/batches/:batch_id/rows/:row/resolve', stepUp: 'batch' },
  listDoubts: { method: 'GET', path: '/doubts' },
  lookUpRows: { method: 'POST', path: '/batches/:batch_id/look-up' },
  assignRows: { method: 'POST', path: '/batches/:batch_id/assign' },
  auditLedger: { method: 'POST', path: '/audits', changesNothing: true },
  listEvents: { method: 'GET', path: '/events' },
  findPayments: { method: 'POST', path: '/payment-searches', changesNothing: true },
  listRows: { method: 'GET', path: '/batches/:batch_id/rows', search: ['find'] },
  showRow: { method: 'GET', path: '/batches/:batch_id/rows/:row' },
  readDetails: { method: 'GET', path: '/batches/:batch_id/rows/:row/details' },
  listForgettable: { method: 'GET', path: '/forgettable-batches' },
  forgetBatches: { method: 'POST', path: '/forgettable-batches/forget' },
  reconcileAccount: { method: 'POST', path: '/reconciliations', without: ['out'] },
  listReconciliations: { method: 'GET', path: '/reconciliations' },
  showReconciliation: { method: 'GET', path: '/reconciliations/:reconciliation_id' },
  readReconciliationFile: {
    method: 'GET',
    path: '/reconciliations/:reconciliation_id/files/:file',
    isDownload: true,
  },
  listOpenItems: { method: 'GET', path: '/reconciliations/:reconciliation_id/items' },
  noteOpenItem: { method: 'POST', path: '/reconciliations/:reconciliation_id/items/:item_no/note' },
  showKey: { method: 'GET', path: '/signing-key' },
  writeReports: { method: 'POST', path: '/batches/:batch_id/reports', without: ['out'] },
  listAccounts: { method: 'GET', path: '/accounts' },
  listWorkers: { method: 'GET', path: '/workers' },
  listReportFiles: { method: 'GET', path: '/batches/:batch_id/report-files' },
  showDifference: { method: 'GET', path: '/batches/:batch_id/difference' },
  exportAuditPack: { method: 'GET', path: '/batches/:batch_id/audit-pack', isDownload: true },
  exportJournal: { method: 'POST', path: '/accounts/:account/journal', changesNothing: true },
  readBalance: { method: 'GET', path: '/accounts/:account/balance' },
  listBalances: { method: 'GET', path: '/accounts/:account/balances' },
  forecastMoney: { method: 'GET', path: '/accounts/:account/money-forecast' },
  planPayout: { method: 'POST', path: '/accounts/:account/plan', changesNothing: true },
  listNetworks: { method: 'GET', path: '/accounts/:account/networks' },
  listProducts: { method: 'GET', path: '/accounts/:account/products' },
  listJobs: { method: 'GET', path: '/jobs' },
  runJob: { method: 'POST', path: '/jobs/:name/run', without: ['restored'] },
  checkJobs: { method: 'GET', path: '/jobs/check' },
  readConfiguration: { method: 'GET', path: '/configuration' },
  listApiKeys: { method: 'GET', path: '/api-keys' },
  revokeApiKey: { method: 'POST', path: '/api-keys/:name/revoke' },
  createUser: { method: 'POST', path: '/users', stepUp: 'operation', isForPeople: true, isShownOnce: true },
  listUsers: { method: 'GET', path: '/users' },
  changeUser: { method: 'POST', path: '/users/:name/change', stepUp: 'operation', isForPeople: true },
  resetUser: { method: 'POST', path: '/users/:name/reset', stepUp: 'operation', isForPeople: true, isShownOnce: true },
  listSessions: { method: 'GET', path: '/sessions' },
  revokeSession: { method: 'POST', path: '/sessions/:session_id/revoke' },
  listAccessEvents: { method: 'GET', path: '/access-events' },
  createApiKey: { method: 'POST', path: '/api-keys', stepUp: 'operation', isForPeople: true, isShownOnce: true },
  createWebhook: { method: 'POST', path: '/webhooks', stepUp: 'operation', isShownOnce: true },
  listWebhooks: { method: 'GET', path: '/webhooks' },
  changeWebhook: { method: 'POST', path: '/webhooks/:endpoint_id/change', stepUp: 'operation' },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/webhooks/:endpoint_id/rotate-secret',
    stepUp: 'operation',
    isShownOnce: true,
  },
  deleteWebhook: { method: 'POST', path: '/webhooks/:endpoint_id/delete' },
  listDeliveries: { method: 'GET', path: '/webhooks/:endpoint_id/deliveries' },
  redeliverWebhook: { method: 'POST', path: '/webhooks/:endpoint_id/deliveries/:delivery_no/redeliver' },
  // A person who may start the program on its machine decides who administers it.
  inviteAdmin: null,
  // It writes code that the machine runs.
  createJob: null,
  // It works on the batch itself: `reopen-failed` leaves that to the program that serves the account.
  retryFailed: null,
  // It asks a person before it sends: `submit-file`, `review-batch` and `approve-batch` do it in steps.
  runFile: null,
  // They write folders of the machine that the caller names. A job makes backups, and a person restores at the machine.
  backUpLedger: null,
  drillBackup: null,
  restoreLedger: null,
  copyLedger: null,
  // The server has opened its ledger, so it has migrated it, and `audit-ledger` checks its chains.
  checkLedger: null,
  migrateLedger: null,
  // They read files of the machine that the caller names.
  checkMigration: null,
  verifyReports: null,
};

/** An operation and its route. `id`: the name of the operation, or of the search that it offers. */
export interface Route extends Omit<Place, 'search'> {
  id: string;
  operation: RoleOperation;
}

/** The routes of all operations that are offered. */
export function routes(): Route[] {
  const byName = { ...operations };
  return Object.entries(places).flatMap(([name, place]) => {
    const operation = byName[name as keyof typeof places];
    return place === null || operation.role === null ? [] : routesOf(place, operation as RoleOperation);
  });
}

function routesOf({ search, ...place }: Place, operation: RoleOperation): Route[] {
  const route = { ...place, operation, id: operation.name };
  if (search === undefined) return [route];
  const searching = { method: 'POST', path: `${place.path}/search`, changesNothing: true } as const;
  return [
    { ...route, without: [...(place.without ?? []), ...search] },
    { ...route, ...searching, id: `search-${operation.name.replace(/^list-/, '')}` },
  ];
}
