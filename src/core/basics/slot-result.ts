import {
  AirbatchError,
  type ErrorCode,
  type ErrorReason,
  errorMessage,
  type ReasonValues,
  reasonOf,
} from './errors.ts';

/**
 * What a slot of a job has brought, why it has not, or what it waits for: by stable code, with what the text of the
 * code names. The console has a text for each in the reader's language. `why` and `code` choose a case of the text;
 * `error` is the message of the operating system, the service, or airbatch itself.
 */
export const slotReasons = {
  SLOT_BATCH: ['file', 'batch', 'rows', 'why'],
  SLOT_SAME_ROWS: ['rows', 'batch'],
  SLOT_TEXTS_LOST: ['rows'],
  SLOT_LATE: ['done_at', 'due_at'],
  SLOT_LATE_UNKNOWN: ['due_at'],
  SLOT_MAKES_LATE: ['batch', 'done_at', 'due_at'],
  SLOT_REJECTED: ['file'],
  SLOT_CORRECT: [],
  SLOT_NOT_ARCHIVED: ['file', 'error'],
  SLOT_NOT_TAKEN: ['file', 'why', 'error'],
  SLOT_NOT_BROUGHT: ['files'],
  SLOT_NO_FILE: [],
  SLOT_WRITING: ['files'],
  SLOT_OTHER_NAMES: ['files', 'pattern'],
  SLOT_NOT_FILES: ['files'],
  SLOT_BEFORE: [],
  SLOT_PARTIAL: ['file', 'batch'],
  SLOT_COMMAND: ['program', 'why', 'end', 'limit', 'error'],
  SLOT_FOLDER: ['folder', 'why', 'error'],
  SLOT_RECONCILED: ['count', 'why', 'folder'],
  SLOT_BACKUP: ['file', 'count', 'why'],
  SLOT_MISSED: [],
  SLOT_STOPPED: [],
  SLOT_RETRIED: ['minutes'],
  SLOT_TROUBLE: ['code', 'error'],
} as const;

type SlotReason = keyof typeof slotReasons;
type Values<Code extends SlotReason> = ReasonValues<typeof slotReasons, Code>;

/** A part of a slot's result: a sentence, and the same in a form that other languages can tell. */
export interface SlotPart {
  text: string;
  reasons: readonly ErrorReason[];
}

export function slotReason<Code extends SlotReason>(code: Code, values: Values<Code>): ErrorReason {
  return reasonOf(code, values);
}

export function slotPart<Code extends SlotReason>(code: Code, values: Values<Code>, text: string): SlotPart {
  return { text, reasons: [slotReason(code, values)] };
}

/** The result of a slot from its parts. Two parts that say the same are one. */
export function slotResult(parts: readonly SlotPart[]): { detail: string; reasons: ErrorReason[] } {
  const byText = new Map(parts.map((part) => [part.text, part]));
  return {
    detail: [...byText.keys()].join('; '),
    reasons: [...byText.values()].flatMap(({ reasons }) => reasons),
  };
}

/**
 * An error in a form that other languages can tell: its own reason, or its code and its message as it is. The reason of
 * an error that was caused by another says more about that one.
 */
export function reasonsOfError(error: unknown): ErrorReason[] {
  if (!(error instanceof AirbatchError) || error.reason === null) {
    const code: ErrorCode | '' = error instanceof AirbatchError ? error.code : '';
    return [slotReason('SLOT_TROUBLE', { code, error: errorMessage(error) })];
  }
  return [...(error.cause instanceof AirbatchError ? reasonsOfError(error.cause) : []), error.reason];
}
