import { type Gateway, type ListOutcome, type ListQuery, paymentsPerPageMax, type ReadProblem } from './gateway.ts';

export type ListPage = Extract<ListOutcome, { kind: 'page' }>;

/** The evidence of an incomplete list: the payment in question may be among the missing entries. */
export const cutShort = { code: 'list_cut_short', message: 'the list says that it has more than it shows' };

/** The outcome of reading a list whose service announces more entries, and then shows none, or the same ones again. */
export const listCutShort: ReadProblem = {
  kind: 'unavailable',
  evidence: { httpStatus: null, ...cutShort, requestId: null },
};

/** Recognises pages by their first entry. The function returns whether a page shows something new. */
export function makePageMarks(): (page: ListPage) => boolean {
  const firsts = new Set<string>();
  return ({ payments, unreadable }) => {
    const first = (payments[0] ?? unreadable[0])?.topupId;
    if (first === undefined || firsts.has(first)) return false;
    firsts.add(first);
    return true;
  };
}

/** A page of a list that is read from beginning to end. */
export interface ReadPage extends Pick<ListPage, 'kind' | 'payments' | 'unreadable' | 'total'> {
  /** No page follows. */
  isLast: boolean;
  /** How many entries have been shown so far. The list claims to have `total`. */
  shown: number;
}

/**
 * Reads the service's list page by page, the oldest entries first, so that new payments do not shift the pages. Each
 * call of the returned function asks once: for the next page, or again for a page that was not answered. The list ends
 * when as many entries were shown as it claims to have, and it names no next page or shows nothing new on it. Neither
 * `total` nor `has_next` is trusted alone: both may be outdated or wrong, and spec section 2.1 does not say how they
 * agree. If fewer entries are shown than claimed, the list is incomplete.
 */
export function makeListReader(
  list: NonNullable<Gateway['list']>,
  between: Pick<ListQuery, 'fromMs' | 'toMs'>,
): () => Promise<ReadPage | ReadProblem> {
  const isNew = makePageMarks();
  let page = 1;
  let shown = 0;
  return async () => {
    const outcome = await list({ ...between, page, perPage: paymentsPerPageMax, oldestFirst: true });
    if (outcome.kind !== 'page') return outcome;
    const { kind, payments, unreadable, hasNext, total } = outcome;
    if (!isNew(outcome))
      return shown < total ? listCutShort : { kind, payments: [], unreadable: [], total, shown, isLast: true };
    shown += payments.length + unreadable.length;
    page += 1;
    return { kind, payments, unreadable, total, shown, isLast: shown >= total && !hasNext };
  };
}
