import { hasText, type TextId, t } from './i18n.ts';

/** The text of each code, from the codes of each text. */
function byCode(table: Partial<Record<TextId, string>>): Readonly<Record<string, TextId>> {
  const pairs = Object.entries(table).flatMap(([id, codes]) => codes.split(' ').map((code) => [code, id]));
  return Object.fromEntries(pairs) as Record<string, TextId>;
}

/** The text of every code that a problem of the API can have. The first load has this table: it is short. */
export const failureTexts = byCode({
  'failure.refused': 'USAGE CONFIRMATION_NEEDED REQUEST_INVALID IDEMPOTENCY_KEY_MISSING IDEMPOTENCY_KEY_REUSED',
  'failure.config': 'CONFIG_INVALID',
  'failure.unknown': 'ACCOUNT_UNKNOWN BATCH_UNKNOWN DRAFT_UNKNOWN WEBHOOK_UNKNOWN ROW_UNKNOWN NOT_FOUND',
  'failure.draft_state': 'DRAFT_STATE',
  'failure.changed': 'CHANGED_MEANWHILE CONTENT_CHANGED',
  'failure.state': 'BATCH_STATE',
  'failure.not_releasable': 'ROW_NOT_RELEASABLE',
  'failure.role': 'ROLE_MISSING PERSON_NEEDED',
  'failure.second_person': 'SECOND_PERSON_NEEDED',
  'failure.expired': 'APPROVAL_EXPIRED',
  'failure.service_changed': 'SERVICE_CHANGED',
  'failure.run_id': 'RUN_ID_INVALID',
  'failure.unreadable': 'FILE_UNREADABLE',
  'failure.file': 'FILE_REJECTED',
  'failure.busy': 'ACCOUNT_BUSY',
  'failure.service': 'SERVICE_UNREACHABLE',
  'failure.credentials': 'CREDENTIALS_REJECTED',
  'failure.ledger':
    'LEDGER_MISSING LEDGER_DAMAGED LEDGER_RESTORED LEDGER_REPLACED LEDGER_MOVED LEDGER_EXISTS LEDGER_VERSION',
  'failure.ledger_full': 'LEDGER_FULL',
  'failure.ledger_io': 'LEDGER_IO LEDGER_SYNC',
  'failure.ledger_busy': 'LEDGER_BUSY',
  'failure.backup': 'BACKUP_UNUSABLE',
  'failure.folder': 'FOLDER_UNWRITABLE',
  'failure.fenced': 'FENCED',
  'failure.session': 'KEY_MISSING KEY_REFUSED CROSS_ORIGIN',
  'sign_in.ended_help': 'SIGN_IN_NEEDED',
  'sign_in.refused': 'SIGN_IN_REFUSED',
  'sign_in.throttled': 'SIGN_IN_THROTTLED',
  'sign_in.link_refused': 'LINK_REFUSED',
  'failure.provider': 'PROVIDER_UNREACHABLE',
  'sign_in.code_refused': 'CODE_REFUSED',
  'failure.factor': 'FACTOR_UNREADABLE',
  'step_up.help': 'STEP_UP_NEEDED',
  'failure.shown_once': 'SHOWN_ONCE',
  'failure.too_large': 'REQUEST_TOO_LARGE',
  'failure.unfinished': 'REQUEST_UNFINISHED',
  'failure.program': 'INTERNAL',
});

/** What an error means, by its code; null if there is no text for it, or it is not loaded. */
export function codeText(code: string): string | null {
  const id = failureTexts[code];
  return id !== undefined && hasText(id) ? t(id) : null;
}

/** What an error of the operating system means. */
const systemTexts = byCode({
  'system.full': 'ENOSPC EDQUOT',
  'system.forbidden': 'EACCES EPERM',
  'system.read_only': 'EROFS',
  'system.missing': 'ENOENT ENOTDIR',
  'system.exists': 'EEXIST ENOTEMPTY',
  'system.busy': 'EBUSY ETXTBSY',
  'system.disk': 'EIO ESTALE',
  'system.network': 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH',
});

/** What a message of the operating system means, with its code; null if it names none. */
export function systemText(message: string): string | null {
  const [code] = /\bE[A-Z]{3,}(?:_[A-Z]+)?\b/.exec(message) ?? [];
  if (code === undefined) return null;
  const id = systemTexts[code] ?? 'system.other';
  return hasText(id) ? t(id, { code }) : null;
}
