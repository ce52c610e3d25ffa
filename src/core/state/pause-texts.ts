import { type ErrorReason, type ReasonValues, reasonOf } from '../basics/errors.ts';

/**
 * Why airbatch itself pauses a batch or an account, by stable code, with what the text of the code names. The console
 * has a text for each in the reader's language. `difference` and `why` choose a case of the text; `missing` and
 * `others` are amounts with their currencies, `KES 500, USD 2`. A row in doubt that halts the account has a code of
 * `doubtReasons`.
 */
export const pauseWhys = {
  PAUSE_FAILURES: ['failed', 'rows', 'percent'],
  PAUSE_FIRST_ROWS: ['failed', 'rows'],
  PAUSE_COST: ['row', 'cost', 'other_row', 'other_cost', 'currency'],
  PAUSE_SPENT: ['spent', 'approved', 'currency', 'why'],
  PAUSE_OTHER: ['row', 'batch', 'difference'],
  PAUSE_PAID_TWICE: ['row', 'batch', 'topup_id'],
  PAUSE_MOVED: ['service', 'account', 'other_service'],
  PAUSE_SHORT: ['missing', 'others'],
  PAUSE_REFUSED: ['message', 'service_code'],
} as const;

type PauseWhy = keyof typeof pauseWhys;

/**
 * Why a batch is paused: a sentence, and the same in a form that other languages can tell. Null: a person's own words,
 * or the sentence of an earlier version.
 */
export interface Why {
  text: string;
  reason: ErrorReason | null;
}

export function pauseWhy<Code extends PauseWhy>(
  code: Code,
  values: ReasonValues<typeof pauseWhys, Code>,
  text: string,
): Why {
  return { text, reason: reasonOf(code, values) };
}

/** The service refuses all payments of the account: its own words. */
export function refusedByService({ code, message }: { code: string; message: string }): Why {
  return pauseWhy('PAUSE_REFUSED', { service_code: code, message }, `${code}: ${message}`);
}
