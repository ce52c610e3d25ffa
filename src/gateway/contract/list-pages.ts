import { type Gateway, type ListOutcome, type ListQuery, paymentsPerPageMax, type ReadProblem } from './gateway.ts';

export type ListPage = Extract<ListOutcome, { kind: 'page' }>;

/** The evidence of a list that holds something back: that may be what is asked for. */
export const cutShort = { code: 'list_cut_short', message: 'the list says that it has more than it shows' };

/**
 * What is read page by page of a service that says that there is more, and shows nothing, or what it has shown before.
 */
export const listCutShort: ReadProblem = {
  kind: 'unavailable',
  evidence: { httpStatus: null, ...cutShort, requestId: null },
};

/** Tells pages by what stands on them first. Returns whether a page shows something new. */
export function makePageMarks(): (page: ListPage) => boolean {
  const firsts = new Set<string>();
  return ({ payments, unreadable }) => {
    const first = (payments[0] ?? unreadable[0])?.topupId;
    if (first === undefined || firsts.has(first)) return false;
    firsts.add(first);
    return true;
  };
}

/** A page of a list that is read to its end. */
export interface ReadPage extends Pick<ListPage, 'kind' | 'payments' | 'unreadable' | 'total'> {
  /** Nothing comes after it. */
  isLast: boolean;
  /** How many entries were shown by now, of which the list says that it has `total`. */
  shown: number;
}

/**
 * Reads the service's list page by page, the oldest first, so that no page is pushed on by what comes meanwhile. Each
 * call of what comes back asks once: for the next page, or again for one that was not answered. The list is over where
 * as many entries were shown as it says that there are, and it either names no next page or shows nothing new on it:
 * the number alone may be of before the last payments, or wrong; so may `has_next` (spec section 2.1 does not say how
 * they agree). Where less is shown, the list is cut short, and not at its end.
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
