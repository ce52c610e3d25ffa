import { AirbatchError, type ErrorOptions, type ErrorReason, reasonOf } from './errors.ts';

/**
 * Why a file as a whole cannot be paid, by stable code. The console has a text for each in the reader's language, which
 * names the values that `rejectedFile` is given.
 */
export const fileReasons = [
  ...(['EMPTY', 'NO_ROWS', 'NOT_A_TABLE', 'ENCODING', 'DAMAGED', 'PACKED_TWICE', 'TOO_LARGE'] as const),
  ...(['TOO_MANY_ROWS', 'TOO_WIDE', 'QUOTE_OPEN', 'ONE_COLUMN', 'HEADER_LINE', 'COLUMN_MISSING'] as const),
  ...([
    'COLUMN_UNCLEAR',
    'COLUMN_TWICE',
    'COLUMN_HIDDEN',
    'COLUMN_UNKNOWN',
    'COLUMN_NAME',
    'COLUMN_SHARED',
    'OWN_RESULTS',
    'CURRENCY_UNREAD',
  ] as const),
  ...(['SHEET_UNKNOWN', 'SHEET_UNCLEAR', 'SUM_TOO_LARGE', 'ROWS_EXPECTED', 'SUM_EXPECTED'] as const),
  ...(['END_MISSING', 'END_ROWS', 'END_SUM', 'TOTAL_UNREADABLE', 'TOTAL_CURRENCY', 'TOTAL_WRONG'] as const),
  ...(['TOTAL_PARTIAL', 'FILE_MISSING', 'FILE_FOLDER', 'UNREADABLE', 'READING_ABANDONED'] as const),
] as const;

export type FileReason = (typeof fileReasons)[number];

/** What a person should know about a file, by stable code. */
export const fileNotes = ['ABOVE_HEADER', 'SHEETS_UNREAD', 'ROWS_HIDDEN', 'ROWS_STRUCK', 'DATES'] as const;

/** The same in a sentence, and in a form that other languages can tell. */
export interface FileNote {
  message: string;
  reason: ErrorReason | null;
}

type Values = Readonly<Record<string, string | number>>;

/** `FILE_REJECTED` with its reason, and what the text of the reason names. */
export function rejectedFile(
  code: FileReason,
  values: Values,
  message: string,
  options: Omit<ErrorOptions, 'reason'> = {},
): AirbatchError {
  return new AirbatchError('FILE_REJECTED', message, { ...options, reason: reasonOf(code, values) });
}

export function fileNote(code: (typeof fileNotes)[number], values: Values, message: string): FileNote {
  return { message, reason: reasonOf(code, values) };
}
