import { hasText, type TextId, t } from './i18n.ts';

/** The text of every code that a problem of the API can have. */
export const failureTexts: Readonly<Record<string, TextId>> = {
  USAGE: 'failure.refused',
  CONFIG_INVALID: 'failure.config',
  ACCOUNT_UNKNOWN: 'failure.unknown',
  CONFIRMATION_NEEDED: 'failure.refused',
  BATCH_UNKNOWN: 'failure.unknown',
  DRAFT_UNKNOWN: 'failure.unknown',
  DRAFT_STATE: 'failure.draft_state',
  CHANGED_MEANWHILE: 'failure.changed',
  WEBHOOK_UNKNOWN: 'failure.unknown',
  ROW_UNKNOWN: 'failure.unknown',
  BATCH_STATE: 'failure.state',
  ROW_NOT_RELEASABLE: 'failure.not_releasable',
  ROLE_MISSING: 'failure.role',
  SECOND_PERSON_NEEDED: 'failure.second_person',
  APPROVAL_EXPIRED: 'failure.expired',
  CONTENT_CHANGED: 'failure.changed',
  SERVICE_CHANGED: 'failure.service_changed',
  RUN_ID_INVALID: 'failure.run_id',
  FILE_UNREADABLE: 'failure.unreadable',
  FILE_REJECTED: 'failure.file',
  ACCOUNT_BUSY: 'failure.busy',
  SERVICE_UNREACHABLE: 'failure.service',
  CREDENTIALS_REJECTED: 'failure.credentials',
  LEDGER_MISSING: 'failure.ledger',
  LEDGER_FULL: 'failure.ledger_full',
  LEDGER_IO: 'failure.ledger_io',
  LEDGER_SYNC: 'failure.ledger_io',
  LEDGER_BUSY: 'failure.ledger_busy',
  LEDGER_DAMAGED: 'failure.ledger',
  LEDGER_RESTORED: 'failure.ledger',
  LEDGER_REPLACED: 'failure.ledger',
  LEDGER_MOVED: 'failure.ledger',
  LEDGER_EXISTS: 'failure.ledger',
  BACKUP_UNUSABLE: 'failure.backup',
  LEDGER_VERSION: 'failure.ledger',
  FOLDER_UNWRITABLE: 'failure.folder',
  FENCED: 'failure.fenced',
  KEY_MISSING: 'failure.session',
  KEY_REFUSED: 'failure.session',
  PERSON_NEEDED: 'failure.role',
  SIGN_IN_NEEDED: 'sign_in.ended_help',
  SIGN_IN_REFUSED: 'sign_in.refused',
  SIGN_IN_THROTTLED: 'sign_in.throttled',
  LINK_REFUSED: 'sign_in.link_refused',
  PROVIDER_UNREACHABLE: 'failure.provider',
  CODE_REFUSED: 'sign_in.code_refused',
  FACTOR_UNREADABLE: 'failure.factor',
  CROSS_ORIGIN: 'failure.session',
  STEP_UP_NEEDED: 'step_up.help',
  SHOWN_ONCE: 'failure.shown_once',
  NOT_FOUND: 'failure.unknown',
  REQUEST_INVALID: 'failure.refused',
  REQUEST_TOO_LARGE: 'failure.too_large',
  IDEMPOTENCY_KEY_MISSING: 'failure.refused',
  IDEMPOTENCY_KEY_REUSED: 'failure.refused',
  REQUEST_UNFINISHED: 'failure.unfinished',
  INTERNAL: 'failure.program',
};

/** What an error means, by its code; null if there is no text for it, or it is not loaded. */
export function codeText(code: string): string | null {
  const id = failureTexts[code];
  return id !== undefined && hasText(id) ? t(id) : null;
}

/** What an error of the operating system means. */
const systemTexts: Readonly<Record<string, TextId>> = {
  ...{ ENOSPC: 'system.full', EDQUOT: 'system.full' },
  ...{ EACCES: 'system.forbidden', EPERM: 'system.forbidden', EROFS: 'system.read_only' },
  ...{ ENOENT: 'system.missing', ENOTDIR: 'system.missing', EEXIST: 'system.exists', ENOTEMPTY: 'system.exists' },
  ...{ EBUSY: 'system.busy', ETXTBSY: 'system.busy', EIO: 'system.disk', ESTALE: 'system.disk' },
  ...{ ECONNREFUSED: 'system.network', ECONNRESET: 'system.network', EPIPE: 'system.network' },
  ...{ ETIMEDOUT: 'system.network', ENOTFOUND: 'system.network', EAI_AGAIN: 'system.network' },
  ...{ EHOSTUNREACH: 'system.network', ENETUNREACH: 'system.network' },
};

/** What a message of the operating system means, with its code; null if it names none. */
export function systemText(message: string): string | null {
  const [code] = /\bE[A-Z]{3,}(?:_[A-Z]+)?\b/.exec(message) ?? [];
  if (code === undefined) return null;
  const id = systemTexts[code] ?? 'system.other';
  return hasText(id) ? t(id, { code }) : null;
}
