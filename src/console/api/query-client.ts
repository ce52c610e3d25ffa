import { QueryClient } from '@tanstack/react-query';
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
