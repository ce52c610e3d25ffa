import type { ListOutcome, ReadProblem } from '../gateway/gateway.ts';

export type ListPage = Extract<ListOutcome, { kind: 'page' }>;

/** How far a list was read that begins with its oldest entries. */
export interface ListPlace {
  /** How many entries were read. */
  read: number;
  /** The page before; null on the first. */
  before: ListPage | null;
}

/** A page that may be believed, and whether the list ends with it. */
export interface CheckedPage {
  kind: 'checked';
  page: ListPage;
  isLast: boolean;
}

/**
 * The list is over where as many entries were read as it says that there are, and it either names no next page or shows none: the number
 * alone may be of before the last payments, or wrong; so may `has_next` (spec section 2.1 does not say how they agree). A page that shows
 * nothing new, or nothing where there should be more, is no answer.
 */
export function checkedPage(outcome: ListOutcome, { read, before }: ListPlace): CheckedPage | ReadProblem {
  if (outcome.kind !== 'page') return outcome;
  const entries = entriesOf(outcome);
  const isAll = read + entries.length >= outcome.total;
  if (entries.length === 0 && !isAll)
    return untrue('list_ends_early', 'the list shows fewer entries than it says that it has');
  if (entries.length > 0 && before !== null && !goesOn(before, outcome))
    return untrue('list_repeats', 'a page of the list shows what the one before does');
  return { kind: 'checked', page: outcome, isLast: isAll && (!outcome.hasNext || entries.length === 0) };
}

export function entriesOf({ payments, unreadable }: ListPage): { topupId: string }[] {
  return [...payments, ...unreadable];
}

/** Whether a page shows something that the one before does not, and does not begin with older entries again. */
function goesOn(before: ListPage, page: ListPage): boolean {
  const known = new Set(entriesOf(before).map(({ topupId }) => topupId));
  return newestOf(page) >= newestOf(before) && entriesOf(page).some(({ topupId }) => !known.has(topupId));
}

/** Epoch milliseconds. */
function newestOf({ payments }: ListPage): number {
  return payments.reduce((newest, { createdAt }) => Math.max(newest, createdAt ?? 0), 0);
}

function untrue(code: string, message: string): ReadProblem {
  return { kind: 'unavailable', evidence: { httpStatus: 200, code, message, requestId: null } };
}
