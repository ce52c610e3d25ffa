import { operations } from '../../operations/all.ts';
import type { RoleOperation } from '../../operations/base/operation.ts';

/** Where an operation is found below `/api/v1`. `:name` in the path is a field of the operation's input. */
interface Place {
  method: 'GET' | 'POST';
  path: string;
  /** Fields of the input that a caller from outside may not set, such as folders of this machine. */
  without?: readonly string[];
  /** Whether the body is a file, which becomes the field `file`; the other fields are in the query. */
  isUpload?: boolean;
}

/**
 * A route an operation: GET where it changes nothing. Null for those that are not offered, with the reason beside it.
 */
const places: Readonly<Record<string, Place | null>> = {
  'list-batches': { method: 'GET', path: '/batches' },
  'show-status': { method: 'GET', path: '/batches/:batch_id' },
  'show-progress': { method: 'GET', path: '/batches/:batch_id/progress', without: ['followed'] },
  'validate-file': { method: 'POST', path: '/validations', without: ['errors'], isUpload: true },
  'submit-file': { method: 'POST', path: '/batches', isUpload: true },
  'import-file': { method: 'POST', path: '/imports', without: ['read_with'], isUpload: true },
  'submit-batch': { method: 'POST', path: '/batches/:batch_id/submit' },
  'resume-batches': { method: 'POST', path: '/batches/:batch_id/resume', without: ['out', 'restored'] },
  'reopen-failed': { method: 'POST', path: '/batches/:batch_id/retry' },
  'pause-batch': { method: 'POST', path: '/batches/:batch_id/pause' },
  'review-batch': { method: 'GET', path: '/batches/:batch_id/review' },
  'approve-batch': { method: 'POST', path: '/batches/:batch_id/approve' },
  'reject-batch': { method: 'POST', path: '/batches/:batch_id/reject' },
  'reorder-batch': { method: 'POST', path: '/batches/:batch_id/reorder' },
  'review-release': { method: 'GET', path: '/batches/:batch_id/held-rows' },
  'release-rows': { method: 'POST', path: '/batches/:batch_id/release' },
  'skip-rows': { method: 'POST', path: '/batches/:batch_id/skip' },
  'resolve-row': { method: 'POST', path: '/batches/:batch_id/rows/:row/resolve' },
  'audit-ledger': { method: 'POST', path: '/audits' },
  'list-events': { method: 'GET', path: '/events' },
  'show-row': { method: 'GET', path: '/batches/:batch_id/rows/:row' },
  'list-forgettable': { method: 'GET', path: '/forgettable-batches' },
  'forget-batches': { method: 'POST', path: '/forgettable-batches/forget' },
  'reconcile-account': { method: 'POST', path: '/reconciliations', without: ['out'] },
  'show-key': { method: 'GET', path: '/signing-key' },
  'write-reports': { method: 'POST', path: '/batches/:batch_id/reports', without: ['out'] },
  'read-balance': { method: 'GET', path: '/accounts/:account/balance' },
  'list-networks': { method: 'GET', path: '/accounts/:account/networks' },
  'list-products': { method: 'GET', path: '/accounts/:account/products' },
  'list-jobs': { method: 'GET', path: '/jobs' },
  'check-jobs': { method: 'GET', path: '/jobs/check' },
  'list-api-keys': { method: 'GET', path: '/api-keys' },
  'revoke-api-key': { method: 'POST', path: '/api-keys/:name/revoke' },
  // A secret that is sent over the network once is a secret in logs and caches: keys are made on the machine.
  'create-api-key': null,
  // It works on the batch itself: `reopen-failed` leaves that to the program that serves the account.
  'retry-failed': null,
  // It asks a person before it sends: `submit-file`, `review-batch` and `approve-batch` do it in steps.
  'run-file': null,
  // They read files of the machine that the caller names.
  'check-migration': null,
  'verify-reports': null,
};

/** An operation, and where it is found. */
export interface Route extends Place {
  operation: RoleOperation;
}

/** The routes of all operations that are offered. Throws where an operation has no entry in the table. */
export function routes(): Route[] {
  return Object.values(operations).flatMap((operation) => {
    const place = places[operation.name];
    if (place === undefined) throw new Error(`the operation ${operation.name} has no entry in the table of routes`);
    return place === null || operation.role === null ? [] : [{ ...place, operation: operation as RoleOperation }];
  });
}
