import { z } from 'zod';
import { type ProblemCode, problemTable } from '../../core/state/problem-table.ts';
import { findings } from '../../intake/check/findings-shape.ts';
import { type IntakeSettings, intakeSettings, intakeShape } from '../../intake/columns/settings.ts';
import type { FromSheet } from '../../intake/file/source.ts';
import { fixNames } from '../../intake/mending/fixes.ts';
import { type DraftRecord, draftStates } from '../../ledger/drafts/drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { accountName, batchId, columnNo, numberMax, problemValues, stableReason, sums, time } from '../base/fields.ts';
import { fileInput, settingsWith } from '../files/file-input.ts';

export const draftId = z.string();

/** The digest of a file. */
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'is a SHA-256 in hex');

/** The version that the caller has seen; the change is refused (`CHANGED_MEANWHILE`) if the draft has another. */
export const version = z.int().max(numberMax).optional();

const { map, sheet, header_line, total_line, country, currency, decimal, expect_rows, expect_sum } = fileInput.shape;

/** How the file is read. A value that is left out is the configuration's. */
export const draftOptions = z.strictObject({
  ...{ map, sheet, header_line, total_line, country, currency, decimal, expect_rows, expect_sum },
  /** The network of all rows, if the file does not say. */
  network_id: intakeShape.shape.networkId.unwrap().unwrap().optional(),
});
export type DraftOptions = z.output<typeof draftOptions>;

/** What can be changed after the upload: sheet and header line decide which rows there are. */
export const changeableOptions = draftOptions.omit({ sheet: true, header_line: true });

const code = z.enum(Object.keys(problemTable) as ProblemCode[]);

/** A sheet of a workbook, with what it would pay: its sum is that of the amounts whose currency is clear. */
export const draftSheet = z.strictObject({
  name: z.string(),
  rows: z.int(),
  sums,
  /** Whether it was open when the workbook was saved. */
  is_active: z.boolean(),
});
export type DraftSheet = z.output<typeof draftSheet>;

/** A row with what is wrong with it. */
export const draftRow = z.strictObject({
  row: z.int(),
  line: z.int(),
  state: z.enum(['unchecked', 'ready', 'held', 'invalid', 'skipped', 'excluded']),
  cells: z.array(z.string()),
  problems: z.array(
    z.strictObject({
      code,
      column: z.int().nullable(),
      ...{ message: z.string(), suggestion: z.string(), values: problemValues },
    }),
  ),
});

/** A group of problems: one code in one column (null: of the whole row). */
export const group = { code, column: columnNo.nullable() };

export const fix = z.enum(fixNames);

/** A draft in a list. */
export const draftSummary = z.strictObject({
  draft_id: draftId,
  account: accountName,
  status: z.enum(draftStates),
  file_name: z.string(),
  /** SHA-256 (hex) of the original file. */
  original_sha256: z.string(),
  /** False once it was discarded, or its people were forgotten. */
  are_files_kept: z.boolean(),
  rows: z.int(),
  version: z.int(),
  batch_id: batchId.nullable(),
  created_by: z.string(),
  created_at: time,
  changed_at: time,
});

/** What the last check of the whole file found. */
const { counts, countries, product_rows, text_rows, unusual, warnings, understood } = findings.shape;
export const draftTotals = z.strictObject({
  ...{ counts, sums, countries, product_rows, text_rows, unusual, warnings, understood },
  /** The most frequent cells of each group of problems, by code and column number ("CODE 3"). */
  values: z.record(z.string(), z.array(z.strictObject({ value: z.string(), rows: z.int() }))),
});
export type DraftTotals = z.output<typeof draftTotals>;

/** Why the whole file cannot be paid yet. */
export const draftRejection = z.strictObject({ message: z.string(), hint: z.string(), reason: stableReason });
export type DraftRejection = z.output<typeof draftRejection>;

/** What a person should know about the original file. */
export const draftNote = z.strictObject({ message: z.string(), reason: stableReason });

export function optionsOf({ options }: Pick<DraftRecord, 'options'>): DraftOptions {
  return JSON.parse(options) as DraftOptions;
}

export function rejectionOf({ rejection }: Pick<DraftRecord, 'rejection'>): DraftRejection | null {
  return rejection === null
    ? null
    : { reason: null, ...(JSON.parse(rejection) as Pick<DraftRejection, 'message' | 'hint'>) };
}

export function notesOf({ notes }: Pick<DraftRecord, 'notes'>): z.output<typeof draftNote>[] {
  const stored = JSON.parse(notes) as (z.output<typeof draftNote> | string)[];
  return stored.map((note) => (typeof note === 'string' ? { message: note, reason: null } : note));
}

export function sheetsOf({ sheets }: Pick<DraftRecord, 'sheets'>): DraftSheet[] {
  return JSON.parse(sheets) as DraftSheet[];
}

/** Whether a sheet of the workbook is still to be chosen: there are no rows then. */
export function needsSheet(draft: Pick<DraftRecord, 'sheets' | 'options'>): boolean {
  return sheetsOf(draft).length > 0 && optionsOf(draft).sheet === undefined;
}

/** What the sheet of these rows showed; null for a file that is not a workbook. */
export function fromSheetOf({
  from_workbook,
  hidden_columns,
}: Pick<DraftRecord, 'from_workbook' | 'hidden_columns'>): FromSheet | null {
  return from_workbook === 1 ? { hiddenColumns: JSON.parse(hidden_columns) as number[] } : null;
}

export function columnsOf({ columns }: Pick<DraftRecord, 'columns'>): string[] {
  return JSON.parse(columns) as string[];
}

/** The configuration's settings with the draft's options, as intake takes them. */
export function configuredWith({ config }: Pick<Session, 'config'>, options: DraftOptions): Record<string, unknown> {
  const { network_id, sheet: _, header_line: __, ...input } = options;
  const settings = settingsWith(config.intake, { file: '', ...input });
  // The mended file has one table, which begins with its header.
  const { sheet: ___, headerLine: ____, ...own } = settings;
  return network_id === undefined ? own : { ...own, networkId: network_id };
}

export function settingsOf(session: Pick<Session, 'config'>, draft: Pick<DraftRecord, 'options'>): IntakeSettings {
  return intakeSettings(configuredWith(session, optionsOf(draft)));
}
