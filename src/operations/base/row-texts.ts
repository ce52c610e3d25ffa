import { withoutNumbers } from '../../core/text/redact.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { namedProblemsOf, problemsOf } from '../../reports/summary/stored.ts';
import type { Session } from '../../runtime/session/session.ts';

/**
 * Returns a function that prepares a text about a row for this caller. Such a text may contain a phone number. A user
 * of the machine's operating system sees it; everybody else sees the text without it. They see complete numbers only
 * through operations that record it in the access log.
 */
export function rowTextFor({ grant }: Pick<Session, 'grant'>): (text: string) => string {
  return grant === undefined ? (text) => text : withoutNumbers;
}

/** The problems of a row, without its cells. `values`: null in ledgers of earlier versions. */
export function shownProblems(session: Pick<Session, 'grant'>, row: Pick<ReportedRow, 'problems'>) {
  const shown = rowTextFor(session);
  const named = namedProblemsOf(row);
  return problemsOf(row).map(({ code, column, message, suggestion }, index) => {
    const shownValue = ([name, value]: [string, string]) => [name, isAmount(code, name) ? value : shown(value)];
    const values = named[index]?.values ?? null;
    return {
      ...{ code, column: column && shown(column), message: shown(message), suggestion: shown(suggestion) },
      values: values && (Object.fromEntries(Object.entries(values).map(shownValue)) as Record<string, string>),
    };
  });
}

/** An amount may have as many digits as a phone number. */
function isAmount(code: string, name: string): boolean {
  return code.startsWith('AMOUNT_') || name === 'amount' || name === 'sum';
}
