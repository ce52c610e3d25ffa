import { z } from 'zod';
import type { Field } from '../../intake/cells/fields.ts';
import { fields } from '../../intake/cells/fields.ts';
import { readPhone } from '../../intake/cells/phone.ts';
import { plannedOrLikely } from '../../intake/check/sheets.ts';
import type { ColumnPlan } from '../../intake/columns/columns.ts';
import { fixes, fixesFor } from '../../intake/mending/fixes.ts';
import { anyNetwork } from '../../intake/mending/read-rows.ts';
import { stepsToMove } from '../../ledger/drafts/draft-changes.ts';
import { type ProblemGroup, problemGroups, problemsBetween } from '../../ledger/drafts/draft-problems.ts';
import { draftRowCounts, findDraftRow, pageIncluded, splitCells } from '../../ledger/drafts/draft-rows.ts';
import { type DraftRecord, requireDraft } from '../../ledger/drafts/drafts.ts';
import type { Session } from '../../runtime/session/session.ts';
import { problemValues } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { checkedDraft } from '../mending/check-draft.ts';
import {
  columnsOf,
  type DraftTotals,
  draftId,
  draftNote,
  draftOptions,
  draftRejection,
  draftSheet,
  draftSummary,
  draftTotals,
  fix,
  fromSheetOf,
  group,
  notesOf,
  optionsOf,
  rejectionOf,
  settingsOf,
  sheetsOf,
} from '../mending/draft-fields.ts';
import { step, stepJson } from '../mending/step-json.ts';
import { namedIn, shownTo, summaryOf } from './draft-summary.ts';

const field = z.enum(fields).nullable();

const column = z.strictObject({
  column: z.int(),
  name: z.string(),
  /** What it is read as; null: kept, but not read. */
  field,
  /** What it probably means, if the columns are not clear. */
  likely: field,
  /** Whether the sheet hides it: it is read only if a person says so. */
  is_hidden: z.boolean(),
  /** Its first values. */
  values: z.array(z.string()),
});

const problemGroup = z.strictObject({
  ...group,
  column_name: z.string().nullable(),
  rows: z.int(),
  example: z.strictObject({
    ...{ row: z.int(), value: z.string(), message: z.string(), suggestion: z.string(), values: problemValues },
  }),
  /** The most frequent cells with this problem. */
  values: z.array(z.strictObject({ value: z.string(), rows: z.int() })),
  /** The fixes for the rows, and what a person must choose for each. */
  fixes: z.array(z.strictObject({ fix, value: z.enum(['country', 'currency', 'network_id', 'decimal']).nullable() })),
});

/** Shows a draft: what its columns mean, what is wrong with its rows, and which fixes there are. */
export const showDraft = defineOperation({
  name: 'show-draft',
  role: 'audit',
  ledger: 'change',
  showsNumbers: { of: 'draft', role: 'prepare' },
  input: z.strictObject({ draft_id: draftId }),
  result: draftSummary.extend({
    options: draftOptions,
    /** The sheets of a workbook: a person chooses one. While `options` names none, no rows are read. */
    sheets: z.array(draftSheet),
    columns: z.array(column),
    /** Why the whole file cannot be paid yet; null if it can. */
    rejection: draftRejection.nullable(),
    /** Null while there is a rejection. */
    totals: draftTotals.omit({ values: true, understood: true }).nullable(),
    /** The most frequent country of the numbers at the top of the file, whether their rows can be paid or not. */
    country: z.string().nullable(),
    /** Rows by state. */
    states: z.record(z.string(), z.int()),
    groups: z.array(problemGroup),
    /** What a person should know about the original file. */
    notes: z.array(draftNote),
    undo: step.nullable(),
    redo: step.nullable(),
  }),
  async run({ session, withAccount }, { draft_id }) {
    const { db } = session;
    const found = await requireDraft(db, draft_id);
    const draft =
      found.checked_version === found.version || found.status !== 'open'
        ? found
        : await withAccount(found.account, (account) => checkedDraft(session, account, found));
    const stored = draft.findings === null ? null : (JSON.parse(draft.findings) as DraftTotals);
    const { values = {}, understood = [], ...totals } = stored ?? {};
    const top = await topRows(db, draft_id);
    const columns = columnsJson(session, draft, { understood, top });
    const plan = planOf(columns);
    const groups = [];
    for (const one of await problemGroups(db, draft_id))
      groups.push(await groupJson(session, draft, one, { plan, values: values[`${one.code} ${one.column_no}`] ?? [] }));
    const steps = await stepsToMove(db, draft_id);
    return {
      ...summaryOf(draft),
      options: shownOptions(draft, shownTo(session)),
      sheets: sheetsOf(draft),
      columns,
      rejection: shownRejection(draft, shownTo(session)),
      totals: stored === null ? null : (totals as Omit<DraftTotals, 'values' | 'understood'>),
      country: commonCountry(top, columns),
      states: Object.fromEntries(await draftRowCounts(db, draft_id)),
      groups,
      notes: notesOf(draft),
      undo: steps.undo && stepJson(steps.undo),
      redo: steps.redo && stepJson(steps.redo),
    };
  },
});

/** How many rows at the top of the file show their values below each column. */
const valueRows = 20;
const valuesMax = 5;

async function topRows(db: Session['db'], draftId: string): Promise<string[][]> {
  return (await pageIncluded(db, draftId, 0, valueRows)).map(({ cells }) => splitCells(cells));
}

function commonCountry(top: readonly string[][], columns: readonly z.output<typeof column>[]): string | null {
  const phones = columns.findIndex(({ field: name, likely }) => (name ?? likely) === 'phone_number');
  const rows = new Map<string, number>();
  for (const cells of top) {
    const phone = readPhone(cells[phones] ?? '', { country: null, isOfRow: false });
    if ('country' in phone) rows.set(phone.country, (rows.get(phone.country) ?? 0) + 1);
  }
  return [...rows].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

function columnsJson(
  session: Session,
  draft: DraftRecord,
  { understood, top }: { understood: DraftTotals['understood']; top: readonly string[][] },
): z.output<typeof column>[] {
  const header = columnsOf(draft);
  const settings = settingsOf(session, draft);
  const likely = meanings(
    plannedOrLikely(header, { ...settings, networkId: settings.networkId ?? anyNetwork }, new Set()).plan,
  );
  const hidden = fromSheetOf(draft)?.hiddenColumns ?? [];
  const shown = shownTo(session);
  return header.map((name, index) => ({
    ...{
      column: index,
      // The first row of a file without a header.
      name: shown(name),
      field: understood[index]?.field ?? null,
      likely: hidden.includes(index) ? null : (likely.get(index) ?? null),
    },
    is_hidden: hidden.includes(index),
    values: top
      .map((cells) => (cells[index] ?? '').trim())
      .filter((value) => value !== '')
      .slice(0, valuesMax)
      .map(shown),
  }));
}

/** The mapping names columns by the header, which may be the first row of a file without one. */
function shownOptions(draft: DraftRecord, shown: (text: string) => string) {
  const { map, ...options } = optionsOf(draft);
  if (map === undefined) return options;
  const named = Object.entries(map).map(([field, name]) => [field, shown(String(name))]);
  return { ...options, map: Object.fromEntries(named) as typeof map };
}

/** It may name what was taken for the header. */
function shownRejection(draft: DraftRecord, shown: (text: string) => string) {
  const rejection = rejectionOf(draft);
  if (rejection === null) return null;
  const { message, hint, reason } = rejection;
  const values = reason && Object.entries(reason.values).map(([name, value]) => [name, shown(value)]);
  return {
    message: shown(message),
    hint: shown(hint),
    reason: reason && { ...reason, values: Object.fromEntries(values ?? []) },
  };
}

function meanings(plan: ColumnPlan): Map<number, Field> {
  return new Map((Object.entries(plan) as [Field, number][]).map(([name, index]) => [index, name]));
}

function planOf(columns: readonly z.output<typeof column>[]): ColumnPlan {
  const named = columns.flatMap(({ field: name, column: index }) => (name === null ? [] : [[name, index] as const]));
  return Object.fromEntries(named);
}

async function groupJson(
  session: Session,
  draft: DraftRecord,
  { code, column_no, rows, first_row }: ProblemGroup,
  { plan, values }: { plan: ColumnPlan; values: DraftTotals['values'][string] },
): Promise<z.output<typeof problemGroup>> {
  const { db } = session;
  const shown = shownTo(session);
  const problems = await problemsBetween(db, draft.draft_id, { from: first_row, to: first_row });
  const problem = problems.find((one) => one.code === code && one.column_no === column_no);
  const row = await findDraftRow(db, draft.draft_id, first_row);
  const { why } = JSON.parse(problem?.named ?? '{}') as { why?: string };
  return {
    code: code as z.output<typeof problemGroup>['code'],
    column: column_no < 0 ? null : column_no,
    column_name: column_no < 0 ? null : shown(columnsOf(draft)[column_no] ?? ''),
    rows,
    example: {
      row: first_row,
      value: shown(splitCells(row?.cells ?? '')[column_no] ?? ''),
      message: shown(problem?.message ?? ''),
      suggestion: shown(problem?.suggestion ?? ''),
      values: namedIn(problem?.named ?? '{}', shown),
    },
    values: values.map(({ value, rows: count }) => ({ value: shown(value), rows: count })),
    fixes: fixesFor(code, plan, why).map((name) => ({ fix: name, value: fixes[name].value })),
  };
}
