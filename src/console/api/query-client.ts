import { QueryClient, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { isAttended } from './attention.ts';
import { ApiProblem } from './problem.ts';

/** How long an answer is shown without asking again (ms). Streamed data are requested when something happens. */
const freshMs = 3_000;
/** How often a list without a stream is requested again (ms). */
const refreshMs = 10_000;
const retriesMax = 2;

/** For `refetchInterval`: repeats the request while somebody uses the page. */
export function refresh(everyMs: number = refreshMs): () => number | false {
  return () => isAttended() && everyMs;
}

interface PagesOptions {
  enabled?: boolean;
  refetchInterval?: ReturnType<typeof refresh>;
  /** Shows the pages of the key before until those of a new key are read. */
  placeholderData?: <Data>(previous: Data | undefined) => Data | undefined;
}

/** A list that is read page by page: `readPage` reads from `first`, then from `next` of the page before. */
export function usePages<Cursor, Page extends { next: Cursor | null }>(
  queryKey: QueryKey,
  first: Cursor,
  readPage: (from: Cursor) => Promise<Page>,
  options: PagesOptions = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => readPage(pageParam as Cursor),
    initialPageParam: first,
    getNextPageParam: ({ next }) => next,
    ...options,
  });
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        networkMode: 'always',
        // The server would refuse the same request again.
        retry: (failures, error) => !(error instanceof ApiProblem) && failures < retriesMax,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
