import { type ErrorReason, type ReasonValues, reasonOf } from './errors.ts';

/**
 * Why a person's request is refused, by stable code, with what the text of the code names. The console has a text for
 * each in the reader's language. `why` chooses a case of the text.
 */
export const refusalReasons = {
  BATCH_IS: ['batch_status'],
  BATCH_CHANGED: [],
  BATCH_PAUSED: [],
  BATCH_NOT_PAUSED: [],
  BATCH_FORGOTTEN: [],
  NOT_SUBMITTER: ['name'],
  ROW_IS: ['row', 'row_status', 'wanted_status'],
  ROW_CHANGED: ['row'],
  ROW_LOOKED_UP: ['row'],
  ROW_TOO_EARLY: ['row', 'sent_at', 'from_at'],
  ROW_UNANSWERED: ['row', 'from_at'],
  ROW_ANSWERED: ['row', 'why', 'service_status', 'topup_id'],
  ROW_LEFT_OUT: ['row'],
  REPORTS_MISSING: [],
  PERSON_EXISTS: ['name'],
  PERSON_UNKNOWN: ['name'],
  EMAIL_TAKEN: [],
  LAST_ADMIN: ['name'],
  NAME_MISSING: [],
  APP_EXISTS: [],
  API_KEY_EXISTS: ['name'],
  API_KEY_UNKNOWN: ['name'],
  SESSION_ENDED: [],
  OWNER_UNFIT: ['name'],
  NUMBER_UNPAYABLE: [],
  ENDPOINTS_MAX: ['count'],
  ENDPOINT_LOCAL: [],
  ENDPOINT_DISABLED: [],
  TIME_PAST: [],
  TIMES_BACKWARDS: [],
  DAY_TO_COME: [],
  LINE_UNKNOWN: [],
  JOB_UNKNOWN: ['job'],
  FIX_UNFIT: [],
  COLUMNS_UNCLEAR: [],
  INPUT_REFUSED: ['fields'],
} as const;

type RefusalReason = keyof typeof refusalReasons;

export function refusal<Code extends RefusalReason>(
  code: Code,
  values: ReasonValues<typeof refusalReasons, Code>,
): ErrorReason {
  return reasonOf(code, values);
}
